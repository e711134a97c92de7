package protobuf

import (
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// writer appends values. It belongs to one goroutine.
type writer struct {
	scratch []byte
	key     bool // doubles are written as the one that stands for all that are equal
}

func (f *field) required() bool { return f.desc.Cardinality() == protoreflect.Required }

// emptiness is what a field without presence is read as.
func (f *field) emptiness() string {
	switch f.kind {
	case protoreflect.BoolKind:
		return "false"
	case protoreflect.StringKind, protoreflect.BytesKind:
		return "an empty one"
	}
	return "0"
}

// accepts says whether a field takes the values of a SQL type, NULL apart.
func (f *field) accepts(t types.Type) bool {
	is := func(kinds ...types.Kind) bool { return slices.Contains(kinds, t.Kind) }
	switch {
	case is(types.Null):
		return true
	case f.entries:
		return is(types.Map, types.Struct, types.JSON)
	case f.list:
		return is(types.Array, types.JSON)
	}
	switch f.kind {
	case protoreflect.BoolKind:
		return is(types.Boolean)
	case protoreflect.StringKind:
		return !is(types.Varbinary)
	case protoreflect.BytesKind:
		return is(types.Varbinary)
	case protoreflect.EnumKind:
		return is(types.Varchar, types.Int)
	case protoreflect.FloatKind:
		return is(types.Double)
	case protoreflect.DoubleKind:
		return is(types.Double) || is(types.Int) && t.Bits <= 32
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return f.message.accepts(t)
	}
	return is(types.Int, types.Uint)
}

func (m *message) accepts(t types.Type) bool {
	is := func(kinds ...types.Kind) bool { return slices.Contains(kinds, t.Kind) }
	switch m.special {
	case timestamp:
		return is(types.Timestamp)
	case calendarDate:
		return is(types.Date)
	case timeOfDay:
		return is(types.Time)
	case decimal:
		return is(types.Decimal)
	case duration:
		return false
	case wrapper:
		return m.fields[0].accepts(t)
	case anyStruct:
		return is(types.Struct, types.Map, types.JSON)
	case anyList:
		return is(types.Array, types.JSON)
	case anyValue:
		return t.Nested()
	}
	return is(types.Struct, types.Map, types.JSON)
}

func (w *writer) column(dst []byte, p *put, v *vector.Vector, row int) ([]byte, error) {
	switch {
	case p.nested != nil:
		return p.nested.append(dst, p.field, v.Bytes.At(row))
	case p.time != nil:
		w.scratch = p.time.Append(w.scratch[:0], v, row)
		return protowire.AppendBytes(protowire.AppendTag(dst, p.field.number, protowire.BytesType), w.scratch), nil
	}
	return w.one(dst, p.field, p.name, v, row)
}

// one appends a field with row i of v.
func (w *writer) one(dst []byte, f *field, name string, v *vector.Vector, i int) ([]byte, error) {
	if f.message != nil {
		at := len(dst)
		dst, err := w.special(dst, f.message, name, v, i)
		return wrap(dst, at, f), err
	}
	dst = protowire.AppendTag(dst, f.number, f.wire)
	if f.wire == protowire.BytesType {
		if v.Type.Physical() == types.PhysBytes {
			return protowire.AppendBytes(dst, v.Bytes.At(i)), nil
		}
		w.scratch = format.AppendPlain(w.scratch[:0], v, i)
		return protowire.AppendBytes(dst, w.scratch), nil
	}
	x, err := w.number(f, name, v, i)
	return appendNumber(dst, f.wire, x), err
}

func appendNumber(dst []byte, wire protowire.Type, x uint64) []byte {
	switch wire {
	case protowire.Fixed32Type:
		return protowire.AppendFixed32(dst, uint32(x))
	case protowire.Fixed64Type:
		return protowire.AppendFixed64(dst, x)
	}
	return protowire.AppendVarint(dst, x)
}

// number is row i of v as the wire type holds it.
func (w *writer) number(f *field, name string, v *vector.Vector, i int) (uint64, error) {
	switch f.kind {
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return w.float(f, v, i), nil
	case protoreflect.BoolKind:
		return uint64(v.Ints[i]), nil
	case protoreflect.EnumKind:
		if v.Type.Kind == types.Varchar {
			s := v.Bytes.At(i)
			e := f.desc.Enum().Values().ByName(protoreflect.Name(s))
			if e == nil {
				return 0, registry.Unfit(name, format.WrongType, "%s is not a value of %s", format.Shown(s), f)
			}
			return uint64(int64(e.Number())), nil
		}
	}
	x := v.Ints[i]
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	switch f.kind {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		lo, hi = math.MinInt32, math.MaxInt32
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		lo, hi = 0, math.MaxUint32
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		if v.Type.Kind == types.Uint {
			return uint64(x), nil
		}
		lo = 0
	}
	if x < lo || x > hi || v.Type.Kind == types.Uint && x < 0 {
		return 0, registry.Unfit(name, format.OutOfRange, "%s does not fit %s", v.Value(i).Text(), f)
	}
	return encodeInt(f.kind, x), nil
}

func (w *writer) float(f *field, v *vector.Vector, i int) uint64 {
	x := 0.0
	if v.Type.Kind == types.Double {
		x = v.Floats[i]
	} else {
		x = float64(v.Ints[i])
	}
	if w.key {
		x = format.KeyDouble(x)
	}
	if f.kind == protoreflect.FloatKind {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// special appends the content of a message that stands for one value.
func (w *writer) special(dst []byte, m *message, name string, v *vector.Vector, i int) ([]byte, error) {
	integer := func(field int, x int64) {
		if x != 0 {
			f := &m.fields[field]
			dst = protowire.AppendVarint(protowire.AppendTag(dst, f.number, protowire.VarintType), uint64(x))
		}
	}
	switch m.special {
	case wrapper:
		return w.one(dst, &m.fields[0], name, v, i)
	case decimal:
		return w.decimal(dst, m, v, i), nil
	case calendarDate:
		c := types.CivilOf(v.Ints[i] * types.MicrosPerDay)
		integer(0, int64(c.Year))
		integer(1, int64(c.Month))
		integer(2, int64(c.Day))
	case timeOfDay:
		us := v.Ints[i]
		if us < 0 || us >= types.MicrosPerDay {
			return dst, registry.Unfit(name, format.OutOfRange, "%s is not a time of the day", v.Value(i).Text())
		}
		s := us / types.MicrosPerSecond
		integer(0, s/3600)
		integer(1, s/60%60)
		integer(2, s%60)
		integer(3, us%types.MicrosPerSecond*1000)
	default: // timestamp
		s := types.FloorDiv(v.Ints[i], types.MicrosPerSecond)
		integer(0, s)
		integer(1, (v.Ints[i]-s*types.MicrosPerSecond)*1000)
	}
	return dst, nil
}

func (w *writer) decimal(dst []byte, m *message, v *vector.Vector, i int) []byte {
	d := v.Decs[i]
	w.scratch = w.scratch[:0]
	for shift := 56; shift >= 0; shift -= 8 {
		w.scratch = append(w.scratch, byte(d.Hi>>shift))
	}
	for shift := 56; shift >= 0; shift -= 8 {
		w.scratch = append(w.scratch, byte(d.Lo>>shift))
	}
	short, fill := w.scratch, byte(d.Hi>>63)
	for len(short) > 1 && short[0] == fill && (short[1]^fill)&0x80 == 0 {
		short = short[1:]
	}
	dst = protowire.AppendBytes(protowire.AppendTag(dst, m.fields[0].number, protowire.BytesType), short)
	dst = protowire.AppendVarint(protowire.AppendTag(dst, m.fields[1].number, protowire.VarintType), uint64(v.Type.Precision))
	if v.Type.Scale != 0 {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, m.fields[2].number, protowire.VarintType), uint64(v.Type.Scale))
	}
	return dst
}

// wrap puts the tag and length of a message before its content, dst[at:].
func wrap(dst []byte, at int, f *field) []byte {
	n := len(dst) - at
	if f.wire == protowire.StartGroupType {
		dst = protowire.AppendTag(dst, f.number, protowire.EndGroupType)
		n = len(dst) - at
		dst = protowire.AppendTag(dst, f.number, protowire.StartGroupType)
	} else {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, f.number, protowire.BytesType), uint64(n))
	}
	return turn(dst, at, at+n)
}

// turn brings dst[middle:] before dst[at:middle].
func turn(dst []byte, at, middle int) []byte {
	slices.Reverse(dst[at:middle])
	slices.Reverse(dst[middle:])
	slices.Reverse(dst[at:])
	return dst
}
