package plan

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// String is the ranking's function.
func (r Ranking) String() string { return [...]string{"ROW_NUMBER", "RANK", "DENSE_RANK"}[r] }

func (n *TopN) derive() {
	in := n.Input.Props()
	n.P.Schema.Columns = in.Schema.Columns
	if n.Column != "" {
		n.P.Schema.Columns = append(append([]types.Column(nil), in.Schema.Columns...), types.Column{Name: n.Column, Type: types.TBigInt})
	}
	n.P.Changes = Deltas
	n.P.Schema.Key = n.key()
	n.P.unlessDeterministic(n.Partition...)
	n.P.unlessDeterministic(sorted(n.Order)...)
	n.P.State = fmt.Sprintf("%s the first %d rows of each partition", Unbounded, n.N)
	if in.Changes != AppendOnly {
		n.P.State = Unbounded + " all rows: one that is removed makes room for the next"
	}
}

// key are the columns that name a row: the partition, with the number where there may be several.
func (n *TopN) key() []int {
	var key []int
	for _, p := range n.Partition {
		c, ok := p.(*expr.Column)
		if !ok {
			return n.Input.Props().Schema.Key
		}
		key = append(key, c.Index)
	}
	switch {
	case n.Ranking == RowNumber && n.N == 1:
		return key
	case n.Ranking == RowNumber && n.Column != "":
		return append(key, len(n.P.Schema.Columns)-1)
	}
	return n.Input.Props().Schema.Key
}

func sorted(keys []SortKey) []expr.Expr {
	var out []expr.Expr
	for _, k := range keys {
		out = append(out, k.Expr)
	}
	return out
}

func (n *Over) derive() {
	in := n.Input.Props()
	n.P.Schema.Columns = append([]types.Column(nil), in.Schema.Columns...)
	for _, c := range n.Calls {
		n.P.Schema.Columns = append(n.P.Schema.Columns, types.Column{Name: c.Name, Type: c.Type})
	}
	n.P.unlessDeterministic(n.Partition...)
	n.P.unlessDeterministic(sorted(n.Order)...)
	n.P.unlessDeterministic(called(n.Calls)...)
	if n.InOrder {
		n.P.Time = "a row waits until the watermark has passed it: rows are taken in the order of event time"
		n.P.State = "rows that wait; per partition what the frames reach back to"
		return
	}
	n.P.Changes, n.P.Schema.Key = Deltas, in.Schema.Key
	n.P.State = Unbounded + " all rows of each partition"
}

// Describe is the order and the limit.
func (n *TopN) Describe() string {
	s := fmt.Sprintf("Top %d by %s(%s)", n.N, n.Ranking, orderText(n.Order))
	if len(n.Partition) > 0 {
		s += " of each " + list(n.Partition)
	}
	return s
}

// Describe is the calls and the order.
func (n *Over) Describe() string {
	var calls []string
	for _, c := range n.Calls {
		calls = append(calls, c.describe())
	}
	s := "Over: " + strings.Join(calls, ", ")
	if len(n.Partition) > 0 {
		s += " of each " + list(n.Partition)
	}
	if len(n.Order) > 0 {
		s += " in the order " + orderText(n.Order)
	}
	if n.InOrder {
		return s + ", final as time passes"
	}
	return s + ", computed anew as rows change"
}

func (c OverCall) describe() string {
	switch {
	case c.Agg != nil:
		return c.Agg.String() + " " + c.Frame.String()
	case c.Func == "NTILE":
		return fmt.Sprintf("NTILE(%d)", c.Offset)
	case c.Func == "NTH_VALUE":
		return fmt.Sprintf("NTH_VALUE(%s, %d) %s", c.Arg, c.Offset, c.Frame)
	case c.Arg == nil:
		return c.Func + "()"
	case c.Func == "LAG" || c.Func == "LEAD":
		s := fmt.Sprintf("%s(%s, %d", c.Func, c.Arg, c.Offset)
		if c.Default != nil {
			s += ", " + c.Default.String()
		}
		return s + ")"
	}
	return c.Func + "(" + c.Arg.String() + ") " + c.Frame.String()
}

// String is the frame as SQL writes it.
func (f Frame) String() string {
	unit := "ROWS"
	if f.Range {
		unit = "RANGE"
	}
	return unit + " BETWEEN " + f.From.text(f.Range, "PRECEDING") + " AND " + f.To.text(f.Range, "FOLLOWING")
}

func (b Bound) text(inTime bool, unbounded string) string {
	direction, n := "FOLLOWING", b.Distance
	if n < 0 {
		direction, n = "PRECEDING", -n
	}
	switch {
	case b.Unbounded:
		return "UNBOUNDED " + unbounded
	case n == 0:
		return "CURRENT ROW"
	case inTime:
		return types.FormatDuration(n) + " " + direction
	}
	return fmt.Sprint(n) + " " + direction
}

func orderText(keys []SortKey) string {
	var s []string
	for _, k := range keys {
		text := k.Expr.String()
		if k.Desc {
			text += " DESC"
		}
		s = append(s, text)
	}
	return strings.Join(s, ", ")
}
