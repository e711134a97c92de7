package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Describe is the source, its columns and what is known of its partitions.
func (n *Scan) Describe() string {
	kind := "Scan "
	if n.Relation.Kind == ast.Table {
		kind = "Scan table "
	}
	s := kind + n.Relation.Name
	if n.Alias != "" && !strings.EqualFold(n.Alias, n.Relation.Name) {
		s += " AS " + n.Alias
	}
	var cols []string
	for _, c := range n.Columns {
		cols = append(cols, c.Name)
	}
	if len(cols) == 0 {
		cols = []string{"no columns"}
	}
	return s + " (topic " + n.Relation.Topic + ", " + n.Relation.Format + "): " + strings.Join(cols, ", ")
}

// Describe names the shuffle.
func (n *Receive) Describe() string {
	return fmt.Sprintf("Receive shuffle %d (%s)", n.Shuffle.ID, n.Shuffle.Name)
}

// Describe is the condition.
func (n *Filter) Describe() string {
	s := "Filter " + outer(n.Cond)
	if n.P.Changes == Upserts {
		s += " (a row that fails removes its key)"
	}
	return s
}

// Describe is the list of columns.
func (n *Project) Describe() string {
	var s []string
	for _, e := range n.Exprs {
		x := outer(e.Expr)
		if x != e.Name && !strings.HasSuffix(x, "."+e.Name) {
			x += " AS " + e.Name
		}
		s = append(s, x)
	}
	return "Project " + strings.Join(s, ", ")
}

// Describe names the operators that lateness is judged for.
func (n *LateCheck) Describe() string {
	var s []string
	for _, h := range n.Horizons {
		s = append(s, h.describe())
	}
	return "LateCheck for " + strings.Join(s, "; ")
}

func (h Horizon) describe() string {
	switch h.Kind {
	case WindowHorizon:
		grace := ""
		if h.Window.Grace > 0 {
			grace = " + grace " + types.FormatDuration(h.Window.Grace)
		}
		switch {
		case h.Window.Kind == ast.Session:
			return h.For + ": late after event time + gap " + types.FormatDuration(h.Window.Size) + grace
		case h.Window.Kind == ast.Sliding:
			return h.For + ": late after event time" + grace
		case h.Window.overlaps():
			return h.For + ": late after the end of its last window" + grace + ", counted in those still open before"
		}
		return h.For + ": late after the window's end" + grace
	case AsOfHorizon:
		at := "event time"
		if h.AsOf != nil {
			at = h.AsOf.String()
		}
		return h.For + ": late after " + at + " + history " + types.FormatDuration(h.History)
	}
	if h.Kind == TouchHorizon {
		return h.For + ": late after event time + ttl " + types.FormatDuration(h.Grace)
	}
	if h.Kind == GraceHorizon && h.Grace > 0 {
		return h.For + ": late after event time + grace " + types.FormatDuration(h.Grace)
	}
	return h.For + ": late after its own event time"
}

// Describe is the key.
func (n *Shuffle) Describe() string {
	return fmt.Sprintf("Shuffle %d (%s): %s", n.ID, n.Name, n.Key)
}

// Describe is the keys and the window.
func (n *Distinct) Describe() string {
	s := "Distinct on " + list(n.On)
	switch {
	case n.Touches:
		return s + " not repeated within ttl " + types.FormatDuration(n.Within) + ", in order of event time"
	case n.Within > 0:
		return s + " within " + types.FormatDuration(n.Within) + ", in order of event time"
	case n.Window.Size > 0 && n.Final:
		return s + " in " + n.Window.String() + ", the earliest row when the window closes"
	case n.Window.Size > 0:
		return s + " in " + n.Window.String() + ", the first row passes at once"
	}
	return s + ", for ever"
}

// Describe is the groups, the aggregates and the window.
func (n *Aggregate) Describe() string {
	s := "Aggregate"
	if list := aggregateList(n.Aggs, n.Group); list != "" {
		s += " " + strings.TrimSpace(list)
	}
	if n.Window.Size > 0 {
		s += " in " + n.Window.String()
	}
	if n.Having != nil {
		s += " having " + outer(n.Having)
	}
	switch {
	case n.Window.Kind == ast.Sliding:
		return s + ", each window once, in the order of event time"
	case n.Emit == ast.EmitFinal:
		return s + ", one row when the window closes"
	case n.Results == Versions:
		return s + ", in event-time order: a version for each instant"
	}
	return s + ", updates as rows come"
}

// String is the window as the dialect writes it.
func (w Window) String() string {
	s := w.Kind.String() + "(" + w.length(w.Size)
	if second := w.Advance + w.Step; second > 0 {
		s += ", " + w.length(second)
	}
	if w.Offset > 0 {
		s += ", OFFSET " + w.length(w.Offset)
	}
	if w.Zone != nil && !(w.Measure == types.Months && w.Zone == time.UTC) {
		s += ", TIME ZONE '" + w.Zone.String() + "'"
	}
	s += ")"
	if w.Grace > 0 {
		s += " GRACE " + types.FormatDuration(w.Grace)
	}
	return s
}

// length writes a length in the window's measure.
func (w Window) length(n int64) string {
	if w.Measure == types.Months {
		return fmt.Sprintf("%d MONTH", n)
	}
	return types.FormatDuration(n)
}

// Describe is the condition, and the version that is taken.
func (n *TableJoin) Describe() string {
	kind, table := "Join", " with table"
	if n.Left {
		kind = "Left join"
	}
	if n.Broadcast {
		table = " with broadcast table"
	}
	if n.Once {
		table += ", the first match of each row,"
	}
	s := kind + table
	if on := equalities(n.StreamKeys, n.TableKeys, n.NullSafe, n.Residual); on != "" {
		s += " on " + on
	}
	switch {
	case n.Latest:
		return s + ", whatever the table holds when the row comes"
	case n.AsOf != nil:
		s += ", as of " + n.AsOf.String()
	default:
		s += ", as of the row's event time"
	}
	if n.Correct > 0 {
		s += ", corrected for " + types.FormatDuration(n.Correct)
	}
	return s
}

// Describe is the target and how its records are made.
func (n *Sink) Describe() string {
	s := "Result"
	if n.Target != nil {
		s = "Sink " + n.Target.Name + " (" + n.place() + ", " + n.Target.Format + ")"
	}
	var cols []string
	for _, c := range n.Columns {
		cols = append(cols, n.Input.Props().Schema.Columns[c].Name)
	}
	s += ": "
	if n.Forward {
		s += "the value's bytes unchanged, undeclared fields too"
	} else {
		s += strings.Join(cols, ", ")
	}
	if n.Target == nil {
		return s
	}
	return s + n.describeAround()
}

// place is where the records go.
func (n *Sink) place() string {
	switch {
	case n.Target.Connector == "kafka":
		return "topic " + n.Target.Topic
	case n.Outbox != "":
		return "connector " + n.Target.Connector + ", " + n.Delivery + ", by topic " + n.Outbox
	}
	return "connector " + n.Target.Connector + ", after the commit"
}

// describeAround says where the key, the headers and a timestamp of the query's own come from.
func (n *Sink) describeAround() string {
	headers := n.Headers && n.Writes(HiddenHeaders) < 0
	s := ""
	switch n.KeyMode {
	case KeyFromInput:
		s = "; key"
		if headers {
			s += " and headers"
		}
		s += " of the input record"
		headers = false
	case KeyFromColumn:
		var key []string
		for _, k := range n.Key {
			key = append(key, n.Input.Props().Schema.Columns[k].Name)
		}
		if len(key) == 0 {
			key = []string{"{}"}
		}
		s = "; key " + strings.Join(key, ", ")
	}
	if headers {
		s += "; headers of the input record"
	}
	for _, a := range n.Around {
		s += "; " + map[Hidden]string{HiddenKey: "_key", HiddenTimestamp: "_timestamp", HiddenHeaders: "_headers"}[a.Part] + " from the query"
	}
	return s
}

// outer is an expression without the brackets around it.
func outer(e expr.Expr) string {
	s := e.String()
	if !strings.HasPrefix(s, "(") || !strings.HasSuffix(s, ")") {
		return s
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'':
			for i++; i < len(s) && s[i] != '\''; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 && i < len(s)-1 {
				return s
			}
		}
	}
	return s[1 : len(s)-1]
}
