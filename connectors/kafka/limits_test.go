package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
)

// TestLargeRecords: what a topic of Kafka's default takes is taken; what its max.message.bytes allows beyond, too.
func TestLargeRecords(t *testing.T) {
	everywhere(t, func(e *env) {
		in, plain := e.topic("in", 1), e.topic("plain", 1)
		wide := e.topic("wide", 1, "max.message.bytes", "16777216")
		big, bigger := noise(1_047_000), noise(1_900_000)
		_, err := e.c.Write(e.ctx, connectors.Record{Topic: in, Value: big})
		e.must(err)
		s := e.open(e.options("a", 1, in))
		e.assigned(s)
		r := e.take(s, 1)[0]
		if !bytes.Equal(r.Value, big) {
			e.Fatal("another value was read")
		}
		s.Produce(&connectors.Record{Topic: plain, Key: []byte("key"), Value: r.Value})
		s.Produce(&connectors.Record{Topic: wide, Key: []byte("key"), Value: bigger})
		s.Produce(&connectors.Record{Topic: wide, Value: []byte{}})
		_, err = s.Commit(e.ctx, at(in, 0, 1))
		e.must(err)
		if got := e.committed(plain, 1); len(got) != 1 || got[0] != string(big) {
			e.Errorf("%d records", len(got))
		}
		if got := e.committed(wide, 1); len(got) != 2 || got[0] != string(bigger) || got[1] != "" {
			e.Errorf("%d records", len(got))
		}
		// Beyond the topic's limit, and beyond the client's.
		for topic, size := range map[string]int{plain: 1_048_600, wide: 2<<20 + 1} {
			s.Produce(&connectors.Record{Topic: topic, Value: noise(size)})
			_, err = s.Commit(e.ctx, at(in, 0, 1))
			if !errors.Is(err, connectors.ErrRefused) || !strings.Contains(fmt.Sprint(err), "max.message.bytes") || !strings.Contains(fmt.Sprint(err), "kafka.max_batch") {
				e.Errorf("%d bytes for %s: %v", size, topic, err)
			}
		}
	})
}

// TestBatchesFitTheTopic: many small records are not sent in batches larger than the topic takes.
func TestBatchesFitTheTopic(t *testing.T) {
	everywhere(t, func(e *env) {
		small := e.topic("small", 1, "max.message.bytes", "2000")
		var rs []connectors.Record
		for range 100 {
			rs = append(rs, connectors.Record{Topic: small, Value: noise(500)})
		}
		_, err := e.c.Write(e.ctx, rs...)
		e.must(err)
	})
}

// TestLimitsOfATopicCreatedAgain: the limit is that of the topic that bears the name.
func TestLimitsOfATopicCreatedAgain(t *testing.T) {
	everywhere(t, func(e *env) {
		name := e.topic("again", 1, "max.message.bytes", "5000")
		if got := e.c.limits.of(name); got != 5000 {
			e.Errorf("limit %d", got)
		}
		e.must(e.c.Delete(e.ctx, name))
		e.topics = nil
		e.topic("again", 1)
		if got := e.c.limits.of(name); got != 1_048_588 {
			e.Errorf("limit %d, want Kafka's default", got)
		}
		other := connect(e.T, e.o, e.fake) // another process, which finds the topic
		other.prefix = e.prefix
		_, err := other.c.Topics(e.ctx, name)
		e.must(err)
		if got := other.c.limits.of(name); got != 1_048_588 {
			e.Errorf("limit %d", got)
		}
	})
}
