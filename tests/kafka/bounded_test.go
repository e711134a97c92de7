package kafka_test

import (
	"os"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

const counts = `CREATE TABLE sink WITH (topic='@out') AS SELECT user_id, window_start, COUNT(*) AS n, SUM(amount) AS total
FROM m WINDOW TUMBLING(10s) GROUP BY user_id EMIT FINAL;
`

// TestBoundedRuns: two instances count what is there, close all windows and end; a second run goes on with what came since.
func TestBoundedRuns(t *testing.T) {
	s := newScene(t)
	ms := rig.Messages(3*rig.PerWindow, 4)
	topic := s.topic("messages", 4)
	s.topic("out", 3)
	file := s.file(script(counts))
	both := func(want int) {
		t.Helper()
		a, b := s.instance(0, file, "--shuffle", "topic", "--until", "end"), s.instance(1, file, "--shuffle", "topic", "--until", "end")
		for _, i := range []*instance{a, b} {
			if code := i.wait(90 * time.Second); code != 0 {
				t.Fatalf("instance %d: exit code %d:\n%s", i.number, code, i.tail(5))
			}
		}
		x, y := a.stats(), b.stats()
		if x.In+y.In < int64(want) || x.Late+y.Late+x.Bad+y.Bad > 0 {
			t.Errorf("statistics %+v and %+v, want %d in together and nothing left out", x, y, want)
		}
	}
	s.load(ms, topic, 0, 2*rig.PerWindow)
	both(2 * rig.PerWindow)
	w := s.watch(s.name+".out", rig.Count(ms[:2*rig.PerWindow]))
	w.final()

	s.load(ms, topic, 2*rig.PerWindow, len(ms))
	both(rig.PerWindow)
	w = s.watch(s.name+".out", rig.Count(ms))
	w.final()

	i := s.instance(0, file, "--shuffle", "topic", "--until", "end") // nothing new: it ends at once
	if code := i.wait(30 * time.Second); code != 0 {
		t.Fatalf("exit code %d with nothing to do:\n%s", code, i.tail(5))
	}
	if st := i.stats(); st.In > 0 || st.Out > 0 {
		t.Errorf("a run over nothing new: %+v", st)
	}
	w.final()
}

// TestGracefulStop: SIGTERM commits and leaves; the next start has nothing to do again, even with its directory lost.
func TestGracefulStop(t *testing.T) {
	s := newScene(t)
	ms := rig.Messages(80_000, 5)
	topic := s.topic("messages", 4)
	s.topic("out", 3)
	file := s.file(script(dedup, "idle_timeout='10m'"))
	w := s.watch(s.name+".out", rig.Dedup(ms))
	i := s.instance(0, file, "--shuffle", "topic")
	s.load(ms, topic, 0, 50_000)
	w.quiet(i)
	if st := i.stop(); st.In != 50_000 {
		t.Errorf("%d records in, want 50000", st.In)
	}
	i.start()
	w.look(3 * time.Second)
	if st := i.stop(); st.In > 0 || st.Out > 0 {
		t.Errorf("after a graceful stop it began again: %+v", st)
	}
	// Without its directory the state comes back from the changelog: what follows still repeats what was.
	s.must(os.RemoveAll(i.stateDir()))
	s.load(ms, topic, 50_000, len(ms))
	i.start()
	w.complete(i)
	if st := i.stop(); st.In != 30_000 {
		t.Errorf("%d records in, want 30000", st.In)
	}
	w.final()
}
