package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// epoch is what the open transaction has so far.
type epoch struct {
	last   int64 // when the last commit ended, microseconds
	looked int64 // when it was last looked whether something is to be committed
}

// maybeCommit commits when the interval has passed, or a rebalance waits.
func (j *Job) maybeCommit(ctx context.Context) (bool, error) {
	due := j.wanted || j.cfg.CommitInterval < 0 || j.cfg.now()-max(j.epoch.last, j.epoch.looked) >= j.interval()
	if !due || len(j.tasks) == 0 {
		return false, j.checkDone(ctx, due)
	}
	committed, err := j.commit(ctx)
	if err != nil {
		return committed, err
	}
	return committed, j.checkDone(ctx, true)
}

// earlyTime is how long after it began a job commits more often, so that the first rows come soon.
const earlyTime = 1_000_000

// interval is the time between commits now, microseconds.
func (j *Job) interval() int64 {
	i := j.cfg.CommitInterval.Microseconds()
	if j.cfg.now()-j.began < earlyTime {
		return i / 8
	}
	return i
}

// commit ends the epoch: outputs, shuffles, control records, changelogs and offsets in one transaction, then the local
// state. Nothing to commit is not an error. An aborted epoch is dropped with everything it touched: the tasks are made
// anew from the committed state.
func (j *Job) commit(ctx context.Context) (bool, error) {
	control, told := j.shuffles.pending(), j.watermarks.pending()
	dirty := slices.DeleteFunc(slices.Clone(j.tasks), func(t *task.Task) bool {
		return !t.Dirty() && !control.about(t.ID) && !told.about(t.ID)
	})
	if len(dirty) == 0 && j.wanted && len(j.tasks) > 0 {
		dirty = j.tasks[:1] // nothing changed, but the session lets a rebalance in only after a commit
	}
	j.wanted = false
	if len(dirty) == 0 {
		j.epoch.looked = j.cfg.now() - j.interval()/2 // not at every step
		return false, nil
	}
	if err := j.crash(StepProcessed); err != nil {
		return false, err
	}
	if err := j.watermarks.begin(ctx); err != nil {
		return false, err
	}
	j.shuffles.flush()
	control.send()
	metas := make([][]byte, len(dirty))
	for i, t := range dirty {
		var err error
		if metas[i], err = j.log(t); err != nil {
			return false, err
		}
	}
	offsets, err := j.offsets(dirty)
	if err != nil {
		return false, err
	}
	if err := j.crash(StepLogged); err != nil {
		return false, err
	}
	// A stop in the middle of it lets the commit end: cut off, its outcome would be unknown.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	var ends map[connectors.Partition]int64
	if err = j.watermarks.tell(ending, told); err == nil {
		ends, err = j.session.Commit(ending, offsets)
	}
	cancel()
	if err != nil {
		return true, j.aborted(ctx, err)
	}
	if err := j.crash(StepAfterEnd); err != nil {
		return true, err
	}
	for i, t := range dirty {
		if err := j.settle(t, metas[i], ends); err != nil {
			return true, err
		}
	}
	control.committed()
	j.watermarks.committed(told, ends)
	j.stats.committed()
	j.epoch.last = j.cfg.now()
	if err := j.deliver(); err != nil {
		return true, err
	}
	j.trim(ctx)
	return true, j.crash(StepAfterCommit)
}

// commitTimeout bounds the flush of an epoch's records; it lies within the longest graceful stop.
const commitTimeout = 20 * time.Second

// log produces a task's state changes and its record.
func (j *Job) log(t *task.Task) ([]byte, error) {
	meta, err := t.Meta()
	if err != nil {
		return nil, err
	}
	store := t.State()
	if store == nil {
		return meta, nil
	}
	now := j.cfg.now() / 1000
	var chunk []connectors.Record
	topic, of := "", ""
	err = store.Changes(meta, func(name string, key, value []byte) error {
		if len(chunk) == 0 {
			chunk = make([]connectors.Record, 256)
		}
		if name != of || topic == "" {
			topic, of = plan.State{Name: name}.Topic(j.cfg.App, j.query.Name), name
		}
		r := &chunk[0]
		chunk = chunk[1:]
		*r = connectors.Record{Topic: topic, Partition: int32(t.ID.Partition), Timestamp: now, Key: key, Value: value}
		j.session.Produce(r)
		return nil
	})
	return meta, err
}

// settle tells a task's state that the epoch is committed.
func (j *Job) settle(t *task.Task, meta []byte, ends map[connectors.Partition]int64) error {
	t.Committed()
	store := t.State()
	if store == nil {
		return nil
	}
	logs := map[string]int64{}
	for _, s := range j.query.Fragment(t.ID.Fragment).States {
		p := connectors.Partition{Topic: s.Topic(j.cfg.App, j.query.Name), Partition: int32(t.ID.Partition)}
		if end, ok := ends[p]; ok {
			logs[s.Name] = end
		}
	}
	if err := store.Commit(meta, logs); err != nil {
		return fmt.Errorf("state of task %s: %w", t.ID, err)
	}
	return nil
}

// aborted drops the epoch.
func (j *Job) aborted(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, connectors.ErrRefused):
		return fmt.Errorf("query %s cannot go on, and nothing of this epoch was committed: %w", j.query.Name, err)
	case errors.Is(err, connectors.ErrAborted):
		j.cfg.Logger.Info("transaction aborted; the epoch is done again", "query", j.query.Name, "cause", err)
		j.stats.aborts++
		return j.restoreAll(ctx)
	case errors.Is(err, connectors.ErrUnknownOutcome):
		j.cfg.Logger.Warn("the outcome of a transaction is not known; reading the committed state", "query", j.query.Name, "cause", err)
		j.stats.aborts++
		j.drop()
		if err := j.session.Close(ctx, connectors.Keep); err != nil {
			j.cfg.Logger.Debug("closing the session", "error", err)
		}
		return j.open(ctx)
	}
	return j.explain(err)
}

// crash is the hook of tests: what was not committed is gone.
func (j *Job) crash(step string) error {
	if j.cfg.Crash == nil {
		return nil
	}
	return j.cfg.Crash(step)
}

// Rows keeps rows of an ad-hoc query until they are committed.
func (j *Job) Rows(b *vector.Batch) {
	j.stats.open.out += int64(b.N)
	j.rows = append(j.rows, b)
}

// deliver hands committed rows over.
func (j *Job) deliver() error {
	rows := j.rows
	j.rows = nil
	if j.cfg.OnRows == nil {
		return nil
	}
	for _, b := range rows {
		if err := j.cfg.OnRows(b); err != nil {
			return err
		}
	}
	return nil
}

// Produce sends a record within the open transaction.
func (j *Job) Produce(r *connectors.Record) {
	j.stats.produced(j.query, r)
	j.watermarks.wrote(r)
	j.session.Produce(r)
}

// trimEvery is how often topics that only the engine reads are trimmed.
const trimEvery = 10 * time.Second

// trim deletes what nobody needs any more: repartition records before the committed positions, and changelog records of
// windows and rows that are gone. The broker is never left to do it by time: its retention compares event time with the
// wall clock (reference: KAFKA-3595).
func (j *Job) trim(ctx context.Context) {
	now := j.cfg.now()
	if now-j.trimmed < trimEvery.Microseconds() {
		return
	}
	j.trimmed = now
	before := map[connectors.Partition]int64{}
	for _, t := range j.tasks {
		t.Trimmable(func(topic string, at int64) {
			p := connectors.Partition{Topic: topic, Partition: int32(t.ID.Partition)}
			if old, ok := before[p]; !ok || at < old { // of several that read it, the one furthest behind
				before[p] = at
			}
		}, j.cfg.Shuffle == ShuffleTopic)
	}
	if len(before) == 0 {
		return
	}
	if err := j.cfg.Cluster.DeleteBefore(ctx, before); err != nil && ctx.Err() == nil {
		j.once("trim", "internal topics could not be trimmed and will grow: allow Delete on them", "error", err)
	}
}
