package streamsql_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql"
)

// TestFollowedFile: rows come as lines do; a bounded run has nothing to wait for; the topic that was written serves the next query.
func TestFollowedFile(t *testing.T) {
	l := open(t, streamsql.Options{})
	path := filepath.Join(t.TempDir(), "log.jsonl")
	add := func(line string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	l.exec("CREATE STREAM f (id VARCHAR) WITH (connector = 'file', file.path = '" + path + "', file.follow = 'true')")
	if _, err := l.QueryUntil(l.ctx, "SELECT id FROM f", streamsql.UntilEnd); err == nil {
		t.Error("a bounded run waits for the end of a file that is followed")
	} else if got := err.Error(); got != "source f has no end that a bounded run could wait for: leave file.follow out, or run without an end (--until)" {
		t.Error(got)
	}
	add(`{"id":"a"}`)
	rows, err := l.Query(l.ctx, "SELECT id, HEADER('file.path') AS path, HEADER('file.offset') AS at FROM f")
	if err != nil {
		t.Fatal(err)
	}
	got, err := lines(rows, 1)
	if want := []string{"a " + path + " 11"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
	add(`{"id":"b"}`)
	rows, err = l.Query(l.ctx, "SELECT id FROM f")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lines(rows, 2); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got, err)
	}
}

// TestOneWayConnectors: a target that cannot be read, and a source that cannot be written, say so at once.
func TestOneWayConnectors(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM lines_out (id VARCHAR) WITH (connector = 'stdout'); CREATE STREAM in_ (id VARCHAR) WITH (connector = 'stdin'); CREATE STREAM s (id VARCHAR) WITH (topic = 's')")
	l.refuses("CREATE STREAM o AS SELECT id FROM lines_out", "lines_out cannot be read: connector 'stdout' is a target")
	l.refuses("INSERT INTO in_ SELECT id FROM s", "connector 'stdin' cannot be written to")
	l.refuses("CREATE STREAM x (id VARCHAR) WITH (connector = 'stdn')", "unknown connector 'stdn'", "did you mean stdin?")
	l.refuses("CREATE STREAM x (id VARCHAR) WITH (connector = 'stdin', file.path = 'x')", "option file.path belongs to connector = 'file'")
}
