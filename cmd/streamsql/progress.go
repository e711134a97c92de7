package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/streamsql-go/streamsql"
)

// progress shows a line that is rewritten while queries run, after the first second, on a terminal. free says that no rows
// go to the terminal. The function returned removes it.
func (a *app) progress(t *totals, free bool) (stop func()) {
	if !free || !isTerminal(a.stderr) {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		shown := false
		for n := 0; ; n++ {
			select {
			case <-tick.C:
				if n > 0 {
					fmt.Fprintf(a.stderr, "\r\x1b[K%s", t.line())
					shown = true
				}
			case <-done:
				if shown {
					fmt.Fprint(a.stderr, "\r\x1b[K")
				}
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
	})
}

// line is what there is to know while queries run.
func (t *totals) line() string {
	f := t.figures()
	text := f.String()
	for _, q := range t.queries {
		if s := q.Stats(); s.Holding != "" {
			return fmt.Sprintf("%s · watermark %s", text, streamsql.Instant(s.Watermark))
		}
	}
	return text
}
