package plan

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// String is the kind as the dialect writes it.
func (k JoinKind) String() string {
	return [...]string{"inner", "left", "right", "full", "semi", "anti"}[k]
}

// oneSided says whether the result has the left columns only.
func (k JoinKind) oneSided() bool { return k == Semi || k == Anti }

func (n *StreamJoin) derive() {
	l, r := n.Left.Props(), n.Right.Props()
	n.P.Schema.Columns = joined(n.Kind, l.Schema, r.Schema)
	n.P.unlessDeterministic(append(append([]expr.Expr{n.Residual}, n.LeftKeys...), n.RightKeys...)...)
	n.P.Time = "the event time of a pair is the later one"
	if n.Kind != Inner {
		n.P.Time += "; a row without a match leaves once no match can come any more"
	}
	n.P.State = "the rows of both sides, as long as a partner may come: " + n.span()
}

func (n *StreamJoin) span() string {
	s := fmt.Sprintf("from %s before to %s after", types.FormatDuration(n.Before), types.FormatDuration(n.After))
	if n.Grace > 0 {
		s += " + grace " + types.FormatDuration(n.Grace)
	}
	return s
}

func joined(k JoinKind, l, r types.Schema) []types.Column {
	if k.oneSided() {
		return l.Columns
	}
	return append(append([]types.Column(nil), l.Columns...), r.Columns...)
}

func (n *TableTableJoin) derive() {
	l, r := n.Left.Props(), n.Right.Props()
	n.P.Schema.Columns = joined(n.Kind, l.Schema, r.Schema)
	n.P.Schema.Key = n.key()
	n.P.Changes = Deltas
	if n.Kind == Semi && l.Changes == AppendOnly && r.Changes == AppendOnly {
		n.P.Changes = AppendOnly // a row that has found a partner keeps it
	}
	n.P.unlessDeterministic(append(append([]expr.Expr{n.Residual}, n.LeftKeys...), n.RightKeys...)...)
	n.P.State = Unbounded + " the rows of both sides"
}

// key are the columns that name a row of the result: those of the left side, and of the right side unless a left row has
// at most one partner.
func (n *TableTableJoin) key() []int {
	l, r := n.Left.Props().Schema, n.Right.Props().Schema
	if n.Kind.oneSided() {
		return l.Key
	}
	width := len(l.Columns)
	right := shiftedKey(r.Key, width)
	switch {
	case l.Key == nil || r.Key == nil:
		return nil
	case fixes(n.RightKeys, r.Key) && (n.Kind == Inner || n.Kind == LeftOuter):
		return l.Key
	case fixes(n.LeftKeys, l.Key) && (n.Kind == Inner || n.Kind == RightOuter):
		return right
	}
	return append(append([]int(nil), l.Key...), right...)
}

func shiftedKey(key []int, by int) []int {
	out := make([]int, len(key))
	for i, k := range key {
		out[i] = k + by
	}
	return out
}

// fixes says whether keys hold all columns of a primary key as they are. There is one row at most when it has none.
func fixes(keys []expr.Expr, primary []int) bool {
	for _, p := range primary {
		found := false
		for _, k := range keys {
			c, ok := k.(*expr.Column)
			found = found || ok && c.Index == p
		}
		if !found {
			return false
		}
	}
	return true
}

func (n *Union) derive() {
	n.P.Schema.Columns = n.Parts[0].Props().Schema.Columns
	for _, p := range n.Parts {
		n.P.Changes = max(n.P.Changes, p.Props().Changes)
	}
}

func (n *Unnest) derive() {
	in := n.Input.Props()
	n.P.Schema.Columns = append(append([]types.Column(nil), in.Schema.Columns...), n.Columns...)
	n.P.Changes = in.Changes
	n.P.unlessDeterministic(n.Expr)
}

// Describe is the expression and what becomes of it.
func (n *Unnest) Describe() string {
	var names []string
	for _, c := range n.Columns {
		names = append(names, c.Name)
	}
	s := "Unnest " + n.Expr.String() + " AS " + strings.Join(names, ", ")
	if n.Keep {
		s += ", a row without elements stays"
	}
	return s
}

func (n *Materialize) derive() {
	n.P.Schema, n.P.Changes = n.Input.Props().Schema, Deltas
	n.P.State = Unbounded + " the newest row of each key"
	if n.Versioned {
		n.P.State += "; deletions for " + types.FormatDuration(n.History)
	}
}

func (n *Fold) derive() {
	n.P.Schema.Columns, n.P.Schema.Key = n.Input.Props().Schema.Columns, n.Key
	n.P.Changes = Upserts
	if !n.InOrder {
		n.P.State = Unbounded + " the rows of each key"
	}
}

// Describe is the condition and the reach.
func (n *StreamJoin) Describe() string {
	return "Stream join, " + n.Kind.String() + ", on " + equalities(n.LeftKeys, n.RightKeys, n.NullSafe, n.Residual) + ", right rows " + n.span()
}

// Describe is the condition.
func (n *TableTableJoin) Describe() string {
	return "Table join, " + n.Kind.String() + ", on " + equalities(n.LeftKeys, n.RightKeys, n.NullSafe, n.Residual)
}

// Describe counts the parts.
func (n *Union) Describe() string { return fmt.Sprintf("Union of %d", len(n.Parts)) }

// Describe names the key.
func (n *Materialize) Describe() string {
	s := "Materialize the newest row"
	if key := n.P.Schema.Key; len(key) > 0 {
		s += " by " + columnNames(n.P.Schema, key)
	}
	if n.Versioned {
		s += ", in the order of event time"
	}
	return s
}

// Describe names the key.
func (n *Fold) Describe() string {
	return "Fold changes by " + columnNames(n.P.Schema, n.Key)
}

func columnNames(s types.Schema, at []int) string {
	var out []string
	for _, i := range at {
		out = append(out, s.Columns[i].Name)
	}
	return strings.Join(out, ", ")
}

func equalities(left, right []expr.Expr, nullSafe []bool, residual expr.Expr) string {
	var on []string
	for i := range left {
		op := " = "
		if nullSafe[i] {
			op = " <=> "
		}
		on = append(on, left[i].String()+op+right[i].String())
	}
	if residual != nil {
		on = append(on, outer(residual))
	}
	return strings.Join(on, " AND ")
}
