package exec

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Job is one instance's share of a query. Its methods are called from one goroutine.
type Job struct {
	cfg     Config
	query   *plan.Query
	run     *run
	session connectors.Session
	opened  bool // the session was fenced and owns its transactional id
	gen     int32

	tasks   []*task.Task // in the order of the fragments, then partitions
	parts   map[connectors.Partition][]*task.Task
	paused  map[wire.TaskID]bool
	resting map[connectors.Partition]bool // fetched up to the end of a bounded run

	shuffles *shuffles
	rows     []rowsOut
	epoch    epoch
	asked    int64 // when ends were last asked for
	wanted   bool  // a rebalance waits
	trimmed  int64
	told     map[string]bool // problems told once
	done     bool
	stats    statsKeeper
	report   reporter
	reopened reopenings
	watched  int64 // when the sources' partitions were last looked at
}

// New prepares a query to run: topics, positions, a group session. It waits for the cluster, not for an assignment.
func New(ctx context.Context, q *plan.Query, cfg Config) (*Job, error) {
	j := &Job{cfg: cfg.withDefaults(), query: q, told: map[string]bool{}, resting: map[connectors.Partition]bool{}}
	j.shuffles = newShuffles(j)
	j.drop()
	counts, ids, err := topics(ctx, j.cfg, q)
	if err != nil {
		return nil, err
	}
	if j.run, err = openRun(ctx, j.cfg, q, counts, ids); err != nil {
		return nil, err
	}
	if err := j.drained(ctx); err != nil {
		return nil, err
	}
	return j, j.open(ctx)
}

// drop forgets all tasks and what was under way.
func (j *Job) drop() {
	j.unpause()
	for _, t := range j.tasks {
		t.Discard()
	}
	j.tasks = nil
	j.parts = map[connectors.Partition][]*task.Task{}
	j.rows = nil
	j.epoch = epoch{ends: map[wire.TaskID][]byte{}}
	j.shuffles.reset()
	j.asked = types.Never
}

// open joins the group.
func (j *Job) open(ctx context.Context) error {
	o := connectors.SessionOptions{
		Group:           j.cfg.App + "." + j.query.Name,
		TransactionalID: fmt.Sprintf("%s.%s.%s.0", j.cfg.App, j.query.Name, j.cfg.InstanceID),
		Fingerprint:     j.query.Fingerprint,
		Exclusive:       j.cfg.Shuffle == ShuffleLocal,
		Starts:          j.run.starts,
	}
	o.Units, o.Partitions = j.units()
	o.InstanceID = j.cfg.InstanceID + ".0." + layout(o.Partitions)
	s, err := j.cfg.Cluster.Open(ctx, o)
	if err != nil {
		return err
	}
	j.session, j.opened = s, false
	return nil
}

// layout names the topics and partition counts that a membership is about. It is a part of the static member id: the
// broker gives a static member that returns its old assignment back without asking the leader (KIP-345), and the
// partitions that a source has grown by meanwhile would be read by nobody.
func layout(partitions map[string]int32) string {
	h := fnv.New32a()
	for _, t := range slices.Sorted(maps.Keys(partitions)) {
		fmt.Fprintf(h, "%s %d\n", t, partitions[t])
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// units are what a member of the group is assigned: the fragments that share a source topic move together.
func (j *Job) units() ([]connectors.Unit, map[string]int32) {
	var units []connectors.Unit
	counts := map[string]int32{}
	at := map[int]int{}
	for _, f := range j.query.Fragments {
		for _, in := range f.Inputs {
			topic, n := j.topicOf(in)
			if topic == "" {
				continue
			}
			i, ok := at[f.Unit]
			if !ok {
				i = len(units)
				at[f.Unit] = i
				units = append(units, connectors.Unit{})
			}
			if !slices.Contains(units[i].Topics, topic) {
				units[i].Topics = append(units[i].Topics, topic)
			}
			counts[topic] = int32(n)
		}
	}
	return units, counts
}

// topicOf is the topic an input is read from and its partition count; "" for a local shuffle.
func (j *Job) topicOf(in plan.Input) (string, int) {
	switch n := in.Node.(type) {
	case *plan.Scan:
		return n.Relation.Topic, n.P.Partitioning.Count
	case *plan.Receive:
		if j.cfg.Shuffle == ShuffleTopic {
			return n.Shuffle.Topic(j.cfg.App, j.query.Name), n.Shuffle.Key.Count
		}
	}
	return "", 0
}

// Run steps until ctx ends, the query is finished (Config.Until), or an error. It does not stop the job.
func (j *Job) Run(ctx context.Context) error {
	for ctx.Err() == nil && !j.done {
		if _, err := j.Step(ctx); err != nil {
			if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
				return nil
			}
			if errors.Is(err, connectors.ErrUnreachable) {
				err = j.outlast(ctx, err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// longestPoll bounds how long a job sleeps when it knows of nothing that is due.
const longestPoll = 250 * time.Millisecond

// patience is how long a poll may wait: until the next commit or timer is due.
func (j *Job) patience() time.Duration {
	now := j.cfg.now()
	wait := longestPoll
	for _, t := range j.tasks {
		if t.Dirty() {
			wait = min(wait, j.cfg.CommitInterval-time.Duration(now-j.epoch.last)*time.Microsecond)
		}
		if w := t.NextWake(); w < types.Forever {
			wait = min(wait, max(time.Duration(w-now)*time.Microsecond, askPause))
		}
	}
	return max(wait, time.Millisecond)
}

// Step polls once, processes what came, and commits when that is due. It says whether anything happened.
func (j *Job) Step(ctx context.Context) (progress bool, err error) {
	wait, cancel := context.WithTimeout(ctx, j.patience())
	p, err := j.session.Poll(wait, j.cfg.PollRecords)
	cancel()
	if err != nil {
		return true, j.recover(ctx, err)
	}
	if p.Lost {
		j.drop()
		progress = true
	}
	if p.Rebalanced {
		if err := j.assign(ctx, p); err != nil {
			return true, err
		}
		progress = true
	}
	j.wanted = j.wanted || p.Wanted
	for i := range p.Fetched {
		progress = true
		if err := j.process(&p.Fetched[i]); err != nil {
			if errors.Is(err, task.ErrGrown) {
				err = j.quit(ctx, "query %s: %w", j.query.Name, err)
			}
			return true, err
		}
	}
	if err := j.tick(ctx); err != nil {
		return true, err
	}
	if err := j.watch(ctx); err != nil {
		return true, err
	}
	committed, err := j.maybeCommit(ctx)
	j.tell()
	return progress || committed, err
}

// process hands records to the tasks that read their partition.
func (j *Job) process(f *connectors.Fetched) error {
	j.stats.in(j.query, f)
	for _, t := range j.parts[f.Partition] {
		if err := t.Process(f); err != nil {
			return err
		}
	}
	return nil
}

// tick lets time pass in every task, upstream first, and passes on what local shuffles hold.
func (j *Job) tick(ctx context.Context) error {
	for _, t := range j.tasks {
		if err := t.Tick(); err != nil {
			return err
		}
		j.shuffles.pass(t)
		j.rest(t)
		if err := j.pressure(t); err != nil {
			return err
		}
	}
	return j.prove(ctx)
}

// rest stops fetching partitions of which a bounded run has seen the end.
func (j *Job) rest(t *task.Task) {
	for _, p := range t.Ended() {
		if !j.resting[p] {
			j.resting[p] = true
			j.session.Pause(p)
		}
	}
}

// pressure pauses the stream partitions of a join that holds back as much as it may.
func (j *Job) pressure(t *task.Task) error {
	full := j.paused[t.ID]
	switch {
	case !full && t.Full():
		j.paused[t.ID] = true
		j.session.Pause(j.streamOf(t)...)
	case full && t.Relieved():
		delete(j.paused, t.ID)
		j.session.Resume(j.unpaused(j.streamOf(t))...)
	}
	return nil
}

// unpause resumes everything: the session keeps its pauses through aborts and rebalances, the tasks do not.
func (j *Job) unpause() {
	for _, t := range j.tasks {
		if j.paused[t.ID] {
			j.session.Resume(j.streamOf(t)...)
		}
	}
	for p := range j.resting {
		j.session.Resume(p)
	}
	clear(j.resting)
	j.paused = map[wire.TaskID]bool{}
}

// streamOf are the partitions through which a join's stream rows come into this instance. One that brings rows of a table
// too is not among them: pausing it would stop what the rows wait for.
func (j *Job) streamOf(t *task.Task) []connectors.Partition {
	var out []connectors.Partition
	for _, p := range t.StreamInputs() {
		if _, read := j.parts[p]; read {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		out = j.rootsOf(t)
	}
	return slices.DeleteFunc(out, func(p connectors.Partition) bool { return t.TableFrom(p.Topic) })
}

// rootsOf are the partitions of the sources behind a task's local shuffles.
func (j *Job) rootsOf(t *task.Task) (out []connectors.Partition) {
	for _, scan := range t.StreamRoots() { // behind a local shuffle
		for p := range scan.P.Partitioning.Count {
			out = append(out, connectors.Partition{Topic: scan.Relation.Topic, Partition: int32(p)})
		}
	}
	return out
}

// unpaused leaves out partitions that another full join needs paused.
func (j *Job) unpaused(ps []connectors.Partition) []connectors.Partition {
	for _, t := range j.tasks {
		if j.paused[t.ID] {
			held := j.streamOf(t)
			ps = slices.DeleteFunc(slices.Clone(ps), func(p connectors.Partition) bool { return slices.Contains(held, p) })
		}
	}
	return ps
}

// isPaused says whether a full join keeps a partition from being fetched.
func (j *Job) isPaused(p connectors.Partition) bool {
	for _, t := range j.tasks {
		if j.paused[t.ID] && slices.Contains(j.streamOf(t), p) {
			return true
		}
	}
	return false
}

// askPause is the least time between two requests for ends.
const askPause = 100 * time.Millisecond

// prove asks for the ends that idle sources and waiting joins need, and looks at positions that do not move.
func (j *Job) prove(ctx context.Context) error {
	now := j.cfg.now()
	if now-j.asked < askPause.Microseconds() {
		return nil
	}
	var want []connectors.Partition
	for _, t := range j.tasks {
		want = append(want, t.Wants()...)
	}
	if len(want) > 0 {
		j.asked = now
		ends, err := j.cfg.Cluster.Ends(ctx, unique(want)...)
		if err != nil {
			return j.tolerate(ctx, err)
		}
		for _, t := range j.tasks {
			t.Learn(ends, now)
		}
	}
	for _, t := range j.tasks {
		for p, r := range t.Stuck() {
			if j.isPaused(p) {
				continue
			}
			j.asked = now
			to, err := j.cfg.Cluster.Skip(ctx, p, r[0], r[1])
			if err != nil {
				return j.tolerate(ctx, err)
			}
			t.Skipped(p, to)
		}
		if err := t.Advance(); err != nil {
			return err
		}
	}
	return nil
}

// tolerate lets a question to the brokers fail: it is asked again.
func (j *Job) tolerate(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		j.once("ends", "could not ask for the ends of the sources; asking again", "error", err)
	}
	return nil
}

func unique(ps []connectors.Partition) []connectors.Partition {
	seen := map[connectors.Partition]bool{}
	return slices.DeleteFunc(ps, func(p connectors.Partition) bool {
		dup := seen[p]
		seen[p] = true
		return dup
	})
}

// once logs a problem the first time it shows.
func (j *Job) once(key, message string, args ...any) {
	if !j.told[key] {
		j.told[key] = true
		j.cfg.Logger.Warn(message, append([]any{"query", j.query.Name}, args...)...)
	}
}

// Finished says whether the bounded run is over, on this and all other instances.
func (j *Job) Finished() bool { return j.done }

// Stop commits what was processed, leaves the group and closes the state.
func (j *Job) Stop(ctx context.Context) error {
	_, err := j.commit(ctx)
	if err != nil {
		j.drop()
	}
	var errs []error
	for _, t := range j.tasks {
		errs = append(errs, t.Close())
	}
	j.tasks = nil
	errs = append(errs, j.session.Close(ctx, connectors.Leave))
	return errors.Join(append(errs, err)...)
}

// Abandon drops everything without cleaning up, as a crash would. The session's place in the group stays.
func (j *Job) Abandon() {
	j.drop()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = j.session.Close(ctx, connectors.Keep)
}

func (c Config) now() int64 { return c.Clock.Now().UnixMicro() }
