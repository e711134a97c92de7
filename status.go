package streamsql

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/diagnosis"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// Diagnosis says in one sentence what a query is doing, and why nothing comes out when nothing does.
type Diagnosis = diagnosis.Diagnosis

// Instant is an event time as text, "-" for none.
func Instant(micros int64) string { return diagnosis.Instant(micros) }

// Status is the sentence of Diagnose without a question to the brokers.
func (q *Query) Status() string { return q.diagnose(nil).Sentence }

// askTime bounds the question to the brokers in a diagnosis.
const askTime = 3 * time.Second

// Diagnose says what the query is doing. While it has read nothing the brokers are asked what the topics hold; if they do not
// answer in 3 s, the sentence does without.
func (q *Query) Diagnose(ctx context.Context) Diagnosis {
	if q.ended() || q.Stats().In > 0 || q.State() == Paused {
		return q.diagnose(nil)
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	logs, err := q.e.logs(ctx, q.plan)
	if err != nil {
		return q.diagnose(nil)
	}
	return q.diagnose(logs)
}

func (q *Query) diagnose(logs map[string][]diagnosis.Log) Diagnosis {
	s := q.Stats()
	switch state := q.State(); {
	case q.ended() && q.err != nil:
		return Diagnosis{Reason: "failed", Sentence: "failed: " + q.err.Error()}
	case state == Paused:
		return Diagnosis{Reason: "paused", Sentence: fmt.Sprintf("paused: %d in, %d out%s; RESUME %s goes on", s.In, s.Out, diagnosis.Dropped(s), q.Name())}
	case q.ended():
		return Diagnosis{Reason: "ended", Sentence: fmt.Sprintf("%s: %d in, %d out%s", strings.ToLower(string(state)), s.In, s.Out, diagnosis.Dropped(s))}
	}
	return diagnosis.Of(diagnosis.Evidence{Query: q.plan, Stats: s, Now: q.e.opts.Clock.Now().UnixMicro(), Logs: logs})
}

// logs is what the brokers hold of a query's sources.
func (e *Engine) logs(ctx context.Context, p *plan.Query) (map[string][]diagnosis.Log, error) {
	var names []string
	for _, rel := range p.Sources {
		names = append(names, rel.Topic)
	}
	infos, err := e.cluster.Topics(ctx, names...)
	if err != nil {
		return nil, err
	}
	var ps []connectors.Partition
	for name, info := range infos {
		ps = append(ps, connectors.PartitionsOf(name, info.Partitions)...)
	}
	starts, ends, err := connectors.Extent(ctx, e.cluster, ps...)
	if err != nil {
		return nil, err
	}
	logs := map[string][]diagnosis.Log{}
	for _, at := range ps {
		logs[at.Topic] = append(logs[at.Topic], diagnosis.Log{Partition: at, Start: starts[at], End: ends[at]})
	}
	return logs, nil
}

// status is SHOW STATUS [FOR q].
func (e *Engine) status(ctx context.Context, st *ast.Show) (outcome, error) {
	qs := e.Queries()
	if st.Name != nil {
		q, err := e.Lookup(st.Name.Name)
		if err != nil {
			return outcome{}, ast.Errorf(st.Name.Pos(), "%v", err)
		}
		qs = []*Query{q}
	}
	var rows [][]string
	for _, q := range qs {
		rows = append(rows, []string{q.Name(), string(q.State()), q.Diagnose(ctx).Sentence})
	}
	return outcome{rows: texts([]string{"query", "state", "status"}, rows...)}, nil
}

// explain is EXPLAIN statement, or EXPLAIN [ANALYZE] query.
func (e *Engine) explain(ctx context.Context, s *ast.Script, st *ast.Explain) (outcome, error) {
	var text string
	switch {
	case st.Statement == nil:
		q, err := e.Lookup(st.Name.Name)
		if err != nil {
			return outcome{}, ast.Errorf(st.Name.Pos(), "%v", err)
		}
		text = q.Explain()
		if st.Analyze {
			text = q.analysis(ctx)
		}
	case st.Analyze:
		return outcome{}, ast.Errorf(st.Pos(), "EXPLAIN ANALYZE is about a query that runs").WithHint("start it, then EXPLAIN ANALYZE and its name; SHOW QUERIES lists the names")
	default:
		c, err := e.compile(ctx, s, st.Statement, "")
		if err != nil {
			return outcome{}, err
		}
		if c.Query == nil {
			return outcome{}, ast.Errorf(st.Statement.Pos(), "this statement has no plan").WithHint("EXPLAIN shows queries: SELECT, CREATE … AS, INSERT … SELECT")
		}
		text = c.Query.Explain(e.opts.Name).String()
	}
	var rows [][]string
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		rows = append(rows, []string{line})
	}
	return outcome{rows: texts([]string{"plan"}, rows...)}, nil
}

// analysis is the plan with what passed each node on this instance, behind the diagnosis.
func (q *Query) analysis(ctx context.Context) string {
	s := q.Stats()
	head := fmt.Sprintf("%s: %s\n  on this instance: %d tasks, lag %d records, %d bytes of state in memory\n", q.State(), q.Diagnose(ctx).Sentence, s.Tasks, s.Lag, s.State)
	return head + "\n" + q.plan.Analyze(q.e.opts.Name, s.Detail.Flow).String()
}
