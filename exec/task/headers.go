package task

import (
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// headerColumns are the columns of a target that are headers of its records.
type headerColumns struct {
	columns []format.HeaderColumn
	at      []int // ordinals in the sink's input
	slab    []vector.Header
}

func newHeaderColumns(n *plan.Sink) (headerColumns, error) {
	var h headerColumns
	if n.Forward { // the input's have the same names and go out as they are
		return h, nil
	}
	in := n.Input.Props().Schema.Columns
	for _, x := range n.Target.Headers {
		o := n.Columns[x.Column]
		c, err := format.NewHeaderColumn(format.Column{Name: n.Target.Columns[x.Column].Name, Type: in[o].Type, TimestampFormat: n.Target.TimestampFormat}, x.Header)
		if err != nil {
			return h, err
		}
		h.columns, h.at = append(h.columns, c), append(h.at, o)
	}
	return h, nil
}

// slabSize is how much memory for headers is taken at once: they must stay until the commit.
const slabSize = 1024

// write gives the record the columns as headers, in the place of those of their names. NULL is no header, and so is a row that is
// gone.
func (h *headerColumns) write(s *topicSink, r *connectors.Record, b *vector.Batch, i int) {
	if len(h.columns) == 0 {
		return
	}
	if cap(h.slab)-len(h.slab) < len(r.Headers)+len(h.columns) {
		h.slab = make([]vector.Header, 0, slabSize+len(r.Headers))
	}
	from := len(h.slab)
	for _, other := range r.Headers {
		if !slices.ContainsFunc(h.columns, func(c format.HeaderColumn) bool { return c.Header == other.Key }) {
			h.slab = append(h.slab, other)
		}
	}
	for k := range h.columns {
		c, v := &h.columns[k], b.Cols[h.at[k]]
		if v.IsNull(i) || b.Deleted != nil && b.Deleted[i] {
			continue
		}
		h.slab = append(h.slab, vector.Header{Key: c.Header, Value: s.take(func(dst []byte) []byte { return c.Append(dst, v, i) })})
	}
	r.Headers = h.slab[from:len(h.slab):len(h.slab)]
}
