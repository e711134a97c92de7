package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/storage"
)

// StateError refuses to run on state that does not fit the group's committed positions.
type StateError struct {
	Task      string
	Partition connectors.Partition
	State     int64 // position in the task's own record
	Committed int64
}

// Error says what to do.
func (e *StateError) Error() string {
	return fmt.Sprintf("task %s: its state stands at offset %d of %s/%d, the group committed %d: the offsets or the changelog were changed from outside; reset the query, or start it under a new name",
		e.Task, e.State, e.Partition.Topic, e.Partition.Partition, e.Committed)
}

// restore makes a task from what is committed: its local state, caught up from the changelogs, or the metadata of its
// offsets.
func (j *Job) restore(ctx context.Context, id wire.TaskID, committed map[connectors.Partition]connectors.Offset) (*task.Task, error) {
	if !j.opened {
		if err := j.session.Fence(ctx); err != nil {
			return nil, j.explain(err)
		}
		j.opened = true
	}
	f := j.query.Fragment(id.Fragment)
	cfg := task.Config{
		App: j.cfg.App, Query: j.query, Fragment: f, Partition: id.Partition, Outlet: j, Now: j.cfg.now, Logger: j.cfg.Logger,
		Run: j.run.number, Ends: j.run.ends, Limits: j.run.limits, IDs: j.run.ids, CaughtUp: j.cfg.Until == UntilCaughtUp, Generation: j.gen, BufferRows: j.cfg.BufferRows, SinkPartitions: j.run.sinkPartitions,
		Frontier: j.frontier(f), DeadLetters: j.deadLetters, Bad: j.cfg.OnBad, LateTopic: j.lateTopic, LocalInputs: j.cfg.Shuffle == ShuffleLocal,
	}
	var meta []byte
	if len(f.States) > 0 {
		var err error
		if cfg.Store, err = j.state(ctx, f, id); err != nil {
			return nil, err
		}
		meta = cfg.Store.Meta()
	} else {
		meta = j.metadata(f, id, committed)
	}
	if err := j.forgotten(f, id, meta, committed); err != nil {
		cfg.Store.Discard()
		return nil, err
	}
	t, err := task.New(ctx, cfg, meta, j.run.starts)
	if err != nil {
		if cfg.Store != nil {
			cfg.Store.Discard()
		}
		return nil, err
	}
	if err := j.agree(ctx, t, meta != nil, committed); err != nil {
		t.Discard()
		return nil, err
	}
	return t, nil
}

// forgotten refuses a task with state whose positions are committed while its changelog knows nothing: every epoch writes
// both, so the changelog was deleted.
func (j *Job) forgotten(f *plan.Fragment, id wire.TaskID, meta []byte, committed map[connectors.Partition]connectors.Offset) error {
	if len(f.States) == 0 || meta != nil {
		return nil
	}
	for _, in := range f.Inputs {
		topic, _ := j.topicOf(in)
		p := connectors.Partition{Topic: topic, Partition: int32(id.Partition)}
		if c, ok := committed[p]; ok && c.At >= 0 {
			return fmt.Errorf("task %s: the group committed offset %d of %s/%d, but the changelog %s holds nothing of it: it was deleted, and the state with it; reset the query, or start it under a new name",
				id, c.At, topic, id.Partition, f.States[0].Topic(j.cfg.App, j.query.Name))
		}
	}
	return nil
}

// agree compares a task's own positions with the group's: equal, or the group has none and is told.
func (j *Job) agree(ctx context.Context, t *task.Task, restored bool, committed map[connectors.Partition]connectors.Offset) error {
	for _, p := range t.Inputs() {
		at, _ := t.Position(p)
		c, ok := committed[p]
		switch {
		case !ok || c.At < 0 || t.Renewed(p):
			j.session.Seek(p, at)
		case c.At != at && restored:
			now, err := j.cfg.Cluster.Committed(ctx, plan.Group(j.cfg.App, j.query.Name))
			if err != nil {
				return j.explain(err)
			}
			if now[p] != c {
				return errMoved
			}
			return &StateError{t.ID.String(), p, at, c.At}
		case c.At != at:
			t.Seek(p, c.At)
		}
	}
	return nil
}

// state opens a task's store and replays what its changelogs have beyond it. Local state that is damaged or too old is
// rebuilt from the changelogs alone.
func (j *Job) state(ctx context.Context, f *plan.Fragment, id wire.TaskID) (*storage.Store, error) {
	o := storage.Options{
		Dir: filepath.Join(j.cfg.StateDir, j.query.Name, fmt.Sprintf("%d-%d", id.Fragment, id.Partition)),
		FS:  j.cfg.FS, Cache: j.cfg.Cache, Budget: j.cfg.Memory / int64(max(1, j.stateful())), Now: j.cfg.Clock.Now,
		Fingerprint: j.query.Fingerprint, Logger: j.cfg.Logger,
	}
	for _, s := range f.States {
		o.Specs = append(o.Specs, storage.Spec{Name: s.Name, Kind: kinds[s.Kind]})
	}
	start := j.cfg.Clock.Now()
	store, n, err := j.replayed(ctx, o, f, id)
	if errors.Is(err, storage.ErrCorrupt) || errors.Is(err, errStale) {
		j.cfg.Logger.Warn("the local state is rebuilt from the changelog", "query", j.query.Name, "dir", o.Dir, "why", err)
		if err = j.cfg.FS.Wipe(o.Dir); err == nil {
			store, n, err = j.replayed(ctx, o, f, id)
		}
	}
	if err != nil {
		return nil, err
	}
	if n > 0 {
		j.cfg.Logger.Info("state restored", "query", j.query.Name, "task", id.String(), "records", n, "took", j.cfg.Clock.Now().Sub(start).Round(time.Millisecond))
	}
	return store, nil
}

// replayed opens a store and replays its changelogs: all of it, or nothing and an error.
func (j *Job) replayed(ctx context.Context, o storage.Options, f *plan.Fragment, id wire.TaskID) (*storage.Store, int64, error) {
	store, err := storage.Open(o)
	if err != nil {
		return nil, 0, err
	}
	n, err := j.replay(ctx, store, f, id)
	if err != nil {
		store.Discard()
		return nil, 0, err
	}
	return store, n, nil
}

// stateful is the number of tasks with state that the query has: they share the memory.
func (j *Job) stateful() int {
	n := 0
	for _, f := range j.query.Fragments {
		if len(f.States) > 0 {
			n += f.Partitions
		}
	}
	return n
}

// kinds of state as the storage names them.
var kinds = map[plan.StateKind]storage.Kind{
	plan.WindowState: storage.WindowsKind, plan.MapState: storage.MapKind, plan.VersionState: storage.VersionsKind, plan.QueueState: storage.QueueKind, plan.SortedState: storage.SortedKind,
}

var errStale = errors.New("it is older than the changelog reaches back")

// tombstoneLife is how long a compacted changelog keeps tombstones: Kafka's default delete.retention.ms.
const tombstoneLife = 24 * time.Hour

// replay applies the changelogs of a task from the store's positions to their ends. The end is read_uncommitted, so that
// a transaction under way is waited for and not missed (KAFKA-10167).
func (j *Job) replay(ctx context.Context, store *storage.Store, f *plan.Fragment, id wire.TaskID) (records int64, err error) {
	var ps []connectors.Partition
	topics := map[string]string{}
	for _, s := range f.States {
		ps = append(ps, connectors.Partition{Topic: s.Topic(j.cfg.App, j.query.Name), Partition: int32(id.Partition)})
	}
	starts, ends, err := connectors.Extent(ctx, j.cfg.Cluster, ps...)
	if err != nil {
		return 0, j.explain(err)
	}
	logStarts, logEnds := map[string]int64{}, map[string]int64{}
	for i, s := range f.States {
		topics[s.Name] = j.run.ids[ps[i].Topic]
		logStarts[s.Name], logEnds[s.Name] = starts[ps[i]], ends[ps[i]]
	}
	if store.Stale(topics, logStarts, tombstoneLife) {
		return 0, errStale
	}
	for i, s := range f.States {
		from := max(store.Position(s.Name), starts[ps[i]])
		if from >= ends[ps[i]] {
			continue
		}
		err := j.cfg.Cluster.Read(ctx, ps[i], from, ends[ps[i]], func(rs []connectors.Record) error {
			records += int64(len(rs))
			for k := range rs {
				if err := store.Apply(s.Name, rs[k].Key, rs[k].Value, rs[k].Offset); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return records, j.explain(err)
		}
	}
	return records, store.Restored(logEnds)
}

// frontier says whether somebody downstream of a fragment needs its tasks' frontiers: rows of a table pass through it, or
// the run ends when all is caught up. Others do not carry them: with many partitions they are most of a control record.
func (j *Job) frontier(f *plan.Fragment) bool {
	if j.cfg.Until == UntilCaughtUp {
		return true
	}
	for _, down := range j.query.Fragments {
		for _, in := range down.Inputs {
			if r, ok := in.Node.(*plan.Receive); ok && f.Feeds(r.Shuffle) && (in.Table || j.frontier(down)) {
				return true
			}
		}
	}
	return false
}
