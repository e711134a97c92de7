package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
)

// Poll reports, in this order of precedence: that the group refuses this member (connectors.ErrFingerprint,
// ErrExclusive), that the membership was lost, a new assignment (alone; its records come with later polls), records, and
// that a rebalance waits. At a new assignment every partition goes on at its committed offset: what was polled before
// and not committed comes again. Errors of fetching are returned at most every 200 ms; *connectors.ErrOffsetGone says
// that a position is no longer in the log.
func (s *Session) Poll(ctx context.Context, max int) (connectors.Poll, error) {
	if s.dead != nil {
		return connectors.Poll{}, s.dead
	}
	for {
		if p, ok, err := s.news(ctx); ok || err != nil {
			return p, err
		}
		s.begin()
		if len(s.stash) > 0 {
			return s.give(), nil
		}
		if !s.open {
			s.unblock()
			s.gs.AllowRebalance()
		}
		err := s.convert(ctx, s.fetch(ctx, max))
		switch {
		case err != nil:
			_ = wait(ctx, 200*time.Millisecond)
			return connectors.Poll{Generation: s.generation}, err
		case len(s.stash) > 0:
			return s.give(), nil
		case s.wanted() && !s.told:
			s.told = true
			return connectors.Poll{Generation: s.generation, Wanted: true}, nil
		case ctx.Err() != nil:
			return connectors.Poll{Generation: s.generation, Wanted: s.wanted()}, nil
		}
	}
}

// give hands the fetched records out, which opens the epoch.
func (s *Session) give() connectors.Poll {
	p := connectors.Poll{Generation: s.generation, Fetched: s.stash, Wanted: s.wanted()}
	s.told = s.told || p.Wanted
	s.stash, s.open = nil, true
	return p
}

func (s *Session) wanted() bool {
	s.ev.mu.Lock()
	defer s.ev.mu.Unlock()
	return s.ev.blocked && s.open
}

func (s *Session) unblock() {
	s.ev.mu.Lock()
	defer s.ev.mu.Unlock()
	s.ev.blocked, s.told = false, false
}

// news reports what the callbacks saw.
func (s *Session) news(ctx context.Context) (connectors.Poll, bool, error) {
	s.ev.mu.Lock()
	lost, verdict, ready := s.ev.lost, s.ev.verdict, s.ev.ready
	s.ev.lost = false
	if !lost && !s.open {
		s.ev.ready = nil // beside a loss it is the assignment after it, for the next poll
	}
	if ready != nil && !s.open {
		s.ev.revoked = false // from here on it means: revoked again
	}
	s.ev.mu.Unlock()
	switch {
	case verdict != admitted:
		err := connectors.ErrFingerprint
		if verdict == refusedExclusive {
			err = connectors.ErrExclusive
		}
		return connectors.Poll{}, true, fmt.Errorf("group %s: %w", s.o.Group, err)
	case lost, ready != nil && s.open:
		// The second: something was produced between a revocation and this poll; it goes first.
		if err := s.drop(ctx); err != nil {
			return connectors.Poll{}, false, err
		}
		s.assigned = nil
		return connectors.Poll{Generation: s.generation, Lost: true}, true, nil
	case ready != nil:
		return s.assign(ctx, ready), true, nil
	}
	return connectors.Poll{}, false, nil
}

// assign makes a the current assignment.
func (s *Session) assign(ctx context.Context, a *assignment) connectors.Poll {
	// The client's session aborts the next commit after each revocation. Nothing is open: an empty end takes the mark off.
	_, _ = s.gs.End(context.WithoutCancel(ctx), kgo.TryAbort)
	s.current, s.generation, s.member = a, a.generation, a.member
	s.stash = nil
	s.assigned = make(map[connectors.Partition]*owned, len(a.partitions))
	p := connectors.Poll{Generation: a.generation, Rebalanced: true, Assignment: make([]connectors.Assigned, 0, len(a.partitions))}
	for _, tp := range a.partitions {
		w := &owned{committed: connectors.Offset{At: -1}, start: -1, epoch: -1}
		if start, ok := s.o.Starts[tp]; ok {
			w.start = start
		}
		if c, ok := a.committed[tp]; ok {
			w.committed = c
		} else if w.start >= 0 {
			a.from[tp] = w.start
		}
		s.assigned[tp] = w
		p.Assignment = append(p.Assignment, connectors.Assigned{Partition: tp, Committed: w.committed})
	}
	return p
}

// begin lets fetching of the reported assignment begin.
func (s *Session) begin() {
	if s.current != nil && !s.current.begun() {
		close(s.current.taken)
	}
}

// fetch polls the client until there are records, news, or ctx ends.
func (s *Session) fetch(ctx context.Context, max int) kgo.Fetches {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ev.mu.Lock()
	s.ev.wake = cancel
	if s.ev.ready != nil || s.ev.lost || s.ev.verdict != admitted || s.ev.blocked && s.open && !s.told {
		cancel()
	}
	s.ev.mu.Unlock()
	defer context.AfterFunc(s.ctx, cancel)()
	fs := s.cl.PollRecords(ctx, max)
	s.ev.mu.Lock()
	s.ev.wake = nil
	s.ev.mu.Unlock()
	return fs
}

// convert puts the records into the stash, and returns the first error that is not a matter of waiting.
func (s *Session) convert(ctx context.Context, fs kgo.Fetches) error {
	n, parts := 0, 0
	for i := range fs {
		for j := range fs[i].Topics {
			for k := range fs[i].Topics[j].Partitions {
				n += len(fs[i].Topics[j].Partitions[k].Records)
				parts++
			}
		}
	}
	var first error
	if cap(s.slab) < n {
		s.slab = make([]connectors.Record, 0, n+n/4)
	}
	slab := s.slab[:0] // those given out before are no longer valid
	for i := range fs {
		for j := range fs[i].Topics {
			t := &fs[i].Topics[j]
			for k := range t.Partitions {
				fp := &t.Partitions[k]
				if fp.Err != nil {
					if err := s.fetchError(ctx, t.Topic, fp.Partition, fp.Err); err != nil && first == nil {
						first = err
					}
				}
				slab = s.convertPartition(slab, t.Topic, fp, parts)
			}
		}
	}
	return first
}

func (s *Session) convertPartition(slab []connectors.Record, topic string, fp *kgo.FetchPartition, parts int) []connectors.Record {
	if len(fp.Records) == 0 {
		return slab
	}
	key := connectors.Partition{Topic: topic, Partition: fp.Partition}
	w := s.assigned[key]
	if w == nil {
		return slab
	}
	from := len(slab)
	for _, r := range fp.Records {
		if !r.Attrs.IsControl() {
			slab = append(slab, fromClient(r))
		}
	}
	last := fp.Records[len(fp.Records)-1]
	w.epoch = last.LeaderEpoch
	if s.stash == nil {
		s.stash = make([]connectors.Fetched, 0, parts)
	}
	s.stash = append(s.stash, connectors.Fetched{
		Partition: key,
		Records:   slab[from:len(slab):len(slab)],
		Next:      last.Offset + 1,
		End:       fp.HighWatermark,
	})
	return slab
}

func (s *Session) dropStash(p connectors.Partition) {
	kept := s.stash[:0]
	for _, f := range s.stash {
		if f.Partition != p {
			kept = append(kept, f)
		}
	}
	s.stash = kept
}

// fetchError judges an error that a poll brought: nil for what passes by itself or is reported otherwise.
func (s *Session) fetchError(ctx context.Context, topic string, partition int32, err error) error {
	var loss *kgo.ErrDataLoss
	var group *kgo.ErrGroupSession
	p := connectors.Partition{Topic: topic, Partition: partition}
	switch {
	case errors.Is(err, kgo.ErrClientClosed), s.ctx.Err() != nil:
		return s.die(explain(kgo.ErrClientClosed, subject{doing: "poll", group: s.o.Group}))
	case isContext(err):
		return nil
	case errors.As(err, &group):
		return s.groupError(group.Err)
	case errors.As(err, &loss):
		return s.c.gone(ctx, p, loss.ConsumedTo, err)
	case errors.Is(err, kerr.OffsetOutOfRange):
		wanted := int64(-1)
		if at, ok := s.cl.UncommittedOffsets()[topic][partition]; ok {
			wanted = at.Offset
		} else if w := s.assigned[p]; w != nil {
			wanted = w.position()
		}
		return s.c.gone(context.WithoutCancel(ctx), p, wanted, err)
	}
	return explain(err, subject{doing: "read", topic: topic, group: s.o.Group})
}

// groupError judges an error of the membership. The client joins again by itself after all of them.
func (s *Session) groupError(err error) error {
	switch {
	case errors.Is(err, kerr.FencedInstanceID):
		return s.die(lost(explain(err, subject{doing: "use", group: s.o.Group})))
	case errors.Is(err, kerr.InconsistentGroupProtocol):
		return fmt.Errorf("group %s has members that are no streamsql: give the query another name: %w", s.o.Group, err)
	case errors.Is(err, kerr.UnknownMemberID), errors.Is(err, kerr.IllegalGeneration), errors.Is(err, kerr.MemberIDRequired),
		away(err), isContext(err):
		return nil
	}
	return explain(err, subject{doing: "use", group: s.o.Group})
}
