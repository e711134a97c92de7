package sim

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
)

// producer is a transactional id: who took it over last, and the transaction that is open under it.
type producer struct {
	version int
	open    *txn
}

// acquire makes this session the holder of its transactional id, once; what an earlier holder left open is aborted.
func (s *session) acquire() {
	if s.version != 0 {
		return
	}
	p, ok := s.c.producers[s.o.TransactionalID]
	if !ok {
		p = &producer{}
		s.c.producers[s.o.TransactionalID] = p
	}
	if p.open != nil {
		p.open.finish(aborted)
		p.open = nil
	}
	p.version++
	s.producer, s.version = p, p.version
}

func (s *session) holds() bool { return s.producer != nil && s.producer.version == s.version }

// fence aborts a session's open transaction and takes its transactional id away, as a time-out of the transaction does.
func (c *Cluster) fence(s *session) {
	if s.holds() {
		if s.producer.open != nil {
			s.producer.open.finish(aborted)
			s.producer.open = nil
		}
		s.producer.version++
	}
}

// timeOut aborts a transaction that is open for too long; its producer is fenced.
func (c *Cluster) timeOut(t *txn) {
	for _, p := range c.producers {
		if p.open == t {
			p.open = nil
			p.version++
		}
	}
	t.finish(aborted)
}

// Fence takes the transactional id over.
func (s *session) Fence(context.Context) error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.standing == out {
		return s.why
	}
	s.acquire()
	return nil
}

// failing is how many records of a transaction may fail by chance: a large one must come through some time.
const failing = 20

// Produce appends to the open transaction.
func (s *session) Produce(r *connectors.Record) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.standing == out {
		return
	}
	s.begin()
	if !s.holds() {
		s.failure = fmt.Errorf("transactional id %s: %w", s.o.TransactionalID, connectors.ErrFenced)
		return
	}
	if len(s.kept) < failing && s.c.dice.hit(s.c.dice.s.ProduceFailure) {
		s.failure = fmt.Errorf("produce to %s/%d failed", r.Topic, r.Partition)
		return
	}
	p, err := s.c.place(r)
	if err != nil {
		s.failure = err
		return
	}
	if s.txn == nil {
		s.txn = newTxn()
		s.producer.open = s.txn
	}
	s.kept = append(s.kept, lent{*r, p, p.append(copied(*r), s.txn)})
}

// lent is a record that is the session's until Commit, and where its copy lies. A client sends it at any time between.
type lent struct {
	rec    connectors.Record
	part   *partition
	offset int64
}

func copied(r connectors.Record) connectors.Record {
	r.Key, r.Value = bytes.Clone(r.Key), bytes.Clone(r.Value)
	r.Headers = slices.Clone(r.Headers)
	for i := range r.Headers {
		r.Headers[i].Value = bytes.Clone(r.Headers[i].Value)
	}
	return r
}

// unchanged checks that produced records were left alone.
func (s *session) unchanged() error {
	for _, l := range s.kept {
		c := &l.part.log[l.offset].rec
		if !bytes.Equal(l.rec.Key, c.Key) || !bytes.Equal(l.rec.Value, c.Value) {
			return fmt.Errorf("a record for %s/%d was changed between Produce and Commit", c.Topic, c.Partition)
		}
	}
	return nil
}

// begin opens the epoch: a rebalance that was agreed to but has not happened must wait for it again.
func (s *session) begin() {
	s.acquire()
	s.epoch = true
}

// Flush has nothing to wait for: a record has its offset from Produce on.
func (s *session) Flush(context.Context) (map[connectors.Partition]int64, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.standing == out {
		return nil, s.why
	}
	return s.ends(), nil
}

// ends are the offsets after the last record of the open transaction in each partition.
func (s *session) ends() map[connectors.Partition]int64 {
	out := map[connectors.Partition]int64{}
	if s.txn != nil {
		for p, off := range s.txn.last {
			out[p.Partition] = off + 1
		}
	}
	return out
}

// Commit ends the transaction. It fails as aborted when the session was fenced, lost, or is of an older generation.
func (s *session) Commit(_ context.Context, offsets map[connectors.Partition]connectors.Offset) (map[connectors.Partition]int64, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.standing == out {
		return nil, s.why
	}
	s.begin()
	d := &s.c.dice
	switch {
	case s.standing != inside, !s.holds(), s.m.generation != s.g.generation, !s.m.told:
		return nil, s.fail(connectors.ErrAborted)
	case s.failure != nil:
		return nil, s.fail(fmt.Errorf("%w: %w", connectors.ErrAborted, s.failure))
	case d.hit(d.s.Abort):
		return nil, s.fail(connectors.ErrAborted)
	}
	for p := range offsets {
		if !s.owns(p) {
			return nil, s.fail(fmt.Errorf("offset of %s/%d, which is not assigned to %s", p.Topic, p.Partition, s.id))
		}
	}
	if err := s.unchanged(); err != nil {
		return nil, s.fail(err)
	}
	unknown := d.hit(d.s.Unknown)
	if unknown && d.Intn(2) == 0 {
		return nil, s.unknown()
	}
	ends := s.ends()
	if s.txn != nil {
		s.txn.finish(committed)
		s.producer.open = nil
	}
	s.g.commit(maps.Clone(offsets))
	s.clear()
	if unknown {
		return nil, s.unknown()
	}
	return ends, nil
}

func (s *session) clear() { s.txn, s.kept, s.failure, s.epoch = nil, nil, nil, false }

// abandon aborts what is open.
func (s *session) abandon() {
	if s.txn != nil {
		s.txn.finish(aborted)
		if s.holds() {
			s.producer.open = nil
		}
	}
	s.clear()
}

// fail aborts the epoch and returns err.
func (s *session) fail(err error) error {
	s.abandon()
	for p := range s.position {
		s.rewind(p)
	}
	if s.standing == inside && !s.holds() {
		s.lose()
	}
	return err
}

// unknown ends a session of which nobody knows whether its transaction was committed. Its transaction, if it was not,
// stays open until the id is taken over; its membership stays.
func (s *session) unknown() error {
	s.standing, s.why = out, connectors.ErrUnknownOutcome
	return connectors.ErrUnknownOutcome
}

// Abort drops the open transaction.
func (s *session) Abort(context.Context) error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.standing == out {
		return s.why
	}
	_ = s.fail(nil)
	return nil
}
