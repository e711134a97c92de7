package bind

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

// corrected binds CORRECT d: how long after its release a row is taken back when a late table record changes it.
func (x *joining) corrected(n *plan.TableJoin) error {
	d := x.j.Correct
	switch {
	case d == nil:
		return nil
	case x.j.Broadcast:
		return ast.Unsupported(d.Span, "CORRECT together with BROADCAST", "leave CORRECT out: a larger WITHIN waits longer for the table")
	case n.Latest:
		return ast.Errorf(d.Span, "CORRECT beside AS OF LATEST: which version a row should have met is not fixed").WithHint("leave AS OF LATEST out: a row then meets the version of its event time")
	case d.Micros > maxWindow:
		return ast.Errorf(d.Span, "CORRECT must be at most %s, it is %s", types.FormatDuration(maxWindow), types.FormatDuration(d.Micros))
	}
	n.Correct = d.Micros
	return nil
}

// refuseAfterCorrected refuses a join of what a join with CORRECT beside it gives: its rows come and go, and have an instant each
// to be joined at.
func (x *joining) refuseAfterCorrected() error {
	r := x.j.Left
	for j, ok := r.(*ast.Join); ok; j, ok = r.(*ast.Join) {
		if j.Correct != nil {
			return ast.Unsupported(j.Correct.Span, "CORRECT before another join", "write the join with CORRECT last")
		}
		r = j.Left
	}
	return nil
}

// unnamed says whether the rows come and go, and have nothing that names them.
func (o *output) unnamed() bool { return o.node.Props().Changes == plan.Deltas && o.key == nil }

// named gives rows that nothing names the declared primary key, or else makes each row of the list its own key.
func (o *output) named(c *ast.Create, columns []types.Column) error {
	if len(c.PrimaryKey) == 0 {
		for i, t := range columns {
			if t.Type.Nested() {
				return ast.Errorf(o.spans[i], "each row is its own key, and the equality of %s of type %s is not defined", t.Name, t.Type).
					WithHint("declare what names a row: CREATE TABLE %s (…, PRIMARY KEY (…)) AS …", c.Name.Name)
			}
		}
		o.key = slices.Clone(o.columns)
		return nil
	}
	for _, k := range c.PrimaryKey {
		at := indexOf(columns, k.Name)
		if at < 0 {
			return ast.Errorf(k.Span, "unknown column %s in %s", k.Name, c.Name.Name)
		}
		o.key = append(o.key, o.columns[at])
	}
	return nil
}

// keyed gives rows that nothing names the primary key of the table they are written into; at says which of its columns each of
// theirs becomes.
func (o *output) keyed(ins *ast.Insert, target *catalog.Relation, at []int) error {
	var missing []string
	for _, k := range target.PrimaryKey {
		i := slices.Index(at, k)
		if i < 0 {
			missing = append(missing, target.Columns[k].Name)
			continue
		}
		o.key = append(o.key, o.columns[i])
	}
	if len(missing) > 0 {
		return ast.Errorf(ins.Target.Span, "the primary key of %s is not written: %s is missing", target.Name, strings.Join(missing, ", "))
	}
	return nil
}
