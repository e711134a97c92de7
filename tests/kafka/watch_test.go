package kafka_test

import (
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// watch reads a topic as it grows and judges it.
type watch struct {
	s     *scene
	r     *rig.Reader
	judge *rig.Judge
	moved time.Time // when the last row came
}

func (s *scene) watch(topic string, j *rig.Judge) *watch {
	s.Helper()
	r, err := s.b.Reader(topic)
	s.must(err)
	s.Cleanup(r.Close)
	return &watch{s, r, j, time.Now()}
}

// look reads for d.
func (w *watch) look(d time.Duration) {
	w.s.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); {
		w.s.must(w.r.Poll(w.s.ctx, min(200*time.Millisecond, time.Until(end)), func(r rig.Record) {
			w.judge.Take(r)
			w.moved = time.Now()
		}))
	}
	if w.judge.Wrong+w.judge.Repeated > 0 {
		w.s.Fatal(w.judge.Err())
	}
}

// patience is how long nothing may come before a test gives up.
const patience = 40 * time.Second

// complete waits until every right row has come.
func (w *watch) complete(instances ...*instance) {
	w.s.Helper()
	for w.moved = time.Now(); w.judge.Missing() > 0; {
		w.look(200 * time.Millisecond)
		for _, i := range instances {
			i.alive()
		}
		if time.Since(w.moved) > patience {
			lines, err := w.s.b.Transactions(w.s.ctx, w.s.name)
			w.s.Logf("transactions (%v):\n%s", err, strings.Join(lines, "\n"))
			for _, i := range instances {
				i.dump()
			}
			w.s.Fatalf("nothing more has come for %s: %v", patience, w.judge.Err())
		}
	}
}

// quiet waits until rows have come and no more do.
func (w *watch) quiet(instances ...*instance) {
	w.s.Helper()
	for start := time.Now(); w.judge.Rows == 0 || time.Since(w.moved) < 2*time.Second; {
		w.look(200 * time.Millisecond)
		for _, i := range instances {
			i.alive()
		}
		if w.judge.Rows == 0 && time.Since(start) > patience {
			w.s.Fatalf("nothing has come for %s", patience)
		}
	}
}

// final judges the topic once nothing writes to it any more.
func (w *watch) final() {
	w.s.Helper()
	settled, err := w.s.b.Settled(w.s.ctx, w.s.name+".out")
	w.s.must(err)
	if !settled {
		w.s.Error("a transaction is still open after all instances have stopped")
	}
	w.s.must(w.r.Rest(w.s.ctx, w.judge.Take))
	if err := w.judge.Err(); err != nil {
		w.s.Fatal(err)
	}
	w.s.Logf("%d rows, each right and once", w.judge.Rows)
}

// chaos kills a random instance every so often and starts it again, until ended is closed.
func (w *watch) chaos(every time.Duration, instances []*instance, ended <-chan struct{}) {
	w.s.Helper()
	kills := 0
	next := time.Now().Add(every)
	for {
		w.look(200 * time.Millisecond)
		select {
		case <-ended:
			w.s.Logf("%d kills, %d rows so far", kills, w.judge.Rows)
			return
		default:
		}
		if time.Now().Before(next) {
			continue
		}
		i := instances[w.s.rng.Intn(len(instances))]
		i.kill()
		w.look(time.Duration(w.s.rng.Intn(300)) * time.Millisecond)
		i.start()
		kills++
		next = time.Now().Add(every)
	}
}

// stopAll stops instances and adds up what they say.
func stopAll(instances ...*instance) (sum stats) {
	for _, i := range instances {
		st := i.stop()
		sum.In += st.In
		sum.Late += st.Late
		sum.Bad += st.Bad
	}
	return sum
}

// nothingLeftOut fails the test when rows were late or bad.
func (s *scene) nothingLeftOut(sum stats) {
	s.Helper()
	if sum.Late+sum.Bad > 0 {
		s.Errorf("rows were left out: %+v", sum)
	}
}
