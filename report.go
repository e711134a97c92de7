package streamsql

import (
	"context"
	"time"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Summary is a query on this instance in figures, for programs: it marshals to JSON. Counts are since the query began.
type Summary struct {
	Name    string    `json:"name"`
	State   State     `json:"state"`
	Reason  string    `json:"reason"` // of Status, a name for programs: diagnosis.Reason
	Status  string    `json:"status"` // one sentence
	Target  string    `json:"target"` // the relation it writes, "" for an ad-hoc SELECT
	Topic   string    `json:"topic"`  // of the target, "" when that is none
	SQL     string    `json:"sql"`
	Started time.Time `json:"started"`

	In       int64 `json:"in"`
	Out      int64 `json:"out"`
	Lag      int64 `json:"lag"`
	Late     int64 `json:"late"`
	Bad      int64 `json:"bad"`
	Filtered int64 `json:"filtered"`
	Waiting  int64 `json:"waiting"` // rows that wait for a table
	Aborts   int64 `json:"aborts"`
	Memory   int64 `json:"state_bytes"` // of state, in memory
	Tasks    int   `json:"tasks"`

	// Watermark is nil before there is one; Due is the watermark at which the next rows leave, nil when none are held.
	Watermark *time.Time `json:"watermark"`
	Due       *time.Time `json:"due"`
	Holding   string     `json:"holding,omitempty"` // the partition that holds the watermark
}

// Report is all that there is to know of a query on this instance. What passed Sources and the nodes of Plan is counted since the
// query's tasks began here.
type Report struct {
	Summary
	Sources []SourceReport `json:"sources"`
	Plan    plan.Explain   `json:"plan"`
}

// SourceReport is where one partition of a source stands.
type SourceReport struct {
	Relation  string     `json:"relation"`
	Topic     string     `json:"topic"`
	Partition int        `json:"partition"`
	State     string     `json:"state"` // ACTIVE, IDLE, FINISHED
	In        int64      `json:"in"`
	Late      int64      `json:"late"`
	Bad       int64      `json:"bad"`
	Position  int64      `json:"position"`
	End       int64      `json:"end"`
	Newest    *time.Time `json:"newest"` // the largest event time
	Watermark *time.Time `json:"watermark"`
}

// Summary looks at the query. It may ask the brokers, as Diagnose does.
func (q *Query) Summary(ctx context.Context) Summary {
	s, d := q.Stats(), q.Diagnose(ctx)
	r := Summary{
		Name: q.Name(), State: q.State(), Reason: string(d.Reason), Status: d.Sentence, Target: q.Target(), Topic: q.plan.Sink.Topic(), SQL: q.SQL(), Started: q.started,
		In: s.In, Out: s.Out, Lag: s.Lag, Late: s.Late + s.LateAfterIdle, Bad: s.Bad + s.BadExpr, Filtered: s.Filtered, Waiting: s.Waiting, Aborts: s.Aborts,
		Memory: s.State, Tasks: s.Tasks, Holding: s.Holding,
	}
	if s.Tasks > 0 {
		r.Watermark, r.Due = instant(s.Watermark), instant(s.Due)
	}
	return r
}

// Report is Summary with the sources and the plan.
func (q *Query) Report(ctx context.Context) Report {
	s := q.Stats()
	r := Report{Summary: q.Summary(ctx), Plan: q.plan.Analyze(q.e.opts.Name, s.Detail.Flow)}
	for _, x := range s.Detail.Sources {
		rel := q.plan.Source(x.Source)
		r.Sources = append(r.Sources, SourceReport{
			Relation: rel.Name, Topic: rel.Topic, Partition: x.Partition, State: x.State.String(), In: x.In, Late: x.Late, Bad: x.Bad,
			Position: x.Position, End: x.End, Newest: instant(x.Newest), Watermark: instant(x.Watermark),
		})
	}
	return r
}

// instant is an event time, nil for none.
func instant(micros int64) *time.Time {
	if micros <= types.Never || micros >= types.Forever {
		return nil
	}
	t := time.UnixMicro(micros).UTC()
	return &t
}
