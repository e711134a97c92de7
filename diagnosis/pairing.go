package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// pairing is what a join of two sides compares.
type pairing struct {
	left, right         plan.Node
	leftKeys, rightKeys []expr.Expr
}

// apart: both sides have rows, and no two of them are a pair.
func (e Evidence) apart(n plan.Node, p pairing) (Diagnosis, bool) {
	l, r := e.rows(p.left), e.rows(p.right)
	switch {
	case e.rows(n) > 0 || l+r == 0:
		return Diagnosis{}, false
	case l == 0:
		return Diagnosis{NoMatch, fmt.Sprintf("%d rows of the right side of the join wait for the left side, of which none came", r)}, true
	case r == 0:
		return Diagnosis{NoMatch, fmt.Sprintf("%d rows of the left side of the join found nothing: no row of the right side came", l)}, true
	}
	left, right := e.keys(p.left, p.leftKeys), e.keys(p.right, p.rightKeys)
	text := fmt.Sprintf("%d and %d rows met in the join, and no keys were equal", l, r)
	if len(left)*len(right) == 0 {
		return Diagnosis{NoMatch, text}, true
	}
	text += fmt.Sprintf(": %s is such as %s, %s such as %s", exprs(p.leftKeys), some(left), exprs(p.rightKeys), some(right))
	return Diagnosis{NoMatch, text + hint(left, right)}, true
}

// key is a key of a sample: its values as text.
type key []string

func (k key) String() string { return strings.Join(k, ", ") }

// keys are those of a side's samples, the newest first, each once.
func (e Evidence) keys(n plan.Node, by []expr.Expr) []key {
	samples := e.Stats.Detail.Nodes[n].Samples
	var out []key
	for _, b := range slices.Backward(samples) {
		k := valuesOf(b, by)
		if !slices.ContainsFunc(out, func(o key) bool { return slices.Equal(o, k) }) {
			out = append(out, k)
		}
	}
	return out
}

// valuesOf computes expressions over a batch of one row.
func valuesOf(b *vector.Batch, exprs []expr.Expr) key {
	var k key
	for _, x := range exprs {
		ctx := &expr.Ctx{Now: func() time.Time { return time.Time{} }}
		k = append(k, x.Eval(ctx, b).Value(0).Literal())
	}
	return k
}

func exprs(es []expr.Expr) string {
	var s []string
	for _, x := range es {
		s = append(s, x.String()+" "+x.Type().String())
	}
	return strings.Join(s, ", ")
}

// some are up to two of the keys.
func some(ks []key) string {
	var s []string
	for _, k := range ks[:min(len(ks), 2)] {
		s = append(s, k.String())
	}
	return strings.Join(s, " or ")
}

// hint looks for samples that would be equal if something small were done to them.
func hint(left, right []key) string {
	for _, h := range []struct {
		what, remedy string
		do           func(string) string
	}{
		{"in case", "compare LOWER(…) of both", strings.ToLower},
		{"in blanks around them", "compare TRIM(…) of both", func(s string) string { return strings.TrimSpace(strings.Trim(s, "'")) }},
		{"in leading zeros", "CAST both to a number", func(s string) string { return strings.TrimLeft(strings.Trim(s, "'"), "0") }},
	} {
		for _, l := range left {
			for _, r := range right {
				if len(l) == len(r) && !slices.Equal(l, r) && slices.EqualFunc(l, r, func(a, b string) bool { return h.do(a) == h.do(b) }) {
					return fmt.Sprintf("; %s and %s differ only %s: %s", l, r, h.what, h.remedy)
				}
			}
		}
	}
	return ""
}

// sample shows the given columns of the newest row that came out of a node.
func (e Evidence) sample(n plan.Node, columns []int) string {
	samples := e.Stats.Detail.Nodes[n].Samples
	if len(samples) == 0 {
		return ""
	}
	b := samples[len(samples)-1]
	var s []string
	for _, c := range columns {
		s = append(s, n.Props().Schema.Columns[c].Name+" = "+short(b.Cols[c].Value(0)))
	}
	return strings.Join(s, ", ")
}

// short is a value of at most 40 characters.
func short(v types.Value) string {
	text := []rune(v.Literal())
	if len(text) > 40 {
		return string(text[:39]) + "…"
	}
	return string(text)
}
