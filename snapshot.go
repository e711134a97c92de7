package streamsql

import (
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// snapshot is what the changes of a result come to when its query has ended: the rows that stand, in the order of ORDER BY.
type snapshot struct {
	p     *plan.Query
	kinds []types.Type
	rows  []standing // in the order in which they came
	at    map[string]int
	key   []byte
}

// standing is a row as it stands, n times; not at all once it was removed.
type standing struct {
	values []Value
	time   int64
	n      int
}

func newSnapshot(p *plan.Query) *snapshot {
	s := &snapshot{p: p, at: map[string]int{}}
	for _, o := range p.Sink.Columns {
		s.kinds = append(s.kinds, p.Sink.Input.Props().Schema.Columns[o].Type)
	}
	return s
}

// take applies the changes of a batch.
func (s *snapshot) take(b *vector.Batch) {
	for i := range b.N {
		removal := b.Deleted != nil && b.Deleted[i]
		switch s.p.Sink.P.Changes {
		case plan.AppendOnly:
			s.rows = append(s.rows, s.row(b, i, 1))
		case plan.Upserts:
			s.replace(b, i, removal)
		case plan.Deltas:
			s.count(b, i, removal)
		}
	}
}

func (s *snapshot) row(b *vector.Batch, i, n int) standing {
	out := standing{values: make([]Value, len(b.Cols)), time: b.Time[i], n: n}
	for c, v := range b.Cols {
		out.values[c] = v.Value(i)
	}
	return out
}

// replace puts a row in the place of the one of its key.
func (s *snapshot) replace(b *vector.Batch, i int, removal bool) {
	cols := make([]*vector.Vector, len(s.p.Key))
	for k, c := range s.p.Key {
		cols[k] = b.Cols[c]
	}
	s.key = vector.AppendRow(s.key[:0], cols, i)
	at, known := s.at[string(s.key)]
	switch {
	case removal && known:
		s.rows[at].n = 0
		return
	case removal:
		return
	}
	x := s.row(b, i, 1)
	if known {
		s.rows[at] = x
		return
	}
	s.at[string(s.key)] = len(s.rows)
	s.rows = append(s.rows, x)
}

// count adds a row, or takes one away.
func (s *snapshot) count(b *vector.Batch, i int, removal bool) {
	s.key = vector.AppendRow(s.key[:0], b.Cols, i)
	by := 1
	if removal {
		by = -1
	}
	if at, ok := s.at[string(s.key)]; ok {
		s.rows[at].n += by
		return
	}
	s.at[string(s.key)] = len(s.rows)
	s.rows = append(s.rows, s.row(b, i, by))
}

// batch is the result: the rows that stand, without what only named them.
func (s *snapshot) batch() *vector.Batch {
	var rows []standing
	for _, r := range s.rows {
		for range r.n {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b standing) int {
		for _, o := range s.p.Order {
			if c := types.CompareNulls(a.values[o.Column], b.values[o.Column]); c != 0 {
				if o.Desc {
					return -c
				}
				return c
			}
		}
		return 0
	})
	rows = rows[min(int(s.p.Offset), len(rows)):]
	out := vector.NewBatch(s.kinds[:s.p.Shown], len(rows))
	for _, r := range rows {
		for c, v := range out.Cols {
			v.Append(r.values[c])
		}
		out.Time = append(out.Time, r.time)
		out.N++
	}
	return out
}
