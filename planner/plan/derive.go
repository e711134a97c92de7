package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Derive fills the properties of a node that was just made from those of its inputs, and returns it. Partitioning is left
// to planner/distribute.
func Derive(n Node) Node {
	p := n.Props()
	*p = Props{Partitioning: p.Partitioning}
	for _, in := range n.Inputs() {
		p.Determinism = max(p.Determinism, in.Props().Determinism)
	}
	switch n := n.(type) {
	case *Scan:
		n.derive()
	case *Receive:
		n.P = n.Shuffle.P
		n.P.Partitioning = n.Shuffle.Key
	case *Filter:
		inherit(p, n.Input)
		p.unlessDeterministic(n.Cond)
	case *Project:
		n.derive()
	case *LateCheck:
		inherit(p, n.Input)
	case *Shared:
		inherit(p, n.Input)
	case *Shuffle:
		inherit(p, n.Input)
		p.Partitioning = n.Key
	case *Distinct:
		n.derive()
	case *Aggregate:
		n.derive()
	case *PartialAggregate:
		n.derive()
	case *TableJoin:
		n.derive()
	case *StreamJoin:
		n.derive()
	case *TableTableJoin:
		n.derive()
	case *Union:
		n.derive()
	case *Materialize:
		n.derive()
	case *Fold:
		n.derive()
	case *TopN:
		n.derive()
	case *Unnest:
		n.derive()
	case *Over:
		n.derive()
	case *Sink:
		n.derive()
	}
	return n
}

// Rebuild is n over other inputs, with its properties derived anew.
func Rebuild(n Node, in ...Node) Node {
	same := true
	for i, old := range n.Inputs() {
		same = same && old == in[i]
	}
	if same {
		return n
	}
	return Derive(n.WithInputs(in))
}

func inherit(p *Props, in Node) {
	p.Schema, p.Changes = in.Props().Schema, in.Props().Changes
}

func (p *Props) unlessDeterministic(es ...expr.Expr) {
	for _, e := range es {
		if e != nil && !expr.Deterministic(e) {
			p.Determinism = None
		}
	}
}

func (n *Scan) derive() {
	for _, c := range n.Columns {
		n.P.Schema.Columns = append(n.P.Schema.Columns, types.Column{Name: c.Name, Type: c.Type})
	}
	n.P.Time = "event time is the record's timestamp"
	if n.Relation.Timestamp >= 0 {
		n.P.Time = "event time is column " + n.Relation.Columns[n.Relation.Timestamp].Name + " (" + cmp.Or(n.Relation.TimestampFormat, "ms") + ")"
	}
	if n.Relation.TimeTold() {
		n.P.Time += "; watermark = what the tasks of query " + n.Relation.Query + " tell in " + WatermarkTopic(n.Relation.Topic)
	} else {
		n.P.Time += "; watermark = newest event time of the partition - disorder " + types.FormatDuration(n.Relation.Disorder) + " - 1us"
	}
	if n.Relation.Kind != ast.Table {
		return
	}
	n.P.Changes = Upserts
	for _, k := range n.Relation.PrimaryKey {
		if at := n.Declared(k); at >= 0 {
			n.P.Schema.Key = append(n.P.Schema.Key, at)
		}
	}
}

// Declared is the ordinal in Columns of a declared column of the relation; -1 when the scan does not read it.
func (n *Scan) Declared(column int) int {
	name := n.Relation.Columns[column].Name
	for i, c := range n.Columns {
		if c.Hidden == NotHidden && len(c.Path) == 1 && c.Path[0] == name {
			return i
		}
	}
	return -1
}

func (n *Project) derive() {
	in := n.Input.Props()
	n.P.Changes = in.Changes
	at := map[int]int{}
	for i, e := range n.Exprs {
		n.P.Schema.Columns = append(n.P.Schema.Columns, types.Column{Name: e.Name, Type: e.Expr.Type()})
		n.P.unlessDeterministic(e.Expr)
		if c, ok := e.Expr.(*expr.Column); ok {
			if _, have := at[c.Index]; !have {
				at[c.Index] = i
			}
		}
	}
	if in.Schema.Key != nil {
		n.P.Schema.Key = []int{}
	}
	for _, k := range in.Schema.Key {
		i, ok := at[k]
		if !ok {
			n.P.Schema.Key = nil
			return
		}
		n.P.Schema.Key = append(n.P.Schema.Key, i)
	}
}

func (n *Distinct) derive() {
	inherit(&n.P, n.Input)
	n.P.Schema.Key = nil
	if n.ShowsWindow() {
		n.P.Schema.Columns = append(slices.Clip(n.P.Schema.Columns),
			types.Column{Name: "window_start", Type: types.TTimestamp}, types.Column{Name: "window_end", Type: types.TTimestamp})
	}
	n.P.unlessDeterministic(n.On...)
	switch {
	case n.Touches:
		n.P.State = "one instant per key, kept " + types.FormatDuration(n.Within) + " (ttl) of event time after its last row; rows wait for the watermark to be put in order"
	case n.Within > 0:
		n.P.State = "one instant per key, kept " + types.FormatDuration(n.Within) + " of event time; rows wait for the watermark to be put in order"
	case n.Window.Size > 0 && n.Final:
		n.P.State = "one row per key and window; " + n.Window.bound()
	case n.Window.Size > 0:
		n.P.State = "the keys of the open windows; " + n.Window.bound()
	default:
		n.P.State = Unbounded + " every key is kept for ever; bound it with WINDOW TUMBLING(…), WITHIN, or ttl on the target"
	}
	if !n.Final && n.Within == 0 && n.P.Determinism == All {
		n.P.Determinism = KeysOnly
	}
}

// Unbounded begins the State of a node that keeps something which nothing bounds.
const Unbounded = "unbounded:"

func (w Window) bound() string {
	s := "a window goes when the watermark reaches its end"
	switch w.Kind {
	case ast.Sliding:
		s = "a row goes when the watermark has passed it by " + types.FormatDuration(w.Size)
	case ast.Session:
		s = "a session goes when the watermark has passed its last row by the gap " + types.FormatDuration(w.Size)
	}
	if w.Grace > 0 {
		s += " + grace " + types.FormatDuration(w.Grace)
	}
	return s
}

func (n *Aggregate) derive() {
	s := &n.P.Schema
	s.Key = []int{} // of one group, no columns name it
	for i, g := range n.Group {
		s.Columns = append(s.Columns, types.Column{Name: g.Name, Type: g.Expr.Type()})
		s.Key = append(s.Key, i)
		n.P.unlessDeterministic(g.Expr)
	}
	for _, a := range n.Aggs {
		s.Columns = append(s.Columns, types.Column{Name: a.Name, Type: a.Agg.Type()})
	}
	n.P.unlessDeterministic(aggregated(n.Aggs)...)
	n.P.State = Unbounded + " one row per group is kept for ever; bound it with WINDOW TUMBLING(…), or ttl on the target"
	if n.TTL > 0 {
		n.P.State = "one row per group, removed when the watermark has passed its last row by " + types.FormatDuration(n.TTL) + " (ttl)"
	}
	if n.Window.Size > 0 {
		s.Key = append(s.Key, n.WindowKey()...)
		s.Columns = append(s.Columns, types.Column{Name: "window_start", Type: types.TTimestamp}, types.Column{Name: "window_end", Type: types.TTimestamp})
		n.P.State = n.kept() + "; " + n.Window.bound()
		n.P.Time = "rows leave at window_end - 1ms"
		if n.Window.Kind == ast.Sliding {
			n.P.Time = "rows leave at window_end, the event time of their last row"
		}
	}
	if n.Results == Versions {
		n.P.State = Unbounded + " one row per group is kept for ever, versions before it as long as the join may ask for them"
	}
	if kept := n.keeping(); kept != nil {
		n.P.State += "; of the rows of a group, the values that " + strings.Join(kept, ", ") + " may still need, on disk"
	}
	n.P.Changes = Upserts
	if n.Emit == ast.EmitFinal {
		n.P.Changes = AppendOnly
		s.Key = nil
	}
	n.P.unlessDeterministic(n.Having)
}

// kept is what an aggregate in windows keeps.
func (n *Aggregate) kept() string {
	switch {
	case n.Window.Kind == ast.Session:
		return "one row per group and session"
	case n.Window.Kind == ast.Sliding && n.Keeps():
		return "the rows within reach; they wait for the watermark to be put in order"
	case n.Window.Kind == ast.Sliding:
		return "one row per group and instant within reach; instants wait for the watermark to be put in order"
	case !n.Window.overlaps() || n.Keeps():
		return "one row per group and window"
	case n.Emit == ast.EmitFinal:
		return "one row per group and slice, merged when the windows that share it close"
	}
	return "one row per group and window, into which a batch is merged"
}

// overlaps says whether a row lies in several windows.
func (w Window) overlaps() bool {
	return (w.Kind == ast.Hopping || w.Kind == ast.Cumulate) && w.Most() > 1
}

// WindowKey are the ordinals of what tells windows apart: window_start, of windows that cumulate window_end too.
func (n *Aggregate) WindowKey() []int {
	start, end := n.WindowColumns()
	switch {
	case start < 0:
		return nil
	case n.Window.Kind == ast.Cumulate:
		return []int{start, end}
	}
	return []int{start}
}

// WindowColumns are the ordinals of window_start and window_end in an aggregate's schema; -1 without a window.
func (n *Aggregate) WindowColumns() (start, end int) {
	if n.Window.Size == 0 {
		return -1, -1
	}
	at := len(n.Group) + len(n.Aggs)
	return at, at + 1
}

func (n *TableJoin) derive() {
	l, r := n.Stream.Props(), n.Table.Props()
	n.P.Schema.Columns = append(append(n.P.Schema.Columns, l.Schema.Columns...), r.Schema.Columns...)
	n.P.unlessDeterministic(append([]expr.Expr{n.Residual, n.AsOf}, n.StreamKeys...)...)
	rows := "the table's rows"
	if n.Broadcast {
		rows = "all rows of the table in every task"
	}
	if n.Latest {
		n.P.Determinism = None
		n.P.State = rows + ": one version per primary key, as many as the table has" + n.found()
		return
	}
	at := "its event time"
	if n.AsOf != nil {
		at = n.AsOf.String()
	}
	n.P.Time = "a row waits until the table has passed " + at + ": its watermark, less WITHIN " + types.FormatDuration(n.Within) + ", or a proof that all of it was read"
	n.P.State = rows + ": all versions of the last " + types.FormatDuration(n.History) + " (history), one per primary key beyond" + n.found() + "; waiting rows"
	if n.Correct > 0 {
		n.P.Changes = Deltas
		n.P.Time += "; for " + types.FormatDuration(n.Correct) + " after that, a table record that comes late takes it back and sends it anew"
		n.P.State += "; the rows that may be corrected, until each partition of the table has passed them by that and CORRECT " + types.FormatDuration(n.Correct) +
			": one that is silent keeps them"
	}
}

// found is how a broadcast join finds the rows of the table.
func (n *TableJoin) found() string {
	switch {
	case !n.Broadcast:
		return ""
	case len(n.TableKeys) == 0:
		return ", each compared with each row of the stream"
	}
	return ", found by " + list(n.TableKeys)
}

func (n *Sink) derive() {
	in := n.Input.Props()
	n.P.Changes = in.Changes
	for _, c := range n.Columns {
		n.P.Schema.Columns = append(n.P.Schema.Columns, in.Schema.Columns[c])
	}
	if n.Forward {
		n.P.Schema = in.Schema
	}
}
