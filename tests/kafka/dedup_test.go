package kafka_test

import (
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// TestDedup: equal ids lie in different partitions, the sink has another partition count; what is there is read at full
// speed by one instance.
func TestDedup(t *testing.T) {
	s := newScene(t)
	ms := rig.Messages(400_000, 1)
	topic := s.topic("messages", 4)
	s.topic("out", 3)
	s.load(ms, topic, 0, len(ms))
	w := s.watch(s.name+".out", rig.Dedup(ms))
	i := s.instance(0, s.file(script(dedup)), "--shuffle", "topic")
	w.complete(i)
	s.nothingLeftOut(stopAll(i))
	w.final()
}

// TestDedupCrashes: three processes, one of them killed every two seconds and started again, while a loader goes on.
func TestDedupCrashes(t *testing.T) {
	s := newScene(t)
	const perSecond = 15_000
	n := 600_000
	if d := soak(); d > 0 {
		n = int(d.Seconds()) * perSecond
	}
	ms := rig.Messages(n, 2)
	topic := s.topic("messages", 4)
	s.topic("out", 3)
	w := s.watch(s.name+".out", rig.Dedup(ms))
	file := s.file(script(dedup))
	l := s.stream(n, perSecond, func(i int) rig.Record { return ms[i].Record(topic, i) })
	var instances []*instance
	for i := range 3 {
		instances = append(instances, s.instance(i, file, "--shuffle", "topic"))
	}
	w.chaos(2*time.Second, instances, l.ended)
	l.finished(s)
	w.complete(instances...)
	w.look(time.Second)
	s.nothingLeftOut(stopAll(instances...))
	w.final()
}

// TestSkew: one partition is read ten minutes of event time ahead of the others, which come after. Windows close by the
// slowest partition, so no repeat slips through and no row is late.
func TestSkew(t *testing.T) {
	s := newScene(t)
	const partitions = 3
	ms := rig.Messages(300_000, 3)
	topic := s.topic("messages", partitions)
	s.topic("out", 3)
	w := s.watch(s.name+".out", rig.Dedup(ms))
	part := func(p int) func(i int) rig.Record {
		return func(i int) rig.Record {
			r := ms[i*partitions+p].Record(topic, i*partitions+p)
			r.Partition = int32(p)
			return r
		}
	}
	// Without this the empty partitions would turn idle, and their rows be late by the rules.
	file := s.file(script(dedup, "idle_timeout='10m'"))
	first, second := s.instance(0, file, "--shuffle", "topic"), s.instance(1, file, "--shuffle", "topic")
	s.must(s.b.Load(s.ctx, len(ms)/partitions, part(0)))
	w.quiet(first, second)
	for p := 1; p < partitions; p++ {
		s.must(s.b.Load(s.ctx, len(ms)/partitions, part(p)))
		w.look(time.Second)
	}
	w.complete(first, second)
	s.nothingLeftOut(stopAll(first, second))
	w.final()
}
