package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func mapOptions(fs *FS, dir string) Options {
	return Options{Dir: dir, FS: fs, Fingerprint: "f1", Specs: []Spec{{"m", MapKind}}, Now: time.Now}
}

func mustOpen(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Now == nil {
		o.Now = time.Now
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fillMap(t testing.TB, s *Store, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		if err := s.Map("m").Put(fmt.Appendf(nil, "key-%06d", i), fmt.Appendf(nil, "value-%d", i*7919)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit([]byte("meta"), map[string]int64{"m": int64(from + n)}); err != nil {
		t.Fatal(err)
	}
}

// readAll opens the store and reads all; it returns the first error.
func readAll(o Options) error {
	s, err := Open(o)
	if err != nil {
		return err
	}
	n := 0
	err = s.Map("m").Scan(func(k, v []byte) error { n++; return nil })
	if err == nil && n != 20000 {
		err = fmt.Errorf("%d entries", n)
	}
	return errors.Join(err, s.Discard())
}

func damage(t *testing.T, dir, pattern string, change func([]byte) []byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatal("no file like", pattern, err)
	}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, change(b), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDamagedFilesAreErrCorrupt(t *testing.T) {
	overwrite := func(from, to int) func([]byte) []byte {
		return func(b []byte) []byte {
			for i := len(b) * from / 100; i < len(b)*to/100; i++ {
				b[i] ^= 0xA5
			}
			return b
		}
	}
	for _, c := range []struct {
		name, files string
		change      func([]byte) []byte
	}{
		{"table data", "*.sst", overwrite(10, 60)},
		{"table end", "*.sst", overwrite(90, 100)},
		{"table cut", "*.sst", func(b []byte) []byte { return b[:len(b)/2] }},
		{"manifest", "MANIFEST-*", overwrite(0, 100)},
		{"manifest tail", "MANIFEST-*", overwrite(50, 80)},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := mapOptions(Disk(), filepath.Join(t.TempDir(), "0"))
			s := mustOpen(t, o)
			fillMap(t, s, 0, 20000)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := readAll(o); err != nil {
				t.Fatal("before the damage:", err)
			}
			damage(t, o.Dir, c.files, c.change)
			err := readAll(o)
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), o.Dir) {
				t.Fatalf("%v is not ErrCorrupt", err)
			}
			if err := o.FS.Wipe(o.Dir); err != nil {
				t.Fatal(err)
			}
			s = mustOpen(t, o)
			if s.Position("m") != -1 {
				t.Error("a wiped store has a position")
			}
			s.Close()
		})
	}
}

func TestAMissingTableIsErrCorrupt(t *testing.T) {
	o := mapOptions(Disk(), filepath.Join(t.TempDir(), "0"))
	s := mustOpen(t, o)
	fillMap(t, s, 0, 20000)
	s.Close()
	paths, _ := filepath.Glob(filepath.Join(o.Dir, "*.sst"))
	for _, p := range paths {
		os.Remove(p)
	}
	if err := readAll(o); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v is not ErrCorrupt", err)
	}
}

// Pebble calls Fatalf, which ends the process by default, when its MANIFEST cannot be written.
func TestAManifestThatCannotBeWrittenIsAnError(t *testing.T) {
	broken := false
	fs := &FS{errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && strings.Contains(op.Path, "MANIFEST") {
			return errorfs.ErrInjected
		}
		return nil
	}))}
	s := mustOpen(t, mapOptions(fs, "0"))
	fillMap(t, s, 0, 100)
	broken = true
	got := make(chan error)
	go func() { got <- s.Flush() }()
	select {
	case err := <-got:
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v is not ErrCorrupt", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("Flush hangs")
	}
	if err := s.Commit(nil, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Commit after it: %v", err)
	}
	if err := s.Discard(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("Discard after it: %v", err)
	}
}

func TestAnotherFingerprintIsRefused(t *testing.T) {
	mem := NewMemory()
	s := mustOpen(t, mapOptions(mem, "0"))
	fillMap(t, s, 0, 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o := mapOptions(mem, "0")
	o.Fingerprint = "f2"
	_, err := Open(o)
	var f *FingerprintError
	if !errors.As(err, &f) || f.Have != "f1" || f.Want != "f2" || !errors.Is(err, ErrFingerprint) {
		t.Fatal(err)
	}
	o = mapOptions(mem, "0")
	o.Specs = []Spec{{"m", VersionsKind}}
	if _, err := Open(o); !errors.Is(err, ErrFingerprint) {
		t.Fatal("another kind of state:", err)
	}
	s = mustOpen(t, mapOptions(mem, "0")) // the refused ones have let go of the directory
	if _, err := Open(mapOptions(mem, "0")); err == nil || errors.Is(err, ErrCorrupt) {
		t.Errorf("a directory in use: %v", err)
	}
	s.Close()
}

func TestADirectoryThatCannotBeMadeIsNotCorrupt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open(mapOptions(Disk(), filepath.Join(file, "0")))
	var p *fs.PathError
	if !errors.As(err, &p) || errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}
