package streamsql_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
)

func copying(t *testing.T) (*lab, *streamsql.Query) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('a');")
	q, err := l.Start(l.ctx, "CREATE STREAM o WITH (disorder = '1s') AS SELECT id FROM s")
	if err != nil {
		t.Fatal(err)
	}
	return l, q
}

func TestPauseTwiceIsPaused(t *testing.T) {
	l, q := copying(t)
	for range 3 {
		if err := q.Pause(l.ctx); err != nil || q.State() != streamsql.Paused {
			t.Fatalf("%v %s", err, q.State())
		}
	}
	// It has left: what comes now stays where it is.
	l.exec("INSERT INTO s VALUES ('b')")
	time.Sleep(300 * time.Millisecond)
	if got := q.Stats().In; q.State() != streamsql.Paused || got > 1 {
		t.Fatalf("%s, %d in", q.State(), got)
	}
	for range 2 {
		if err := q.Resume(l.ctx); err != nil || q.State() != streamsql.Running {
			t.Fatalf("%v %s", err, q.State())
		}
	}
	rows, err := l.Query(l.ctx, "SELECT id FROM o")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lines(rows, 2); strings.Join(got, ",") != "a,b" {
		t.Errorf("%q %v", got, err)
	}
}

func TestPauseInAScript(t *testing.T) {
	l, q := copying(t)
	for range 5 {
		l.exec("PAUSE o; RESUME o; PAUSE o; PAUSE o; RESUME o;")
		if q.State() != streamsql.Running {
			t.Fatal(q.State())
		}
	}
	l.exec("PAUSE o; TERMINATE o; DROP STREAM o;") // TERMINATE waits, so that DROP finds it ended
	if q.State() != streamsql.Stopped {
		t.Error(q.State())
	}
	l.refuses("PAUSE o", "STOPPED")
	l.refuses("RESUME o", "STOPPED")
	l.exec("TERMINATE o")
	l.refuses("PAUSE nobody", "SHOW QUERIES lists them")
}

func TestResumeWhilePausing(t *testing.T) {
	l, q := copying(t)
	for range 20 {
		paused := make(chan error, 1)
		go func() { paused <- q.Pause(l.ctx) }()
		time.Sleep(time.Millisecond)
		if err := q.Resume(l.ctx); err != nil {
			t.Fatal(err)
		}
		// The pause was reached, or it says that it was overruled; it may also have come last.
		if err := <-paused; err != nil && !strings.Contains(err.Error(), "somebody else wants it RUNNING") {
			t.Fatal(err)
		}
		if err := q.Resume(l.ctx); err != nil || q.State() != streamsql.Running {
			t.Fatalf("%v %s", err, q.State())
		}
	}
	l.exec("INSERT INTO s VALUES ('b')")
	rows, err := l.Query(l.ctx, "SELECT id FROM o")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lines(rows, 2); strings.Join(got, ",") != "a,b" {
		t.Errorf("%q %v", got, err)
	}
}

func TestPauseEndsWithItsContext(t *testing.T) {
	_, q := copying(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := q.Pause(ctx); err == nil {
		t.Log("the pause was faster than the context") // not wrong
	} else if !strings.Contains(err.Error(), "context canceled") {
		t.Error(err)
	}
}
