package storage

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

var (
	_ op.Windows  = (*Windows)(nil)
	_ op.Map      = (*Map)(nil)
	_ op.Versions = (*Versions)(nil)
	_ op.Queue    = (*Queue)(nil)
)

// Without a log, Pebble's Close loses its memory: the store flushes first.
func TestCloseIsDurable(t *testing.T) {
	mem := NewCrashable()
	s := mustOpen(t, mapOptions(mem, "0"))
	fillMap(t, s, 0, 1000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, mapOptions(mem.CrashClone(0, 1), "0"))
	defer s.Close()
	if v, ok, err := s.Map("m").Get([]byte("key-000999")); !ok || err != nil || string(v) != fmt.Sprint("value-", 999*7919) {
		t.Errorf("%q %v %v", v, ok, err)
	}
	if s.Position("m") != 1000 || string(s.Meta()) != "meta" {
		t.Errorf("position %d, meta %q", s.Position("m"), s.Meta())
	}
}

func TestCloseWithinAnEpochKeepsWhatWasFlushed(t *testing.T) {
	mem := NewMemory()
	s := mustOpen(t, mapOptions(mem, "0"))
	fillMap(t, s, 0, 10)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	s.Map("m").Put([]byte("open"), nil)
	if err := s.Flush(); err == nil {
		t.Error("flushed within an epoch")
	}
	s.Close()
	s = mustOpen(t, mapOptions(mem, "0"))
	defer s.Close()
	if _, ok, _ := s.Map("m").Get([]byte("open")); ok || s.Position("m") != 10 {
		t.Error("the open epoch is on disk")
	}
}

func TestFlushIsDueByTimeAndBySize(t *testing.T) {
	now := time.UnixMicro(1e15)
	o := mapOptions(NewMemory(), "0")
	o.Now, o.FlushBytes = func() time.Time { return now }, 10<<10
	s := mustOpen(t, o)
	defer s.Close()
	fillMap(t, s, 0, 10)
	if !s.unsaved {
		t.Error("flushed at once")
	}
	now = now.Add(30 * time.Second)
	fillMap(t, s, 10, 1)
	if s.unsaved {
		t.Error("not flushed after 30 s")
	}
	fillMap(t, s, 0, 1000)
	if s.unsaved {
		t.Error("not flushed above 10 KB")
	}
}

// A window that came and went between two flushes leaves nothing on disk.
func TestAShortWindowNeverTouchesTheDisk(t *testing.T) {
	s := mustOpen(t, Options{Dir: "0", FS: NewMemory(), Specs: []Spec{{"w", WindowsKind}}})
	defer s.Close()
	w := s.Windows("w")
	for i := range 1000 {
		if _, err := w.Add(10, fmt.Appendf(nil, "%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	s.Commit(nil, map[string]int64{"w": 1})
	w.Drop(10)
	s.Commit(nil, map[string]int64{"w": 2})
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	c, err := s.disk.cursor([]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if k, _, ok, _ := c.next(); ok {
		t.Errorf("%x is on disk", k)
	}
	if s.mem > 4096 {
		t.Errorf("%d bytes of memory are still in use", s.mem)
	}
}

type emitted struct {
	name       string
	key, value []byte
}

func changesOf(t *testing.T, s *Store) (out []emitted) {
	t.Helper()
	if err := s.Changes([]byte("m"), func(name string, key, value []byte) error {
		out = append(out, emitted{name, key, value})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOneChangePerKeyAndEpoch(t *testing.T) {
	s := mustOpen(t, mapOptions(NewMemory(), "0"))
	defer s.Close()
	m := s.Map("m")
	m.Put([]byte("kept"), []byte("1"))
	m.Put([]byte("kept"), []byte("2"))
	m.Put([]byte("gone"), []byte("1"))
	m.Delete([]byte("gone"))
	out := changesOf(t, s)
	want := []emitted{{"m", []byte("\x00meta"), []byte("m")}, {"m", []byte("\x01kept"), []byte("2")}}
	if fmt.Sprint(out) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", out, want)
	}
	s.Commit([]byte("m"), map[string]int64{"m": 2})
	m.Delete([]byte("kept"))
	m.Put([]byte("empty"), nil)
	out = changesOf(t, s)
	if len(out) != 3 || out[1].value != nil || string(out[1].key) != "\x01kept" || out[2].value == nil || len(out[2].value) != 0 {
		t.Errorf("%q", out)
	}
}

func TestPackedRecordsHaveABound(t *testing.T) {
	s := mustOpen(t, Options{Dir: "0", FS: NewMemory(), Specs: []Spec{{"w", WindowsKind}, {"q", QueueKind}}})
	defer s.Close()
	for i := range 100 {
		s.Windows("w").Put(int64(i%3), fmt.Appendf(nil, "%d", i), bytes.Repeat([]byte("x"), 10_000))
	}
	s.Windows("w").Put(1, []byte("big"), bytes.Repeat([]byte("x"), 1<<20))
	s.Queue("q").Push(types.Item{TS: 1, Row: bytes.Repeat([]byte("x"), 1<<20)})
	s.Queue("q").Push(types.Item{TS: 1, Row: bytes.Repeat([]byte("y"), 10)})
	big := 0
	out := changesOf(t, s)
	for _, r := range out {
		if r.key != nil || len(r.value) > 1<<20+100 {
			t.Errorf("record of %s: key %q, %d bytes", r.name, r.key, len(r.value))
		}
		if len(r.value) > 256<<10 {
			big++
		}
	}
	if big != 2 || len(out) < 6 || len(out) > 10 {
		t.Errorf("%d records, %d above 256 KB", len(out), big)
	}
	other := mustOpen(t, Options{Dir: "1", FS: NewMemory(), Specs: s.o.Specs})
	defer other.Close()
	for i, r := range out {
		if err := other.Apply(r.name, r.key, r.value, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if v, ok, _ := other.Windows("w").Get(1, []byte("big")); !ok || len(v) != 1<<20 || other.Queue("q").Len() != 2 || string(other.Meta()) != "m" {
		t.Error("the records do not make the state")
	}
}

func TestTrimWaitsForTheOldestWindowAndTheDisk(t *testing.T) {
	s := mustOpen(t, Options{Dir: "0", FS: NewMemory(), Specs: []Spec{{"w", WindowsKind}}})
	defer s.Close()
	w := s.Windows("w")
	commit := func(end int64) { s.Commit(nil, map[string]int64{"w": end}) }
	commit(10)
	w.Add(100, nil)
	commit(20)
	w.Add(200, nil)
	commit(30)
	commit(40)
	if _, ok := s.Trim("w"); ok {
		t.Error("trims what is not on disk")
	}
	s.Flush()
	if to, ok := s.Trim("w"); !ok || to != 10 {
		t.Errorf("to %d %v, want 10: window 100 may begin there", to, ok)
	}
	w.Drop(100)
	commit(50)
	s.Flush()
	if to, _ := s.Trim("w"); to != 20 {
		t.Errorf("to %d, want 20", to)
	}
	w.Drop(200)
	commit(60)
	s.Flush()
	if to, _ := s.Trim("w"); to != 50 {
		t.Errorf("to %d, want 50: the meta record may begin there", to)
	}
}

func TestStale(t *testing.T) {
	now := time.UnixMicro(1e15)
	o := mapOptions(NewMemory(), "0")
	o.Now = func() time.Time { return now }
	s := mustOpen(t, o)
	if s.Stale(map[string]string{"m": "a"}, map[string]int64{"m": 500}, time.Hour) {
		t.Error("an empty store is stale")
	}
	fillMap(t, s, 0, 100)
	s.Close()
	check := func(name, id string, start int64, want bool) {
		t.Helper()
		s := mustOpen(t, o)
		if got := s.Stale(map[string]string{"m": id}, map[string]int64{"m": start}, time.Hour); got != want {
			t.Errorf("%s: stale %v", name, got)
		}
		s.Discard()
	}
	check("the same", "a", 100, false)
	check("created anew", "b", 0, true)
	check("trimmed", "a", 101, true)
	now = now.Add(31 * time.Minute)
	check("older than half of the retention", "a", 0, true)
}

// More than fits the budget is restored by sorted files, and read from disk.
func TestRestoreBeyondTheBudget(t *testing.T) {
	o := Options{Dir: "0", FS: NewCrashable(), Budget: 1 << 20, Specs: []Spec{{"m", MapKind}, {"v", VersionsKind}, {"w", WindowsKind}}}
	s := mustOpen(t, o)
	const n = 30_000
	v := func(i int) []byte { return []byte(strings.Repeat(fmt.Sprint(i%10), 30)) }
	for i := range n {
		k := fmt.Appendf(nil, "key-%d", i*7919%n)
		place := appendPlace(append([]byte{compactedEntry}, k...), int64(i), types.Origin{Offset: int64(i)})
		packed := vector.AppendBytes(vector.AppendBytes(append(appendWindow([]byte{packedVersion}, int64(i/1000)), entryPut), k), v(i))
		for name, kv := range map[string][2][]byte{"m": {append([]byte{compactedEntry}, k...), v(i)}, "v": {place, appendVersion(nil, types.Version{Visible: types.Never, Row: v(i)})}, "w": {nil, packed}} {
			if err := s.Apply(name, kv[0], kv[1], int64(i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Restored(map[string]int64{"m": n + 1, "v": n + 1, "w": n + 1}); err != nil {
		t.Fatal(err)
	}
	if s.Bytes() > 2<<20 {
		t.Errorf("%d bytes in memory", s.Bytes())
	}
	check := func(s *Store) {
		t.Helper()
		for i := 0; i < n; i += 7 {
			k := fmt.Appendf(nil, "key-%d", i*7919%n)
			a, ok1, err1 := s.Map("m").Get(k)
			b, ok2, err2 := s.Versions("v").AsOf(k, n)
			c, ok3, err3 := s.Windows("w").Get(int64(i/1000), k)
			if !ok1 || !ok2 || !ok3 || !bytes.Equal(a, v(i)) || !bytes.Equal(b, v(i)) || !bytes.Equal(c, v(i)) {
				t.Fatal(i, ok1, ok2, ok3, err1, err2, err3)
			}
			if _, ok, err := s.Map("m").Get(append(k, 'x')); ok || err != nil {
				t.Fatal("a key that is not there", err)
			}
		}
	}
	check(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o.FS = o.FS.CrashClone(0, 1)
	s = mustOpen(t, o)
	defer s.Close()
	check(s)
	if s.Position("w") != n+1 {
		t.Errorf("position %d", s.Position("w"))
	}
}
