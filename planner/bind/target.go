package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// create makes the target of CREATE … AS from the query's columns.
func (b *binder) create(c *ast.Create, out *output) (*Bound, error) {
	columns := out.visible()
	if err := declared(c, columns); err != nil {
		return nil, err
	}
	if c.Kind == ast.Stream && len(c.PrimaryKey) > 0 {
		return nil, ast.Errorf(c.PrimaryKey[0].Span, "a stream has no primary key").WithHint("CREATE TABLE %s …", c.Name.Name)
	}
	if c.Watermark != nil && indexOf(columns, c.Watermark.Column.Name) < 0 {
		return nil, ast.Errorf(c.Watermark.Column.Span, "unknown column %s in %s", c.Watermark.Column.Name, c.Name.Name)
	}
	if out.unnamed() {
		if err := out.named(c, columns); err != nil {
			return nil, err
		}
	}
	if err := primaryKey(c, out, columns); err != nil {
		return nil, err
	}
	target, err := catalog.DefineTarget(c, columns, out.visibleKey())
	if err != nil {
		return nil, err
	}
	if err := out.expire(target.TTL, ttlPlace(c)); err != nil {
		return nil, err
	}
	target.Query = target.Name
	if err := b.alone(c, target); err != nil {
		return nil, err
	}
	if err := b.noLoop(c.Name.Span, target); err != nil {
		return nil, err
	}
	if err := b.refuseRandom(target, c.Name.Span); err != nil {
		return nil, err
	}
	return &Bound{Sink: out.into(target), Target: target, New: true, Limit: -1}, nil
}

// alone refuses a second query that writes a topic and tells how far event time has come in it.
func (b *binder) alone(c *ast.Create, target *catalog.Relation) error {
	for _, n := range b.cat.Names() {
		o, _ := b.cat.Get(n)
		if o.TimeTold() && target.TimeTold() && o.Topic == target.Topic && !strings.EqualFold(o.Name, target.Name) {
			return ast.Errorf(c.Name.Span, "topic %s is written by query %s, which tells its readers how far event time has come in it: rows of another query would come too late", o.Topic, o.Query).
				WithHint("write another topic; or declare the stream by itself and INSERT INTO it from each query")
		}
	}
	return nil
}

// visible are the columns of the value.
func (o *output) visible() []types.Column {
	var out []types.Column
	for _, i := range o.columns {
		out = append(out, o.node.Props().Schema.Columns[i])
	}
	return out
}

// visibleKey are the positions of the key among the visible columns; nil when one of them is not visible.
func (o *output) visibleKey() []int {
	var out []int
	for _, k := range o.key {
		at := -1
		for i, c := range o.columns {
			if c == k {
				at = i
			}
		}
		if at < 0 {
			return nil
		}
		out = append(out, at)
	}
	return out
}

// into is the sink that writes the output to a relation.
func (o *output) into(target *catalog.Relation) *plan.Sink {
	if o.node.Props().Changes == plan.Deltas {
		o.node, o.aggregated = plan.Derive(&plan.Fold{Name: "result", Input: o.node, Key: o.key}), true
	}
	s := o.sink()
	s.Target, s.Headers = target, !o.aggregated
	if o.aggregated || o.node.Props().Changes == plan.Upserts {
		s.KeyMode, s.Key = plan.KeyFromColumn, o.key
	}
	if o.star != nil && o.star.SameFormat(target) && target.Connector == "kafka" {
		s.Forward = true
	}
	return plan.Derive(s).(*plan.Sink)
}

// declared compares the columns written in CREATE … (…) AS with those of the query.
func declared(c *ast.Create, columns []types.Column) error {
	if len(c.Columns) == 0 {
		return nil
	}
	for i, d := range c.Columns {
		if i >= len(columns) {
			return ast.Errorf(d.Name.Span, "%d columns are declared, the query has %d", len(c.Columns), len(columns))
		}
		if !strings.EqualFold(d.Name.Name, columns[i].Name) {
			return ast.Errorf(d.Name.Span, "column %d is declared as %s, the query names it %s", i+1, d.Name.Name, columns[i].Name).
				WithHint("SELECT … AS %s", d.Name.Name)
		}
		t, err := catalog.TypeOf(d.Type)
		if err != nil {
			return err
		}
		if !t.Equal(columns[i].Type) {
			return ast.Errorf(d.Type.Span, "column %s is declared as %s, the query gives %s", d.Name.Name, t, columns[i].Type).
				WithHint("CAST(… AS %s), or leave the columns out", t)
		}
		columns[i].Name = d.Name.Name
	}
	if len(c.Columns) < len(columns) {
		return ast.Errorf(c.Columns[len(c.Columns)-1].Span, "%d columns are declared, the query has %d", len(c.Columns), len(columns)).
			WithHint("missing: %s", columns[len(c.Columns)].Name)
	}
	return nil
}

// primaryKey compares a declared primary key with the one that follows from the query.
func primaryKey(c *ast.Create, out *output, columns []types.Column) error {
	if len(c.PrimaryKey) == 0 {
		return nil
	}
	schema := out.node.Props().Schema.Columns
	var want []string
	for _, k := range out.key {
		want = append(want, schema[k].Name)
	}
	for _, k := range c.PrimaryKey {
		if indexOf(columns, k.Name) < 0 {
			return ast.Errorf(k.Span, "unknown column %s in %s", k.Name, c.Name.Name)
		}
		found := false
		for _, w := range want {
			found = found || strings.EqualFold(w, k.Name)
		}
		if !found {
			return ast.Errorf(k.Span, "%s is not in the key of the query's rows: %s", k.Name, strings.Join(want, ", ")).
				WithHint("the key of a result is its group columns, with window_start: leave PRIMARY KEY out")
		}
	}
	if len(c.PrimaryKey) != len(want) {
		return ast.Errorf(c.PrimaryKey[0].Span, "the key of the query's rows is %s", strings.Join(want, ", ")).
			WithHint("declare PRIMARY KEY (%s), or leave it out", strings.Join(want, ", "))
	}
	return nil
}

// noLoop refuses a query that reads the topic it writes.
func (b *binder) noLoop(at ast.Span, target *catalog.Relation) error {
	for _, r := range *b.read {
		if r.Kind != ast.View && r.Topic == target.Topic {
			return ast.Errorf(at, "the query reads topic %s and writes it: it would never end", target.Topic).
				WithHint("write another topic: WITH (topic = '…')")
		}
	}
	return nil
}

func indexOf(columns []types.Column, name string) int {
	for i, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return i
		}
	}
	return -1
}

// insert fits the query's columns to a relation that exists, by position.
func (b *binder) insert(ins *ast.Insert, target *catalog.Relation, out *output) (*Bound, error) {
	if err := b.noLoop(ins.Target.Span, target); err != nil {
		return nil, err
	}
	if target.TimeTold() {
		return nil, ast.Errorf(ins.Target.Span, "%s is written by query %s, which tells its readers how far event time has come in it: rows of another query would come too late", target.Name, target.Query).
			WithHint("declare the stream by itself, CREATE STREAM %s (…), and INSERT INTO it from each query; or select from both with UNION ALL", target.Name)
	}
	if err := b.refuseRandom(target, ins.Target.Span); err != nil {
		return nil, err
	}
	at, around, err := insertColumns(ins, target)
	if err != nil {
		return nil, err
	}
	if err := b.mayWrite(ins, target, out, around); err != nil {
		return nil, err
	}
	have := out.visible()
	if len(have) != len(at) {
		return nil, ast.Errorf(ins.Target.Span, "INSERT INTO %s takes %d columns, the query has %d", target.Name, len(at), len(have)).
			WithHint("columns: %s", strings.Join(target.ColumnNames(), ", "))
	}
	if out.unnamed() {
		if err := out.keyed(ins, target, at); err != nil {
			return nil, err
		}
	}
	items, err := b.assignments(target, out, at, around)
	if err != nil {
		return nil, err
	}
	star := out.star
	for i, t := range at {
		if star != nil && (i != t || t >= len(target.Columns) || !strings.EqualFold(have[i].Name, target.Columns[t].Name) || !have[i].Type.Equal(target.Columns[t].Type)) {
			star = nil
		}
	}
	fitted := &output{aggregated: out.aggregated, star: star}
	for i := range target.Columns {
		fitted.columns = append(fitted.columns, i)
	}
	for _, k := range out.key {
		fitted.key = append(fitted.key, len(items))
		for i, c := range out.columns {
			if c == k && at[i] < len(target.Columns) {
				fitted.key[len(fitted.key)-1] = at[i]
			}
		}
		if fitted.key[len(fitted.key)-1] == len(items) {
			c := column(out.node, k, "")
			items = append(items, plan.Named{Name: unused(c.Name, items), Expr: c})
		}
	}
	if err := tableKey(ins, target, fitted.key); err != nil {
		return nil, err
	}
	fitted.node = plan.Derive(&plan.Project{Input: out.node, Exprs: items})
	sink := fitted.into(target)
	if len(target.Key) > 0 {
		sink.KeyMode, sink.Key = plan.KeyFromColumn, target.Key // what the target declares of its Kafka key holds for all writers
	}
	for i, part := range around {
		sink.Around = append(sink.Around, plan.Around{Part: part, Column: len(target.Columns) + i})
		if part == plan.HiddenKey {
			sink.KeyMode, sink.Key = plan.KeyWritten, nil
		}
	}
	return &Bound{Sink: sink, Target: target, Limit: -1}, nil
}

// assignments are the target's columns: NULL, or the query's column for it in the target's type; then what is written around
// the value. at says where the query's columns go.
func (b *binder) assignments(target *catalog.Relation, out *output, at []int, around []plan.Hidden) ([]plan.Named, error) {
	items := make([]plan.Named, len(target.Columns)+len(around))
	for i, c := range target.Columns {
		items[i] = plan.Named{Name: c.Name, Expr: expr.NullOf(c.Type)}
	}
	for i, t := range at {
		from := column(out.node, out.columns[i], "")
		if t >= len(target.Columns) {
			x, err := recordPart(around[t-len(target.Columns)], from)
			if err != nil {
				return nil, ast.Errorf(out.spans[i], "%v", err).WithHint("%s", partHint[around[t-len(target.Columns)]])
			}
			items[t] = plan.Named{Name: partName(around[t-len(target.Columns)]), Expr: x}
			continue
		}
		c := target.Columns[t]
		x, err := assign(from, c.Type)
		if err != nil {
			return nil, ast.Errorf(out.spans[i], "column %s of %s is %s, the query gives %s", c.Name, target.Name, c.Type, from.Typ).
				WithHint("CAST(… AS %s)", c.Type)
		}
		items[t].Expr = x
	}
	return items, nil
}

// tableKey makes sure that rows written into a table are named by its primary key, in the Kafka key.
func tableKey(ins *ast.Insert, target *catalog.Relation, key []int) error {
	switch {
	case target.Kind != ast.Table:
		return nil
	case !sameKey(target.PrimaryKey, key):
		return ast.Errorf(ins.Target.Span, "the key of the query's rows is not the primary key of %s", target.Name).WithHint("group by its primary key")
	case !sameKey(target.Key, key):
		return ast.Errorf(ins.Target.Span, "table %s does not declare its Kafka key: a removed row could not be named", target.Name).
			WithHint("WITH (key = '%s')", target.Columns[key[0]].Name)
	}
	return nil
}

func sameKey(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// insertColumns are the target's ordinals that INSERT INTO names, or all; then those of around, the parts of the record around
// the value that it names.
func insertColumns(ins *ast.Insert, target *catalog.Relation) (at []int, around []plan.Hidden, err error) {
	if len(ins.Columns) == 0 {
		for i := range target.Columns {
			at = append(at, i)
		}
		return at, nil, nil
	}
	seen := map[string]bool{}
	for _, c := range ins.Columns {
		i := target.Column(c.Name)
		part, hides := hiddenPart(c.Name)
		switch {
		case i < 0 && !hides:
			return nil, nil, ast.Errorf(c.Span, "unknown column %s in %s", c.Name, target.Name).
				WithHint("%s", spell.Hint(c.Name, "columns of "+target.Name, target.ColumnNames()))
		case seen[strings.ToLower(c.Name)]:
			return nil, nil, ast.Errorf(c.Span, "column %s stands twice", c.Name)
		case hides && partHint[part] == "":
			return nil, nil, ast.Errorf(c.Span, "%s cannot be written by INSERT … SELECT", c.Name).WithHint("_key, _timestamp and _headers can")
		case hides:
			i = len(target.Columns) + len(around)
			around = append(around, part)
		}
		seen[strings.ToLower(c.Name)] = true
		at = append(at, i)
	}
	return at, around, nil
}

// assign casts a value to the type of the column it goes into, where nothing is guessed: numbers to numbers, texts to
// texts, times to times.
func assign(e expr.Expr, t types.Type) (expr.Expr, error) {
	from := e.Type()
	switch {
	case from.Equal(t), from.Kind == types.Varchar && t.Kind == types.Varchar && t.Length == 0:
		return e, nil
	case from.Kind == types.Null, from.Numeric() && t.Numeric(), from.Text() && t.Text(), from.Temporal() && t.Temporal():
		return expr.NewCast(e, t)
	case from.Nested() && t.Kind == types.JSON:
		return expr.NewCast(e, t)
	}
	return nil, ast.Errorf(ast.Span{}, "no implicit cast")
}
