package avro

import (
	"math"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// runner reads records by plans. It belongs to one goroutine.
type runner struct {
	cursor
	cols    []*vector.Vector
	bad     error
	invalid bool // text that is not UTF-8 was met
	scratch []byte
	doc     []byte // of fit
}

// run appends the row of a record. On an error, a *format.BadRecord, nothing is appended.
func (r *runner) run(p *plan, data []byte, cols []*vector.Vector) error {
	before := 0
	if len(cols) > 0 {
		before = cols[0].Len()
	}
	r.cursor = cursor{data: data}
	r.cols, r.bad, r.invalid = cols, nil, false
	r.step(&p.root)
	if r.why == "" && r.bad == nil && r.at < len(data) {
		r.fail("there are more bytes after the record")
	}
	err := r.err()
	if err == nil {
		err = r.bad
	}
	if err != nil {
		format.Truncate(cols, before)
		return err
	}
	for i := range p.unset {
		u := &p.unset[i]
		switch v := cols[u.column]; {
		case v.Len() > before:
		case u.fallback == nil:
			v.AppendNull()
		default:
			v.AppendFrom(u.fallback, 0)
		}
	}
	return nil
}

// step reads one value.
func (r *runner) step(s *step) {
	if len(s.takes) == 0 && s.inside == nil {
		r.skip(s.n, 0)
		return
	}
	from := r.at
	for i := range s.takes {
		if r.at = from; !r.take(s.n, &s.takes[i]) {
			return
		}
	}
	if s.inside == nil {
		return
	}
	r.at = from
	if s.n.kind == union {
		r.step(&s.inside[r.choice(len(s.inside))])
		return
	}
	for i := range s.inside {
		if r.step(&s.inside[i]); r.why != "" || r.bad != nil {
			return
		}
	}
}

// take reads a value into a column; false: that failed.
func (r *runner) take(n *node, t *take) bool {
	v := r.cols[t.column]
	err := r.append(n, t, v)
	if r.why != "" {
		return false
	}
	r.bad = err
	return err == nil
}

func (r *runner) append(n *node, t *take, v *vector.Vector) error {
	switch t.op {
	case opInt:
		return t.cell.Int(v, r.long())
	case opBool:
		return t.cell.Bool(v, r.boolean())
	case opFloat:
		return t.cell.Float(v, r.float(), 32)
	case opDouble:
		return t.cell.Float(v, r.double(), 64)
	case opText:
		return t.cell.Text(v, r.bytesOf(n))
	case opRaw:
		v.AppendBytes(r.bytesOf(n))
	case opDecimal:
		return r.decimal(n, t, v)
	case opMicros:
		return r.micros(n, t, v)
	case opSymbol:
		r.scratch = append(r.scratch[:0], n.symbols[r.choice(len(n.symbols))]...)
		return t.cell.Text(v, r.scratch)
	case opUUID:
		r.scratch = appendUUID(r.scratch[:0], r.take16())
		return t.cell.Text(v, r.scratch)
	case opDigits:
		r.scratch = appendDecimal(r.scratch[:0], r.bytesOf(n), n.scale)
		return t.cell.Number(v, r.scratch)
	case opTime:
		r.scratch = appendTime(r.scratch[:0], n, r.long())
		return t.cell.Text(v, r.scratch)
	case opJSON:
		return r.json(n, t, v)
	case opDocument:
		text := r.bytesOf(n)
		if r.why != "" {
			return nil
		}
		return t.docs.Append(v, text)
	case opFit:
		return r.fit(n, t, v)
	case opImpossible:
		r.skip(n, 0)
		return t.err
	}
	return nil
}

func (r *runner) bytesOf(n *node) []byte {
	if n.kind == fixed {
		return r.cursor.take(n.size)
	}
	return r.bytes()
}

func (r *runner) take16() []byte { return r.cursor.take(16) }

// decimal reads a two's complement number, big-endian, as a DECIMAL of the column's scale.
func (r *runner) decimal(n *node, t *take, v *vector.Vector) error {
	b := r.bytesOf(n)
	if d, ok := types.FromBigEndian(b); ok && n.scale <= math.MaxUint8 {
		if d, ok = types.Rescale(d, uint8(n.scale), t.cell.Type.Scale); ok && types.FitsDecimal(d, int(t.cell.Type.Precision)) {
			v.AppendDec(d)
			return nil
		}
	}
	r.scratch = appendDecimal(r.scratch[:0], b, n.scale)
	return t.cell.Number(v, r.scratch)
}

// micros reads a date or time.
func (r *runner) micros(n *node, t *take, v *vector.Vector) error {
	x := r.long()
	us, ok := toMicros(n.logical, x)
	if !ok {
		return t.cell.Bad(format.OutOfRange, "%d is outside the years 0000 to 9999 of %s", x, t.cell.Type)
	}
	return t.cell.Micros(v, us)
}

// toMicros is a date or time in microseconds, rounded; false when it overflows.
func toMicros(l logical, x int64) (int64, bool) {
	unit := int64(1)
	switch l {
	case date:
		unit = types.MicrosPerDay
	case timeMillis, timestampMillis:
		unit = types.MicrosPerMilli
	case timestampNanos:
		return x/1000 + x%1000/500, true
	}
	return x * unit, x <= math.MaxInt64/unit && x >= math.MinInt64/unit
}
