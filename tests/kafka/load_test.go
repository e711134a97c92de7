package kafka_test

import (
	"sync"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// loading is a loader in the background.
type loading struct {
	ended chan struct{}
	err   error
}

// stream produces n records at a steady rate.
func (s *scene) stream(n, perSecond int, record func(i int) rig.Record) *loading {
	l := &loading{ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		start := time.Now()
		chunk := max(perSecond/50, 1)
		for from := 0; from < n && l.err == nil; from += chunk {
			time.Sleep(time.Until(start.Add(time.Duration(from) * time.Second / time.Duration(perSecond))))
			size := min(chunk, n-from)
			for i := from; i < from+size; i++ {
				s.b.Send(s.ctx, record(i), l.acked)
			}
		}
		if err := s.b.Load(s.ctx, 0, nil); err != nil {
			l.fail(err)
		}
	}()
	return l
}

var failing sync.Mutex

func (l *loading) acked(err error) {
	if err != nil {
		l.fail(err)
	}
}

func (l *loading) fail(err error) {
	failing.Lock()
	defer failing.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// finished waits for the end.
func (l *loading) finished(s *scene) {
	s.Helper()
	<-l.ended
	failing.Lock()
	defer failing.Unlock()
	s.must(l.err)
}

// load loads messages [from, to).
func (s *scene) load(ms []rig.Message, topic string, from, to int) {
	s.Helper()
	s.must(s.b.Load(s.ctx, to-from, func(i int) rig.Record { return ms[from+i].Record(topic, from+i) }))
}
