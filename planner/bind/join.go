package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// defaultWithin is how much later than a stream row an older table record may reach the broker (semantics S8).
const defaultWithin = types.MicrosPerSecond

// join binds stream JOIN table.
func (b *binder) join(j *ast.Join, left plan.Node) (plan.Node, error) {
	ref, ok := j.Right.(*ast.TableRef)
	if !ok {
		return nil, ast.Unsupported(j.Right.Pos(), "a nested join", "join one table after the other: a JOIN b ON … JOIN c ON …")
	}
	base := b.width()
	t, err := b.source(ref)
	if err != nil {
		return nil, err
	}
	t.base = base
	if err := b.sides(j, t); err != nil {
		return nil, err
	}
	t.table = true
	n := &plan.TableJoin{Name: "join", Stream: left, Table: t.scan, Left: j.Kind == ast.LeftJoin,
		History: t.rel.History, TableDisorder: t.rel.Disorder, Within: defaultWithin}
	if err := b.joinTime(j, ref, t, n); err != nil {
		return nil, err
	}
	c := &joinCondition{b: b, t: t, n: n, keys: make([]joinKey, len(t.rel.PrimaryKey))}
	if err := c.bind(j); err != nil {
		return nil, err
	}
	return plan.Derive(n), nil
}

// sides refuses joins of other kinds than a stream with a table.
func (b *binder) sides(j *ast.Join, t *source) error {
	s := b.sources[0]
	switch {
	case s.rel.Kind == ast.Table && t.rel.Kind == ast.Table:
		return ast.Unsupported(t.span, "a table–table join ("+s.alias+" and "+t.alias+" are both tables)", "join a stream with both")
	case s.rel.Kind == ast.Table:
		return ast.Unsupported(t.span, "a join with the table on the left ("+s.alias+" is a table, "+t.alias+" a stream)", "write the stream first: FROM "+t.alias+" JOIN "+s.alias+" ON …")
	case t.rel.Kind == ast.Stream:
		return ast.Unsupported(t.span, "a stream–stream join ("+s.alias+" and "+t.alias+" are both streams)", "declare "+t.rel.Name+" as a table with a primary key: CREATE TABLE …")
	case j.WithinAfter != nil:
		return ast.Unsupported(j.WithinAfter.Span, "WITHIN (before, after) on a stream–table join", "WITHIN d is how much later than the stream row an older table record may arrive")
	case j.Grace != nil:
		return ast.Unsupported(j.Grace.Span, "GRACE on a stream–table join", "WITHIN d says how long to wait for the table, the table's history how far back it is kept")
	}
	return nil
}

func (b *binder) joinTime(j *ast.Join, ref *ast.TableRef, t *source, n *plan.TableJoin) error {
	if j.Within != nil {
		if j.Within.Micros < 0 || j.Within.Micros > maxWindow {
			return ast.Errorf(j.Within.Span, "WITHIN must be from 0s to %s, it is %s", types.FormatDuration(maxWindow), types.FormatDuration(j.Within.Micros))
		}
		n.Within = j.Within.Micros
	}
	if ref.AsOf != nil && ref.AsOf.Latest {
		if j.Within != nil {
			return ast.Errorf(j.Within.Span, "WITHIN beside AS OF LATEST: a row does not wait").WithHint("keep one of them")
		}
		n.Latest = true
		return nil
	}
	if t.rel.Query != "" {
		return ast.Errorf(t.span, "table %s is the result of query %s: its changes are not in the order of event time yet, so no version is known to be the one at an instant", t.rel.Name, t.rel.Query).
			WithHint("join with a table that is read from its own topic, or say JOIN %s AS OF LATEST", t.rel.Name)
	}
	if err := requireTime(b.sources[0], "a join in time"); err != nil {
		return err
	}
	if ref.AsOf == nil {
		return nil
	}
	e, err := b.expr(ref.AsOf.Expr, env{sources: b.sources[:1], clause: "AS OF"})
	if err != nil {
		return err
	}
	switch e.Type().Kind {
	case types.Timestamp:
	case types.Date:
		if e, err = expr.NewCast(e, types.Type{Kind: types.Timestamp, Precision: 6}); err != nil {
			return placed(ref.AsOf.Expr, err)
		}
	default:
		return ast.Errorf(ref.AsOf.Expr.Pos(), "AS OF takes a timestamp, %s is %s", e, e.Type()).
			WithHint("a number of milliseconds converts with CAST(%s AS TIMESTAMP(3))", e)
	}
	n.AsOf = e
	return nil
}

type joinKey struct {
	stream, table expr.Expr
	nullSafe      bool
}

// joinCondition takes ON apart: equalities of the table's primary key, and the rest.
type joinCondition struct {
	b    *binder
	t    *source
	n    *plan.TableJoin
	keys []joinKey // by position in the primary key
	rest expr.Expr
	// other is the first equality on a column of the table that is not in its primary key.
	other string
}

func (c *joinCondition) bind(j *ast.Join) error {
	for _, id := range j.Using {
		if err := c.using(id); err != nil {
			return err
		}
	}
	for _, e := range conjuncts(j.On) {
		if err := c.conjunct(e); err != nil {
			return err
		}
	}
	var missing []string
	for i, k := range c.keys {
		if k.stream == nil {
			missing = append(missing, c.t.rel.Columns[c.t.rel.PrimaryKey[i]].Name)
			continue
		}
		c.n.StreamKeys = append(c.n.StreamKeys, k.stream)
		c.n.TableKeys = append(c.n.TableKeys, k.table)
		c.n.NullSafe = append(c.n.NullSafe, k.nullSafe)
	}
	if len(missing) == 0 {
		c.n.Residual = c.rest
		return nil
	}
	at := c.t.span
	if j.On != nil {
		at = j.On.Pos()
	}
	feature := "a join that does not fix the primary key of " + c.t.alias
	if c.other != "" {
		feature = "a join on a column that is not the primary key of " + c.t.alias + " (" + c.other + ")"
	}
	return ast.Unsupported(at, feature, "compare the whole primary key with columns of the stream; missing: "+strings.Join(missing, ", "))
}

func conjuncts(e ast.Expr) []ast.Expr {
	if e == nil {
		return nil
	}
	if x, ok := e.(*ast.Binary); ok && x.Op == "AND" {
		return append(conjuncts(x.X), conjuncts(x.Y)...)
	}
	return []ast.Expr{e}
}

func (c *joinCondition) using(id ast.Ident) error {
	n := &ast.Name{Span: id.Span, Parts: []ast.Ident{id}}
	left, err := c.b.column(n, c.b.sources[:len(c.b.sources)-1])
	if err != nil {
		return err
	}
	right, err := c.b.column(n, []*source{c.t})
	if err != nil {
		return err
	}
	c.b.using[strings.ToLower(id.Name)] = true
	taken, err := c.equality(n, left, right, false)
	if err == nil && !taken {
		c.other = id.Name
	}
	return err
}

func (c *joinCondition) conjunct(e ast.Expr) error {
	v := env{sources: c.b.sources, clause: "ON"}
	if x, ok := e.(*ast.Binary); ok && (x.Op == "=" || x.Op == "<=>") {
		l, err := c.b.expr(x.X, v)
		if err != nil {
			return err
		}
		r, err := c.b.expr(x.Y, v)
		if err != nil {
			return err
		}
		if c.side(l) == tableSide {
			l, r = r, l
		}
		if c.side(l)&tableSide == 0 && c.side(r) == tableSide {
			if taken, err := c.equality(e, l, r, x.Op == "<=>"); taken || err != nil {
				return err
			}
			c.other = r.String()
		}
	}
	cond, err := c.b.condition(e, v)
	if err != nil {
		return err
	}
	if c.rest == nil {
		c.rest = cond
		return nil
	}
	c.rest, err = expr.NewBinary("AND", c.rest, cond)
	return placed(e, err)
}

type side uint8

const (
	noSide side = iota
	streamSide
	tableSide
	bothSides
)

func (c *joinCondition) side(e expr.Expr) side {
	s := noSide
	for _, i := range expr.Columns(e) {
		if i >= c.t.base {
			s |= tableSide
		} else {
			s |= streamSide
		}
	}
	return s
}

// equality takes stream = table as a key when the table's side is a column of the primary key.
func (c *joinCondition) equality(at ast.Node, left, right expr.Expr, nullSafe bool) (taken bool, err error) {
	col, ok := right.(*expr.Column)
	if !ok {
		return false, nil
	}
	for i, k := range c.t.rel.PrimaryKey {
		if col.Index-c.t.base != k || c.keys[i].stream != nil {
			continue
		}
		t, exact, err := expr.KeyType(left.Type(), col.Typ)
		if err != nil {
			return false, placed(at, err)
		}
		var table expr.Expr = &expr.Column{Index: k, Name: col.Name, Typ: col.Typ}
		if !exact {
			if left, err = keyCast(left, t); err != nil {
				return false, placed(at, err)
			}
			if table, err = keyCast(table, t); err != nil {
				return false, placed(at, err)
			}
		}
		c.keys[i] = joinKey{stream: left, table: table, nullSafe: nullSafe}
		return true, nil
	}
	return false, nil
}

// keyCast leaves out casts that do not change a key: lengths of strings, precisions of times.
func keyCast(e expr.Expr, t types.Type) (expr.Expr, error) {
	from := e.Type()
	if from.Text() && t.Text() || from.Kind == t.Kind && from.Temporal() {
		return e, nil
	}
	return expr.NewCast(e, t)
}
