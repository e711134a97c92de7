package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// CanonicalText is the text of what stored state depends on: operators with state, their keys, types and windows, the records
// in shuffles, the sources' topics. What comes after the last state, such as the select list, is not in it. Partition counts
// are those of shuffles and of fragments with state: a source that only feeds shuffles may grow (semantics S8).
func CanonicalText(fragments []*Fragment) string {
	var b strings.Builder
	several := map[string]bool{}
	for _, f := range fragments {
		if r := f.Part(); r != nil { // the topics of one relation are read alike, and may become more
			var part strings.Builder
			fmt.Fprintf(&part, "fragment %s of the topics of %s\n", strings.TrimSuffix(f.Name, r.Topic), r.Name)
			canonicalFragment(&part, f)
			if !several[part.String()] {
				several[part.String()] = true
				b.WriteString(part.String())
			}
			continue
		}
		fmt.Fprintf(&b, "fragment %d %s", f.ID, f.Name)
		if len(f.States) > 0 {
			fmt.Fprintf(&b, " x%d", f.Partitions)
		}
		b.WriteByte('\n')
		canonicalFragment(&b, f)
	}
	return b.String()
}

// canonicalFragment writes a fragment from the top.
func canonicalFragment(b *strings.Builder, f *Fragment) {
	written := map[*Shared]bool{}
	for _, root := range f.Roots {
		canonical(b, root, false, written)
	}
}

// canonical writes n and what is below it; filters and projections count where state or a shuffle lies above them. What is shared is
// written once: its rows leave the operator that makes them, which has state.
func canonical(b *strings.Builder, n Node, below bool, written map[*Shared]bool) {
	line := canonicalNode(n)
	if s, ok := n.(*Shared); ok {
		if line = fmt.Sprintf("shared %d", s.Number); written[s] {
			b.WriteString("  " + line + " again\n")
			return
		}
		written[s] = true
	}
	if below {
		switch n := n.(type) {
		case *Filter:
			line = "filter " + n.Cond.String()
		case *Unnest:
			line = "unnest " + n.Expr.String()
		case *Project:
			line = "project"
			for _, e := range n.Exprs {
				line += " " + e.Expr.String()
			}
		}
	}
	if line != "" {
		b.WriteString("  " + line + "\n")
	}
	_, shuffle := n.(*Shuffle)
	for _, in := range n.Inputs() {
		canonical(b, in, below || shuffle || len(States(n)) > 0, written)
	}
}

// Fingerprint is a hash of a canonical text: 32 hexadecimal digits.
func Fingerprint(canonical string) string {
	sum := sha256.Sum256([]byte(canonical))
	return hex.EncodeToString(sum[:16])
}

func canonicalNode(n Node) string {
	switch n := n.(type) {
	case *Scan:
		if n.Relation.Part != 0 {
			return fmt.Sprintf("scan the topics of %s", n.Relation.Name)
		}
		return fmt.Sprintf("scan %s %s", n.Relation.Topic, n.P.Changes)
	case *Receive:
		return "receive " + n.Shuffle.Name
	case *Shuffle:
		return fmt.Sprintf("shuffle %s key %s %s %s x%d row %s carry %d", n.Name, typed(n.Key.Exprs), n.Key.Hash, n.Key.KeyFormat, n.Key.Count, row(n.P.Schema), n.Carry)
	case *Distinct:
		s := fmt.Sprintf("distinct %s on %s %s", n.Name, typed(n.On), n.Window.text())
		if n.Final || n.Within > 0 {
			s += fmt.Sprintf(" final %v within %d row %s", n.Final, n.Within, row(n.Input.Props().Schema))
		}
		if n.Touches {
			s += " touches"
		}
		return s
	case *PartialAggregate:
		return fmt.Sprintf("partial aggregate %s %s", aggregateList(n.Aggs, n.Group), n.Window.text())
	case *Aggregate:
		s := fmt.Sprintf("aggregate %s %s final %v over %s group", n.Name, n.Window.text(), n.Emit == ast.EmitFinal, n.Input.Props().Changes)
		for _, g := range n.Group {
			s += " " + g.Expr.String() + " " + g.Expr.Type().String()
		}
		if n.TTL > 0 {
			s += fmt.Sprintf(" ttl %d", n.TTL)
		}
		for _, a := range n.Aggs {
			s += "; " + a.Agg.String() + " " + a.Agg.Type().String()
		}
		if n.Results == Versions {
			s += "; versions"
		}
		return s
	case *TableJoin:
		s := fmt.Sprintf("join %s left %v latest %v on %s = %s stream %s table %s", n.Name, n.Left, n.Latest, typed(n.StreamKeys), typed(n.TableKeys),
			row(n.Stream.Props().Schema), row(n.Table.Props().Schema))
		if n.Correct > 0 {
			s += fmt.Sprintf(" correct %d", n.Correct)
		}
		if n.Broadcast {
			s += fmt.Sprintf(" broadcast by %v", n.Table.Props().Schema.Key)
		}
		return s
	case *StreamJoin:
		return fmt.Sprintf("stream join %s %s on %s = %s before %d after %d left %s right %s", n.Name, n.Kind, typed(n.LeftKeys), typed(n.RightKeys), n.Before, n.After,
			row(n.Left.Props().Schema), row(n.Right.Props().Schema))
	case *TableTableJoin:
		return fmt.Sprintf("table join %s %s on %s = %s left %s right %s", n.Name, n.Kind, typed(n.LeftKeys), typed(n.RightKeys),
			row(n.Left.Props().Schema), row(n.Right.Props().Schema))
	case *Materialize:
		return fmt.Sprintf("materialize %s by %v versioned %v row %s", n.Name, n.P.Schema.Key, n.Versioned, row(n.P.Schema))
	case *TopN:
		return fmt.Sprintf("top %s %d by %s of %s order %s row %s", n.Name, n.N, n.Ranking, typed(n.Partition), orderText(n.Order), row(n.Input.Props().Schema))
	case *Over:
		s := fmt.Sprintf("over %s in order %v of %s order %s row %s", n.Name, n.InOrder, typed(n.Partition), orderText(n.Order), row(n.Input.Props().Schema))
		for _, c := range n.Calls {
			s += "; " + c.describe()
		}
		return s
	case *Fold:
		if n.InOrder {
			return ""
		}
		return fmt.Sprintf("fold %s by %v row %s", n.Name, n.Key, row(n.P.Schema))
	}
	return ""
}

// String is the mode's name.
func (c Changes) String() string {
	return [...]string{"append-only", "changes by key", "changes by row"}[c]
}

func (w Window) text() string {
	if w.Size == 0 {
		return "no window"
	}
	s := fmt.Sprintf("%s(%d, offset %d)", w.Kind, w.Size, w.Offset)
	if w.Advance+w.Step > 0 {
		s += fmt.Sprintf(" by %d", w.Advance+w.Step)
	}
	if w.Measure != types.Elapsed {
		s += fmt.Sprintf(" measure %d of %s", w.Measure, w.Zone)
	}
	return s
}

func typed(es []expr.Expr) string {
	var s []string
	for _, e := range es {
		s = append(s, e.String()+" "+e.Type().String())
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// row is the form of stored rows, which are read by position; the names tell two columns of one type apart.
func row(s types.Schema) string {
	var out []string
	for _, c := range s.Columns {
		out = append(out, c.Name+" "+c.Type.String())
	}
	return "(" + strings.Join(out, ", ") + ")"
}
