package kafka

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
)

func TestEndWithoutInputIsQuick(t *testing.T) {
	everywhere(t, func(e *env) {
		in, out := e.topic("in", 1), e.topic("out", 1)
		o := e.options("a", 1, in)
		o.Starts = map[connectors.Partition]int64{{Topic: in}: 0}
		s := e.open(o)
		e.assigned(s)
		best := time.Hour // the client's pause, where it strikes, strikes every time
		for i := range 5 {
			s.Produce(&connectors.Record{Topic: out, Value: []byte("timer")})
			begin := time.Now()
			ends, err := s.Commit(e.ctx, nil)
			e.must(err)
			best = min(best, time.Since(begin))
			// Each transaction is one record and one commit marker.
			if got := ends[connectors.Partition{Topic: out}]; got != int64(2*i+1) {
				e.Fatalf("end offset %d after commit %d, want %d", got, i, 2*i+1)
			}
		}
		if best > 100*time.Millisecond {
			e.Errorf("a commit without input took %v: the client's 500 ms pause", best)
		}
		got, err := e.c.Committed(e.ctx, o.Group)
		e.must(err)
		if want := (connectors.Offset{At: 0}); got[connectors.Partition{Topic: in}] != want {
			e.Errorf("committed %v, want the start offset %v", got, want)
		}
	})
}

func TestCommitOfProcessedNotPolled(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 1)
		e.fill(in, 1, 0, 10)
		s := e.open(e.options("a", 1, in))
		if a := e.assigned(s).Assignment; len(a) != 1 || a[0].Committed.At != -1 {
			e.Fatalf("assignment %v, want one partition without a commit", a)
		}
		e.take(s, 10)
		want := connectors.Offset{At: 4, Metadata: "w=17"}
		_, err := s.Commit(e.ctx, map[connectors.Partition]connectors.Offset{{Topic: in}: want})
		e.must(err)
		e.must(s.Abort(e.ctx))
		if r := e.take(s, 1)[0]; r.Offset != 4 {
			e.Errorf("after an abort offset %d came, want the committed 4", r.Offset)
		}
		e.shut(s, connectors.Leave)
		again := e.open(e.options("a", 1, in))
		if got := e.assigned(again).Assignment[0].Committed; got != want {
			e.Errorf("assigned with %v, want %v", got, want)
		}
		if r := e.take(again, 1)[0]; r.Offset != 4 || string(r.Value) != "v4" || r.Timestamp != 1004 {
			e.Errorf("restart began with %v", r)
		}
	})
}

func TestFlushTellsEndsBeforeTheCommit(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 1)
		out := e.topic("out", 2)
		e.fill(in, 1, 0, 1)
		s := e.open(e.options("a", 1, in))
		e.assigned(s)
		e.take(s, 1)
		if ends, err := s.Flush(e.ctx); err != nil || len(ends) != 0 {
			e.Errorf("flush of nothing: %v, %v", ends, err)
		}
		for range 3 {
			s.Produce(&connectors.Record{Topic: out, Partition: 1, Value: []byte("x")})
		}
		ends, err := s.Flush(e.ctx)
		e.must(err)
		if got := ends[connectors.Partition{Topic: out, Partition: 1}]; got != 3 || len(ends) != 1 {
			e.Errorf("ends %v, want 3 of partition 1", ends)
		}
		s.Produce(&connectors.Record{Topic: out, Partition: 1, Value: []byte("y")})
		ends, err = s.Commit(e.ctx, at(in, 0, 1))
		e.must(err)
		if got := ends[connectors.Partition{Topic: out, Partition: 1}]; got != 4 {
			e.Errorf("ends %v after the commit, want 4 of partition 1", ends)
		}
	})
}

func TestFailedProduceAborts(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 1)
		out := e.topic("out", 1)
		small := e.topic("small", 1, "max.message.bytes", "1000")
		e.fill(in, 1, 0, 5)
		s := e.open(e.options("a", 1, in))
		e.assigned(s)
		e.take(s, 5)
		s.Produce(&connectors.Record{Topic: out, Value: []byte("good")})
		s.Produce(&connectors.Record{Topic: small, Value: noise(5000)})
		_, err := s.Commit(e.ctx, at(in, 0, 5))
		if !errors.Is(err, connectors.ErrAborted) || !strings.Contains(fmt.Sprint(err), "larger than the broker takes") {
			e.Fatalf("commit: %v, want an abort that names the cause", err)
		}
		if got, err := e.c.Committed(e.ctx, e.prefix+"group"); err != nil || len(got) != 0 {
			e.Errorf("committed %v, %v after an abort", got, err)
		}
		if got := e.committed(out, 1); len(got) != 0 {
			e.Errorf("visible after an abort: %v", got)
		}
		// The session goes on.
		if r := e.take(s, 5); r[0].Offset != 0 {
			e.Errorf("first offset after the abort: %d", r[0].Offset)
		}
		s.Produce(&connectors.Record{Topic: out, Value: []byte("good")})
		_, err = s.Commit(e.ctx, at(in, 0, 5))
		e.must(err)
		if got := e.committed(out, 1); len(got) != 1 {
			e.Errorf("visible after the commit: %v", got)
		}
	})
}

// noise does not compress: the client judges the compressed size.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}

func TestTransferWithCommitsAndAborts(t *testing.T) {
	everywhere(t, func(e *env) {
		const parts, total = 3, 600
		in, out := e.topic("in", parts), e.topic("out", parts)
		e.fill(in, parts, 0, total)
		s := e.open(e.options("a", parts, in))
		e.assigned(s)
		seed := uint32(1)
		next := map[connectors.Partition]connectors.Offset{}
		for done := 0; done < total; {
			seed = seed*1664525 + 1013904223
			p, err := s.Poll(e.ctx, int(seed>>24)%50+1)
			e.must(err)
			for _, f := range p.Fetched {
				for _, r := range f.Records {
					s.Produce(&connectors.Record{Topic: out, Partition: r.Partition, Timestamp: r.Timestamp, Value: r.Value})
					done++
				}
				next[f.Partition] = connectors.Offset{At: f.Next}
			}
			switch seed >> 16 & 3 {
			case 0:
				e.must(s.Abort(e.ctx))
				clear(next)
				done = e.progress(in, parts)
			case 1:
				_, err := s.Commit(e.ctx, next)
				e.must(err)
			}
			if done == total {
				_, err := s.Commit(e.ctx, next)
				e.must(err)
			}
		}
		e.exactlyOnce(out, parts, total)
	})
}

// progress is how many records the group committed.
func (e *env) progress(topic string, parts int32) int {
	e.Helper()
	got, err := e.c.Committed(e.ctx, e.prefix+"group")
	e.must(err)
	n := 0
	for p := range parts {
		n += int(got[connectors.Partition{Topic: topic, Partition: p}].At)
	}
	return n
}

func (e *env) exactlyOnce(topic string, parts int32, total int) {
	e.Helper()
	seen := map[string]int{}
	for _, v := range e.committed(topic, parts) {
		seen[v]++
	}
	for i := range total {
		if v := fmt.Sprintf("v%d", i); seen[v] != 1 {
			e.Errorf("%s is there %d times", v, seen[v])
		}
	}
	if len(seen) != total {
		e.Errorf("%d different records, want %d", len(seen), total)
	}
}

func TestSeekPauseResume(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 2)
		e.fill(in, 2, 0, 20)
		s := e.open(e.options("a", 2, in))
		e.assigned(s)
		p0, p1 := connectors.Partition{Topic: in, Partition: 0}, connectors.Partition{Topic: in, Partition: 1}
		s.Seek(p0, 7) // before fetching begins
		s.Pause(p1)
		got := e.take(s, 3)
		for i, r := range got {
			if r.Partition != 0 || r.Offset != int64(7+i) {
				e.Errorf("record %d is %d@%d, want 0@%d: partition 1 is paused", i, r.Partition, r.Offset, 7+i)
			}
		}
		s.Seek(p0, 9) // while fetching
		if r := e.take(s, 1)[0]; r.Offset != 9 {
			e.Errorf("after the second seek offset %d came", r.Offset)
		}
		s.Resume(p1)
		for i, r := range e.take(s, 10) {
			if r.Partition != 1 || r.Offset != int64(i) {
				e.Errorf("after resume record %d is %d@%d", i, r.Partition, r.Offset)
			}
		}
	})
}

func TestStartsOfPartitionsWithoutCommit(t *testing.T) {
	everywhere(t, func(e *env) {
		in := e.topic("in", 1)
		e.fill(in, 1, 0, 10)
		o := e.options("a", 1, in)
		o.Starts = map[connectors.Partition]int64{{Topic: in}: 6}
		s := e.open(o)
		e.assigned(s)
		if r := e.take(s, 4); r[0].Offset != 6 {
			e.Errorf("began at %d, want 6", r[0].Offset)
		}
		e.must(s.Abort(e.ctx))
		if r := e.take(s, 4); r[0].Offset != 6 {
			e.Errorf("after the abort at %d, want 6", r[0].Offset)
		}
	})
}

func TestPositionPassesControlRecordsToTheEnd(t *testing.T) {
	everywhere(t, func(e *env) {
		in, mid := e.topic("in", 1), e.topic("mid", 1)
		e.fill(in, 1, 0, 1)
		w := e.open(e.options("w", 1, in))
		e.assigned(w)
		w.Produce(&connectors.Record{Topic: mid, Value: []byte("kept")})
		_, err := w.Commit(e.ctx, at(in, 0, 1))
		e.must(err)
		w.Produce(&connectors.Record{Topic: mid, Value: []byte("aborted")})
		e.must(w.cl.Flush(e.ctx)) // it reaches the log before it is aborted
		e.must(w.Abort(e.ctx))

		o := e.options("r", 1, mid)
		o.Group += "-reader"
		e.groups = append(e.groups, o.Group)
		r := e.open(o)
		e.assigned(r)
		// kept, its marker, aborted, its marker.
		tp := connectors.Partition{Topic: mid}
		ends, err := e.c.Ends(e.ctx, tp)
		e.must(err)
		if ends[tp] != 4 {
			e.Fatalf("end offset %d, want 4", ends[tp])
		}
		var values []string
		for next := int64(0); next < 4; {
			p, err := r.Poll(e.ctx, 10)
			e.must(err)
			e.must(e.ctx.Err())
			for _, f := range p.Fetched {
				next = f.Next
				for _, rec := range f.Records {
					values = append(values, string(rec.Value))
				}
			}
		}
		if len(values) != 1 || values[0] != "kept" {
			e.Errorf("records %v, want only the committed one", values)
		}
	})
}
