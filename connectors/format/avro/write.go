package avro

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// put is how one value of a record is written.
type put struct {
	n      *node
	column int    // the ordinal of the column; -1: none
	fixed  []byte // without a column: the bytes of a default
	fields []put  // of the record that the whole is
	field  string // for messages
	branch int    // of a union: where values go
	value  *node  // the type of values: n, or of a union a branch
	nested *nested
	time   *format.TimeWriter // of a time that is written as text
}

// writer appends values. It belongs to one goroutine.
type writer struct {
	scratch []byte
	key     bool // doubles are written as the one that stands for all that are equal
}

func appendLong(dst []byte, x int64) []byte { return binary.AppendVarint(dst, x) }

func appendBytes(dst, b []byte) []byte { return append(appendLong(dst, int64(len(b))), b...) }

// record appends a row.
func (w *writer) record(dst []byte, p *put, cols []*vector.Vector, row int) ([]byte, error) {
	if p.column >= 0 {
		return w.column(dst, p, cols[p.column], row)
	}
	if p.n.kind == union {
		dst = appendLong(dst, int64(1-p.n.nullAt))
	}
	for i := range p.fields {
		f := &p.fields[i]
		if f.column < 0 {
			dst = append(dst, f.fixed...)
			continue
		}
		var err error
		if dst, err = w.column(dst, f, cols[f.column], row); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (w *writer) column(dst []byte, p *put, v *vector.Vector, row int) ([]byte, error) {
	if v.Type.Kind == types.Null || v.IsNull(row) {
		switch {
		case p.n.kind == null:
			return dst, nil
		case p.n.kind == union && p.n.nullAt >= 0:
			return appendLong(dst, int64(p.n.nullAt)), nil
		}
		return dst, registry.Unfit(p.field, format.WrongType, "it is NULL, which the schema's type %s does not take", p.n)
	}
	if p.n.kind == union {
		dst = appendLong(dst, int64(p.branch))
	}
	if p.nested != nil {
		return p.nested.append(dst, v.Bytes.At(row))
	}
	if p.time != nil {
		w.scratch = p.time.Append(w.scratch[:0], v, row)
		return appendBytes(dst, w.scratch), nil
	}
	return w.scalar(dst, p.value, p.field, v, row)
}

// scalar appends row i of v as a type that accepts it.
func (w *writer) scalar(dst []byte, n *node, field string, v *vector.Vector, i int) ([]byte, error) {
	switch n.kind {
	case boolean:
		return append(dst, byte(v.Ints[i])), nil
	case integer:
		return integerOf(dst, n, field, v, i)
	case float, double:
		return w.float(dst, n, v, i), nil
	case text:
		if v.Type.Physical() == types.PhysBytes {
			return appendBytes(dst, v.Bytes.At(i)), nil
		}
		w.scratch = format.AppendPlain(w.scratch[:0], v, i)
		return appendBytes(dst, w.scratch), nil
	case enum:
		s := v.Bytes.At(i)
		at := slices.IndexFunc(n.symbols, func(x string) bool { return x == string(s) })
		if at < 0 {
			return dst, registry.Unfit(field, format.WrongType, "%s is not one of the symbols of %s: %s", format.Shown(s), n, strings.Join(n.symbols, ", "))
		}
		return appendLong(dst, int64(at)), nil
	case octets, fixed:
		return w.bytes(dst, n, field, v, i)
	}
	return dst, registry.Unfit(field, format.WrongType, "%s does not take a %s", n, v.Type)
}

func integerOf(dst []byte, n *node, field string, v *vector.Vector, i int) ([]byte, error) {
	x := v.Ints[i]
	switch {
	case v.Type.Kind == types.Uint && x < 0:
		return dst, registry.Unfit(field, format.OutOfRange, "%d does not fit %s", uint64(x), n)
	case v.Type.Kind == types.Time || v.Type.Kind == types.Timestamp:
		x = fromMicros(n.logical, x)
	}
	if n.short && int64(int32(x)) != x {
		return dst, registry.Unfit(field, format.OutOfRange, "%d does not fit %s", x, n)
	}
	return appendLong(dst, x), nil
}

// fromMicros is microseconds in the unit of a logical type, rounded half away from zero as MySQL does on storing.
func fromMicros(l logical, us int64) int64 {
	switch l {
	case timeMillis, timestampMillis:
		return types.RoundMicros(us, 3) / types.MicrosPerMilli
	case timestampNanos:
		return us * 1000
	}
	return us
}

func (w *writer) float(dst []byte, n *node, v *vector.Vector, i int) []byte {
	x := 0.0
	if v.Type.Kind == types.Double {
		x = v.Floats[i]
	} else {
		x = float64(v.Ints[i])
	}
	if w.key {
		x = format.KeyDouble(x)
	}
	if n.kind == float {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}

func (w *writer) bytes(dst []byte, n *node, field string, v *vector.Vector, i int) ([]byte, error) {
	switch n.logical {
	case decimal:
		return decimalOf(dst, n, field, v, i)
	case uuid:
		s := v.Bytes.At(i)
		w.scratch = append(w.scratch[:0], make([]byte, 16)...)
		if !parseUUID(w.scratch, s) {
			return dst, registry.Unfit(field, format.WrongType, "%s is not a UUID", format.Shown(s))
		}
		return append(dst, w.scratch...), nil
	}
	b := v.Bytes.At(i)
	if n.kind == octets {
		return appendBytes(dst, b), nil
	}
	if len(b) != n.size {
		return dst, registry.Unfit(field, format.OutOfRange, "it has %d bytes, %s has %d", len(b), n, n.size)
	}
	return append(dst, b...), nil
}

// parseUUID reads 8-4-4-4-12 hexadecimal digits.
func parseUUID(dst, s []byte) bool {
	if len(s) != 36 {
		return false
	}
	at := 0
	for _, part := range [][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, 36}} {
		if part[0] > 0 && s[part[0]-1] != '-' {
			return false
		}
		n, err := hex.Decode(dst[at:], s[part[0]:part[1]])
		if err != nil {
			return false
		}
		at += n
	}
	return true
}

// decimalOf appends a number in two's complement, big-endian: as short as can be, or of the fixed size.
func decimalOf(dst []byte, n *node, field string, v *vector.Vector, i int) ([]byte, error) {
	var d types.Int128
	scale := uint8(0)
	switch v.Type.Kind {
	case types.Decimal:
		d, scale = v.Decs[i], v.Type.Scale
	case types.Uint:
		d = types.FromUint64(uint64(v.Ints[i]))
	default:
		d = types.FromInt64(v.Ints[i])
	}
	d, ok := types.Rescale(d, scale, uint8(n.scale))
	if !ok || !types.FitsDecimal(d, n.digits) {
		return dst, registry.Unfit(field, format.OutOfRange, "%s does not fit a decimal of %d digits, %d of them after the point", v.Value(i).Text(), n.digits, n.scale)
	}
	var b [16]byte
	short, fill := d.AppendBigEndian(b[:0]), byte(d.Hi>>63)
	if n.kind == octets {
		return appendBytes(dst, short), nil
	}
	if len(short) > n.size {
		return dst, registry.Unfit(field, format.OutOfRange, "%s does not fit %s of %d bytes", v.Value(i).Text(), n, n.size)
	}
	for range n.size - len(short) {
		dst = append(dst, fill)
	}
	return append(dst, short...), nil
}

// accepting is the branch of a union that takes the values of a SQL type, 0 of another type that does; -1: none does.
func (n *node) accepting(t types.Type) int {
	if n.kind == union {
		return slices.IndexFunc(n.branches, func(b *node) bool { return b.accepts(t) })
	}
	if n.accepts(t) || n.kind == null && t.Kind == types.Null {
		return 0
	}
	return -1
}

// accepts says whether a type takes the values of a SQL type, NULL apart.
func (n *node) accepts(t types.Type) bool {
	is := func(kinds ...types.Kind) bool { return slices.Contains(kinds, t.Kind) }
	switch n.kind {
	case boolean:
		return is(types.Boolean)
	case integer:
		switch n.logical {
		case plain:
			return is(types.Int, types.Uint)
		case date:
			return is(types.Date)
		case timeMillis, timeMicros:
			return is(types.Time)
		}
		return is(types.Timestamp)
	case float, double:
		return is(types.Double) || is(types.Int) && t.Bits <= 32 && n.kind == double
	case text:
		return !is(types.Varbinary)
	case enum:
		return is(types.Varchar)
	case octets, fixed:
		switch n.logical {
		case decimal:
			return is(types.Decimal, types.Int, types.Uint)
		case uuid:
			return is(types.Varchar)
		}
		return is(types.Varbinary)
	case array:
		return is(types.Array, types.JSON)
	case mapping:
		return is(types.Map, types.JSON, types.Struct)
	case record:
		return is(types.Struct, types.JSON, types.Map)
	}
	return false
}
