package catalog

import (
	"strings"
	"sync"
	"testing"
)

func TestLookup(t *testing.T) {
	c := New()
	if err := c.Add(&Relation{Name: "Orders"}); err != nil {
		t.Fatal(err)
	}
	before := c.Now()
	if r, ok := c.Get("oRDERS"); !ok || r.Name != "Orders" {
		t.Errorf("case matters: %v %v", r, ok)
	}
	if err := c.Add(&Relation{Name: "ORDERS"}); err == nil || !strings.Contains(err.Error(), "OR REPLACE") {
		t.Errorf("a name that is taken: %v", err)
	}
	if c.Version() != 1 {
		t.Errorf("a refused change counts: version %d", c.Version())
	}
	c.Replace(&Relation{Name: "ORDERS"})
	if r, _ := c.Get("orders"); r.Name != "ORDERS" || len(c.List()) != 1 {
		t.Errorf("replaced: %v, %d relations", r, len(c.List()))
	}
	if r, _ := before.Get("orders"); r.Name != "Orders" {
		t.Error("a snapshot changed")
	}
	if err := c.Drop("ordres"); err == nil || !strings.Contains(err.Error(), "did you mean ORDERS?") {
		t.Errorf("dropped what is not there: %v", err)
	}
	if err := c.Drop("orders"); err != nil || len(c.List()) != 0 || c.Version() != 3 {
		t.Errorf("%v, %d relations, version %d", err, len(c.List()), c.Version())
	}
}

func TestConcurrentUse(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			name := string(rune('a' + i))
			for range 50 {
				if err := c.Add(&Relation{Name: name}); err != nil {
					t.Error(err)
				}
				if _, ok := c.Get(name); !ok {
					t.Errorf("%s is lost", name)
				}
				if err := c.Drop(name); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	if c.Version() != 800 {
		t.Errorf("version %d after 800 changes", c.Version())
	}
}

func TestDuration(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "0s": 0, "5s": 5_000_000, "500ms": 500_000, "1m30s": 90_000_000, "1.5h": 5_400_000_000, "10 SECONDS": 10_000_000,
		"1d": 86_400_000_000, "1w": 604_800_000_000, "250us": 250, " 2 h ": 7_200_000_000, "1.000001s": 1_000_001,
	} {
		got, err := ParseDuration(in)
		if err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "5", "s", "-5s", "5 parsecs", "1..5s", "99999999999999999999s", "9999999999999999w", "5s6", "1.2.3s"} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("%q: %d, want an error", in, got)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for in, want := range map[int64]string{0: "0s", 90_000_000: "1m30s", 500_000: "500ms", 86_400_000_000: "1d", 1_001: "1ms1us", -5_000_000: "-5s"} {
		if got := FormatDuration(in); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
		if in < 0 {
			continue
		}
		if back, err := ParseDuration(want); err != nil || back != in {
			t.Errorf("%s reads as %d, %v", want, back, err)
		}
	}
}
