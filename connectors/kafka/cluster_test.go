package kafka

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func TestTopics(t *testing.T) {
	everywhere(t, func(e *env) {
		name := e.topic("t", 3, "retention.ms", "123456")
		ctx := connectors.WithConfigs(e.ctx)
		got, err := e.c.Topics(ctx, name, e.prefix+"absent")
		e.must(err)
		if len(got) != 1 || got[name].Partitions != 3 || got[name].ID == "" || got[name].Configs["retention.ms"] != "123456" {
			e.Errorf("topics: %v", got)
		}
		all, err := e.c.Topics(e.ctx)
		e.must(err)
		if all[name].ID != got[name].ID {
			e.Errorf("not among all topics: %v", all)
		}
		// Creating it again is no error, with another count it is.
		e.must(e.c.Create(e.ctx, connectors.TopicSpec{Name: name, Partitions: 3}))
		err = e.c.Create(e.ctx, connectors.TopicSpec{Name: name, Partitions: 5})
		if pe, ok := errors.AsType[*connectors.PartitionsError](err); !ok || pe.Want != 5 || pe.Got != 3 ||
			!strings.Contains(err.Error(), "has 3 partitions, but 5 are needed") {
			e.Errorf("create with another count: %v", err)
		}
		e.must(e.c.Delete(e.ctx, name, e.prefix+"absent"))
		if _, err := e.c.Open(e.ctx, e.options("a", 1, name)); err == nil || !strings.Contains(err.Error(), name+" (or its partition) does not exist") {
			e.Errorf("open on a deleted topic: %v", err)
		}
	})
}

func TestWriteReadOffsets(t *testing.T) {
	everywhere(t, func(e *env) {
		name := e.topic("t", 2)
		p1 := connectors.Partition{Topic: name, Partition: 1}
		in := []connectors.Record{
			{Topic: name, Partition: 1, Timestamp: 1000, Key: []byte("k"), Value: nil, Headers: []vector.Header{{Key: "h", Value: []byte("x")}}},
			{Topic: name, Partition: 0, Timestamp: 2000, Key: nil, Value: []byte{}},
			{Topic: name, Partition: 1, Timestamp: 3000, Key: []byte{}, Value: []byte("v")},
		}
		offsets, err := e.c.Write(e.ctx, in...)
		e.must(err)
		if !slices.Equal(offsets, []int64{0, 0, 1}) {
			e.Errorf("offsets %v", offsets)
		}
		var got []connectors.Record
		e.must(e.c.Read(e.ctx, p1, 0, 2, func(rs []connectors.Record) error { got = append(got, rs...); return nil }))
		if len(got) != 2 || got[0].Value != nil || string(got[0].Key) != "k" || got[0].Timestamp != 1000 || got[1].Offset != 1 ||
			got[1].Key == nil || len(got[0].Headers) != 1 || string(got[0].Headers[0].Value) != "x" || got[0].Headers[0].Key != "h" {
			e.Errorf("read %+v", got)
		}
		for millis, want := range map[int64]int64{0: 0, 1000: 0, 1001: 1, 3000: 1, 3001: 2} {
			at, err := e.c.OffsetsAt(e.ctx, millis, p1)
			e.must(err)
			if at[p1] != want {
				e.Errorf("offset at %d ms: %d, want %d", millis, at[p1], want)
			}
		}
		stop := errors.New("enough")
		if err := e.c.Read(e.ctx, p1, 0, 2, func([]connectors.Record) error { return stop }); !errors.Is(err, stop) {
			e.Errorf("a visit's error came as %v", err)
		}
		if _, err := e.c.Ends(e.ctx, connectors.Partition{Topic: e.prefix + "absent"}); !errors.Is(err, kerr.UnknownTopicOrPartition) {
			e.Errorf("ends of a missing topic: %v", err)
		}
	})
}

func TestReadWaitsForAnOpenTransaction(t *testing.T) {
	everywhere(t, func(e *env) {
		in, out := e.topic("in", 1), e.topic("out", 1)
		e.fill(in, 1, 0, 1)
		s := e.open(e.options("a", 1, in))
		e.assigned(s)
		s.Produce(&connectors.Record{Topic: out, Value: []byte("open")})
		e.must(s.cl.Flush(e.ctx))
		p := connectors.Partition{Topic: out}
		ends, err := e.c.Ends(e.ctx, p)
		e.must(err)
		if ends[p] != 1 {
			e.Fatalf("the read_uncommitted end is %d, want 1", ends[p])
		}
		// Skip looks at it uncommitted: there is a batch.
		if at, err := e.c.Skip(e.ctx, p, 0, 1); err != nil || at != 0 {
			e.Errorf("Skip over an open transaction: %d, %v", at, err)
		}
		short, cancel := context.WithTimeout(e.ctx, 300*time.Millisecond)
		defer cancel()
		if err := e.c.Read(short, p, 0, 1, func([]connectors.Record) error { return errors.New("uncommitted") }); !errors.Is(err, context.DeadlineExceeded) {
			e.Errorf("read below an open transaction: %v", err)
		}
		_, err = s.Commit(e.ctx, at(in, 0, 1))
		e.must(err)
		n := 0
		e.must(e.c.Read(e.ctx, p, 0, 1, func(rs []connectors.Record) error { n += len(rs); return nil }))
		if n != 1 {
			e.Errorf("%d records after the commit", n)
		}
	})
}

func TestDeleteBeforeSkipAndOffsetGone(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 1)
		e.fill(in, 1, 0, 10)
		p := connectors.Partition{Topic: in}
		e.must(e.c.DeleteBefore(e.ctx, map[connectors.Partition]int64{p: 6}))
		starts, err := e.c.Starts(e.ctx, p)
		e.must(err)
		if starts[p] != 6 {
			e.Errorf("start %d after deleting before 6", starts[p])
		}
		for _, c := range []struct{ from, to, want int64 }{{2, 5, 5}, {2, 6, 6}, {2, 8, 2}, {6, 8, 6}, {10, 10, 10}} {
			if got, err := e.c.Skip(e.ctx, p, c.from, c.to); err != nil || got != c.want {
				e.Errorf("Skip(%d, %d) = %d, %v; want %d", c.from, c.to, got, err, c.want)
			}
		}
		isGone := func(what string, err error) {
			e.Helper()
			gone, ok := errors.AsType[*connectors.ErrOffsetGone](err)
			if want := (connectors.ErrOffsetGone{Partition: p, Wanted: 2, Start: 6, End: 10}); !ok || *gone != want {
				e.Errorf("%s: %v, want %v", what, err, &want)
			}
		}
		isGone("read", e.c.Read(e.ctx, p, 2, 8, func([]connectors.Record) error { return nil }))
		o := e.options("a", 1, in)
		o.Starts = map[connectors.Partition]int64{p: 2}
		s := e.open(o)
		e.assigned(s)
		begin := time.Now()
		for i := range 2 { // it does not spin
			pl, err := s.Poll(e.ctx, 10)
			if len(pl.Fetched) > 0 {
				e.Fatal("records in spite of a gap")
			}
			if i == 0 {
				isGone("poll", err)
			}
			if err == nil {
				break // reported once, then silent until Seek
			}
			if d := time.Since(begin); d < 100*time.Millisecond {
				e.Errorf("error %d after %v", i, d)
			}
		}
		s.Seek(p, 6)
		if r := e.take(s, 4); r[0].Offset != 6 {
			e.Errorf("after the seek %d came", r[0].Offset)
		}
	})
}

func TestSkipOverCompactedTail(t *testing.T) {
	e := onFake(t, embedded.Options{})
	name := e.topic("t", 1, "cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0", "segment.ms", "1")
	for _, key := range []string{"z", "a", "b", "a", "c", "a", "active segment"} {
		_, err := e.c.Write(e.ctx, connectors.Record{Topic: name, Timestamp: time.Now().UnixMilli(), Key: []byte(key), Value: []byte("v")})
		e.must(err)
		time.Sleep(2 * time.Millisecond) // a segment each
	}
	e.fake.Cluster().Compact()
	p := connectors.Partition{Topic: name}
	var left []int64
	e.must(e.c.Read(e.ctx, p, 0, 7, func(rs []connectors.Record) error {
		for _, r := range rs {
			left = append(left, r.Offset)
		}
		return nil
	}))
	// The values of a at 1 and 3 are superseded by the one at 5.
	if !slices.Equal(left, []int64{0, 2, 4, 5, 6}) {
		t.Fatalf("left after compaction: %v", left)
	}
	for _, c := range []struct{ from, to, want int64 }{{1, 2, 2}, {3, 4, 4}, {3, 5, 3}, {0, 1, 0}} {
		if got, err := e.c.Skip(e.ctx, p, c.from, c.to); err != nil || got != c.want {
			t.Errorf("Skip(%d, %d) = %d, %v; want %d", c.from, c.to, got, err, c.want)
		}
	}
}

func TestRecreatedTopic(t *testing.T) {
	t.Parallel() // the client asks many times before it believes it
	e := onFake(t, embedded.Options{})
	in := e.topic("in", 1)
	e.fill(in, 1, 0, 3)
	s := e.open(e.options("a", 1, in))
	e.assigned(s)
	e.take(s, 3)
	_, err := s.Commit(e.ctx, at(in, 0, 3))
	e.must(err)
	e.must(e.c.Delete(e.ctx, in))
	e.must(e.c.Create(e.ctx, connectors.TopicSpec{Name: in, Partitions: 1}))
	e.fill(in, 1, 0, 3)
	for {
		p, err := s.Poll(e.ctx, 10)
		if err != nil {
			if !strings.Contains(err.Error(), "was deleted and created again") {
				t.Errorf("poll: %v", err)
			}
			return
		}
		if len(p.Fetched) > 0 {
			t.Fatal("reads on in the new topic")
		}
		e.must(e.ctx.Err())
	}
}

func TestPermissions(t *testing.T) {
	as := func(resource kmsg.ACLResourceType, name string, ops ...kmsg.ACLOperation) []kfake.ACL {
		var out []kfake.ACL
		for _, op := range ops {
			out = append(out, kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypePrefixed, Operation: op, Allow: true})
		}
		return out
	}
	topics := as(kmsg.ACLResourceTypeTopic, "", kmsg.ACLOperationRead, kmsg.ACLOperationDescribe, kmsg.ACLOperationCreate)
	groups := as(kmsg.ACLResourceTypeGroup, "", kmsg.ACLOperationRead, kmsg.ACLOperationDescribe)
	txns := as(kmsg.ACLResourceTypeTransactionalId, "", kmsg.ACLOperationWrite, kmsg.ACLOperationDescribe)
	for _, c := range []struct {
		name string
		acls []kfake.ACL
		want string
	}{
		{"transactional id", slices.Concat(topics, groups), "allow WRITE and DESCRIBE on TransactionalId:"},
		{"group", slices.Concat(topics, txns), "allow READ on Group:"},
		{"write", slices.Concat(topics, groups, txns), "allow WRITE on Topic:"},
		{"describe", slices.Concat(groups, txns), "allow DESCRIBE on Topic:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := onFake(t, embedded.Options{Extra: []kfake.Opt{
				kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "pw"), kfake.User("PLAIN", "u", "pw", c.acls...),
			}}, func(o *Options) { o.SASL = &SASL{Mechanism: "PLAIN", User: "root", Password: "pw"} })
			in := e.topic("in", 1)
			e.fill(in, 1, 0, 1)
			o := e.o
			o.SASL = &SASL{Mechanism: "PLAIN", User: "u", Password: "pw"}
			u, err := New(e.ctx, o)
			e.must(err)
			defer u.Close()
			if err := use(e, u, e.options("a", 1, in), in); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// use reads and writes until an error.
func use(e *env, c *Cluster, o connectors.SessionOptions, out string) error {
	cs, err := c.Open(e.ctx, o)
	if err != nil {
		return err
	}
	s := cs.(*Session)
	defer e.shut(s, connectors.Keep)
	for {
		p, err := s.Poll(e.ctx, 1)
		if err != nil {
			return err
		}
		if len(p.Fetched) > 0 {
			break
		}
		if e.ctx.Err() != nil {
			return errors.New("nothing happened")
		}
	}
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	_, err = s.Commit(e.ctx, at(out, 0, 1))
	return err
}

func TestUnreachable(t *testing.T) {
	_, err := New(t.Context(), Options{Brokers: []string{"127.0.0.1:1"}, StartTimeout: 300 * time.Millisecond, Logger: quiet})
	if err == nil || !strings.Contains(err.Error(), "no broker answers at 127.0.0.1:1: is it running? try -b") {
		t.Errorf("no broker: %v", err)
	}
	e := onFake(t, embedded.Options{Extra: []kfake.Opt{kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "u", "pw")}},
		func(o *Options) { o.SASL = &SASL{Mechanism: "SCRAM-SHA-256", User: "u", Password: "pw"} })
	for _, c := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.SASL.Password = "wrong" }, "check kafka.sasl.user, kafka.sasl.password"},
		{func(o *Options) { o.SASL.Mechanism = "PLAIN" }, "kafka.sasl.mechanism"},
		{func(o *Options) { o.SASL = nil }, "it may want TLS (kafka.tls = true) or a login"},
		{func(o *Options) { o.TLS = &TLS{} }, "does this port speak TLS"},
	} {
		o := e.o
		sasl := *e.o.SASL
		o.SASL = &sasl
		c.change(&o)
		o.StartTimeout = time.Second
		if cl, err := New(t.Context(), o); err == nil {
			cl.Close()
			t.Errorf("want %q", c.want)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
