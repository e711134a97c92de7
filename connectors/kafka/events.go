package kafka

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
)

// events is what the client's callbacks saw and Poll has not reported yet. Callbacks only write here: ending or leaving
// inside one deadlocks the client.
type events struct {
	mu      sync.Mutex
	wake    context.CancelFunc // ends the running poll
	blocked bool               // a rebalance waits for the open epoch
	revoked bool               // the assignment that was reported is no longer ours
	lost    bool               // ... and the membership neither
	verdict verdict
	joined  *assignment // offsets not known yet
	ready   *assignment // to report
}

// assignment is one outcome of a rebalance.
type assignment struct {
	generation int32
	member     string
	partitions []connectors.Partition
	committed  map[connectors.Partition]connectors.Offset
	from       map[connectors.Partition]int64 // where fetching begins, if not at the commit
	taken      chan struct{}                  // closed by the Poll after the report: fetching may begin
}

func (a *assignment) begun() bool {
	if a == nil {
		return false
	}
	select {
	case <-a.taken:
		return true
	default:
		return false
	}
}

func (s *Session) wake() {
	if s.ev.wake != nil {
		s.ev.wake()
	}
}

func (s *Session) onBlocked(context.Context, *kgo.Client) {
	s.ev.mu.Lock()
	defer s.ev.mu.Unlock()
	s.ev.blocked = true
	s.wake()
}

func (s *Session) onRevoked(context.Context, *kgo.Client, map[string][]int32) {
	s.ev.mu.Lock()
	defer s.ev.mu.Unlock()
	s.ev.revoked, s.ev.blocked = true, false
	s.ev.joined, s.ev.ready = nil, nil
}

func (s *Session) onLost(context.Context, *kgo.Client, map[string][]int32) {
	s.ev.mu.Lock()
	defer s.ev.mu.Unlock()
	s.ev.revoked, s.ev.blocked, s.ev.lost = true, false, true
	s.ev.joined, s.ev.ready = nil, nil
	s.wake()
}

func (s *Session) onAssigned(_ context.Context, cl *kgo.Client, got map[string][]int32) {
	a := &assignment{from: make(map[connectors.Partition]int64), taken: make(chan struct{})}
	a.member, a.generation = cl.GroupMetadata()
	for topic, ps := range got {
		for _, p := range ps {
			a.partitions = append(a.partitions, connectors.Partition{Topic: topic, Partition: p})
		}
	}
	slices.SortFunc(a.partitions, func(x, y connectors.Partition) int {
		return cmp.Or(strings.Compare(x.Topic, y.Topic), cmp.Compare(x.Partition, y.Partition))
	})
	s.ev.mu.Lock()
	defer s.ev.mu.Unlock()
	s.ev.blocked = false
	s.ev.verdict = s.bal.joined(a.generation)
	if s.ev.joined = a; len(a.partitions) == 0 { // no offsets to wait for
		s.ev.ready = a
	}
	s.wake()
}

// onFetched gets the group's stable offsets, with the metadata that the client itself has no use for. Partitions with an
// error are left to the client, which reports them through the poll.
func (s *Session) onFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	committed, err := committedIn(resp, s.ids, passOver)
	if err != nil {
		return err
	}
	s.ev.mu.Lock()
	defer s.ev.mu.Unlock()
	if a := s.ev.joined; a != nil {
		a.committed = committed
		s.ev.ready = a
	}
	s.wake()
	return nil
}

// onAdjust holds fetching back until the assignment was reported and Poll called again, so that the caller can restore
// state, seek and pause first. A rebalance ends ctx.
func (s *Session) onAdjust(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	s.ev.mu.Lock()
	a := s.ev.joined
	s.ev.mu.Unlock()
	if a == nil {
		return offsets, ctx.Err()
	}
	select {
	case <-a.taken:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for p, from := range a.from {
		if _, ok := offsets[p.Topic][p.Partition]; ok && from >= 0 {
			offsets[p.Topic][p.Partition] = kgo.NewOffset().At(from)
		}
	}
	return offsets, nil
}
