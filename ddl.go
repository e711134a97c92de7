package streamsql

import (
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/bind"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// prepareSource makes what a source needs: its topic when it may be created, the feed of one that is not Kafka.
func (e *Engine) prepareSource(ctx context.Context, st *ast.Create, rel *catalog.Relation) (*catalog.Relation, error) {
	if rel.Kind == ast.View {
		return rel, nil
	}
	if rel.Connector != "kafka" {
		c := *rel
		c.Topic = e.opts.Name + "." + rel.Name
		if c.Partitions == 0 {
			c.Partitions = 1
		}
		rel = &c
		if err := e.prepareFeed(st, rel); err != nil {
			return nil, err
		}
	}
	if _, err := format.Lookup(rel.Format); err != nil {
		return nil, ast.Errorf(st.Name.Pos(), "%v", err)
	}
	partitions := rel.Partitions
	if partitions == 0 && e.broker != nil {
		partitions = 1 // nobody else makes topics on the broker in this process
	}
	if partitions == 0 {
		return rel, nil
	}
	infos, err := e.cluster.Topics(ctx, rel.Topic)
	if err != nil {
		return nil, err
	}
	if i, ok := infos[rel.Topic]; ok {
		if rel.Partitions != 0 && i.Partitions != rel.Partitions {
			return nil, ast.Errorf(st.Name.Pos(), "topic %s has %d partitions, not %d", rel.Topic, i.Partitions, rel.Partitions).
				WithHint("leave partitions out to take the topic as it is")
		}
		return rel, nil
	}
	return rel, e.cluster.Create(ctx, exec.TopicSpec(planner.TopicOf(rel, partitions, "source")))
}

// sourcesExist says which topic is missing before a query leaves anything behind: a relation, topics.
func (e *Engine) sourcesExist(ctx context.Context, q *planQuery) error {
	var names []string
	for _, s := range q.Sources {
		names = append(names, s.Topic)
	}
	infos, err := e.cluster.Topics(ctx, names...)
	if err != nil {
		return err
	}
	for _, s := range q.Sources {
		if _, ok := infos[s.Topic]; !ok {
			return fmt.Errorf("topic %s of %s does not exist: create it, or declare partitions=… in its WITH clause to have it created", s.Topic, s.Name)
		}
	}
	return nil
}

// insertValues writes rows into a stream's or table's topic.
func (e *Engine) insertValues(ctx context.Context, s *ast.Script, st *ast.Insert) (outcome, error) {
	if st.Raw {
		return outcome{}, ast.Errorf(st.Pos(), "INSERT … RAW is for test files").WithHint("run the file with: streamsql test")
	}
	rel, ok := e.catalog.Get(st.Target.Name)
	if !ok {
		return outcome{}, ast.Errorf(st.Target.Pos(), "unknown stream or table %s", st.Target.Name).WithHint("SHOW STREAMS and SHOW TABLES list them")
	}
	if rel.Query != "" {
		return outcome{}, ast.Errorf(st.Target.Pos(), "%s is written by query %s", rel.Name, rel.Query).WithHint("insert into one of its sources")
	}
	rows, err := bind.Values(rel, st, e.opts.Clock.Now)
	if err != nil {
		return outcome{}, err
	}
	infos, err := e.cluster.Topics(ctx, rel.Topic)
	if err != nil {
		return outcome{}, err
	}
	info, ok := infos[rel.Topic]
	if !ok {
		return outcome{}, ast.Errorf(st.Target.Pos(), "topic %s does not exist", rel.Topic).WithHint("declare partitions=… in the WITH clause of %s to have it created", rel.Name)
	}
	records, err := encodeRows(rel, rows, info.Partitions, e.opts.Clock.Now().UnixMilli())
	if err != nil {
		return outcome{}, err
	}
	if _, err := e.cluster.Write(ctx, records...); err != nil {
		return outcome{}, err
	}
	return outcome{message: fmt.Sprintf("%d rows written to %s", len(records), rel.Topic)}, nil
}

// encodeRows turns rows of literals into records: the columns as the value, the key columns as the key. Those without a key
// go around the partitions.
func encodeRows(rel *catalog.Relation, rows []bind.ValueRow, partitions int32, now int64) ([]connectors.Record, error) {
	t := format.Target{Topic: rel.Topic, Partitions: partitions, Format: rel.Format, KeyFormat: rel.KeyFormat, Key: rel.Key, Partitioner: rel.Partitioner.String()}
	for _, c := range rel.Columns {
		t.Columns = append(t.Columns, format.Column{Name: c.Name, Type: c.Type, TimestampFormat: rel.TimestampFormat})
	}
	w, err := format.NewRowWriter(t)
	if err != nil {
		return nil, err
	}
	out := make([]connectors.Record, 0, len(rows))
	for i, row := range rows {
		e := format.Envelope{Timestamp: now, Partition: row.Partition, Key: row.Key, KeyGiven: row.KeyGiven}
		if row.Timestamp != nil {
			e.Timestamp = *row.Timestamp
		}
		r, err := w.Record(row.Values, e)
		if err != nil {
			return nil, ast.Errorf(row.Span, "%v", err)
		}
		if r.Partition < 0 {
			r.Partition = int32(i) % partitions
		}
		out = append(out, r)
	}
	return out, nil
}

// drop removes relations that no running query reads or writes.
func (e *Engine) drop(st *ast.Drop) (outcome, error) {
	for _, n := range st.Names {
		rel, ok := e.catalog.Get(n.Name)
		if !ok {
			if st.IfExists {
				continue
			}
			return outcome{}, ast.Errorf(n.Pos(), "unknown %s %s", st.Kind, n.Name).WithHint("SHOW %sS lists them, IF EXISTS passes over it", st.Kind)
		}
		if rel.Kind != st.Kind {
			return outcome{}, ast.Errorf(n.Pos(), "%s is a %s", rel.Name, rel.Kind).WithHint("DROP %s %s", rel.Kind, rel.Name)
		}
		for _, q := range e.Queries() {
			if !q.ended() && uses(q, rel) {
				return outcome{}, ast.Errorf(n.Pos(), "%s is used by query %s", rel.Name, q.Name()).WithHint("TERMINATE %s first", q.Name())
			}
		}
		if err := e.catalog.Drop(rel.Name); err != nil {
			return outcome{}, ast.Errorf(n.Pos(), "%v", err)
		}
	}
	return outcome{message: "dropped; its topic was left alone"}, nil
}

func uses(q *Query, rel *catalog.Relation) bool {
	for _, s := range q.plan.Sources {
		if equalFold(s.Name, rel.Name) {
			return true
		}
	}
	return q.plan.Sink.Target != nil && equalFold(q.plan.Sink.Target.Name, rel.Name)
}
