package pace

import (
	"context"
	"math"
	"time"
)

// Clock is the time a loop keeps its rate by.
type Clock interface {
	Now() time.Time
	// Sleep waits for d or until ctx ends, and then returns its error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Loop goes through the places of a source's rows: 0, 1, 2, …
type Loop struct {
	Rows  int64 // how many places; 0: without end
	Rate  int64 // places per second; 0: as fast as they are taken
	Batch uint64
	Clock Clock
}

// tick is how long a loop with a rate sleeps at least, so that high rates go out in batches.
const tick = 5 * time.Millisecond

// Run calls write for the places from…to-1, at most Batch of them, until the last one, an error, or the end of ctx, whose
// error it returns.
func (l Loop) Run(ctx context.Context, write func(from, to uint64) error) error {
	rows := uint64(math.MaxUint64)
	if l.Rows > 0 {
		rows = uint64(l.Rows)
	}
	began := l.Clock.Now()
	for n := uint64(0); n < rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		due := min(rows, n+l.Batch)
		if l.Rate > 0 {
			due = min(due, l.due(l.Clock.Now().Sub(began)))
		}
		if due <= n {
			wait := l.offset(n) - l.Clock.Now().Sub(began)
			if err := l.Clock.Sleep(ctx, max(wait, tick)); err != nil {
				return err
			}
			continue
		}
		if err := write(n, due); err != nil {
			return err
		}
		n = due
	}
	return nil
}

// due is how many rows there are to be after a time: row n comes at n/rate.
func (l Loop) due(after time.Duration) uint64 {
	if after < 0 {
		return 0
	}
	s, ns := uint64(after/time.Second), float64(after%time.Second)
	return s*uint64(l.Rate) + uint64(ns*float64(l.Rate)/1e9) + 1
}

// offset is when row n is due.
func (l Loop) offset(n uint64) time.Duration {
	return time.Duration(float64(n) / float64(l.Rate) * float64(time.Second))
}
