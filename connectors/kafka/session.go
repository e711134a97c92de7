package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
)

// Session is a connectors.Session. All methods but Interrupt are for one goroutine.
type Session struct {
	c   *Cluster
	o   connectors.SessionOptions
	gs  *kgo.GroupTransactSession
	cl  *kgo.Client
	bal *balancer
	ids map[[16]byte]string // topic names

	ctx    context.Context // until Close
	cancel context.CancelFunc

	ev events // what the client's goroutines saw

	// What Poll last reported.
	generation int32
	member     string
	current    *assignment
	assigned   map[connectors.Partition]*owned

	open    bool  // an epoch is open: something polled or produced since the last Commit or Abort
	inTxn   bool  // a transaction is begun
	dead    error // why the session must be closed
	closed  bool
	told    bool // Wanted was reported in this epoch
	stash   []connectors.Fetched
	slab    []connectors.Record // what the stash's records lie in, used again by each poll
	unsent  output
	endings *endings
}

// owned is an assigned partition.
type owned struct {
	committed connectors.Offset // At -1: none
	start     int64             // where it began without a commit; -1 unknown (earliest)
	epoch     int32             // leader epoch of the last polled record, -1
}

// position is where the partition goes on after a rewind.
func (w *owned) position() int64 {
	if w.committed.At >= 0 {
		return w.committed.At
	}
	return w.start
}

var _ connectors.Session = (*Session)(nil)

// Open fences the transactional id, so that no transaction of an earlier holder is open, and joins the group.
// Errors: a topic that does not exist or has another partition count, permissions, no broker.
func (c *Cluster) Open(ctx context.Context, o connectors.SessionOptions) (connectors.Session, error) {
	bal := newBalancer(o)
	ids, err := c.checkTopics(ctx, bal.self)
	if err != nil {
		return nil, err
	}
	s := &Session{c: c, o: o, bal: bal, ids: ids, generation: -1, endings: &endings{bridge: bridge{c.o.Logger}}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.unsent.promise = s.unsent.done
	if s.gs, err = kgo.NewGroupTransactSession(s.clientOpts()...); err != nil {
		s.cancel()
		return nil, err
	}
	s.cl = s.gs.Client()
	if err := s.Fence(ctx); err != nil {
		s.cancel()
		s.gs.CloseAllowingRebalance()
		return nil, err
	}
	// Only now: the offsets of the group are unstable until an earlier holder's transaction is gone.
	s.cl.AddConsumeTopics(bal.self.topics...)
	return s, nil
}

func (s *Session) clientOpts() []kgo.Opt {
	opts := with(s.c.opts,
		kgo.WithLogger(s.endings),
		kgo.ConsumerGroup(s.o.Group),
		kgo.Balancers(s.bal),
		kgo.TransactionalID(s.o.TransactionalID),
		kgo.TransactionTimeout(s.c.o.TransactionTimeout),
		kgo.SessionTimeout(s.c.o.SessionTimeout),
		kgo.HeartbeatInterval(s.c.o.HeartbeatInterval),
		kgo.RebalanceTimeout(s.c.o.RebalanceTimeout),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.DisableAutoCommit(),
		// Lost data is an error, never a silent jump; a partition without a commit or a given start begins at its start.
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.BlockRebalanceOnPoll(),
		kgo.OnPartitionsCallbackBlocked(s.onBlocked),
		kgo.OnPartitionsAssigned(s.onAssigned),
		kgo.OnPartitionsRevoked(s.onRevoked),
		kgo.OnPartitionsLost(s.onLost),
		kgo.OnOffsetsFetched(s.onFetched),
		kgo.AdjustFetchOffsetsFn(s.onAdjust),
	)
	if s.o.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(s.o.InstanceID))
	}
	return opts
}

// checkTopics compares the plan's topics with the cluster's.
func (c *Cluster) checkTopics(ctx context.Context, d memberData) (map[[16]byte]string, error) {
	found, err := c.metadata(ctx, d.topics)
	if err != nil {
		return nil, err
	}
	ids := make(map[[16]byte]string, len(found))
	for i, name := range d.topics {
		t, ok := found[name]
		if !ok {
			return nil, noTopic(name)
		}
		if n := int32(len(t.Partitions)); n < d.partitions[i] {
			return nil, &connectors.PartitionsError{Topic: name, Want: d.partitions[i], Got: n}
		}
		ids[t.TopicID] = name
	}
	return ids, nil
}

// Fence makes the session the only holder of its transactional id (InitProducerID): a transaction that an earlier holder
// left open is aborted when it returns. Open has done it already.
func (s *Session) Fence(ctx context.Context) error {
	if s.dead != nil {
		return s.dead
	}
	err := retry(ctx, func() error {
		_, _, err := s.cl.ProducerID(ctx)
		return err
	})
	return explain(err, subject{doing: "open", txn: s.o.TransactionalID})
}

// Seek sets the position of an assigned partition; of others it is ignored.
func (s *Session) Seek(p connectors.Partition, offset int64) {
	w, ok := s.assigned[p]
	if !ok {
		return
	}
	w.epoch = -1
	s.dropStash(p)
	if !s.current.begun() {
		s.current.from[p] = offset
		return
	}
	s.cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.Topic: {p.Partition: {Epoch: -1, Offset: offset}}})
}

// Pause stops fetching partitions, through rebalances too, until Resume.
func (s *Session) Pause(ps ...connectors.Partition) {
	if len(ps) > 0 {
		s.cl.PauseFetchPartitions(byTopic(ps))
	}
}

// Resume restarts fetching. A fetch that is under way is not interrupted: it takes up to Options.FetchMaxWait.
func (s *Session) Resume(ps ...connectors.Partition) {
	if len(ps) > 0 {
		s.cl.ResumeFetchPartitions(byTopic(ps))
	}
}

func byTopic(ps []connectors.Partition) map[string][]int32 {
	out := make(map[string][]int32)
	for _, p := range ps {
		out[p.Topic] = append(out[p.Topic], p.Partition)
	}
	return out
}

// Interrupt ends a blocked Poll, Produce or Commit from another goroutine (a signal, a watchdog). Nothing more can be
// committed; Close is left to the goroutine that uses the session.
func (s *Session) Interrupt() { s.cancel() }

// Close drops an open transaction, and with Leave the membership. It returns when the client has ended or ctx has. The
// transaction of a client that does not end in time is aborted by the broker after its time-out.
func (s *Session) Close(ctx context.Context, how connectors.Closing) error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.cancel()
	member, _ := s.cl.GroupMetadata()
	done := make(chan struct{})
	abort := s.inTxn && s.dead == nil
	s.dead = kgo.ErrClientClosed
	go func() {
		defer close(done)
		if abort {
			_, _ = s.gs.End(ctx, kgo.TryAbort) // the next holder fences it if this fails
		}
		s.gs.CloseAllowingRebalance()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if how == connectors.Leave && s.o.InstanceID != "" && member != "" {
		return s.leave(ctx, member)
	}
	return nil
}

// leave removes a static member, which the client does not do by itself. With the member id, so that a process that
// took the instance id over is not thrown out.
func (s *Session) leave(ctx context.Context, member string) error {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = s.o.Group
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID, m.InstanceID = member, &s.o.InstanceID
	m.Reason = kmsg.StringPtr("stopped")
	req.Members = append(req.Members, m)
	resp, err := req.RequestWith(ctx, s.c.cl)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err == nil && len(resp.Members) == 1 {
		err = kerr.ErrorForCode(resp.Members[0].ErrorCode)
	}
	if errors.Is(err, kerr.UnknownMemberID) || errors.Is(err, kerr.FencedInstanceID) || errors.Is(err, kerr.GroupIDNotFound) {
		return nil // not a member any more
	}
	return explain(err, subject{doing: "leave", group: s.o.Group})
}

// die makes the session unusable, and returns why.
func (s *Session) die(err error) error {
	if s.dead == nil {
		s.dead = fmt.Errorf("session of group %s must be closed: %w", s.o.Group, err)
	}
	return err
}
