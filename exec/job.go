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
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Job is one instance's share of a query. Its methods are called from one goroutine.
type Job struct {
	cfg     Config
	query   *plan.Query
	run     *run
	session connectors.Session
	opened  bool // the session was fenced and owns its transactional id
	gen     int32

	tasks  []*task.Task // in the order of the fragments, then partitions
	parts  map[connectors.Partition][]*task.Task
	pauses pauses

	shuffles   *shuffles
	watermarks *watermarks
	rows       []*vector.Batch
	epoch      epoch
	asked      int64 // when ends were last asked for
	wanted     bool  // a rebalance waits
	trimmed    int64
	told       map[string]bool // problems told once
	done       bool
	stats      statsKeeper
	report     reporter
	reopened   reopenings
	watched    int64 // when the sources' partitions were last looked at
	began      int64
	missed     map[string]bool // sources that were not there when last looked at
}

// New prepares a query to run: topics, positions, a group session. It waits for the cluster, not for an assignment.
func New(ctx context.Context, q *plan.Query, cfg Config) (*Job, error) {
	j := &Job{cfg: cfg.withDefaults(), query: q, told: map[string]bool{}, missed: map[string]bool{}, pauses: newPauses()}
	j.cfg.ledger = topicLedger{j.cfg}
	if adHoc(q) {
		j.cfg.ledger = &memoryLedger{}
	}
	j.shuffles, j.watermarks = newShuffles(j), newWatermarks(j)
	j.drop()
	j.began = j.cfg.now()
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
	j.epoch = epoch{}
	j.shuffles.reset()
	j.watermarks.reset()
	j.asked = types.Never
	j.stats.dropped()
}

// open joins the group.
func (j *Job) open(ctx context.Context) error {
	o := connectors.SessionOptions{
		Group:           plan.Group(j.cfg.App, j.query.Name),
		TransactionalID: plan.TransactionalID(j.cfg.App, j.query.Name, j.cfg.InstanceID, 0),
		Fingerprint:     j.query.Fingerprint,
		Exclusive:       j.cfg.Shuffle == ShuffleLocal,
		Starts:          j.run.starts,
	}
	o.Units, o.Partitions = j.units()
	run := j.run.number
	if o.Exclusive {
		run = 0 // there is nobody else; under another id it would find its own dead member in the group
	}
	o.InstanceID = j.cfg.InstanceID + ".0." + membership(o.Partitions, run)
	s, err := j.cfg.Cluster.Open(ctx, o)
	if err != nil {
		return err
	}
	j.session, j.opened = s, false
	return nil
}

// membership names the topics and partition counts that a membership is about, and the bounded run. It is a part of the static member
// id: the broker gives a static member that returns its old assignment back without asking the leader (KIP-345). The
// partitions that a source has grown by meanwhile would be read by nobody, and who is still in the run before would not hear of the next.
func membership(partitions map[string]int32, run int) string {
	h := fnv.New32a()
	if run > 0 {
		fmt.Fprintf(h, "run %d\n", run)
	}
	for _, t := range slices.Sorted(maps.Keys(partitions)) {
		fmt.Fprintf(h, "%s %d\n", t, partitions[t])
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// units are what a member of the group is assigned: the fragments that read a topic together move together.
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
			for _, topic := range []string{topic, beside(in)} {
				if topic == "" {
					continue
				}
				if !slices.Contains(units[i].Topics, topic) {
					units[i].Topics = append(units[i].Topics, topic)
				}
				counts[topic] = int32(n)
			}
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

// beside is the topic that tells how time has come in an input's; "" when its rows tell.
func beside(in plan.Input) string {
	if n, ok := in.Node.(*plan.Scan); ok && n.Relation.TimeTold() && !in.Table {
		return plan.WatermarkTopic(n.Relation.Topic)
	}
	return ""
}

// Run steps until ctx ends, the query is finished (Config.Until), or an error. It does not stop the job.
func (j *Job) Run(ctx context.Context) error {
	for ctx.Err() == nil && !j.done {
		if _, err := j.Step(ctx); err != nil {
			if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
				return nil
			}
			if passes(err) {
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
const longestPoll = time.Second

// patience is how long a poll may wait: until the next commit or timer is due.
func (j *Job) patience() time.Duration {
	now := j.cfg.now()
	wait := longestPoll
	if j.run.number > 0 {
		wait = checkEvery // whether the other instances have finished
	}
	for _, t := range j.tasks {
		if t.Dirty() {
			wait = min(wait, time.Duration(j.interval()-(now-j.epoch.last))*time.Microsecond)
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
		if err := j.process(ctx, &p.Fetched[i]); err != nil {
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
func (j *Job) process(ctx context.Context, f *connectors.Fetched) error {
	j.stats.in(j.query, f)
	for _, t := range j.parts[f.Partition] {
		if err := t.Process(ctx, f); err != nil {
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
	}
	j.pause()
	return j.prove(ctx)
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
