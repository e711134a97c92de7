package file

import (
	"compress/gzip"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// still is a clock that stands, on which nobody may wait.
type still struct{}

func (still) Now() time.Time                             { return clock() }
func (still) Sleep(context.Context, time.Duration) error { return errors.New("nobody is to wait") }

// steps is a clock on which a follower that has read everything lets the next step happen; after the last one it stops.
type steps struct {
	todo []func()
}

func (s *steps) Now() time.Time { return clock() }
func (s *steps) Sleep(context.Context, time.Duration) error {
	if len(s.todo) == 0 {
		return context.Canceled
	}
	s.todo[0]()
	s.todo = s.todo[1:]
	return nil
}

// dir is a directory with files in it.
type dir struct {
	*testing.T
	path string
	seen []connectors.Record
}

func newDir(t *testing.T) *dir { return &dir{T: t, path: t.TempDir()} }

func (d *dir) at(name string) string { return filepath.Join(d.path, name) }

func (d *dir) put(name, text string) {
	d.Helper()
	if err := os.WriteFile(d.at(name), []byte(text), 0o600); err != nil {
		d.Fatal(err)
	}
}

func (d *dir) add(name, text string) {
	d.Helper()
	f, err := os.OpenFile(d.at(name), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		d.Fatal(err)
	}
}

func (d *dir) move(from, to string) {
	d.Helper()
	if err := os.Rename(d.at(from), d.at(to)); err != nil {
		d.Fatal(err)
	}
}

// run reads what matches a pattern, as a program does that was started again: it knows what it wrote before.
func (d *dir) run(o Options, todo ...func()) ([]string, error) {
	d.Helper()
	o.Path = d.at(o.Path)
	if o.Compression == "" {
		o.Compression = "auto"
	}
	f := newFiles(o, endpoint.Env{Clock: &steps{todo}, Logger: slog.New(slog.DiscardHandler)})
	f.Seen(d.seen)
	got := []string{}
	err := f.Run(d.Context(), func(rs []connectors.Record) error {
		for _, r := range rs {
			got = append(got, string(r.Value))
			d.seen = append(d.seen, r)
		}
		return nil
	})
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return got, err
}

func (d *dir) reads(want string, o Options, todo ...func()) {
	d.Helper()
	got, err := d.run(o, todo...)
	if diff := cmp.Diff(strings.Fields(want), got); err != nil || diff != "" {
		d.Errorf("%v\n%s", err, diff)
	}
}

// TestGlob: in the order of the names; a later run reads what was added, wherever it stands.
func TestGlob(t *testing.T) {
	d := newDir(t)
	d.put("b.jsonl", "b1\nb2")
	d.put("c.jsonl", "")
	d.put("d.txt", "no\n")
	if err := os.Mkdir(d.at("e.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	all := Options{Path: "*.jsonl"}
	d.reads("b1 b2", all)
	d.reads("", all)
	d.put("a.jsonl", "a1\n")
	d.add("b.jsonl", "\nb3\n")
	d.add("c.jsonl", "c1\n")
	d.reads("a1 b3 c1", all)
	d.move("b.jsonl", "z.jsonl")
	d.add("z.jsonl", "b4\n")
	d.reads("b4", all)
	var paths []string
	for _, r := range d.seen {
		paths = append(paths, filepath.Base(string(r.Headers[0].Value)))
	}
	if want := []string{"b.jsonl", "b.jsonl", "a.jsonl", "b.jsonl", "c.jsonl", "z.jsonl"}; !slices.Equal(paths, want) {
		t.Errorf("headers say %v", paths)
	}
}

func TestNoFile(t *testing.T) {
	d := newDir(t)
	for path, says := range map[string]string{"none": "no such file", "*.jsonl": "no file matches", "": "is a directory", "[x]": "no file matches"} {
		if _, err := d.run(Options{Path: path}); err == nil || !strings.Contains(err.Error(), "file.path") || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", path, err)
		}
	}
	d.put("[x]", "odd\n")
	d.reads("odd", Options{Path: "[x]"})
}

func TestGzip(t *testing.T) {
	d := newDir(t)
	write := func(text string) {
		f, err := os.Create(d.at("a.gz"))
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write("one\ntwo\nthree")
	d.reads("one two three", Options{Path: "a.gz"})
	d.reads("", Options{Path: "a.gz"})
	d.put("empty.gz", "")
	d.reads("", Options{Path: "empty.gz"})
	d.put("plain.gz", "text\n")
	d.reads("text", Options{Path: "plain.gz", Compression: "none"})
	d.seen = nil
	if _, err := d.run(Options{Path: "plain.gz"}); err == nil || !strings.Contains(err.Error(), "is the compressed file whole") {
		t.Error(err)
	}
}

// TestFollow: lines as they end, files as they come; a file that is rotated is read to its end, one that is cut off from its beginning.
func TestFollow(t *testing.T) {
	d := newDir(t)
	follow := Options{Path: "log", Follow: true}
	d.reads("a b c d e f g h", follow,
		func() {}, // nothing is there yet
		func() { d.put("log", "a\nb") },
		func() { d.add("log", "\nc\n") },
		func() { d.add("log", "d") },
		func() { d.move("log", "log.1"); d.put("log", "e\n") },           // rotated: d has no line end and is whole
		func() { d.put("log", "f\n") },                                   // another first line: another file
		func() { d.put("log", "") },                                      // cut off
		func() { d.add("log", "g\n"); d.add("log.1", "not any more\n") }, // the name counts, not the old file
		func() { _ = os.Remove(d.at("log")) },
		func() { d.put("log", "h\n") },
	)
	d.add("log", "i\n")
	d.reads("i", follow)
}

// TestFollowRotation: with a pattern that the rotated files match too nothing is read twice, and nothing is lost while nobody looks.
func TestFollowRotation(t *testing.T) {
	d := newDir(t)
	follow := Options{Path: "log*", Follow: true}
	d.reads("a b c d", follow,
		func() { d.put("log", "a\nb") },
		func() { d.add("log", "\n") },
		func() { d.move("log", "log.1"); d.put("log", "c\n") },
		func() { d.add("log.1", "d\n") },
	)
	d.add("log", "e\n")
	d.move("log.1", "log.2")
	d.move("log", "log.1")
	d.put("log", "f\n")
	d.add("log.2", "g\n")
	d.reads("f e g", follow)
	d.put("log", "f\n")
	d.put("log.1", "c\n") // cut off to its first line while nobody looked
	d.reads("c", follow)
	d.reads("", follow)
}

// TestCSV: records over several lines, a header in every file.
func TestCSV(t *testing.T) {
	how := Lines{Quote: '"', Header: []string{"id", "text"}, delimiter: ','}
	d := newDir(t)
	d.put("a.csv", "ID,\"text\"\r\n1,\"two\nlines\"\n2,\"a \"\"quote\"\"\"\n")
	d.put("b.csv", "id,text\n3,x")
	got, err := d.run(Options{Path: "*.csv", Lines: how})
	if diff := cmp.Diff([]string{"1,\"two\nlines\"", `2,"a ""quote"""`, "3,x"}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	d.add("b.csv", "\n4,y\n")
	d.reads("4,y", Options{Path: "*.csv", Lines: how})
	d.put("c.csv", "text,id\nx,1\n")
	if _, err := d.run(Options{Path: "c.csv", Lines: how}); err == nil || !strings.Contains(err.Error(), "c.csv:1: the header is text, id, the columns are id, text") {
		t.Error(err)
	}
	r := NewReader("in", strings.NewReader("1,\"never\nends\n"), how)
	r.inside = true
	if got, err := r.Next(); err != nil || string(got) != "1,\"never\nends" {
		t.Errorf("%q %v", got, err) // the format says what is wrong with it
	}
	if r.Line() != 2 {
		t.Errorf("line %d", r.Line())
	}

	w, err := Create(Options{Path: d.at("out.csv"), Lines: how}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"1,\"two\nlines\"", "2,x"} {
		if err := w.Write([]byte(v)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(d.at("out.csv")); err != nil || string(text) != "id,text\n1,\"two\nlines\"\n2,x\n" {
		t.Errorf("%q %v", text, err)
	}
}
