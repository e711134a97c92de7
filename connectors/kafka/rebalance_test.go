package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

// carrier is the loop of a worker: it copies what it polls, and commits at random, until stop is closed.
type carrier struct {
	s    *Session
	out  string
	done chan error
	stop chan struct{}

	mu      sync.Mutex
	tasks   []connectors.Partition
	aborts  int
	changes int
}

func (e *env) carry(name string, parts int32, out string, in ...string) *carrier {
	e.Helper()
	c := &carrier{s: e.open(e.options(name, parts, in...)), out: out, done: make(chan error, 1), stop: make(chan struct{})}
	go func() { c.done <- c.run(e.ctx) }()
	return c
}

func (c *carrier) run(ctx context.Context) error {
	next := map[connectors.Partition]connectors.Offset{}
	epoch := 0
	for ctx.Err() == nil {
		select {
		case <-c.stop:
			return nil // what is open is dropped by Close
		default:
		}
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		p, err := c.s.Poll(short, 40)
		cancel()
		if err != nil {
			return err
		}
		if p.Rebalanced {
			c.rebalanced(p)
			if len(next) > 0 {
				return errors.New("rebalanced within an epoch")
			}
		}
		if p.Lost {
			clear(next)
		}
		for _, f := range p.Fetched {
			for _, r := range f.Records {
				c.s.Produce(&connectors.Record{Topic: c.out, Partition: r.Partition, Timestamp: r.Timestamp, Value: r.Value})
			}
			next[f.Partition] = connectors.Offset{At: f.Next}
		}
		if epoch++; epoch%3 == 0 || p.Wanted {
			_, err := c.s.Commit(ctx, next)
			clear(next)
			if errors.Is(err, connectors.ErrAborted) {
				c.mu.Lock()
				c.aborts++
				c.mu.Unlock()
			} else if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func (c *carrier) rebalanced(p connectors.Poll) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tasks = nil
	c.changes++
	for _, a := range p.Assignment {
		c.tasks = append(c.tasks, a.Partition)
	}
}

func (c *carrier) owns() []connectors.Partition {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.tasks)
}

func (c *carrier) end(e *env) {
	e.Helper()
	close(c.stop)
	e.must(<-c.done)
	e.shut(c.s, connectors.Leave)
}

// until polls a condition; rebalances have no other signal to wait for from outside.
func (e *env) until(what string, ok func() bool) {
	e.Helper()
	for !ok() {
		if wait(e.ctx, 10*time.Millisecond) != nil {
			e.Fatal("waited in vain until ", what)
		}
	}
}

func TestRebalanceOneThreeTwo(t *testing.T) {
	everywhere(t, func(e *env) {
		const parts = 6
		a, b, out := e.topic("a", parts), e.topic("b", parts), e.topic("out", parts)
		total := 0
		load := func(n int) {
			e.fill(a, parts, total, total+n)
			e.fill(b, parts, total+n, total+2*n)
			total += 2 * n
		}
		load(300)
		cs := []*carrier{e.carry("w1", parts, out, a, b)}
		e.until("one has all", func() bool { return len(cs[0].owns()) == 2*parts })
		cs = append(cs, e.carry("w2", parts, out, a, b), e.carry("w3", parts, out, a, b))
		load(300)
		e.until("three share evenly", func() bool { return e.evenly(cs, 2*parts/3) })
		load(300)
		cs[1].end(e)
		cs = slices.Delete(cs, 1, 2)
		load(300)
		e.until("two share evenly", func() bool { return e.evenly(cs, 2*parts/2) })
		e.until("all is done", func() bool { return e.progress(a, parts)+e.progress(b, parts) >= total })
		for _, c := range cs {
			c.end(e)
			if c.aborts > 0 {
				e.Logf("%d aborts in %d rebalances", c.aborts, c.changes)
			}
		}
		e.exactlyOnce(out, parts, total)
	}, func(o *Options) { o.HeartbeatInterval = 200 * time.Millisecond })
}

// evenly checks that each has n partitions, and a's p with b's p.
func (e *env) evenly(cs []*carrier, n int) bool {
	for _, c := range cs {
		owns := c.owns()
		if len(owns) != n {
			return false
		}
		for _, p := range owns {
			count := 0
			for _, q := range owns {
				if q.Partition == p.Partition {
					count++
				}
			}
			if count != 2 {
				e.Fatalf("partition %d of the unit is split: %v", p.Partition, owns)
			}
		}
	}
	return true
}

func TestStaticMemberReturnsWithoutRebalance(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 4)
		o1, o2 := e.options("m1", 4, in), e.options("m2", 4, in)
		first := e.open(o1)
		e.assigned(first)
		e.shut(first, connectors.Keep)
		back := e.open(o1)
		got := e.assigned(back)
		if got.Generation != 1 || len(got.Assignment) != 4 {
			e.Errorf("back with %d partitions in generation %d, want 4 in 1", len(got.Assignment), got.Generation)
		}
		e.shut(back, connectors.Leave)
		// The member is gone at once: another one need not wait for the session time-out.
		begin := time.Now()
		other := e.open(o2)
		if got := e.assigned(other); len(got.Assignment) != 4 {
			e.Errorf("the next member got %d partitions, want 4", len(got.Assignment))
		}
		if d := time.Since(begin); d > 5*time.Second {
			e.Errorf("the next member waited %v", d)
		}
	})
}

func TestSecondHolderOfAnInstanceFencesTheFirst(t *testing.T) {
	everywhere(t, func(e *env) {
		in, out := e.topic("in", 1), e.topic("out", 1)
		e.fill(in, 1, 0, 4)
		o := e.options("same", 1, in)
		old := e.open(o)
		e.assigned(old)
		e.take(old, 4)
		old.Produce(&connectors.Record{Topic: out, Value: []byte("zombie")})
		e.must(old.cl.Flush(e.ctx)) // its transaction is open at the broker

		fresh := e.open(o) // fences
		if got := e.assigned(fresh); got.Assignment[0].Committed.At != -1 {
			e.Errorf("the new holder begins at %v", got.Assignment[0])
		}
		e.take(fresh, 4)
		fresh.Produce(&connectors.Record{Topic: out, Value: []byte("right")})

		_, err := old.Commit(e.ctx, at(in, 0, 4))
		if !errors.Is(err, connectors.ErrUnknownOutcome) || !errors.Is(err, connectors.ErrFenced) {
			e.Errorf("the zombie's commit: %v, want fenced", err)
		}
		old.Produce(&connectors.Record{Topic: out, Value: []byte("zombie again")})
		if _, err := old.Commit(e.ctx, at(in, 0, 4)); !errors.Is(err, connectors.ErrUnknownOutcome) {
			e.Errorf("the zombie's second commit: %v, want that it stays dead", err)
		}
		if _, err := old.Poll(e.ctx, 1); !errors.Is(err, connectors.ErrFenced) {
			e.Errorf("the zombie's poll: %v", err)
		}
		_, err = fresh.Commit(e.ctx, at(in, 0, 4))
		e.must(err)
		if got := e.committed(out, 1); len(got) != 1 || got[0] != "right" {
			e.Errorf("visible: %v", got)
		}
	})
}

func TestTransactionTimeout(t *testing.T) {
	everywhere(t, func(e *env) {
		in, out := e.topic("in", 1), e.topic("out", 1)
		e.fill(in, 1, 0, 4)
		o := e.options("slow", 1, in)
		s := e.open(o)
		e.assigned(s)
		e.take(s, 4)
		s.Produce(&connectors.Record{Topic: out, Value: []byte("late")})
		e.must(s.cl.Flush(e.ctx))
		// The broker aborts the transaction by itself: a reader passes the record and its marker.
		e.must(e.c.Read(e.ctx, connectors.Partition{Topic: out}, 0, 2, func([]connectors.Record) error {
			return errors.New("a record of a transaction that timed out is visible")
		}))
		s.Produce(&connectors.Record{Topic: out, Value: []byte("later")})
		_, err := s.Commit(e.ctx, at(in, 0, 4))
		if !errors.Is(err, connectors.ErrUnknownOutcome) {
			e.Fatalf("commit after the time-out: %v", err)
		}
		e.shut(s, connectors.Keep)
		again := e.open(o)
		e.assigned(again)
		if r := e.take(again, 4); r[0].Offset != 0 {
			e.Errorf("input goes on at %d, want 0", r[0].Offset)
		}
		again.Produce(&connectors.Record{Topic: out, Value: []byte("once")})
		_, err = again.Commit(e.ctx, at(in, 0, 4))
		e.must(err)
		if got := e.committed(out, 1); len(got) != 1 || got[0] != "once" {
			e.Errorf("visible: %v", got)
		}
	}, func(o *Options) { o.TransactionTimeout = time.Second })
}

func TestRefusals(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 2)
		run := e.carry("first", 2, in, in) // copies nothing: the topic is empty
		e.until("the first runs", func() bool { return len(run.owns()) == 2 })

		other := e.options("another-plan", 2, in)
		other.Fingerprint = "another plan"
		e.refused(other, connectors.ErrFingerprint)
		alone := e.options("alone", 2, in)
		alone.Exclusive = true
		e.refused(alone, connectors.ErrExclusive)
		e.until("the first goes on", func() bool { return len(run.owns()) == 2 })
		run.end(e)

		// The other way round: what runs alone stays, whatever the names.
		solo := e.options("z-solo", 2, in)
		solo.Exclusive = true
		s := e.open(solo)
		e.assigned(s)
		stop := make(chan error, 1)
		go func() {
			for {
				p, err := s.Poll(e.ctx, 1)
				if err != nil || len(p.Assignment) == 2 && p.Generation > 1 {
					stop <- err
					return
				}
			}
		}()
		e.refused(e.options("a-second", 2, in), connectors.ErrExclusive)
		e.must(<-stop)
	}, func(o *Options) { o.HeartbeatInterval = 200 * time.Millisecond })
}

func (e *env) refused(o connectors.SessionOptions, want error) {
	e.Helper()
	s := e.open(o)
	for {
		p, err := s.Poll(e.ctx, 1)
		if len(p.Assignment) > 0 {
			e.Fatalf("%s was assigned %v", o.InstanceID, p.Assignment)
		}
		if err != nil {
			if !errors.Is(err, want) {
				e.Fatalf("%s: %v, want %v", o.InstanceID, err, want)
			}
			break
		}
		e.must(e.ctx.Err())
	}
	e.shut(s, connectors.Leave)
}

// The commit's answer is an error that leaves everything open; it was not applied.
func TestUnknownOutcome(t *testing.T) {
	e := onFake(t, embedded.Options{})
	in, out := e.topic("in", 1), e.topic("out", 1)
	e.fill(in, 1, 0, 4)
	o := e.options("a", 1, in)
	s := e.open(o)
	e.assigned(s)
	e.take(s, 4)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	e.fake.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.RequestTimedOut})
	if _, err := s.Commit(e.ctx, at(in, 0, 4)); !errors.Is(err, connectors.ErrUnknownOutcome) {
		t.Fatalf("commit: %v, want an unknown outcome", err)
	}
	e.redo(s, o, in, out)
}

// The commit is applied, and the connection breaks before the answer.
func TestAnswerOfACommitLost(t *testing.T) {
	cut := &cutter{}
	e := onFake(t, embedded.Options{}, func(o *Options) { o.Dialer = cut.dial })
	in, out := e.topic("in", 1), e.topic("out", 1)
	e.fill(in, 1, 0, 4)
	o := e.options("a", 1, in)
	s := e.open(o)
	e.assigned(s)
	e.take(s, 4)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	cut.armed.Store(true)
	_, err := s.Commit(e.ctx, at(in, 0, 4))
	if cut.armed.Load() {
		t.Fatal("nothing was cut")
	}
	if err != nil && !errors.Is(err, connectors.ErrUnknownOutcome) {
		t.Fatalf("commit: %v", err)
	}
	e.redo(s, o, in, out)
}

// redo opens the session anew and does what the group's offsets say is not done.
func (e *env) redo(s *Session, o connectors.SessionOptions, in, out string) {
	e.Helper()
	e.shut(s, connectors.Keep)
	again := e.open(o)
	if e.assigned(again).Assignment[0].Committed.At < 4 {
		e.take(again, 4)
		again.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
		_, err := again.Commit(e.ctx, at(in, 0, 4))
		e.must(err)
	}
	if got := e.committed(out, 1); len(got) != 1 {
		e.Errorf("visible: %v, want one record", got)
	}
}

// cutter is a dialer whose connections break at the answer of the next EndTxn request, once.
type cutter struct{ armed atomic.Bool }

func (c *cutter) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return &cutConn{Conn: conn, c: c}, err
}

type cutConn struct {
	net.Conn
	c *cutter
}

func (c *cutConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if len(b) > 6 && binary.BigEndian.Uint16(b[4:]) == uint16(kmsg.EndTxn) && c.c.armed.CompareAndSwap(true, false) {
		one := make([]byte, 1)
		_, _ = c.Conn.Read(one) // the broker has answered
		_ = c.Conn.Close()
	}
	return n, err
}

func TestUnconfirmedCommitThatWasNotApplied(t *testing.T) {
	e := onFake(t, embedded.Options{})
	in, out := e.topic("in", 1), e.topic("out", 1)
	e.fill(in, 1, 0, 4)
	s := e.open(e.options("a", 1, in))
	e.assigned(s)
	e.take(s, 4)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	e.fake.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.UnknownServerError})
	if _, err := s.Commit(e.ctx, at(in, 0, 4)); !errors.Is(err, connectors.ErrAborted) {
		t.Fatalf("commit: %v, want an abort: the group's offsets did not move", err)
	}
	e.take(s, 4)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	_, err := s.Commit(e.ctx, at(in, 0, 4))
	e.must(err)
	if got := e.committed(out, 1); len(got) != 1 {
		t.Errorf("visible: %v", got)
	}
}

func TestLostMembershipAborts(t *testing.T) {
	e := onFake(t, embedded.Options{})
	in, out := e.topic("in", 1), e.topic("out", 1)
	e.fill(in, 1, 0, 4)
	s := e.open(e.options("a", 1, in))
	e.assigned(s)
	e.take(s, 4)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	e.fake.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.UnknownMemberID})
	if _, err := s.Commit(e.ctx, at(in, 0, 4)); !errors.Is(err, connectors.ErrAborted) {
		t.Fatalf("commit of one whom the group forgot: %v", err)
	}
	if r := e.take(s, 4); r[0].Offset != 0 {
		t.Errorf("goes on at %d, want 0", r[0].Offset)
	}
	if got := e.committed(out, 1); len(got) != 0 {
		t.Errorf("visible: %v", got)
	}
}

func TestLostMembership(t *testing.T) {
	e := onFake(t, embedded.Options{}, func(o *Options) { o.HeartbeatInterval = 50 * time.Millisecond })
	in, out := e.topic("in", 1), e.topic("out", 1)
	e.fill(in, 1, 0, 4)
	s := e.open(e.options("a", 1, in))
	e.assigned(s)
	forget := func() *kfake.FaultHandle {
		return e.fake.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID})
	}
	// With nothing open it is reported, and then the new assignment.
	forget()
	wasLost := false
	for {
		p, err := s.Poll(e.ctx, 0)
		e.must(err)
		e.must(e.ctx.Err())
		if len(p.Fetched) > 0 { // fetched before the heartbeat
			e.must(s.Abort(e.ctx))
		}
		wasLost = wasLost || p.Lost
		if p.Rebalanced {
			break
		}
	}
	if !wasLost {
		t.Error("a new assignment without Lost")
	}
	// With an epoch open it waits for the commit, which the group does not take any more.
	e.take(s, 4)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	forget()
	for {
		p, err := s.Poll(e.ctx, 1)
		e.must(err)
		e.must(e.ctx.Err())
		if p.Rebalanced || p.Lost {
			t.Fatalf("a rebalance within an epoch: %+v", p)
		}
		if p.Wanted {
			break
		}
	}
	e.fake.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.TxnOffsetCommit}, Err: kerr.UnknownMemberID})
	if _, err := s.Commit(e.ctx, at(in, 0, 4)); !errors.Is(err, connectors.ErrAborted) {
		t.Errorf("commit: %v", err)
	}
	if p, err := s.Poll(e.ctx, 1); err != nil || !p.Lost {
		t.Errorf("after the commit: %+v, %v; want Lost", p, err)
	}
	if got := e.assigned(s).Assignment[0].Committed.At; got != -1 {
		t.Errorf("committed %d", got)
	}
}

func TestInterruptEndsABlockedPoll(t *testing.T) {
	e := onFake(t, embedded.Options{})
	in := e.topic("in", 1)
	s := e.open(e.options("a", 1, in))
	e.assigned(s)
	time.AfterFunc(20*time.Millisecond, s.Interrupt)
	if _, err := s.Poll(e.ctx, 1); err == nil {
		t.Error("no error")
	}
	if _, err := s.Commit(e.ctx, at(in, 0, 0)); !errors.Is(err, connectors.ErrUnknownOutcome) {
		t.Errorf("commit: %v", err)
	}
}

func TestOffsetsOfOthersAreRefused(t *testing.T) {
	e := onFake(t, embedded.Options{})
	in, out := e.topic("in", 1), e.topic("out", 1)
	s := e.open(e.options("a", 1, in))
	e.assigned(s)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	if _, err := s.Commit(e.ctx, at(in, 1, 0)); !errors.Is(err, connectors.ErrAborted) {
		t.Errorf("commit for a partition of another member: %v", err)
	}
	s.Produce(&connectors.Record{Topic: out, Value: []byte("y")})
	s.generation++ // as if a rebalance had come
	if _, err := s.Commit(e.ctx, at(in, 0, 0)); !errors.Is(err, connectors.ErrAborted) || !errors.Is(err, errStale) {
		t.Errorf("commit in another generation: %v", err)
	}
	if got := e.committed(out, 1); len(got) != 0 {
		t.Errorf("visible: %v", got)
	}
}
