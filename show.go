package streamsql

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/kafka"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// texts makes a result of text columns.
func texts(names []string, rows ...[]string) *Rows {
	var cols []Column
	for _, n := range names {
		cols = append(cols, Column{Name: n, Type: types.TVarchar})
	}
	r := rowsOf(cols)
	for _, row := range rows {
		var vs []Value
		for _, s := range row {
			vs = append(vs, types.NewString(s))
		}
		r.static = append(r.static, Row{columns: cols, Values: vs})
	}
	return r
}

// show is SHOW ….
func (e *Engine) show(ctx context.Context, st *ast.Show) (outcome, error) {
	var r *Rows
	switch st.What {
	case "STREAMS":
		r = e.relations(ast.Stream)
	case "TABLES":
		r = e.relations(ast.Table)
	case "VIEWS":
		r = e.views()
	case "QUERIES":
		r = e.showQueries()
	case "STATUS":
		return e.status(ctx, st)
	case "FUNCTIONS":
		r = e.functions()
	case "OPTIONS":
		r = options()
	case "SETTINGS":
		r = e.showSettings()
	case "TOPICS":
		var err error
		if r, err = e.topics(ctx); err != nil {
			return outcome{}, err
		}
	case "ERRORS":
		var err error
		if r, err = e.showErrors(st); err != nil {
			return outcome{}, err
		}
	case "CREATE":
		rel, ok := e.catalog.Get(st.Name.Name)
		if !ok {
			return outcome{}, e.unknown(*st.Name)
		}
		r = texts([]string{"name", "sql"}, []string{rel.Name, rel.SQL})
	default:
		return outcome{}, ast.Unsupported(st.Pos(), "SHOW "+st.What, "SHOW STREAMS, TABLES, VIEWS, TOPICS, QUERIES, STATUS, ERRORS, FUNCTIONS, OPTIONS, SETTINGS, CREATE")
	}
	if st.Like != "" {
		r.static = filterLike(r.static, st.Like)
	}
	return outcome{rows: r}, nil
}

// filterLike keeps rows whose first column matches a pattern of LIKE, in any case.
func filterLike(rows []Row, pattern string) []Row {
	like := expr.Like(strings.ToLower(pattern))
	return slices.DeleteFunc(rows, func(r Row) bool { return !like(strings.ToLower(r.Values[0].S)) })
}

func (e *Engine) relations(k ast.Kind) *Rows {
	var rows [][]string
	for _, rel := range e.catalog.List() {
		if rel.Kind == k {
			rows = append(rows, []string{rel.Name, rel.Topic, rel.Format, rel.Connector, fmt.Sprint(len(rel.Columns)), rel.Query})
		}
	}
	return texts([]string{"name", "topic", "format", "connector", "columns", "written_by"}, rows...)
}

func (e *Engine) views() *Rows {
	var rows [][]string
	for _, rel := range e.catalog.List() {
		if rel.Kind == ast.View {
			rows = append(rows, []string{rel.Name, fmt.Sprint(len(rel.Columns)), rel.SQL})
		}
	}
	return texts([]string{"name", "columns", "sql"}, rows...)
}

func (e *Engine) showQueries() *Rows {
	names := []string{"name", "state", "in", "out", "late", "bad", "watermark", "target", "error"}
	var rows [][]string
	for _, q := range e.Queries() {
		s := q.Stats()
		errText, at := "", "-"
		if s.Tasks > 0 || s.In > 0 {
			at = Instant(s.Watermark)
		}
		if q.ended() && q.err != nil {
			errText = q.err.Error()
		}
		rows = append(rows, []string{q.Name(), string(q.State()), fmt.Sprint(s.In), fmt.Sprint(s.Out), fmt.Sprint(s.Late + s.LateAfterIdle), fmt.Sprint(s.Bad + s.BadExpr), at, q.plan.Sink.Topic(), errText})
	}
	return texts(names, rows...)
}

func (e *Engine) functions() *Rows {
	var rows [][]string
	for _, f := range append(expr.Functions(), e.library.Functions()...) {
		rows = append(rows, []string{f.Name, f.Signature, f.Doc, f.Example, f.Result})
	}
	for _, f := range append(expr.AggregateFunctions(), e.library.Aggregates()...) {
		rows = append(rows, []string{f.Name, f.Signature, f.Doc, f.Example, f.Result})
	}
	return texts([]string{"name", "signature", "description", "example", "result"}, rows...)
}

func options() *Rows {
	var rows [][]string
	for _, o := range catalog.Options() {
		rows = append(rows, []string{o.Name, o.Type, o.Default, o.Doc})
	}
	tables := formatTables()
	for _, k := range endpoint.All() {
		tables = append(tables, k.Options)
	}
	for _, table := range append(tables, kafka.OptionTable()) {
		for _, o := range table {
			rows = append(rows, []string{o.Name, o.Type.String(), o.Default, o.Doc})
		}
	}
	return texts([]string{"name", "type", "default", "description"}, rows...)
}

func (e *Engine) topics(ctx context.Context) (*Rows, error) {
	infos, err := e.cluster.Topics(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for n, i := range infos {
		rows = append(rows, []string{n, fmt.Sprint(i.Partitions)})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i][0] < rows[j][0] })
	return texts([]string{"topic", "partitions"}, rows...), nil
}

// describe is DESCRIBE name.
func (e *Engine) describe(st *ast.Describe) (outcome, error) {
	rel, ok := e.catalog.Get(st.Name.Name)
	if !ok {
		return outcome{}, e.unknown(st.Name)
	}
	var rows [][]string
	for i, c := range rel.Columns {
		var notes []string
		for _, k := range rel.PrimaryKey {
			if k == i {
				notes = append(notes, "primary key")
			}
		}
		for _, k := range rel.Key {
			if k == i {
				notes = append(notes, "in the Kafka key")
			}
		}
		if name, ok := rel.Header(i); ok {
			notes = append(notes, "header "+name)
		}
		if rel.Timestamp == i {
			notes = append(notes, "event time, disorder "+types.FormatDuration(rel.Disorder))
		}
		rows = append(rows, []string{c.Name, c.Type.String(), strings.Join(notes, ", ")})
	}
	if st.Extended {
		rows = append(rows, []string{"(topic)", rel.Topic, rel.Format}, []string{"(sql)", rel.SQL, ""})
		if topic, promise := outboxOf(e.opts.Name)(rel); topic != "" {
			rows = append(rows, []string{"(delivery)", promise, "by topic " + topic})
		}
	}
	return outcome{rows: texts([]string{"column", "type", "notes"}, rows...)}, nil
}
