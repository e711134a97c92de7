//go:build synctests

package kafka

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

// TestHourOfVirtualTime runs a session for an hour of the fake clock, with a record and a commit every ten seconds.
func TestHourOfVirtualTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := embedded.Start(embedded.Options{Virtual: true, Port: 9092})
		if err != nil {
			t.Fatal(err)
		}
		e := connect(t, Options{Brokers: []string{b.Addr()}, Dialer: b.Dial()}, b)
		e.ctx = context.Background()
		in, out := e.topic("in", 1), e.topic("out", 1)
		s := e.open(e.options("a", 1, in))
		e.assigned(s)
		const n = 360
		for i := range n {
			time.Sleep(10 * time.Second)
			e.fill(in, 1, i, i+1)
			r := e.take(s, 1)[0]
			s.Produce(&connectors.Record{Topic: out, Value: r.Value})
			if _, err := s.Commit(e.ctx, at(in, 0, int64(i+1))); err != nil {
				t.Fatal(err)
			}
		}
		got := e.committed(out, 1)
		if len(got) != n || got[n-1] != fmt.Sprintf("v%d", n-1) {
			t.Errorf("%d records", len(got))
		}
		e.shut(s, connectors.Leave)
		t.Cleanup(b.Close)
	})
}
