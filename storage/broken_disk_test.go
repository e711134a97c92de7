package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// trouble is a file system whose writes of tables fail or hang on demand, and a clock.
type trouble struct {
	err   atomic.Pointer[error]
	hang  atomic.Pointer[chan struct{}]
	tries atomic.Int64
	now   atomic.Int64 // nanoseconds
}

func (x *trouble) set(err error) {
	if err == nil {
		x.err.Store(nil)
		return
	}
	x.err.Store(&err)
}

func (x *trouble) options() Options {
	o := mapOptions(&FS{errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || !strings.HasSuffix(op.Path, ".sst") {
			return nil
		}
		if c := x.hang.Load(); c != nil {
			<-*c
		}
		if err := x.err.Load(); err != nil {
			x.tries.Add(1)
			return *err
		}
		return nil
	}))}, "0")
	x.now.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
	o.Now = func() time.Time { return time.Unix(0, x.now.Load()) }
	o.FlushBytes, o.Patience = 1, 200*time.Millisecond // every Commit wants to flush
	return o
}

// within fails when do takes longer than limit.
func within(t *testing.T, limit time.Duration, what string, do func() error) error {
	t.Helper()
	got := make(chan error, 1)
	go func() { got <- do() }()
	select {
	case err := <-got:
		return err
	case <-time.After(limit):
		t.Fatalf("%s hangs", what)
		return nil
	}
}

// failing commits until that fails.
func failing(t *testing.T, s *Store) error {
	t.Helper()
	for range 500 {
		err := within(t, 5*time.Second, "Commit", func() error {
			if err := s.Map("m").Put([]byte("k"), []byte("v")); err != nil {
				return err
			}
			return s.Commit([]byte("meta"), nil)
		})
		if err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("Commit never fails")
	return nil
}

func checkDiskError(t *testing.T, err error, dir string, words ...string) {
	t.Helper()
	var d *DiskError
	if !errors.As(err, &d) || !errors.Is(err, ErrDisk) || errors.Is(err, ErrCorrupt) {
		t.Fatalf("%v is not a DiskError", err)
	}
	for _, w := range append(words, dir) {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestADirectoryRemovedWhileRunning(t *testing.T) {
	base := t.TempDir()
	o := mapOptions(Disk(), filepath.Join(base, "0"))
	o.FlushBytes = 1
	s := mustOpen(t, o)
	fillMap(t, s, 0, 1000)
	for os.RemoveAll(o.Dir) != nil { // a flush may be putting a file into it
		time.Sleep(time.Millisecond)
	}
	checkDiskError(t, failing(t, s), o.Dir, "gone", "start")
	if err := within(t, 5*time.Second, "Close", s.Close); !errors.Is(err, ErrDisk) {
		t.Errorf("Close: %v", err)
	}
	s = mustOpen(t, o) // nothing of it is in the way of a new store
	if s.Position("m") != -1 {
		t.Error("a new directory has a position")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestADiskErrorFailsTheStore(t *testing.T) {
	var x trouble
	o := x.options()
	s := mustOpen(t, o)
	fillMap(t, s, 0, 100)
	x.set(syscall.EIO)
	checkDiskError(t, failing(t, s), o.Dir, "cannot be written")
	before := x.tries.Load()
	time.Sleep(500 * time.Millisecond)
	if n := x.tries.Load() - before; n > 20 {
		t.Errorf("%d more attempts within half a second", n)
	}
	if err := within(t, 5*time.Second, "Close", s.Close); !errors.Is(err, ErrDisk) {
		t.Errorf("Close: %v", err)
	}
}

// A full disk loses nothing: the store goes on in memory, and writes it all when there is space again.
func TestAFullDiskIsWaitedFor(t *testing.T) {
	var x trouble
	o := x.options()
	o.Patience = 3 * time.Second
	s := mustOpen(t, o)
	fillMap(t, s, 0, 100)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	x.set(syscall.ENOSPC)
	big := strings.Repeat("x", 1<<20)
	for i := range 30 { // more than Pebble's memory tables take
		err := within(t, 5*time.Second, "Commit", func() error {
			if err := s.Map("m").Put(fmt.Appendf(nil, "big-%d", i), []byte(big)); err != nil {
				return err
			}
			return s.Commit([]byte("meta"), map[string]int64{"m": int64(1000 + i)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := within(t, 5*time.Second, "Flush", s.Flush); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("Flush on a full disk: %v", err)
	}
	time.Sleep(500 * time.Millisecond)
	if n := x.tries.Load(); n > 200 {
		t.Errorf("%d attempts", n)
	}
	x.now.Add(int64(59 * time.Second))
	x.set(nil)
	deadline := time.Now().Add(10 * time.Second)
	for s.Flush() != nil {
		time.Sleep(10 * time.Millisecond)
		if time.Now().After(deadline) {
			t.Fatal("no flush after there is space again")
		}
	}
	x.now.Add(int64(time.Hour)) // the disk is not full any more: no time has run since
	x.set(syscall.ENOSPC)
	fillMap(t, s, 100, 1)
	x.set(nil)
	if err := within(t, 5*time.Second, "Close", s.Close); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, o)
	defer s.Close()
	n := 0
	if err := s.Map("m").Scan(func(_, v []byte) error { n++; return nil }); err != nil || n != 131 {
		t.Errorf("%d entries, want 131; %v", n, err)
	}
}

func TestADiskThatStaysFullFailsTheStore(t *testing.T) {
	var x trouble
	o := x.options()
	o.FullFor = time.Minute
	s := mustOpen(t, o)
	fillMap(t, s, 0, 100)
	x.set(syscall.ENOSPC)
	for range 20 {
		fillMap(t, s, 0, 100)
		time.Sleep(10 * time.Millisecond)
	}
	x.now.Add(int64(61 * time.Second))
	checkDiskError(t, failing(t, s), o.Dir, "full", "free space")
	if err := within(t, 5*time.Second, "Close", s.Close); !errors.Is(err, ErrDisk) {
		t.Errorf("Close: %v", err)
	}
}

func TestCloseOfADiskThatHangs(t *testing.T) {
	var x trouble
	o := x.options()
	s := mustOpen(t, o)
	fillMap(t, s, 0, 100)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	answer := make(chan struct{})
	x.hang.Store(&answer)
	fillMap(t, s, 0, 100)
	err := within(t, 5*time.Second, "Close", s.Close)
	checkDiskError(t, err, o.Dir, "does not answer")
	if _, err := Open(o); err == nil {
		t.Error("the directory is free although the old store still writes to it")
	}
	x.hang.Store(nil)
	close(answer)
	deadline := time.Now().Add(10 * time.Second)
	for {
		if s, err = Open(o); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the directory stays locked:", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
