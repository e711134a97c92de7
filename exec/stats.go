package exec

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Stats are figures of a job: what this instance has done since it started, and what its tasks have counted since the
// query began.
type Stats struct {
	In, Out int64 // records read from sources and rows sent to the sink by this instance, in epochs that were committed
	Aborts  int64
	// Lost are records that were gone before they were read (on_data_loss = 'continue').
	Lost int64

	Late, Bad                                      int64
	LateAfterIdle, LateTable, LateReleased, OldRow int64
	// BadExpr are rows that an expression could not be computed for behind a shuffle, where their record is not at hand.
	BadExpr, Filtered int64
	// LateBySource and BadBySource count by relation name.
	LateBySource, BadBySource map[string]int64
	// Disorder is, by relation name, the disorder that would have kept its late rows, microseconds.
	Disorder map[string]int64

	// Watermark is the smallest of this instance's tasks that end in the sink, types.Never when there is none; Holding
	// names what holds it.
	Watermark int64
	Holding   string
	Tasks     int
	Waiting   int64 // rows that wait for a table
	State     int64 // bytes in memory
	// Lag is how many records are known to be in the sources and were not read.
	Lag int64
	// Due is the watermark at which the earliest row or window held back leaves, types.Forever when none is.
	Due    int64
	Detail Detail
}

type statsKeeper struct {
	read, out, aborts, lost int64
	open                    struct{ read, out int64 } // of the open epoch
}

// committed counts the open epoch; dropped forgets it: its records are read again.
func (s *statsKeeper) committed() {
	s.read += s.open.read
	s.out += s.open.out
	s.dropped()
}

func (s *statsKeeper) dropped() { s.open.read, s.open.out = 0, 0 }

// in counts the records of sources.
func (s *statsKeeper) in(q *plan.Query, f *connectors.Fetched) {
	for _, src := range q.Sources {
		if src.Topic == f.Topic {
			s.open.read += int64(len(f.Records))
			return
		}
	}
}

// produced counts the records of the sink.
func (s *statsKeeper) produced(q *plan.Query, r *connectors.Record) {
	if q.Sink.Topic() == r.Topic {
		s.open.out++
	}
}

// Stats are the job's figures now. Call it from the job's goroutine.
func (j *Job) Stats() Stats {
	s := Stats{
		In: j.stats.read, Out: j.stats.out, Aborts: j.stats.aborts, Lost: j.stats.lost, Watermark: types.Never, Tasks: len(j.tasks), Due: types.Forever, Detail: j.detail(),
		LateBySource: map[string]int64{}, BadBySource: map[string]int64{}, Disorder: map[string]int64{},
	}
	for _, t := range j.tasks {
		c, per := t.Counters()
		s.LateAfterIdle += c.LateAfterIdle
		s.LateTable += c.LateTable
		s.LateReleased += c.LateReleased
		s.OldRow += c.OldUpdates
		s.BadExpr += c.BadExpr
		s.Filtered += c.Filtered
		for source := range maps.Keys(per) {
			name := j.query.Source(source).Name
			s.LateBySource[name] += per[source].Late
			s.BadBySource[name] += per[source].Bad
			s.Late += per[source].Late
			s.Bad += per[source].Bad
			if by := per[source].LateBy; by > 0 {
				s.Disorder[name] = max(s.Disorder[name], j.query.Source(source).Disorder+by)
			}
		}
		if t.Feeds(nil) {
			if w, why := t.Held(); s.Holding == "" || w < s.Watermark {
				s.Watermark, s.Holding = w, why
			}
		}
		s.Due = min(s.Due, t.Due())
		if st := t.State(); st != nil {
			s.State += st.Bytes()
		}
	}
	for _, a := range s.Detail.Awaited {
		s.Waiting += a.Rows
	}
	s.Lag = s.Detail.Lag()
	return s
}

// explain gives a user the remedy where the job knows it.
func (j *Job) explain(err error) error {
	var gone *connectors.ErrOffsetGone
	switch {
	case errors.Is(err, connectors.ErrExclusive):
		return fmt.Errorf("query %s runs with local shuffles, which serve one instance: stop the other one, or start all with --shuffle topic: %w", j.query.Name, err)
	case errors.Is(err, connectors.ErrFingerprint):
		return fmt.Errorf("query %s: another instance of this name runs another plan: give this one another name (--name), or stop the others first: %w", j.query.Name, err)
	case errors.As(err, &gone):
		return fmt.Errorf("query %s: %w", j.query.Name, err)
	}
	return err
}

// OnStats has f called with the job's figures from Step, at most once per interval.
func (j *Job) OnStats(every time.Duration, f func(Stats)) {
	j.report.every, j.report.f = every.Microseconds(), f
}

type reporter struct {
	every, last int64
	f           func(Stats)
}

func (j *Job) tell() {
	if j.report.f == nil {
		return
	}
	if now := j.cfg.now(); now-j.report.last >= j.report.every {
		j.report.last = now
		j.report.f(j.Stats())
	}
}
