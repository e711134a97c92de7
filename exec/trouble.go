package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// A session that was fenced is opened anew, but not for ever: two processes with one identity would fence each other.
const (
	reopenLimit  = 5
	reopenWithin = 60 * time.Second
)

// recover deals with an error of a poll that the job can go on after.
func (j *Job) recover(ctx context.Context, err error) error {
	var gone *connectors.ErrOffsetGone
	switch {
	case errors.As(err, &gone) && j.mayLose(gone.Partition.Topic):
		j.lose(gone)
		return nil
	case errors.Is(err, connectors.ErrFenced):
		return j.reopen(ctx, err)
	}
	return j.explain(err)
}

// mayLose says whether a source is declared on_data_loss = 'continue'.
func (j *Job) mayLose(topic string) bool {
	for _, s := range j.query.Sources {
		if s.Topic == topic {
			return s.ContinueOnLoss
		}
	}
	return false
}

// lose goes on behind records that are gone, and says how many.
func (j *Job) lose(gone *connectors.ErrOffsetGone) {
	to := gone.Start
	j.stats.lost += max(0, gone.Start-gone.Wanted)
	j.cfg.Logger.Warn("records are gone before they were read; going on with what is there", "query", j.query.Name,
		"topic", gone.Partition.Topic, "partition", gone.Partition.Partition, "wanted", gone.Wanted, "first", gone.Start, "end", gone.End,
		"lost", max(0, gone.Start-gone.Wanted))
	j.session.Seek(gone.Partition, to)
	for _, t := range j.parts[gone.Partition] {
		t.Seek(gone.Partition, to)
		t.Touch()
	}
}

// reopen drops everything and joins the group again as the same member.
func (j *Job) reopen(ctx context.Context, cause error) error {
	now := j.cfg.now()
	if now-j.reopened.since > reopenWithin.Microseconds() {
		j.reopened.since, j.reopened.times = now, 0
	}
	if j.reopened.times++; j.reopened.times > reopenLimit {
		return fmt.Errorf("query %s lost its place %d times within a minute: another process seems to run with the same identity; give each instance its own state directory: %w", j.query.Name, reopenLimit, cause)
	}
	j.cfg.Logger.Warn("the session was lost; joining again", "query", j.query.Name, "cause", cause)
	j.drop()
	if err := j.session.Close(ctx, connectors.Keep); err != nil {
		j.cfg.Logger.Debug("closing the session", "error", err)
	}
	return j.open(ctx)
}

// outage is how long the brokers, or a schema registry, may be away before a query gives up.
const outage = 5 * time.Minute

// passes says whether an error is of brokers, or of a service beside them, that cannot be reached now.
func passes(err error) bool {
	var away *format.Away
	return errors.Is(err, connectors.ErrUnreachable) || errors.As(err, &away)
}

// again asks what could not be reached once more, and joins the group.
func (j *Job) again(ctx context.Context, cause error) error {
	var away *format.Away
	if errors.As(cause, &away) {
		if err := away.Probe(ctx); err != nil {
			return err
		}
	}
	return j.open(ctx)
}

// outlast waits for brokers, or a schema registry, that cannot be reached, and joins the group again as the same member.
// Everything that was not committed is dropped, as after a crash.
func (j *Job) outlast(ctx context.Context, cause error) error {
	j.cfg.Logger.Warn("a service cannot be reached; the query goes on when it is back", "query", j.query.Name, "cause", cause)
	j.drop()
	closing, cancel := context.WithTimeout(ctx, 2*time.Second)
	if err := j.session.Close(closing, connectors.Keep); err != nil {
		j.cfg.Logger.Debug("closing the session", "error", err)
	}
	cancel()
	since := j.cfg.now()
	for pause := 250 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		wait, cancel := context.WithTimeout(ctx, pause)
		<-wait.Done()
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		err := j.again(ctx, cause)
		switch {
		case err == nil:
			j.cfg.Logger.Warn("what was away is back; joined again", "query", j.query.Name)
			return nil
		case ctx.Err() != nil:
			return nil
		case !passes(err):
			return j.explain(err)
		case j.cfg.now()-since > outage.Microseconds():
			return fmt.Errorf("query %s: what it needs was away for %s; start it again when it is back: %w", j.query.Name, outage, err)
		}
	}
}

type reopenings struct {
	since int64
	times int
}

// watchEvery is how often a job looks whether its sources have more partitions.
const watchEvery = 10 * time.Second

// watch stops the query when a source has grown: its rows would be read by nobody, or their state be elsewhere. It stops it too
// when a source was deleted and created again: the offsets reached mean other records now.
func (j *Job) watch(ctx context.Context) error {
	now := j.cfg.now()
	if j.watched == 0 {
		j.watched = now
	}
	if now-j.watched < watchEvery.Microseconds() {
		return nil
	}
	j.watched = now
	names := map[string]bool{}
	for _, s := range j.query.Sources {
		names[s.Topic] = true
	}
	infos, err := j.cfg.Cluster.Topics(ctx, sortedTopics(names)...)
	if err != nil {
		return j.tolerate(ctx, err)
	}
	for t := range names {
		info, ok := infos[t]
		if ok {
			delete(j.missed, t)
		}
		switch {
		case !ok && !j.missed[t]:
			j.missed[t] = true // a broker that has just started may not know it yet: look once more
			continue
		case !ok:
			return fmt.Errorf("query %s: topic %s was deleted while it was read: create it again and start the query under a new name", j.query.Name, t)
		case info.ID != j.run.ids[t]:
			return j.quit(ctx, "query %s: topic %s was deleted and created again while it was read: its offsets mean other records now. With on_data_loss='continue' a new start reads what is there; else start the query under a new name", j.query.Name, t)
		case info.Partitions != j.run.counts[t]:
			return j.quit(ctx, "query %s: topic %s has %d partitions now, it had %d: start the query again to read them", j.query.Name, t, info.Partitions, j.run.counts[t])
		}
	}
	return j.lookForTopics(ctx)
}

// lookForTopics says once when a topic has come that a source would read: it does from the next start on.
func (j *Job) lookForTopics(ctx context.Context) error {
	var patterns []*catalog.Relation
	read := map[string]bool{}
	for _, s := range j.query.Sources {
		if read[s.Topic] = true; s.TopicPattern != "" {
			patterns = append(patterns, s)
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	infos, err := j.cfg.Cluster.Topics(ctx)
	if err != nil {
		return j.tolerate(ctx, err)
	}
	for t := range infos {
		if !read[t] && !plan.OwnTopic(j.cfg.App, t) && slices.ContainsFunc(patterns, func(s *catalog.Relation) bool { return s.Matches(t) }) {
			j.once("topic "+t, "a topic has come that matches the pattern of a source; it is read when the query is started again", "topic", t)
		}
	}
	return nil
}

// quit drops the epoch and leaves the group, so that a new start, which plans with other topics, is not kept waiting for this
// member's place. It returns the error.
func (j *Job) quit(ctx context.Context, format string, args ...any) error {
	j.drop()
	closing, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := j.session.Close(closing, connectors.Leave); err != nil {
		j.cfg.Logger.Debug("closing the session", "error", err)
	}
	return fmt.Errorf(format, args...)
}
