package plan

import (
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// Explain is a query as EXPLAIN shows it: a head, then one part per fragment. It marshals to JSON.
type Explain struct {
	Query       string            `json:"query"`
	Target      string            `json:"target,omitempty"`
	Changes     string            `json:"changes"`
	Determined  string            `json:"determinism"`
	Result      []string          `json:"result,omitempty"` // of an ad-hoc query: what is done with its rows
	Fragments   []ExplainFragment `json:"fragments"`
	Topics      []Topic           `json:"internal_topics,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
	Fingerprint string            `json:"fingerprint"`
}

// ExplainFragment is what runs between topics.
type ExplainFragment struct {
	ID         int    `json:"id"`
	Name       string `json:"name"`
	Partitions int    `json:"partitions"` // 0: not known
	// Roots are where its rows go, with what makes them below. What several share is shown below the first.
	Roots []ExplainNode `json:"roots"`
}

// ExplainNode is one operator with what is to be known about it.
type ExplainNode struct {
	Node   string        `json:"node"`
	Facts  []string      `json:"facts,omitempty"`
	Flow   *Flow         `json:"flow,omitempty"` // of a query that runs
	Inputs []ExplainNode `json:"inputs,omitempty"`
}

// Flow is what came out of a node on one instance since its tasks began there.
type Flow struct {
	Tasks     int   `json:"tasks"`
	Rows      int64 `json:"rows"`
	Watermark int64 `json:"watermark,omitempty"` // microseconds since 1970; 0: none yet
}

// String is the line of EXPLAIN ANALYZE.
func (f *Flow) String() string {
	text := fmt.Sprintf("here: %d rows by %s", f.Rows, counted(f.Tasks, "task"))
	if f.Watermark != 0 {
		text += ", watermark " + time.UnixMicro(f.Watermark).UTC().Format("2006-01-02 15:04:05.000")
	}
	return text
}

// Explain describes the query.
func (q *Query) Explain(app string) Explain {
	return q.Analyze(app, func(Node) *Flow { return nil })
}

// Analyze is Explain with what came out of each node of the fragments; nil: not known.
func (q *Query) Analyze(app string, flow func(Node) *Flow) Explain {
	e := Explain{Query: q.Name, Changes: q.changes(), Determined: determined(q.Root), Topics: q.Internal(app), Warnings: q.Warnings, Fingerprint: q.Fingerprint}
	if t := q.Sink.Target; t != nil {
		e.Target = strings.ToLower(t.Kind.String()) + " " + t.Name
	}
	e.Result = q.result()
	for _, f := range q.Fragments {
		shown, x := map[Node]bool{}, ExplainFragment{ID: f.ID, Name: f.Name, Partitions: f.Partitions}
		for _, root := range f.Roots {
			x.Roots = append(x.Roots, explainNode(root, shown, flow))
		}
		e.Fragments = append(e.Fragments, x)
	}
	return e
}

func (q *Query) changes() string {
	switch q.Sink.P.Changes {
	case Upserts:
		return "a row replaces the one of its key, a null value removes it"
	case Deltas:
		return "rows are added, and removed again"
	}
	return "append-only: a row that was sent stays"
}

// determined says how far the input fixes the result, and what is free (semantics S1).
func determined(root Node) string {
	var free []string
	Walk(root, func(n Node) {
		if f := freedom(n); f != "" {
			free = append(free, f)
		}
	})
	switch root.Props().Determinism {
	case KeysOnly:
		return "keys: " + strings.Join(free, "; ")
	case None:
		return "not fixed by the input: " + strings.Join(free, "; ")
	}
	return "all: the result is a function of the input records"
}

func freedom(n Node) string {
	below := All
	for _, in := range n.Inputs() {
		below = max(below, in.Props().Determinism)
	}
	if n.Props().Determinism <= below {
		return ""
	}
	switch n := n.(type) {
	case *Distinct:
		return "which of the rows with equal " + list(n.On) + " passes is free (EMIT FINAL takes the earliest), their keys and number are not"
	case *TableJoin:
		if n.Latest {
			return "AS OF LATEST takes what the table holds when a row comes"
		}
	}
	return "an expression depends on the clock or on chance"
}

// explainNode shows n and what is below it; shown are the shared parts that stand above already.
func explainNode(n Node, shown map[Node]bool, flow func(Node) *Flow) ExplainNode {
	if s, ok := n.(*Shared); ok {
		if shown[n] {
			return ExplainNode{Node: fmt.Sprintf("Shared %d, as above", s.Number)}
		}
		shown[n] = true
	}
	e := ExplainNode{Node: n.Describe(), Facts: facts(n), Flow: flow(n)}
	for _, in := range n.Inputs() {
		e.Inputs = append(e.Inputs, explainNode(in, shown, flow))
	}
	return e
}

// facts are the lines under a node.
func facts(n Node) []string {
	p := n.Props()
	var out []string
	add := func(name, text string) {
		if text != "" {
			out = append(out, name+": "+text)
		}
	}
	switch n := n.(type) {
	case *Scan:
		add("partitioning", p.Partitioning.String())
		if n.KeyCheck {
			add("checked", "every record's partition and key bytes, because the plan relies on them")
		}
		if n.P.Changes == Upserts {
			add("changes", "rows replace each other by "+keyNames(n))
		}
		add("time", p.Time)
		add("read", n.span())
	case *Shuffle:
		add("why", n.Reason)
		add("carries", n.Carry.String())
	case *Receive:
		add("partitioning", p.Partitioning.String())
		add("time", "watermark = the smallest of all upstream tasks")
	case *Shared:
		add("why", "the parts of the query that read it need the same rows of it: its input is read once, and its state kept once")
	default:
		add("time", p.Time)
		add("state", p.State)
		if j, ok := n.(*TableJoin); ok && !j.Latest && Versioned(j.Table) == nil {
			add("beware", "in a compacted topic older versions of a row may be gone: a row joined as of an earlier instant, or beside updates that came out of order, then finds a later version or none")
		}
	}
	return out
}

// span is where the source declares that it is read.
func (n *Scan) span() string {
	s := ""
	if n.Relation.Start != "" {
		s = "from '" + n.Relation.Start + "' on"
	}
	if n.Relation.End != "" {
		s = strings.TrimPrefix(strings.TrimSuffix(s, " on")+" to '"+n.Relation.End+"', where the input ends", " ")
	}
	return s
}

func keyNames(n *Scan) string {
	var s []string
	for _, k := range n.P.Schema.Key {
		s = append(s, n.Columns[k].Name)
	}
	return strings.Join(s, ", ")
}

// String lists the parts.
func (c Carry) String() string {
	var s []string
	for i, name := range []string{"key", "value", "headers", "origin"} {
		if c&(1<<i) != 0 {
			s = append(s, name)
		}
	}
	return strings.Join(s, ", ")
}

// String is the text of EXPLAIN.
func (e Explain) String() string {
	var b strings.Builder
	b.WriteString("Query " + e.Query)
	if e.Target != "" {
		b.WriteString(" into " + e.Target)
	}
	fmt.Fprintf(&b, "\n  changes: %s\n  determinism: %s\n", e.Changes, e.Determined)
	for _, r := range e.Result {
		b.WriteString("  result: " + r + "\n")
	}
	for _, f := range e.Fragments {
		fmt.Fprintf(&b, "\nFragment %d: %s, %s\n", f.ID, f.Name, counted(f.Partitions, "task"))
		for _, root := range f.Roots {
			root.write(&b, 1)
		}
	}
	if len(e.Topics) > 0 {
		b.WriteString("\nInternal topics\n")
		for _, t := range e.Topics {
			fmt.Fprintf(&b, "  %s (%s, %s, %s)\n", t.Name, t.Role, t.Cleanup, counted(int(t.Partitions), "partition"))
		}
	}
	for _, w := range e.Warnings {
		b.WriteString("\nWarning: " + w + "\n")
	}
	return b.String()
}

// counted is "1 task", "3 tasks", "? tasks".
func counted(n int, what string) string {
	switch n {
	case 0:
		return "? " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (n ExplainNode) write(b *strings.Builder, depth int) {
	indent := strings.Repeat("  ", depth)
	b.WriteString(indent + n.Node + "\n")
	for _, f := range n.Facts {
		b.WriteString(indent + "  · " + f + "\n")
	}
	if n.Flow != nil {
		b.WriteString(indent + "  · " + n.Flow.String() + "\n")
	}
	for _, in := range n.Inputs {
		in.write(b, depth+1)
	}
}

// costly is how many windows of a row are worth a warning.
const costly = 100

// warnings are about what grows with the number of windows that a row lies in.
func (n *Aggregate) warnings() []string {
	if !n.Window.overlaps() || n.Window.Most() < costly {
		return nil
	}
	most := n.Window.Most()
	switch {
	case n.Keeps():
		return []string{fmt.Sprintf("%s: a row lies in up to %d windows and is kept for each of them, because an aggregate keeps its rows; others share what they keep", n.Describe(), most)}
	case n.Emit != ast.EmitFinal:
		return []string{fmt.Sprintf("%s: a row changes up to %d windows, and each of them is sent; EMIT FINAL sends each window once", n.Describe(), most)}
	}
	return nil
}

// Warnings are what a user should know before the query runs.
func Warnings(root Node) []string {
	var out []string
	Walk(root, func(n Node) {
		if s := n.Props().State; strings.HasPrefix(s, Unbounded) {
			out = append(out, "state of "+n.Describe()+" is "+s)
		}
		if a, ok := n.(*Aggregate); ok {
			out = append(out, a.warnings()...)
		}
	})
	return out
}
