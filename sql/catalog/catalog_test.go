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
