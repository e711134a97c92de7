package story

import (
	"fmt"
	"io"
)

// Result is one test under one regime.
type Result struct {
	File   string
	Line   int // of --@test:
	Test   string
	Regime Regime
	// Skipped says why the regime does not apply.
	Skipped string
	// Failure is what went wrong, with file:line and a diff; "" when the test passed.
	Failure string
}

// Report is what happened to the tests of a file.
type Report struct {
	Results []Result
}

// Failed are the results with a failure.
func (r *Report) Failed() []Result {
	var out []Result
	for _, x := range r.Results {
		if x.Failure != "" {
			out = append(out, x)
		}
	}
	return out
}

// Write prints one line per test and, for each failure, how to run it again.
func (r *Report) Write(w io.Writer) {
	passed, skipped := map[string]int{}, map[string]int{}
	var order []Result
	for _, x := range r.Results {
		id := fmt.Sprintf("%s:%d", x.File, x.Line)
		if passed[id]+skipped[id] == 0 {
			order = append(order, x)
		}
		if x.Skipped != "" {
			skipped[id]++
		}
		passed[id]++
	}
	failures := map[string][]Result{}
	for _, x := range r.Failed() {
		id := fmt.Sprintf("%s:%d", x.File, x.Line)
		failures[id] = append(failures[id], x)
	}
	for _, x := range order {
		id := fmt.Sprintf("%s:%d", x.File, x.Line)
		n := passed[id] - skipped[id]
		if f := failures[id]; len(f) > 0 {
			fmt.Fprintf(w, "FAIL %s (%d of %d regimes)\n", x.Test, len(f), n)
			for _, y := range f {
				fmt.Fprintf(w, "  %s\n  run again: %s\n", indent(y.Failure), y.Regime)
			}
			continue
		}
		fmt.Fprintf(w, "ok   %s (%d regimes)\n", x.Test, n)
	}
}

func indent(s string) string {
	out := make([]byte, 0, len(s)+16)
	for _, c := range []byte(s) {
		out = append(out, c)
		if c == '\n' {
			out = append(out, "  "...)
		}
	}
	return string(out)
}
