package file

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/sql/types"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func clock() time.Time { return time.UnixMilli(1234) }

func TestReader(t *testing.T) {
	r := NewReader("in", strings.NewReader("{\"a\":1}\r\n\n  \t\n{\"a\":2}\n{\"a\":3}"), Lines{})
	var got []string
	var lines []int
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got, lines = append(got, string(line)), append(lines, r.Line())
	}
	if d := cmp.Diff([]string{`{"a":1}`, `{"a":2}`, `{"a":3}`}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{1, 4, 5}, lines); d != "" {
		t.Error(d)
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 300<<10) // more than a buffer
	r := NewReader("in", strings.NewReader("a\n"+long+"\n"), Lines{})
	r.most = len(long)
	for _, want := range []string{"a", long} {
		if line, err := r.Next(); err != nil || string(line) != want {
			t.Fatalf("%d bytes, %v", len(line), err)
		}
	}
	r = NewReader("in", strings.NewReader("a\n"+long+"y\nb\n"), Lines{})
	r.most = len(long)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, ErrLineTooLong) || !strings.Contains(err.Error(), "in:2: ") {
		t.Errorf("got %v", err)
	}
}

func feed(t *testing.T, f connectors.Feed) []string {
	t.Helper()
	var got []string
	err := f.Run(t.Context(), func(rs []connectors.Record) error {
		for _, r := range rs {
			if r.Key != nil || r.Timestamp != 1234 {
				t.Errorf("key %q at %d", r.Key, r.Timestamp)
			}
			got = append(got, string(r.Value))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return got
}

func TestFeedReadsWhatTheWriterWrote(t *testing.T) {
	o := Options{Path: filepath.Join(t.TempDir(), "rows.jsonl")}
	want := []string{}
	for _, part := range [][]string{{`{"a":1}`, `{"b":"x"}`}, {`{"c":3}`}} {
		w, err := Create(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range part {
			if err := w.Write([]byte(v)); err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, feed(t, newFiles(o, endpoint.Env{Clock: still{}}))); d != "" {
		t.Error(d)
	}
}

func TestStandardStreams(t *testing.T) {
	many := strings.Repeat("{\"a\":1}\n", 2500)
	if got := feed(t, NewFeed(Options{Path: "-"}, strings.NewReader(many), clock)); len(got) != 2500 {
		t.Errorf("%d lines", len(got))
	}
	var out strings.Builder
	w, err := Create(Options{Path: "-"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]byte("{\"a\":\n1}")); err != nil {
		t.Fatal(err)
	}
	if out.Len() != 0 {
		t.Error("written before Flush")
	}
	if err := w.Flush(); err != nil || out.String() != "{\"a\": 1}\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

// A line that has arrived is handed on although the next one is still to come; a silent input does not hold Run back.
func TestFeedDoesNotWait(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	got := make(chan string)
	go func() {
		done <- NewFeed(Options{Path: "-"}, in, clock).Run(ctx, func(rs []connectors.Record) error {
			got <- string(rs[0].Value)
			return nil
		})
	}()
	if _, err := out.Write([]byte("one\ntw")); err != nil {
		t.Fatal(err)
	}
	if v := <-got; v != "one" {
		t.Errorf("got %q", v)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFeedErrors(t *testing.T) {
	full := errors.New("full")
	f := NewFeed(Options{Path: "-"}, strings.NewReader("a\n"), clock)
	// The context never ends: goleak sees whether the reader does.
	if err := f.Run(context.Background(), func([]connectors.Record) error { return full }); !errors.Is(err, full) {
		t.Errorf("a failing write: got %v", err)
	}
}

func TestCheck(t *testing.T) {
	text := func(format string, given ...string) endpoint.Relation {
		r := endpoint.Relation{Connector: "file", Format: format, Columns: []types.Column{{Name: "a", Type: types.TInt}}, Options: map[string]string{}}
		for _, g := range given {
			name, value, _ := strings.Cut(g, "=")
			r.Options[name] = value
		}
		return r
	}
	if o, err := Check(text("json", "file.path=x.jsonl", "file.follow=true")); err != nil || o.Path != "x.jsonl" || !o.Follow {
		t.Errorf("got %v, %v", o, err)
	}
	for _, c := range []struct {
		r    endpoint.Relation
		says string
	}{
		{text("json"), "needs the option file.path"},
		{text("json", "file.pat=x"), "did you mean 'file.path'"},
		{text("json", "file.path=-", "file.follow=true"), "standard input is read as long as it is open"},
		{text("json", "file.path=x.gz", "file.follow=true"), "a compressed file is not written line by line"},
		{text("json", "file.path=x", "file.compression=zip"), "use none, gzip or auto"},
		{text("json", "file.path=x[", "file.follow=true"), "is not a pattern"},
		{text("json", "file.path=x", "file.header=true"), "format 'csv' or 'tsv', not of 'json'"},
		{text("avro", "file.path=x"), "is not a text"},
	} {
		if _, err := Check(c.r); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: got %v, want %s", c.r.Options, err, c.says)
		}
	}
	for _, given := range []string{"file.path=a*.jsonl", "file.path=x.gz", "file.compression=gzip"} {
		if _, err := CheckTarget(text("json", "file.path=x", given)); err == nil {
			t.Errorf("a target takes %s", given)
		}
	}
}
