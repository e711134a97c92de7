package story

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// expectation is the rows of an assert.
type expectation struct {
	rel     *catalog.Relation
	columns []string
	rows    [][]types.Value
}

func newExpectation(rel *catalog.Relation, a *ast.Assert) (*expectation, error) {
	e := &expectation{rel: rel}
	for _, c := range a.Columns {
		probe := actualRow{values: make([]types.Value, len(rel.Columns))}
		if _, _, ok := probe.columnValue(rel, c.Name); !ok {
			return nil, ast.Errorf(c.Span, "%s has no column %s", rel.Name, c.Name).
				WithHint("%s", spell.Hint(c.Name, "columns", rel.ColumnNames()))
		}
		e.columns = append(e.columns, c.Name)
	}
	if len(a.Columns) == 0 {
		e.columns = rel.ColumnNames()
	}
	for _, row := range a.Rows {
		if len(row) != len(e.columns) {
			return nil, ast.Errorf(row[0].Pos(), "%d values for %d columns", len(row), len(e.columns))
		}
		var vs []types.Value
		for _, x := range row {
			v, err := literal(x)
			if err != nil {
				return nil, err
			}
			vs = append(vs, v)
		}
		e.rows = append(e.rows, vs)
	}
	return e, nil
}

// fits says whether an actual row is an expected one.
func (e *expectation) fits(want []types.Value, got *actualRow) bool {
	if got.note != "" && got.note != "removed" {
		return false
	}
	for i, c := range e.columns {
		v, t, _ := got.columnValue(e.rel, c)
		if !same(want[i], v, t) {
			return false
		}
	}
	return true
}

// match pairs each expected row with an actual one of its own, as many as can be: by augmenting paths, since rows with
// free columns may fit several. The result holds, per expected row, the index of its actual row or -1.
func (e *expectation) match(got []*actualRow) []int {
	owner := make([]int, len(got))
	for i := range owner {
		owner[i] = -1
	}
	for i := range e.rows {
		e.augment(i, got, owner, make([]bool, len(got)))
	}
	out := make([]int, len(e.rows))
	for i := range out {
		out[i] = -1
	}
	for g, w := range owner {
		if w >= 0 {
			out[w] = g
		}
	}
	return out
}

func (e *expectation) augment(i int, got []*actualRow, owner []int, seen []bool) bool {
	for g, a := range got {
		if seen[g] || !e.fits(e.rows[i], a) {
			continue
		}
		seen[g] = true
		if owner[g] < 0 || e.augment(owner[g], got, owner, seen) {
			owner[g] = i
			return true
		}
	}
	return false
}

// matchInOrder pairs expected rows with actual ones so that those of one key (of rows without key: of one partition) are
// in the order given.
func (e *expectation) matchInOrder(got []*actualRow) []int {
	out := make([]int, len(e.rows))
	used := make([]bool, len(got))
	last := map[string]int{}
	for i := range e.rows {
		out[i] = -1
		for g, a := range got {
			key := fmt.Sprintf("%d/%s", a.rec.Partition, a.rec.Key)
			if from, ok := last[key]; used[g] || ok && g < from || !e.fits(e.rows[i], a) {
				continue
			}
			out[i], used[g], last[key] = g, true, g
			break
		}
	}
	return out
}
