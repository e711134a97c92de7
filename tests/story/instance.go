package story

import (
	"context"
	"errors"
	"math/rand"
	"slices"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/storage"
)

// errCrash is what a job is stopped with in the middle of a commit.
var errCrash = errors.New("injected crash")

// instance is one process: its state directory, and a job per query.
type instance struct {
	id   string
	fs   *storage.FS
	jobs []*exec.Job // parallel to world.queries; nil: not running
	rest int         // rounds to stay down after it was killed
}

func newInstance(id string) *instance { return &instance{id: id, fs: storage.NewCrashable()} }

// start runs the jobs of the queries that are not running yet.
func (i *instance) start(ctx context.Context, w *world) error {
	for n, q := range w.queries {
		if n == len(i.jobs) {
			i.jobs = append(i.jobs, nil)
		}
		if i.jobs[n] != nil {
			continue
		}
		if w.over(n) {
			continue // to start now would begin another run
		}
		if !w.mayStart(n) {
			return nil // a bounded query reads what the one before has finished writing
		}
		j, err := exec.New(ctx, q, w.config(i))
		if err != nil {
			return err
		}
		i.jobs[n] = j
	}
	return nil
}

func (w *world) config(i *instance) exec.Config {
	c := exec.Config{
		App:            app,
		Cluster:        w.cluster,
		Clock:          w.clock,
		StateDir:       "state/" + i.id,
		FS:             i.fs,
		Cache:          w.cache,
		InstanceID:     i.id,
		Shuffle:        w.regime.Shuffle,
		Until:          w.test.until,
		CommitInterval: w.regime.Commit,
		Memory:         w.regime.Memory,
		BufferRows:     w.regime.BufferRows,
	}
	if c.CommitInterval == 0 {
		c.CommitInterval = -1
	}
	if w.regime.Crash > 0 {
		c.Crash = func(string) error {
			if w.mayFail() && w.rng.Float64() < w.regime.Crash {
				w.crashes++
				return errCrash
			}
			return nil
		}
	}
	return c
}

// maxCrashes bounds the crashes of one test, so that it ends.
const maxCrashes = 25

// stop ends all jobs in order.
func (i *instance) stop(ctx context.Context) error {
	for n, j := range i.jobs {
		if j == nil {
			continue
		}
		i.jobs[n] = nil
		if err := j.Stop(ctx); err != nil && !errors.Is(err, errCrash) {
			return err
		}
	}
	return nil
}

func (i *instance) abandon() {
	for n, j := range i.jobs {
		if j != nil {
			j.Abandon()
		}
		i.jobs[n] = nil
	}
}

// crash ends the process; of what was not synced to its disk a random part is lost.
func (i *instance) crash(rng *rand.Rand) {
	i.fs = i.fs.CrashClone(rng.Intn(101), rng.Uint64())
	i.abandon()
}

// whole says whether every instance runs every query, and they have all tasks. When a bounded run ends, one that was killed
// just before, or that is joining anew after an abort, has no part in it any more, and nobody can tell what its tasks counted.
func (w *world) whole() bool {
	for _, i := range w.instances {
		if len(i.jobs) < len(w.queries) || slices.Contains(i.jobs, nil) {
			return false
		}
	}
	for n, q := range w.queries {
		tasks := 0
		for _, f := range q.Fragments {
			tasks += f.Partitions
		}
		for _, i := range w.instances {
			tasks -= i.jobs[n].Stats().Tasks
		}
		if tasks > 0 {
			return false
		}
	}
	return true
}

// records counts rows of a relation over all instances. Queries that read the same source count the same records, so the
// largest count of a query is taken.
func (w *world) records(rel *catalog.Relation, of func(exec.Stats) map[string]int64) int64 {
	var most int64
	for n := range w.queries {
		var sum int64
		for _, i := range w.instances {
			if n < len(i.jobs) && i.jobs[n] != nil {
				sum += of(i.jobs[n].Stats())[rel.Name]
			}
		}
		most = max(most, sum)
	}
	return most
}

func lateRows(s exec.Stats) map[string]int64 { return s.LateBySource }

func badRecords(s exec.Stats) map[string]int64 { return s.BadBySource }

// group is the id under which the instance is a member of its groups: that of its only worker.
func (i *instance) group() string { return i.id + ".0" }
