package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
)

// errStale: a rebalance came between the report of an assignment and the commit of an epoch of it.
var errStale = errors.New("the group was rebalanced during the epoch")

// Commit ends the transaction with these offsets, which must be of assigned partitions. Without produced records and
// without offsets it does nothing; with records but without offsets, a committed offset is written again, so that the
// generation guards the transaction. Errors wrap connectors.ErrAborted (go on from the committed offsets) or
// connectors.ErrUnknownOutcome (close the session; with connectors.ErrFenced when another holder took it).
//
// When ctx ends while records are being flushed the outcome is ErrUnknownOutcome. The end of the transaction itself is
// given Options.TransactionTimeout more: a cancelled one leaves the client in no known state.
func (s *Session) Commit(ctx context.Context, offsets map[connectors.Partition]connectors.Offset) (map[connectors.Partition]int64, error) {
	if s.dead != nil {
		return nil, fmt.Errorf("%w: %w", connectors.ErrUnknownOutcome, s.dead)
	}
	if !s.inTxn && len(offsets) == 0 && s.unsent.failed.Load() == nil {
		s.open = false
		return nil, nil
	}
	offsets, err := s.offered(offsets)
	if err != nil {
		return nil, s.abortFor(ctx, err)
	}
	if !s.inTxn && s.unsent.failed.Load() == nil {
		if err := s.gs.Begin(); err != nil {
			return nil, s.unknown(err)
		}
		s.inTxn = true
	}
	if err := s.cl.Flush(ctx); err != nil {
		return nil, s.unknown(err)
	}
	s.unsent.await()
	if f := s.unsent.failed.Load(); f != nil { // the client would commit the others
		return nil, s.abortFor(ctx, s.refusal(f))
	}
	if s.unsent.n == 0 {
		s.enlist(ctx)
	}
	committed, err := s.end(ctx, offsets)
	if err != nil || !committed {
		return nil, s.outcome(ctx, offsets, err)
	}
	ends := s.unsent.ends()
	for p, o := range offsets {
		s.assigned[p].committed = o
	}
	s.close()
	return ends, nil
}

// Flush waits until every record of the open transaction is acknowledged. When ctx ends before, the outcome of the transaction is
// ErrUnknownOutcome, as when it ends during Commit.
func (s *Session) Flush(ctx context.Context) (map[connectors.Partition]int64, error) {
	if s.dead != nil {
		return nil, fmt.Errorf("%w: %w", connectors.ErrUnknownOutcome, s.dead)
	}
	if !s.inTxn {
		return nil, nil
	}
	if err := s.cl.Flush(ctx); err != nil {
		return nil, s.unknown(err)
	}
	s.unsent.await()
	return s.unsent.ends(), nil
}

// refusal explains a failed produce.
func (s *Session) refusal(f *produceError) error {
	err := explain(f.err, subject{doing: "write", topic: f.topic, txn: s.o.TransactionalID, operation: "WRITE"})
	for _, lasting := range refusals {
		if errors.Is(f.err, lasting) {
			return fmt.Errorf("%w: %w", connectors.ErrRefused, err)
		}
	}
	return err
}

// refusals do not pass by trying again.
var refusals = []error{
	kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidTimestamp, kerr.InvalidRecord, kerr.TopicAuthorizationFailed,
	kerr.ClusterAuthorizationFailed, kerr.PolicyViolation, kerr.InvalidTopicException,
}

// offered checks the offsets, and finds one when there is none.
func (s *Session) offered(offsets map[connectors.Partition]connectors.Offset) (map[connectors.Partition]connectors.Offset, error) {
	s.ev.mu.Lock()
	stale := s.ev.revoked
	s.ev.mu.Unlock()
	if stale {
		return nil, errStale
	}
	for p := range offsets {
		if s.assigned[p] == nil {
			return nil, fmt.Errorf("topic %s partition %d is not assigned to this session", p.Topic, p.Partition)
		}
	}
	if len(offsets) > 0 {
		return offsets, nil
	}
	for p, w := range s.assigned {
		if at := w.position(); at >= 0 {
			return map[connectors.Partition]connectors.Offset{p: {At: at, Metadata: w.committed.Metadata}}, nil
		}
	}
	return nil, errors.New("records were produced, but no partition with a known position is assigned: a commit needs one offset at least")
}

// end commits. The request carries our offsets, not those the client polled, and only in the reported generation.
func (s *Session) end(ctx context.Context, offsets map[connectors.Partition]connectors.Offset) (bool, error) {
	ctx, cancel := s.unhurried(ctx)
	defer cancel()
	ctx = kgo.PreTxnCommitFnContext(ctx, func(req *kmsg.TxnOffsetCommitRequest) error {
		if req.Generation != s.generation || req.MemberID != s.member {
			return errStale
		}
		req.Topics = s.commitTopics(offsets)
		return nil
	})
	s.endings.gaveUp.Store(false)
	defer s.unstick()()
	return s.gs.End(ctx, kgo.TryCommit)
}

// unstick lets a rebalance that has been waiting for a while go on during an end. After a fatal heartbeat error (the
// group forgot this member) the client's end waits for a heartbeat or for the callback of the loss, and that callback
// waits for this epoch: for ever. An ordinary rebalance does not stop an end, which then takes milliseconds; one that is
// let in early only turns a commit that was not sent yet into an abort.
func (s *Session) unstick() (stop func()) {
	const patient = 300 * time.Millisecond
	done := make(chan struct{})
	var again func()
	again = func() {
		select {
		case <-done:
			return
		default:
		}
		s.ev.mu.Lock()
		blocked := s.ev.blocked
		s.ev.mu.Unlock()
		if blocked {
			s.gs.AllowRebalance()
		}
		time.AfterFunc(patient, again)
	}
	t := time.AfterFunc(patient, again)
	return func() { close(done); t.Stop() }
}

// enlist adds the group to the transaction before its offsets are sent, for a transaction without records. The broker
// may still be finishing the one before, and the client waits for that (CONCURRENT_TRANSACTIONS) when producing, but
// takes it for a reason to abort when committing offsets. Errors show again at the end.
func (s *Session) enlist(ctx context.Context) {
	_ = retry(ctx, func() error {
		id, epoch, err := s.cl.ProducerID(ctx)
		if err != nil {
			return err
		}
		req := kmsg.NewPtrAddOffsetsToTxnRequest()
		req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Group = s.o.TransactionalID, id, epoch, s.o.Group
		resp, err := req.RequestWith(ctx, s.cl)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
}

// unhurried outlives ctx by the transaction time-out, after which the broker has decided.
func (s *Session) unhurried(ctx context.Context) (context.Context, context.CancelFunc) {
	end, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		_ = wait(end, s.c.o.TransactionTimeout)
		cancel()
	})
	return end, func() { stop(); cancel() }
}

func (s *Session) commitTopics(offsets map[connectors.Partition]connectors.Offset) []kmsg.TxnOffsetCommitRequestTopic {
	var out []kmsg.TxnOffsetCommitRequestTopic
	index := make(map[string]int)
	for p, o := range offsets {
		i, ok := index[p.Topic]
		if !ok {
			i = len(out)
			index[p.Topic] = i
			t := kmsg.NewTxnOffsetCommitRequestTopic()
			t.Topic = p.Topic
			out = append(out, t)
		}
		rp := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		rp.Partition, rp.Offset, rp.LeaderEpoch = p.Partition, o.At, s.assigned[p].epoch
		rp.Metadata = kmsg.StringPtr(o.Metadata)
		out[i].Partitions = append(out[i].Partitions, rp)
	}
	return out
}

// outcome judges an end that did not commit. An error leaves it open, but for those that came before the end was sent.
// Without an error the client says aborted; it says so too when the broker's answer to the commit was an unknown error,
// so the group's offsets are asked.
func (s *Session) outcome(ctx context.Context, tried map[connectors.Partition]connectors.Offset, err error) error {
	s.inTxn = false
	switch {
	case errors.Is(err, errStale):
		return s.aborted(err)
	case err == nil && s.endings.gaveUp.Load():
		return s.aborted(errors.New("the group did not take the offsets: a rebalance, or the membership was lost"))
	case err != nil:
		return s.unknown(explain(err, subject{doing: "commit to", group: s.o.Group, txn: s.o.TransactionalID}))
	}
	if err := s.didNotCommit(ctx, tried); err != nil {
		return s.unknown(err)
	}
	return s.aborted(errors.New("the broker did not confirm the commit, and the group still has the offsets from before"))
}

var errUndecided = errors.New("the group's offsets do not tell whether the commit was applied")

// didNotCommit is nil when the group still has an offset from before.
func (s *Session) didNotCommit(ctx context.Context, tried map[connectors.Partition]connectors.Offset) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.c.o.TransactionTimeout)
	defer cancel()
	now, err := s.c.Committed(ctx, s.o.Group)
	if err != nil {
		return err
	}
	for p, o := range tried {
		before := s.assigned[p].committed
		has, ok := now[p]
		if !ok {
			has.At = -1
		}
		if o != before && has == before {
			return nil
		}
	}
	return errUndecided
}

// Abort drops the open transaction and goes back to the committed offsets. After an error the session must be closed.
func (s *Session) Abort(ctx context.Context) error {
	if s.dead != nil {
		return s.dead
	}
	return s.drop(ctx)
}

// drop ends the epoch without a trace.
func (s *Session) drop(ctx context.Context) error {
	failed := s.unsent.failed.Load()
	end, cancel := s.unhurried(ctx)
	defer cancel()
	_, err := s.gs.End(end, kgo.TryAbort) // without a transaction it only rewinds
	s.inTxn = false
	if err != nil {
		return s.die(s.fencedBy(err))
	}
	if failed != nil && fenced(failed.err) {
		// The client would go on with a new epoch, and only the generation would stop it from there.
		return s.die(s.fencedBy(failed.err))
	}
	s.unsent.await()
	s.rewind()
	s.close()
	return nil
}

// abortFor aborts because of cause.
func (s *Session) abortFor(ctx context.Context, cause error) error {
	if err := s.drop(ctx); err != nil {
		return fmt.Errorf("%w: %w", connectors.ErrUnknownOutcome, errors.Join(cause, err))
	}
	return fmt.Errorf("%w: %w", connectors.ErrAborted, cause)
}

func (s *Session) aborted(cause error) error {
	s.rewind()
	s.close()
	return fmt.Errorf("%w: %w", connectors.ErrAborted, cause)
}

func (s *Session) unknown(cause error) error {
	return fmt.Errorf("%w: %w", connectors.ErrUnknownOutcome, s.die(s.fencedBy(cause)))
}

func (s *Session) fencedBy(err error) error {
	if fenced(err) {
		return fmt.Errorf("%w by another holder of transactional id %s, or the transaction took longer than %v: %w",
			connectors.ErrFenced, s.o.TransactionalID, s.c.o.TransactionTimeout.Round(time.Millisecond), err)
	}
	return err
}

// close ends the epoch.
func (s *Session) close() {
	s.open, s.inTxn, s.told = false, false, false
	s.unsent.reset()
}

// rewind sets every partition to its committed offset. The client has done so for what it knows as committed; what a
// Seek or a commit before the first fetch changed it does not know.
func (s *Session) rewind() {
	s.stash = nil
	if !s.current.begun() {
		for p, w := range s.assigned {
			s.current.from[p] = w.position()
		}
		return
	}
	known := s.cl.CommittedOffsets()
	back := make(map[string]map[int32]kgo.EpochOffset)
	for p, w := range s.assigned {
		w.epoch = -1
		at := w.position()
		if k, ok := known[p.Topic][p.Partition]; at < 0 || ok && k.Offset == at {
			continue
		}
		if back[p.Topic] == nil {
			back[p.Topic] = make(map[int32]kgo.EpochOffset)
		}
		back[p.Topic][p.Partition] = kgo.EpochOffset{Epoch: -1, Offset: at}
	}
	s.cl.SetOffsets(back)
}
