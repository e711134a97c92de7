package streamsql

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/schemas"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/bind"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// create adds a relation, and plans the query behind it.
func (e *Engine) create(ctx context.Context, s *ast.Script, st *ast.Create, a ask) (outcome, error) {
	if old, ok := e.catalog.Get(st.Name.Name); ok {
		switch {
		case st.IfNotExists:
			return outcome{message: old.Name + " exists already"}, nil
		case st.OrReplace:
			if err := e.unused(old, st.Name.Pos()); err != nil {
				return outcome{}, err
			}
		default:
			return outcome{}, taken(st, old)
		}
	}
	if st.As != nil && st.Kind != ast.View {
		return e.persistent(ctx, s, st, a)
	}
	c, err := e.compile(ctx, s, st, a.name)
	if err != nil {
		return outcome{}, err
	}
	if err := checkConnector(st, c.Relation); err != nil {
		return outcome{}, err
	}
	if err := schemas.Check(ctx, st, c.Relation); err != nil {
		return outcome{}, err
	}
	rel := e.ownTopic(c.Relation)
	f, err := e.makeFeed(st, rel)
	if err != nil {
		return outcome{}, err
	}
	if f != nil || own(rel) { // what is only written has no topic to be read from
		if err := e.sourceTopic(ctx, st, rel); err != nil {
			return outcome{}, err
		}
	}
	if err := e.add(ctx, st, rel, f); err != nil {
		return outcome{}, err
	}
	return outcome{message: fmt.Sprintf("%s %s created", rel.Kind, rel.Name)}, nil
}

func taken(st *ast.Create, old *catalog.Relation) error {
	kind := strings.ToLower(old.Kind.String())
	return ast.Errorf(st.Name.Pos(), "%s %s exists already", kind, old.Name).WithHint("CREATE OR REPLACE replaces it, DROP %s %s removes it", old.Kind, old.Name)
}

// add puts a relation with its feed (nil: it has none) into the catalog, in the place of an older one if the statement says
// so. The feed of that one is stopped: two would write into one topic.
func (e *Engine) add(ctx context.Context, st *ast.Create, rel *catalog.Relation, f *feeding) error {
	if st.OrReplace {
		if err := errors.Join(e.stopFeed(ctx, rel.Name), e.stopDelivery(ctx, rel.Name)); err != nil {
			return err
		}
		e.catalog.Replace(rel)
	} else if e.catalog.Add(rel) != nil { // the only reason: somebody was faster
		return taken(st, rel)
	}
	if f != nil {
		e.mu.Lock()
		e.mu.feeds[strings.ToLower(rel.Name)] = f
		e.mu.Unlock()
	}
	return nil
}

// ownTopic gives a source that is not Kafka the topic that its feed writes.
func (e *Engine) ownTopic(rel *catalog.Relation) *catalog.Relation {
	if rel.Kind == ast.View || rel.Connector == "kafka" {
		return rel
	}
	c := *rel
	c.Topic = e.opts.Name + "." + rel.Name
	c.Partitions = max(c.Partitions, 1)
	return &c
}

// sourceTopic creates the topic of a source when it may be created.
func (e *Engine) sourceTopic(ctx context.Context, st *ast.Create, rel *catalog.Relation) error {
	if rel.Kind == ast.View {
		return nil
	}
	partitions := rel.Partitions
	if partitions == 0 && e.broker != nil {
		partitions = 1 // nobody else makes topics on the broker in this process
	}
	if partitions == 0 {
		return nil
	}
	topics := rel.Topics
	if !rel.Many() {
		topics = []string{rel.Topic}
	}
	for _, t := range topics {
		if err := e.oneTopic(ctx, st, rel.PartOf(t), partitions); err != nil {
			return err
		}
	}
	return nil
}

// oneTopic creates a topic that is not there, with so many partitions.
func (e *Engine) oneTopic(ctx context.Context, st *ast.Create, rel *catalog.Relation, partitions int32) error {
	infos, err := e.cluster.Topics(ctx, rel.Topic)
	if err != nil {
		return err
	}
	if i, ok := infos[rel.Topic]; ok {
		if rel.Partitions != 0 && i.Partitions != rel.Partitions {
			return ast.Errorf(st.Name.Pos(), "topic %s has %d partitions, not %d", rel.Topic, i.Partitions, rel.Partitions).
				WithHint("leave partitions out to take the topic as it is")
		}
		return nil
	}
	return e.cluster.Create(ctx, exec.TopicSpec(planner.TopicOf(rel, partitions, "source")))
}

// insertValues writes rows into a stream's or table's topic.
func (e *Engine) insertValues(ctx context.Context, st *ast.Insert) (outcome, error) {
	rel, ok := e.catalog.Get(st.Target.Name)
	if !ok {
		return outcome{}, e.unknown(st.Target)
	}
	if rel.Kind == ast.View {
		return outcome{}, ast.Errorf(st.Target.Pos(), "%s is a view: it has no rows of its own", rel.Name).WithHint("insert into the stream or table behind it")
	}
	if rel.Many() {
		return outcome{}, ast.Errorf(st.Target.Pos(), "%s reads several topics: which one is meant is not known", rel.Name).WithHint("declare a stream of one of them: CREATE STREAM … WITH (topic = '…')")
	}
	if rel.Connector != "kafka" {
		return outcome{}, ast.Errorf(st.Target.Pos(), "the rows of %s come from connector '%s'", rel.Name, rel.Connector).WithHint("insert into a stream of connector 'kafka'")
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
	records, err := encodeRows(ctx, rel, rows, info.Partitions, e.opts.Clock.Now().UnixMilli())
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
func encodeRows(ctx context.Context, rel *catalog.Relation, rows []bind.ValueRow, partitions int32, now int64) ([]connectors.Record, error) {
	t := format.Target{Topic: rel.Topic, Partitions: partitions, Columns: formatColumns(rel), Format: rel.Format, Options: rel.FormatOptions, Headers: rel.HeaderMap(), KeyFormat: rel.KeyFormat, Key: rel.Key, Partitioner: rel.Partitioner.String()}
	w, err := format.NewRowWriter(t)
	if err != nil {
		return nil, err
	}
	if err := w.Prepare(ctx); err != nil {
		return nil, err
	}
	out := make([]connectors.Record, 0, len(rows))
	for i, row := range rows {
		e := format.Envelope{Timestamp: now, Partition: row.Partition, Key: row.Key, KeyGiven: row.KeyGiven, Headers: row.Headers}
		if row.Timestamp != nil {
			e.Timestamp = *row.Timestamp
		}
		r, err := w.Record(row.Values, e)
		if err != nil {
			return nil, ast.Errorf(row.Span, "%v", err)
		}
		if r.Key == nil && rel.Kind == ast.Table && len(rel.Key) > 0 { // a broker takes no such record into a compacted topic
			return nil, ast.Errorf(row.Span, "the key %s is NULL, and a row of table %s needs one", strings.Join(rel.KeyNames(), ", "), rel.Name)
		}
		if r.Partition < 0 {
			r.Partition = int32(i) % partitions
		}
		out = append(out, r)
	}
	return out, nil
}

// drop removes relations that no running query reads or writes, and stops their feeds.
func (e *Engine) drop(ctx context.Context, st *ast.Drop) (outcome, error) {
	var dropped []string
	for _, n := range st.Names {
		rel, ok := e.catalog.Get(n.Name)
		if !ok {
			if st.IfExists {
				continue
			}
			return outcome{}, ast.Errorf(n.Pos(), "unknown %s %s", strings.ToLower(st.Kind.String()), n.Name).WithHint("SHOW %sS lists them, IF EXISTS passes over it", st.Kind)
		}
		if rel.Kind != st.Kind {
			return outcome{}, ast.Errorf(n.Pos(), "%s is a %s", rel.Name, rel.Kind).WithHint("DROP %s %s", rel.Kind, rel.Name)
		}
		if err := e.unused(rel, n.Pos()); err != nil {
			return outcome{}, err
		}
		if err := unviewed(e.catalog.Now(), n); err != nil {
			return outcome{}, err
		}
		if err := errors.Join(e.stopFeed(ctx, rel.Name), e.stopDelivery(ctx, rel.Name)); err != nil {
			return outcome{}, err
		}
		if err := e.catalog.Drop(rel.Name); err != nil {
			return outcome{}, ast.Errorf(n.Pos(), "%v", err)
		}
		dropped = append(dropped, rel.Name)
	}
	if len(dropped) == 0 {
		return outcome{message: "there was nothing to drop"}, nil
	}
	message := strings.Join(dropped, ", ") + " dropped"
	if st.Kind != ast.View {
		message += "; what is in topics was left alone"
	}
	return outcome{message: message}, nil
}

// unused says which running query reads or writes a relation.
func (e *Engine) unused(rel *catalog.Relation, at ast.Span) error {
	for _, q := range e.Queries() {
		if !q.ended() && uses(q, rel) {
			return ast.Errorf(at, "%s is used by query %s", rel.Name, q.Name()).WithHint("TERMINATE %s first", q.Name())
		}
	}
	return nil
}

// unviewed says which view reads a relation: it could not be read any more.
func unviewed(cat *catalog.Snapshot, n ast.Ident) error {
	if v := cat.Viewer(n.Name); v != nil {
		return ast.Errorf(n.Pos(), "%s is read by view %s", n.Name, v.Name).WithHint("DROP VIEW %s first", v.Name)
	}
	return nil
}

func uses(q *Query, rel *catalog.Relation) bool {
	for _, s := range q.plan.Sources {
		if strings.EqualFold(s.Name, rel.Name) {
			return true
		}
	}
	return q.plan.Sink.Target != nil && strings.EqualFold(q.plan.Sink.Target.Name, rel.Name)
}

// unknown is the error of a name that is no relation.
func (e *Engine) unknown(n ast.Ident) error {
	return ast.Unknown(n.Pos(), n.Name).WithHint("%s", spell.Hint(n.Name, "streams and tables", e.catalog.Now().Names()))
}
