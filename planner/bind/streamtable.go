package bind

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// defaultWithin is how much later than a stream row an older table record may reach the broker (semantics S8).
const defaultWithin = types.MicrosPerSecond

// streamTable binds stream JOIN table: each row with the version valid at an instant.
func (x *joining) streamTable() (plan.Node, error) {
	if err := x.refuseStreamTable(); err != nil {
		return nil, err
	}
	n := &plan.TableJoin{Name: "join", Stream: x.left, Table: x.right.node, Left: x.j.Kind == ast.LeftJoin, Within: defaultWithin}
	n.History, n.TableDisorder = tableTime(x.right.node)
	if err := x.asOf(n); err != nil {
		return nil, err
	}
	if err := x.corrected(n); err != nil {
		return nil, err
	}
	if err := x.condition(); err != nil {
		return nil, err
	}
	if x.j.Broadcast {
		return x.broadcast(n)
	}
	return x.onKey(n)
}

// broadcast joins by whatever is compared: rows are found by the equalities, if there are any.
func (x *joining) broadcast(n *plan.TableJoin) (plan.Node, error) {
	n.Broadcast = true
	n.StreamKeys, n.TableKeys, n.NullSafe = split(x.keys)
	var err error
	n.Residual, err = x.residual()
	return plan.Derive(n), err
}

func (x *joining) refuseStreamTable() error {
	t := x.right
	key := t.node.Props().Schema.Key
	switch {
	case x.j.Kind == ast.RightJoin || x.j.Kind == ast.FullJoin:
		return ast.Unsupported(x.j.Right.Pos(), x.j.Kind.String()+" JOIN of a stream with a table", "rows of a table without a match have no instant: put the stream on the left and write LEFT JOIN")
	case x.j.WithinAfter != nil:
		return ast.Unsupported(x.j.WithinAfter.Span, "WITHIN (before, after) on a stream–table join", "WITHIN d is how much later than the stream row an older table record may arrive")
	case x.j.Grace != nil:
		return ast.Unsupported(x.j.Grace.Span, "GRACE on a stream–table join", "WITHIN d says how long to wait for the table, the table's history how far back it is kept")
	case t.node.Props().Changes == plan.Deltas:
		return ast.Unsupported(t.span, "a stream–table join with "+t.alias+", whose rows come and go", "GROUP BY the columns that name a row: MAX(x), or LAST(x) of the newest row, have a version for each instant; or write it to a table and say JOIN … AS OF LATEST")
	case t.node.Props().Changes != plan.Upserts || key == nil || len(key) == 0 && !x.j.Broadcast: // the one row of a total has no name
		return ast.Unsupported(t.span, "a stream–table join with "+t.alias+", whose rows have no primary key", "select the key columns in it, or GROUP BY them")
	}
	return nil
}

// tableTime are the history and the disorder of the table behind n.
func tableTime(n plan.Node) (history, disorder int64) {
	plan.Walk(n, func(n plan.Node) {
		if s, ok := n.(*plan.Scan); ok {
			history, disorder = max(history, s.Relation.History), max(disorder, s.Relation.Disorder)
		}
	})
	return history, disorder
}

// asOf binds the instant at which the table is looked at, and how long rows wait for it.
func (x *joining) asOf(n *plan.TableJoin) error {
	j := x.j
	if j.Within != nil {
		if j.Within.Micros < 0 || j.Within.Micros > maxWindow {
			return ast.Errorf(j.Within.Span, "WITHIN must be from 0s to %s, it is %s", types.FormatDuration(maxWindow), types.FormatDuration(j.Within.Micros))
		}
		n.Within = j.Within.Micros
	}
	ref, _ := j.Right.(*ast.TableRef)
	if ref != nil && ref.AsOf != nil && ref.AsOf.Latest {
		if j.Within != nil {
			return ast.Errorf(j.Within.Span, "WITHIN beside AS OF LATEST: a row does not wait").WithHint("keep one of them")
		}
		n.Latest = true
		return nil
	}
	if err := x.versioned(); err != nil {
		return err
	}
	n.Table = x.right.node
	for _, s := range x.lefts {
		if err := requireTime(s, "a join in time"); err != nil {
			return err
		}
	}
	if ref == nil || ref.AsOf == nil {
		return nil
	}
	e, err := x.b.expr(ref.AsOf.Expr, env{sources: x.lefts, clause: "AS OF"})
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

// onKey makes the equalities over the table's primary key the keys of the join, the others a condition.
func (x *joining) onKey(n *plan.TableJoin) (plan.Node, error) {
	keys, others, missing := x.primary()
	if len(missing) > 0 {
		return nil, x.offKey(others, missing)
	}
	n.StreamKeys, n.TableKeys, n.NullSafe = split(keys)
	var err error
	if n.Residual, err = x.residual(others...); err != nil {
		return nil, err
	}
	return plan.Derive(n), nil
}

// primary are the equalities over the table's primary key, in its order, the others, and the columns of the key that have none.
func (x *joining) primary() (keys, others []joinKey, missing []string) {
	primary := x.right.node.Props().Schema.Key
	keys = make([]joinKey, len(primary))
	for _, k := range x.keys {
		i := slices.Index(primary, k.column)
		if i < 0 || keys[i].left != nil {
			others = append(others, k)
			continue
		}
		keys[i] = k
	}
	for _, k := range x.fixed {
		if i := slices.Index(primary, k.column); i >= 0 && keys[i].left == nil {
			keys[i] = k
		}
	}
	for i, k := range keys {
		if k.left == nil {
			missing = append(missing, x.right.columnOf(primary[i]).Name)
		}
	}
	return keys, others, missing
}

func (x *joining) offKey(others []joinKey, missing []string) error {
	at := x.right.span
	if x.j.On != nil {
		at = x.j.On.Pos()
	}
	feature := "a join that does not fix the primary key of " + x.right.alias
	if len(others) > 0 {
		feature = "a join on a column that is not the primary key of " + x.right.alias + " (" + expr.Uncast(others[0].right).String() + ")"
	}
	remedy := "compare the whole primary key with columns of the stream (missing: " + strings.Join(missing, ", ") + ")"
	if _, ok := x.j.Right.(*ast.TableRef); ok {
		remedy += ", or have every task hold all of " + x.right.alias + ": JOIN " + x.right.alias + " BROADCAST ON …"
	}
	return ast.Unsupported(at, feature, remedy)
}
