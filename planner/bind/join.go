package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// joining is a join whose right side was just opened: what of the condition and of time is said about it.
type joining struct {
	b     *binder
	j     *ast.Join
	left  plan.Node
	right *source
	// lefts are the sources that stand on the left.
	lefts []*source
	keys  []joinKey
	rest  []rest
	// fixed are comparisons of the right side with constants: parts of rest that fix a key which nothing else does.
	fixed []joinKey
}

// joinKey is one equality of the condition: an expression over the left schema, one over the right side's own.
type joinKey struct {
	at          ast.Node
	left, right expr.Expr
	nullSafe    bool
	column      int // the ordinal of right when it is a column, as written; -1: it is computed
}

// rest is a part of the condition that is no equality of the two sides, over the schema of both.
type rest struct {
	at   ast.Node
	cond expr.Expr
}

// join binds left JOIN right by what the two sides are: facts (a stream) or a state of affairs (a table).
func (b *binder) join(j *ast.Join, left plan.Node) (plan.Node, error) {
	switch r := j.Right.(type) {
	case *ast.Unnest:
		return b.unnest(j, r, left)
	case *ast.Subquery:
		if r.Lateral {
			return b.lateral(j, r, left)
		}
	}
	x := &joining{b: b, j: j, left: left, lefts: append([]*source(nil), b.sources...)}
	var err error
	if x.right, err = b.enterRelation(j.Right); err != nil {
		return nil, err
	}
	if err := x.refuseAfterCorrected(); err != nil {
		return nil, err
	}
	x.right.right, x.right.silent = true, true
	facts := left.Props().Changes == plan.AppendOnly
	switch {
	case facts && x.right.kind() == ast.Table:
		return x.streamTable()
	case facts:
		return x.streamStream()
	case x.right.kind() == ast.Table:
		return x.tableTable()
	}
	if x, err = x.turned(); err != nil {
		return nil, err
	}
	return x.streamTable()
}

// condition takes ON and USING apart.
func (x *joining) condition() error {
	for _, id := range x.j.Using {
		if err := x.using(id); err != nil {
			return err
		}
	}
	for _, e := range conjuncts(x.j.On) {
		if err := x.conjunct(e); err != nil {
			return err
		}
	}
	return nil
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

func (x *joining) using(id ast.Ident) error {
	n := &ast.Name{Span: id.Span, Parts: []ast.Ident{id}}
	left, err := x.b.column(n, x.lefts)
	if err != nil {
		return err
	}
	right, err := x.b.column(n, []*source{x.right})
	if err != nil {
		return err
	}
	if x.b.using[strings.ToLower(id.Name)], err = x.common(left, right); err != nil {
		return placed(n, err)
	}
	return x.equality(n, left, right, false)
}

// common is what a column of USING stands for: the value of the side whose rows are all kept, of either when both are.
func (x *joining) common(left, right expr.Expr) (expr.Expr, error) {
	switch x.j.Kind {
	case ast.RightJoin:
		return right, nil
	case ast.FullJoin:
		return expr.NewCall("COALESCE", []expr.Expr{left, right})
	}
	return left, nil
}

func (x *joining) conjunct(e ast.Expr) error {
	v := env{sources: x.b.sources, clause: "ON"}
	if eq, ok := e.(*ast.Binary); ok && (eq.Op == "=" || eq.Op == "<=>") {
		l, err := x.b.expr(eq.X, v)
		if err != nil {
			return err
		}
		r, err := x.b.expr(eq.Y, v)
		if err != nil {
			return err
		}
		if x.side(l) == rightSide {
			l, r = r, l
		}
		if x.side(l) == leftSide && x.side(r) == rightSide {
			return x.equality(e, l, r, eq.Op == "<=>")
		}
		x.constant(e, l, r, eq.Op == "<=>")
	}
	cond, err := x.b.condition(e, v)
	if err != nil {
		return err
	}
	x.rest = append(x.rest, rest{e, cond})
	return nil
}

type side uint8

const (
	noSide side = iota
	leftSide
	rightSide
	bothSides
)

func (x *joining) side(e expr.Expr) side {
	s := noSide
	for _, i := range expr.Columns(e) {
		if i >= x.right.base {
			s |= rightSide
		} else {
			s |= leftSide
		}
	}
	return s
}

// equality notes left = right; both sides are cast to one type.
func (x *joining) equality(at ast.Node, left, right expr.Expr, nullSafe bool) error {
	k, err := x.key(at, left, right, nullSafe)
	if err == nil {
		x.keys = append(x.keys, k)
	}
	return err
}

// constant notes that a column of the right side is compared with a constant, if the two can be a key.
func (x *joining) constant(at ast.Node, l, r expr.Expr, nullSafe bool) {
	if expr.IsConst(r) {
		l, r = r, l
	}
	if !expr.IsConst(l) || x.side(r) != rightSide {
		return
	}
	if k, err := x.key(at, l, r, nullSafe); err == nil {
		x.fixed = append(x.fixed, k)
	}
}

func (x *joining) key(at ast.Node, left, right expr.Expr, nullSafe bool) (k joinKey, err error) {
	t, exact, err := expr.KeyType(left.Type(), right.Type())
	if err != nil {
		return k, placed(at, err)
	}
	right = expr.Shift(right, -x.right.base)
	column := -1
	if c, ok := right.(*expr.Column); ok {
		column = c.Index
	}
	if !exact {
		if left, err = keyCast(left, t); err != nil {
			return k, placed(at, err)
		}
		if right, err = keyCast(right, t); err != nil {
			return k, placed(at, err)
		}
	}
	return joinKey{at, left, right, nullSafe, column}, nil
}

// keyCast leaves out casts that do not change a key: lengths of strings, precisions of times.
func keyCast(e expr.Expr, t types.Type) (expr.Expr, error) {
	from := e.Type()
	if from.Text() && t.Text() || from.Kind == t.Kind && from.Temporal() {
		return e, nil
	}
	return expr.NewCast(e, t)
}

// residual is the condition that is left over, nil: none. Keys that the join cannot use as such come back as equalities.
func (x *joining) residual(unused ...joinKey) (expr.Expr, error) {
	parts := x.rest
	for _, k := range unused {
		op := "="
		if k.nullSafe {
			op = "<=>"
		}
		eq, err := expr.NewBinary(op, k.left, expr.Shift(k.right, x.right.base))
		if err != nil {
			return nil, placed(k.at, err)
		}
		parts = append(parts, rest{k.at, eq})
	}
	var out expr.Expr
	for _, p := range parts {
		if out == nil {
			out = p.cond
			continue
		}
		both, err := expr.NewBinary("AND", out, p.cond)
		if err != nil {
			return nil, placed(p.at, err)
		}
		out = both
	}
	return out, nil
}

// split are the keys by side.
func split(keys []joinKey) (left, right []expr.Expr, nullSafe []bool) {
	for _, k := range keys {
		left, right, nullSafe = append(left, k.left), append(right, k.right), append(nullSafe, k.nullSafe)
	}
	return left, right, nullSafe
}
