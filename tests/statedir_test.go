package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/sim"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/storage"
	"github.com/streamsql-go/streamsql/tests/story"
)

// TestStateDirectoryInUse: the second one is told which directory, who has it, and what to do.
func TestStateDirectoryInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "app")
	first, err := storage.LockExact(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = storage.LockExact(dir)
	if !errors.Is(err, storage.ErrLocked) {
		t.Fatalf("the second lock: %v", err)
	}
	for _, want := range []string{dir, "in use", fmt.Sprint(os.Getpid()), "another directory"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	again, err := storage.LockExact(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again.InstanceID() != first.InstanceID() {
		t.Error("another instance id")
	}
	_ = again.Release()
}

// holdDir makes a child process of this test hold a directory until it is killed.
const holdDir = "STREAMSQL_TEST_HOLD"

// TestHoldStateDirectory is the child of TestStaleLock.
func TestHoldStateDirectory(t *testing.T) {
	dir := os.Getenv(holdDir)
	if dir == "" {
		t.Skip("runs as a child of TestStaleLock")
	}
	l, err := storage.LockExact(dir)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("held by", l.InstanceID())
	time.Sleep(time.Minute)
}

// TestStaleLock: the lock of a process that was killed is no lock, although its file is there.
func TestStaleLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	child := osexec.Command(os.Args[0], "-test.run=^TestHoldStateDirectory$", "-test.v")
	child.Env = append(os.Environ(), holdDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill() }()
	var said bytes.Buffer
	id := ""
	for buf := make([]byte, 256); id == ""; {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("the child ended: %v: %s", err, said.String())
		}
		said.Write(buf[:n])
		if _, rest, ok := strings.Cut(said.String(), "held by "); ok && strings.Contains(rest, "\n") {
			id, _, _ = strings.Cut(rest, "\n")
		}
	}
	if _, err := storage.LockExact(dir); !errors.Is(err, storage.ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint(child.Process.Pid)) {
		t.Errorf("while the child lives: %v", err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	l, err := storage.LockExact(dir)
	if err != nil {
		t.Fatalf("after it was killed: %v", err)
	}
	if l.InstanceID() != id {
		t.Errorf("instance %s, the child was %s: its place in the group is lost", l.InstanceID(), id)
	}
	_ = l.Release()
}

// damaged runs one instance with its state on the disk, round after round: each round adds a row per key.
type damaged struct {
	*testing.T
	ctx    context.Context
	lab    *story.Lab // plans the query and holds the cluster
	clock  *sim.Clock
	dir    string
	log    bytes.Buffer
	rounds int
	failed int // rounds that had to be begun twice
}

const damagedKeys = 400

// round starts the query, adds rows, stops it and judges the table. A clean error that names the directory and the remedy is
// as good as a start; the remedy is then applied.
func (d *damaged) round() {
	d.Helper()
	err := d.start(d.rounds)
	if err != nil {
		if !errors.Is(err, storage.ErrCorrupt) || !strings.Contains(err.Error(), d.dir) || !strings.Contains(err.Error(), "changelog") {
			d.Fatalf("round %d: not an error to go on from: %v", d.rounds, err)
		}
		d.failed++
		if err := os.RemoveAll(filepath.Join(d.dir, "o")); err != nil {
			d.Fatal(err)
		}
		if err := d.start(-1); err != nil {
			d.Fatalf("round %d, after the remedy: %v", d.rounds, err)
		}
	}
	d.rounds++
	rows, err := d.lab.Folded("o")
	if err != nil {
		d.Fatal(err)
	}
	wrong := 0
	for _, r := range rows {
		if r.Values[1].I != int64(d.rounds) {
			wrong++
		}
	}
	if len(rows) != damagedKeys || wrong > 0 {
		d.Fatalf("round %d: %d keys, want %d; %d with a wrong count", d.rounds, len(rows), damagedKeys, wrong)
	}
}

// start is one life of the instance; round -1 adds no rows.
func (d *damaged) start(round int) error {
	cfg := exec.Config{
		App: "test", Cluster: d.lab.Cluster(), Clock: d.clock, StateDir: d.dir, FS: storage.Disk(), InstanceID: "i", CommitInterval: -1, Memory: 64 << 10,
		Logger: slog.New(slog.NewTextHandler(&d.log, nil)),
	}
	j, err := exec.New(d.ctx, d.lab.Queries()[0], cfg)
	if err != nil {
		return err
	}
	for k := 0; k < damagedKeys && round >= 0; k++ {
		_, err := cfg.Cluster.Write(d.ctx, connectors.Record{Topic: "s", Partition: int32(k % 2), Timestamp: epochMillis + int64(round), Value: fmt.Appendf(nil, `{"k":"key-%d"}`, k)})
		if err != nil {
			return err
		}
	}
	for still := 0; still < 5; still++ {
		d.clock.Advance(300 * time.Millisecond)
		progress, err := j.Step(d.ctx)
		if err != nil {
			j.Abandon()
			return err
		}
		if progress {
			still = 0
		}
	}
	return j.Stop(d.ctx)
}

// files are the state files whose name matches.
func (d *damaged) files(pattern string) []string {
	d.Helper()
	found, err := filepath.Glob(filepath.Join(d.dir, "o", "*", pattern))
	if err != nil {
		d.Fatal(err)
	}
	return found
}

// TestDamagedState: files of the state are overwritten, cut or gone. The state is made anew from the changelog, or
// the error says how; counts are as without damage.
func TestDamagedState(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	overwrite := func(at int64) func(string) error {
		return func(f string) error {
			info, err := os.Stat(f)
			if err != nil {
				return err
			}
			w, err := os.OpenFile(f, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			noise := make([]byte, 100)
			rng.Read(noise)
			_, err = w.WriteAt(noise, info.Size()*at/100)
			return errors.Join(err, w.Close())
		}
	}
	half := func(f string) error {
		info, err := os.Stat(f)
		if err != nil {
			return err
		}
		return os.Truncate(f, info.Size()/2)
	}
	for _, c := range []struct {
		name, files string
		damage      func(string) error
	}{
		{"tables overwritten at the start", "*.sst", overwrite(0)},
		{"tables overwritten in the middle", "*.sst", overwrite(50)},
		{"tables overwritten at the end", "*.sst", overwrite(98)},
		{"tables cut", "*.sst", half},
		{"tables gone", "*.sst", os.Remove},
		{"manifest overwritten", "MANIFEST-*", overwrite(0)},
		{"manifest cut", "MANIFEST-*", half},
		{"manifest gone", "MANIFEST-*", os.Remove},
		{"marker gone", "marker.manifest.*", os.Remove},
		{"options overwritten", "OPTIONS-*", overwrite(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &damaged{T: t, ctx: context.Background(), lab: story.NewLab(story.Plain(), exec.Endless), dir: t.TempDir()}
			defer d.lab.Close()
			d.clock = sim.NewClock(d.lab.Now())
			err := d.lab.Exec(d.ctx, "CREATE STREAM s (k VARCHAR) WITH (topic='s', partitions=2);\nCREATE TABLE o AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;")
			if err != nil {
				t.Fatal(err)
			}
			d.round()
			d.round()
			files := d.files(c.files)
			if len(files) == 0 {
				t.Fatalf("no file %s in %s", c.files, d.dir)
			}
			for _, f := range files {
				if err := c.damage(f); err != nil {
					t.Fatal(err)
				}
			}
			d.round()
			d.round()
			// Without the marker a store looks like one that was never begun.
			if noticed := d.failed > 0 || strings.Contains(d.log.String(), "rebuilt from the changelog"); !noticed && !strings.HasPrefix(c.files, "marker") {
				t.Error("the damage was not noticed")
			}
			if strings.Contains(d.log.String(), "panic") {
				t.Errorf("it panicked: %s", d.log.String())
			}
		})
	}
}
