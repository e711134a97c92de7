package kafka

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// env is one broker to test against: kfake always, a real one when STREAMSQL_TEST_KAFKA names it. Topics and groups
// have unique names and are deleted at the end.
type env struct {
	*testing.T
	ctx    context.Context
	c      *Cluster
	o      Options
	fake   *embedded.Broker // nil on a real broker
	prefix string
	topics []string
	groups []string
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// everywhere runs test against each broker.
func everywhere(t *testing.T, test func(e *env), change ...func(*Options)) {
	t.Run("kfake", func(t *testing.T) {
		t.Parallel()
		test(onFake(t, embedded.Options{}, change...))
	})
	if addr := os.Getenv("STREAMSQL_TEST_KAFKA"); addr != "" {
		t.Run("real", func(t *testing.T) {
			test(connect(t, Options{Brokers: []string{addr}}, nil, change...))
		})
	}
}

func onFake(t *testing.T, eo embedded.Options, change ...func(*Options)) *env {
	b, err := embedded.Start(eo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return connect(t, Options{Brokers: []string{b.Addr()}, Dialer: b.Dial()}, b, change...)
}

func connect(t *testing.T, o Options, b *embedded.Broker, change ...func(*Options)) *env {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	o.Logger = quiet
	for _, ch := range change {
		ch(&o)
	}
	c, err := New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 6)
	_, _ = rand.Read(id)
	e := &env{T: t, ctx: ctx, c: c, o: o, fake: b, prefix: "streamsql-test-" + hex.EncodeToString(id) + "."}
	t.Cleanup(e.clean)
	return e
}

func (e *env) clean() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if e.fake == nil {
		if err := e.c.Delete(ctx, e.topics...); err != nil {
			e.Error(err)
		}
		if len(e.groups) > 0 {
			_, _ = e.c.adm.DeleteGroups(ctx, e.groups...)
		}
	}
	e.must(e.c.Close())
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// topic creates one.
func (e *env) topic(name string, partitions int32, configs ...string) string {
	e.Helper()
	spec := connectors.TopicSpec{Name: e.prefix + name, Partitions: partitions, Configs: map[string]string{}}
	for i := 0; i < len(configs); i += 2 {
		spec.Configs[configs[i]] = configs[i+1]
	}
	e.must(e.c.Create(e.ctx, spec))
	e.topics = append(e.topics, spec.Name)
	return spec.Name
}

// fill writes n records with values from-to, spread over the partitions.
func (e *env) fill(topic string, partitions int32, from, to int) {
	e.Helper()
	var rs []connectors.Record
	for i := from; i < to; i++ {
		rs = append(rs, connectors.Record{
			Topic: topic, Partition: int32(i) % partitions, Timestamp: int64(1000 + i), Value: fmt.Appendf(nil, "v%d", i),
		})
	}
	_, err := e.c.Write(e.ctx, rs...)
	e.must(err)
}

// committed are the values that a read_committed reader sees, all partitions one after the other.
func (e *env) committed(topic string, partitions int32) []string {
	e.Helper()
	var out []string
	for p := range partitions {
		tp := connectors.Partition{Topic: topic, Partition: p}
		starts, err := e.c.Starts(e.ctx, tp)
		e.must(err)
		ends, err := e.c.Ends(e.ctx, tp)
		e.must(err)
		e.must(e.c.Read(e.ctx, tp, starts[tp], ends[tp], func(rs []connectors.Record) error {
			for _, r := range rs {
				out = append(out, string(r.Value))
			}
			return nil
		}))
	}
	return out
}

// options of a session over topics that all have n partitions, one unit.
func (e *env) options(name string, n int32, topics ...string) connectors.SessionOptions {
	o := connectors.SessionOptions{
		Group:           e.prefix + "group",
		TransactionalID: e.prefix + name,
		InstanceID:      e.prefix + name,
		Units:           []connectors.Unit{{Topics: topics}},
		Partitions:      map[string]int32{},
		Fingerprint:     "plan",
	}
	for _, t := range topics {
		o.Partitions[t] = n
	}
	e.groups = append(e.groups, o.Group)
	return o
}

// open opens a session that is closed with the test.
func (e *env) open(o connectors.SessionOptions) *Session {
	e.Helper()
	s, err := e.c.Open(e.ctx, o)
	e.must(err)
	e.Cleanup(func() { e.shut(s.(*Session), connectors.Leave) })
	return s.(*Session)
}

func (e *env) shut(s *Session, how connectors.Closing) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.Close(ctx, how); err != nil {
		e.Error("close:", err)
	}
}

// assigned polls until an assignment is reported.
func (e *env) assigned(s *Session) connectors.Poll {
	e.Helper()
	for {
		p, err := s.Poll(e.ctx, 100)
		e.must(err)
		e.must(e.ctx.Err())
		if len(p.Fetched) > 0 {
			e.Fatal("records before an assignment")
		}
		if p.Rebalanced {
			return p
		}
	}
}

// take polls until n records came.
func (e *env) take(s *Session, n int) []connectors.Record {
	e.Helper()
	var out []connectors.Record
	for len(out) < n {
		p, err := s.Poll(e.ctx, n-len(out))
		e.must(err)
		e.must(e.ctx.Err())
		for _, f := range p.Fetched {
			out = append(out, f.Records...)
		}
	}
	return out
}

func at(topic string, p int32, offset int64) map[connectors.Partition]connectors.Offset {
	return map[connectors.Partition]connectors.Offset{{Topic: topic, Partition: p}: {At: offset}}
}
