package trial

import (
	"bytes"
	"math/rand"
	"slices"
	"sync"
	"testing"
)

func TestSeeds(t *testing.T) {
	t.Setenv("TRIAL_SEED", "7")
	var at sync.Mutex
	var seen []int64
	note := func(seed int64) string {
		at.Lock()
		defer at.Unlock()
		seen = append(seen, seed)
		return ""
	}
	if n := Seeds(t, "TRIAL", 100, note); n != 1 || !slices.Equal(seen, []int64{7}) {
		t.Errorf("a seed alone: %d runs, %v", n, seen)
	}
	t.Setenv("TRIAL_RUNS", "4")
	seen = nil
	n := Seeds(t, "TRIAL", 100, note)
	slices.Sort(seen)
	if n != 4 || !slices.Equal(seen, []int64{7, 8, 9, 10}) {
		t.Errorf("%d runs, %v", n, seen)
	}
}

// TestMutants: most mutants differ from their seed and from each other, the seeds stay what they are, and the same seed draws the same.
func TestMutants(t *testing.T) {
	seeds := []string{`{"a":1}`, "", "\x02\x80\x01"}
	m, again := mutator{rand.New(rand.NewSource(1)), seeds}, mutator{rand.New(rand.NewSource(1)), seeds}
	different := map[string]bool{}
	for range 1000 {
		b := m.mutant()
		if !bytes.Equal(b, again.mutant()) {
			t.Fatal("the same seed draws another mutant")
		}
		different[string(b)] = true
	}
	if len(different) < 700 {
		t.Errorf("%d different ones", len(different))
	}
	if !slices.Equal(seeds, []string{`{"a":1}`, "", "\x02\x80\x01"}) {
		t.Errorf("the seeds are %q now", seeds)
	}
}
