// Package trial runs what tests draw at random: seeds on all cores, and mutants of inputs.
package trial

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// enough failures show what is wrong.
const enough = 5

// Number is what an environment variable says, or otherwise.
func Number(t testing.TB, name string, otherwise int64) int64 {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Seeds tries the seeds from <name>_SEED (1) on, <name>_RUNS (otherwise) of them, as many at a time as there are cores, and says how many
// it tried: a seed that is given alone, and none after five failures. A try answers what is wrong, "" for nothing.
func Seeds(t *testing.T, name string, otherwise int64, try func(seed int64) string) int64 {
	t.Helper()
	first, runs := Number(t, name+"_SEED", 1), Number(t, name+"_RUNS", otherwise)
	if os.Getenv(name+"_SEED") != "" && os.Getenv(name+"_RUNS") == "" {
		runs = 1
	}
	var next, failures atomic.Int64
	var cores sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		cores.Go(func() {
			for failures.Load() < enough {
				n := next.Add(1)
				if n > runs {
					return
				}
				seed := first + n - 1
				if why := try(seed); why != "" {
					failures.Add(1)
					t.Errorf("%s_SEED=%d\n%s", name, seed, why)
				}
			}
		})
	}
	cores.Wait()
	tried := min(next.Load(), runs)
	t.Logf("%d runs, seeds %d to %d: %d differ", tried, first, first+tried-1, failures.Load())
	return tried
}
