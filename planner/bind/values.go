package bind

import (
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// ValueRow is one row of INSERT … VALUES: a value for each column of the relation (NULL where none was given), and what was
// said of the record around it.
type ValueRow struct {
	Span      ast.Span
	Values    []types.Value
	Partition *int32
	Timestamp *int64 // milliseconds
	Key       []byte
	KeyGiven  bool   // _key was given: Key holds, also when it is nil
	Headers   []byte // a JSON object; nil: none
}

// Values computes the rows of INSERT INTO rel [(columns)] VALUES …. Besides the relation's columns, _partition, _timestamp
// (milliseconds or a timestamp), _key and _headers (an object of names and texts) may be given. now is the clock of NOW().
func Values(rel *catalog.Relation, st *ast.Insert, now func() time.Time) ([]ValueRow, error) {
	names := st.Columns
	if len(names) == 0 {
		for _, c := range rel.Columns {
			names = append(names, ast.Ident{Span: st.Target.Span, Name: c.Name})
		}
	}
	at := make([]int, len(names))
	for i, n := range names {
		at[i] = rel.Column(n.Name)
		switch strings.ToLower(n.Name) {
		case "_partition", "_timestamp", "_key", "_headers":
			continue
		}
		if at[i] < 0 {
			return nil, ast.Errorf(n.Span, "unknown column %s in %s", n.Name, rel.Name).WithHint("%s", spell.Hint(n.Name, "columns", rel.ColumnNames()))
		}
	}
	var out []ValueRow
	for _, exprs := range st.Rows {
		if len(exprs) != len(names) {
			return nil, ast.Errorf(exprs[0].Pos(), "%d values for %d columns", len(exprs), len(names))
		}
		row := ValueRow{Span: exprs[0].Pos(), Values: make([]types.Value, len(rel.Columns))}
		for i, e := range exprs {
			v, err := constant(e, now)
			if err != nil {
				return nil, err
			}
			if at[i] < 0 {
				err = row.around(strings.ToLower(names[i].Name), v)
			} else {
				row.Values[at[i]], err = types.Cast(v, rel.Columns[at[i]].Type)
			}
			if err != nil {
				return nil, ast.Errorf(e.Pos(), "column %s: %v", names[i].Name, err)
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// around sets what is not in the value.
func (r *ValueRow) around(name string, v types.Value) error {
	r.KeyGiven = r.KeyGiven || name == "_key"
	if v.IsNull() {
		return nil
	}
	switch name {
	case "_partition":
		x, err := types.Cast(v, types.TInt)
		p := int32(x.I)
		r.Partition = &p
		return err
	case "_timestamp":
		x, err := types.Cast(v, types.TTimestamp)
		ms := types.FloorDiv(x.I, 1000)
		r.Timestamp = &ms
		return err
	case "_headers":
		x, err := types.Cast(v, types.TJSON)
		r.Headers = []byte(x.S)
		return err
	}
	x, err := types.Cast(v, types.TVarchar)
	r.Key = []byte(x.S)
	return err
}

// constant is the value of an expression without columns.
func constant(e ast.Expr, now func() time.Time) (types.Value, error) {
	b := &binder{volatile: &volatile{}}
	x, err := b.expr(e, env{clause: "VALUES"})
	if err != nil {
		return types.Value{}, err
	}
	ctx := expr.Ctx{Now: now}
	v := x.Eval(&ctx, &vector.Batch{N: 1}).Value(0)
	for _, err := range ctx.TakeFailed() {
		return types.Value{}, ast.Errorf(e.Pos(), "%v", err)
	}
	return v, nil
}
