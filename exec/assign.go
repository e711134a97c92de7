package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/storage"
)

// assign makes the tasks fit an assignment. One that stays and stands where the group says goes on as it is; the others
// are closed, and new ones restored.
func (j *Job) assign(ctx context.Context, p connectors.Poll) error {
	committed := map[connectors.Partition]connectors.Offset{}
	for _, a := range p.Assignment {
		committed[a.Partition] = a.Committed
	}
	j.gen = p.Generation
	j.unpause()
	j.shuffles.reset()
	kept := map[wire.TaskID]*task.Task{}
	for _, t := range j.tasks {
		if j.owns(t.ID, committed) && !t.Dirty() && standsAt(t, committed) {
			t.SetGeneration(p.Generation)
			kept[t.ID] = t
			continue
		}
		if t.Dirty() {
			t.Discard()
		} else if err := t.Close(); err != nil {
			return err
		}
	}
	j.tasks = nil
	for _, f := range topological(j.query) {
		for part := range f.Partitions {
			id := wire.TaskID{Fragment: f.ID, Partition: part}
			if !j.owns(id, committed) {
				continue
			}
			t := kept[id]
			if t == nil {
				var err error
				if t, err = j.restore(ctx, id, committed); err != nil {
					j.closeAll(kept)
					return j.movedOn(err)
				}
			}
			delete(kept, id)
			j.tasks = append(j.tasks, t)
		}
	}
	j.route()
	return nil
}

// closeAll drops tasks that are in nobody's list yet.
func (j *Job) closeAll(tasks map[wire.TaskID]*task.Task) {
	for _, t := range tasks {
		t.Discard()
	}
}

// errMoved: while tasks were restored, another member committed for them. This assignment is over.
var errMoved = errors.New("the group moved on")

// movedOn gives up an assignment that is over; the next poll brings the news.
func (j *Job) movedOn(err error) error {
	if !errors.Is(err, errMoved) {
		return err
	}
	j.cfg.Logger.Info("the group moved on while tasks were restored", "query", j.query.Name)
	j.drop()
	return nil
}

// route notes which tasks read which partition.
func (j *Job) route() {
	j.parts = map[connectors.Partition][]*task.Task{}
	for _, t := range j.tasks {
		for _, p := range t.Inputs() {
			j.parts[p] = append(j.parts[p], t)
		}
		t.Touch() // the first epoch of an assignment commits all positions, those of empty partitions too
	}
}

// restoreAll makes every task anew from the committed state: after an abort. What was committed before the abort stays said
// (semantics S4).
func (j *Job) restoreAll(ctx context.Context) error {
	ids := make([]wire.TaskID, len(j.tasks))
	for i, t := range j.tasks {
		ids[i] = t.ID
	}
	asked, sent := j.asked, j.shuffles.sent
	j.drop()
	j.asked, j.shuffles.sent = asked, sent
	offsets, err := j.cfg.Cluster.Committed(ctx, j.cfg.App+"."+j.query.Name)
	if err != nil {
		return j.explain(err)
	}
	for _, id := range ids {
		t, err := j.restore(ctx, id, offsets)
		if err != nil {
			return j.movedOn(err)
		}
		j.tasks = append(j.tasks, t)
	}
	j.route()
	return nil
}

// owns says whether all inputs of a task were assigned; local tasks without topics belong to whoever has the rest.
func (j *Job) owns(id wire.TaskID, assigned map[connectors.Partition]connectors.Offset) bool {
	for _, in := range j.query.Fragments[id.Fragment].Inputs {
		topic, n := j.topicOf(in)
		if topic == "" || id.Partition >= n {
			continue
		}
		if _, ok := assigned[connectors.Partition{Topic: topic, Partition: int32(id.Partition)}]; !ok {
			return false
		}
	}
	return len(assigned) > 0
}

func standsAt(t *task.Task, committed map[connectors.Partition]connectors.Offset) bool {
	for _, p := range t.Inputs() {
		at, _ := t.Position(p)
		if c, ok := committed[p]; ok && c.At != at {
			return false
		}
	}
	return true
}

// topological orders fragments so that each stands after those that feed it.
func topological(q *plan.Query) []*plan.Fragment {
	var out []*plan.Fragment
	seen := map[int]bool{}
	var visit func(f *plan.Fragment)
	visit = func(f *plan.Fragment) {
		if seen[f.ID] {
			return
		}
		seen[f.ID] = true
		for _, in := range f.Inputs {
			r, ok := in.Node.(*plan.Receive)
			if !ok {
				continue
			}
			for _, up := range q.Fragments {
				if s, ok := up.Root.(*plan.Shuffle); ok && s.ID == r.Shuffle.ID {
					visit(up)
				}
			}
		}
		out = append(out, f)
	}
	for _, f := range q.Fragments {
		visit(f)
	}
	return out
}

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
	f := j.query.Fragments[id.Fragment]
	cfg := task.Config{
		App: j.cfg.App, Query: j.query, Fragment: f, Partition: id.Partition, Outlet: j, Now: j.cfg.now, Logger: j.cfg.Logger,
		Run: j.run.number, Ends: j.run.ends, IDs: j.run.ids, CaughtUp: j.cfg.Until == UntilCaughtUp, Generation: j.gen, BufferRows: j.cfg.BufferRows, SinkPartitions: j.run.sinkPartitions,
		Frontier: j.frontier(f), DeadLetters: j.deadLetters, LateTopic: j.lateTopic, LocalInputs: j.cfg.Shuffle == ShuffleLocal,
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
	t, err := task.New(cfg, meta, j.run.starts)
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
			now, err := j.cfg.Cluster.Committed(ctx, j.cfg.App+"."+j.query.Name)
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

// state opens a task's store and replays what its changelogs have beyond it.
func (j *Job) state(ctx context.Context, f *plan.Fragment, id wire.TaskID) (*storage.Store, error) {
	o := storage.Options{
		Dir: filepath.Join(j.cfg.StateDir, j.query.Name, fmt.Sprintf("%d-%d", id.Fragment, id.Partition)),
		FS:  j.cfg.FS, Cache: j.cfg.Cache, Budget: j.cfg.Memory / int64(max(1, j.stateful())), Now: j.cfg.Clock.Now,
		Fingerprint: j.query.Fingerprint, Logger: j.cfg.Logger,
	}
	for _, s := range f.States {
		o.Specs = append(o.Specs, storage.Spec{Name: s.Name, Kind: kinds[s.Kind]})
	}
	store, err := storage.Open(o)
	if errors.Is(err, storage.ErrCorrupt) {
		j.cfg.Logger.Warn("the local state is damaged and is rebuilt from the changelog", "query", j.query.Name, "dir", o.Dir, "error", err)
		if err = j.cfg.FS.Wipe(o.Dir); err == nil {
			store, err = storage.Open(o)
		}
	}
	if err != nil {
		return nil, err
	}
	start := j.cfg.Clock.Now()
	n, err := j.replay(ctx, store, f, id)
	if errors.Is(err, errStale) {
		j.cfg.Logger.Info("the local state is too old and is rebuilt from the changelog", "query", j.query.Name, "dir", o.Dir)
		store.Discard()
		if err = j.cfg.FS.Wipe(o.Dir); err == nil {
			if store, err = storage.Open(o); err == nil {
				n, err = j.replay(ctx, store, f, id)
			}
		}
	}
	if err != nil {
		store.Discard()
		return nil, err
	}
	if n > 0 {
		j.cfg.Logger.Info("state restored", "query", j.query.Name, "task", id.String(), "records", n, "took", j.cfg.Clock.Now().Sub(start).Round(time.Millisecond))
	}
	return store, nil
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
	plan.WindowState: storage.WindowsKind, plan.MapState: storage.MapKind, plan.VersionState: storage.VersionsKind, plan.QueueState: storage.QueueKind,
}

var errStale = errors.New("stale state")

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
	starts, err := j.cfg.Cluster.Starts(ctx, ps...)
	if err != nil {
		return 0, j.explain(err)
	}
	ends, err := j.cfg.Cluster.Ends(ctx, ps...)
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

func (j *Job) deadLetters(source int) (string, int32) {
	topic := j.query.Sources[source].DeadLetterTopic
	if topic == "" {
		topic = j.cfg.App + "." + j.query.Name + ".dlq"
	}
	return topic, j.run.counts[topic]
}

func (j *Job) lateTopic(source int) (string, int32) {
	topic := j.query.Sources[source].LateTopic
	return topic, j.run.counts[topic]
}

func sortedTopics(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for t := range m {
		out = append(out, t)
	}
	slices.Sort(out)
	return out
}
