package kafka

import (
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
)

// Produce sends r within the open transaction, which it begins when needed. It blocks while Options.Buffer records are
// unsent. The bytes of r are used until Commit or Abort; r itself may be used again at once.
func (s *Session) Produce(r *connectors.Record) {
	s.open = true
	if s.dead != nil {
		return // Commit says so
	}
	if !s.inTxn {
		if err := s.gs.Begin(); err != nil {
			s.unsent.fail(err)
			return
		}
		s.inTxn = true
	}
	kr := s.unsent.next()
	toClient(kr, r)
	s.cl.Produce(s.ctx, kr, s.unsent.promise)
}

// output is what the open transaction produced. Records live in slabs that are used again after the transaction, when
// the client is done with all of them.
type output struct {
	slabs [][]kgo.Record
	n     int // records in use

	promise func(*kgo.Record, error) // done, bound once

	// Written by promises, which run one after the other, and read when all have run.
	settled atomic.Int64
	failed  atomic.Pointer[produceError]
	topics  []topicEnds
}

type produceError struct {
	topic string
	err   error
}

type topicEnds struct {
	topic string
	ends  []int64 // by partition; 0: nothing produced
}

const (
	slabSize  = 1024
	keptSlabs = 64 // about 13 MB
)

func (o *output) next() *kgo.Record {
	if o.n == len(o.slabs)*slabSize {
		o.slabs = append(o.slabs, make([]kgo.Record, slabSize))
	}
	r := &o.slabs[o.n/slabSize][o.n%slabSize]
	o.n++
	return r
}

func (o *output) fail(err error) { o.failed.CompareAndSwap(nil, &produceError{err: err}) }

// done is the promise of every record.
func (o *output) done(r *kgo.Record, err error) {
	if err != nil {
		o.failed.CompareAndSwap(nil, &produceError{r.Topic, err})
	} else {
		o.advance(r.Topic, r.Partition, r.Offset+1)
	}
	o.settled.Add(1)
}

func (o *output) advance(topic string, partition int32, end int64) {
	var t *topicEnds
	for i := range o.topics {
		if o.topics[i].topic == topic {
			t = &o.topics[i]
			break
		}
	}
	if t == nil {
		o.topics = append(o.topics, topicEnds{topic: topic})
		t = &o.topics[len(o.topics)-1]
	}
	for int(partition) >= len(t.ends) {
		t.ends = append(t.ends, 0)
	}
	t.ends[partition] = max(t.ends[partition], end)
}

// await waits, after a flush, for the promises of records that failed before they were buffered: a flush does not.
func (o *output) await() {
	for o.settled.Load() < int64(o.n) {
		time.Sleep(50 * time.Microsecond)
	}
}

// ends are the offsets after the last record of each partition.
func (o *output) ends() map[connectors.Partition]int64 {
	out := make(map[connectors.Partition]int64)
	for _, t := range o.topics {
		for p, end := range t.ends {
			if end > 0 {
				out[connectors.Partition{Topic: t.topic, Partition: int32(p)}] = end
			}
		}
	}
	return out
}

// reset begins the next transaction's output.
func (o *output) reset() {
	for i := 0; i*slabSize < o.n && i < keptSlabs; i++ {
		clear(o.slabs[i][:min(slabSize, o.n-i*slabSize)]) // let go of the bytes
	}
	if len(o.slabs) > keptSlabs {
		o.slabs = append([][]kgo.Record(nil), o.slabs[:keptSlabs]...)
	}
	o.n = 0
	o.settled.Store(0)
	o.failed.Store(nil)
	for _, t := range o.topics {
		clear(t.ends)
	}
}
