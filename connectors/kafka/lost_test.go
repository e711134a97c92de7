package kafka

import (
	"context"
	"testing"
	"time"
)

// The broker forgets a member while its owner is busy, and the member joins again before the next poll: that poll reports
// the loss, the one after it the new assignment.
func TestAssignmentAfterALossIsKept(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 1)
		e.fill(in, 1, 0, 10)
		s := e.open(e.options("a", 1, in))
		e.assigned(s)
		s.gs.AllowRebalance() // as an end that takes long does
		if err := s.leave(e.ctx, s.member); err != nil {
			t.Fatal(err)
		}
		for again := false; !again; {
			if e.ctx.Err() != nil {
				t.Fatal("the member does not join again")
			}
			time.Sleep(10 * time.Millisecond)
			s.ev.mu.Lock()
			again = s.ev.lost && s.ev.ready != nil
			s.ev.mu.Unlock()
		}
		var lost, rebalanced bool
		for records := 0; records == 0; {
			ctx, cancel := context.WithTimeout(e.ctx, time.Second)
			p, err := s.Poll(ctx, 100)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			lost, rebalanced = lost || p.Lost, rebalanced || p.Rebalanced
			for _, f := range p.Fetched {
				records += len(f.Records)
			}
			if e.ctx.Err() != nil {
				t.Fatal("no records come: the assignment was thrown away")
			}
		}
		if !lost || !rebalanced {
			t.Errorf("lost %v, rebalanced %v: want both", lost, rebalanced)
		}
	})
}
