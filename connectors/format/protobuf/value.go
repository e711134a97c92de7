package protobuf

import (
	"math"
	"math/big"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// int64Of is the number of a signed integer kind.
func int64Of(k protoreflect.Kind, x uint64) int64 {
	switch k {
	case protoreflect.Sint32Kind:
		return int64(int32(protowire.DecodeZigZag(x & math.MaxUint32)))
	case protoreflect.Sint64Kind:
		return protowire.DecodeZigZag(x)
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		return int64(int32(x))
	}
	return int64(x)
}

// scalar appends a value to a column that takes it as it is.
func (d *runner) scalar(f *field, x *item, t *registry.Target, v *vector.Vector) error {
	c := t.Cell
	switch f.kind {
	case protoreflect.BoolKind:
		return c.Bool(v, x.number != 0)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return c.Uint(v, uint64(uint32(x.number)))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return c.Uint(v, x.number)
	case protoreflect.FloatKind:
		return c.Float(v, float64(math.Float32frombits(uint32(x.number))), 32)
	case protoreflect.DoubleKind:
		return c.Float(v, math.Float64frombits(x.number), 64)
	case protoreflect.StringKind:
		return c.Text(v, x.bytes)
	case protoreflect.BytesKind:
		if c.Type.Kind == types.Varbinary {
			v.AppendBytes(x.bytes)
			return nil
		}
		return c.Text(v, x.bytes)
	case protoreflect.EnumKind:
		if c.Type.Kind == types.Int || c.Type.Kind == types.Uint {
			return c.Int(v, int64Of(f.kind, x.number))
		}
		d.scratch = f.symbol(d.scratch[:0], int32(x.number))
		return c.Text(v, d.scratch)
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return d.special(f.message, x.bytes, t, v)
	}
	return c.Int(v, int64Of(f.kind, x.number))
}

// special appends a message that stands for one value.
func (d *runner) special(m *message, data []byte, t *registry.Target, v *vector.Vector) error {
	items := len(d.items)
	in, err := d.open(m, data)
	if err != nil {
		return err
	}
	defer d.close(in, items)
	c := t.Cell
	switch m.special {
	case wrapper:
		var x item
		if have, ok := d.get(in, 0); ok {
			x = *have
		}
		return d.scalar(&m.fields[0], &x, t, v)
	case decimal:
		d.scratch = d.decimalText(d.scratch[:0], in)
		return c.Number(v, d.scratch)
	case duration:
		d.scratch = d.durationText(d.scratch[:0], in)
		return c.Text(v, d.scratch)
	}
	us, ok := d.micros(in)
	switch {
	case !ok:
		return c.Bad(format.OutOfRange, "its %s is outside the years 0000 to 9999", m.desc.Name())
	case c.Type.Temporal():
		return c.Micros(v, us)
	}
	d.scratch = appendTime(d.scratch[:0], m.special, us)
	return c.Text(v, d.scratch)
}

// number is an integer field of a message; 0 when it is not there.
func (d *runner) number(in found, i int) int64 {
	x, ok := d.get(in, i)
	if !ok {
		return 0
	}
	return int64Of(in.m.fields[i].kind, x.number)
}

// micros is a time in microseconds, rounded half away from zero; false when it is none.
func (d *runner) micros(in found) (int64, bool) {
	switch in.m.special {
	case calendarDate:
		y, m, day := d.number(in, 0), d.number(in, 1), d.number(in, 2)
		if y < 0 || y > 9999 || m < 1 || m > 12 || day < 1 || day > 31 {
			return 0, false
		}
		c := types.Civil{Year: int(y), Month: int(m), Day: int(day)}
		return c.Micros(), c.Valid()
	case timeOfDay:
		h, m, s, ns := d.number(in, 0), d.number(in, 1), d.number(in, 2), d.number(in, 3)
		ok := h >= 0 && h <= 24 && m >= 0 && m < 60 && s >= 0 && s <= 60 && ns >= 0 && ns < 1e9
		return ((h*60+m)*60+s)*types.MicrosPerSecond + (ns+500)/1000, ok
	}
	s, ns := d.number(in, 0), d.number(in, 1)
	if s < -1e11 || s > 1e12 || ns < 0 || ns >= 1e9 {
		return 0, false
	}
	us := s*types.MicrosPerSecond + (ns+500)/1000
	if s < 0 && ns%1000 == 500 { // half away from zero
		us--
	}
	return us, us >= firstMicro && us < afterLast
}

// The calendar of MySQL: years 0000 to 9999.
var (
	firstMicro = types.Civil{Year: 0, Month: 1, Day: 1}.Micros()
	afterLast  = types.Civil{Year: 10000, Month: 1, Day: 1}.Micros()
)

func appendTime(dst []byte, s special, us int64) []byte {
	switch s {
	case calendarDate:
		return types.AppendDate(dst, types.FloorDiv(us, types.MicrosPerDay))
	case timeOfDay:
		return types.AppendTime(dst, us, 6)
	}
	return types.AppendISO(dst, us, 6)
}

// durationText is a duration as Protocol Buffers' JSON writes it: 1.5s, with 0, 3, 6 or 9 digits after the point.
func (d *runner) durationText(dst []byte, in found) []byte {
	s, ns := d.number(in, 0), d.number(in, 1)
	if s < 0 || ns < 0 {
		dst = append(dst, '-')
	}
	if s < 0 {
		dst = strconv.AppendUint(dst, -uint64(s), 10)
	} else {
		dst = strconv.AppendInt(dst, s, 10)
	}
	ns = max(ns, -ns)
	digits := 9
	for ns > 0 && digits > 3 && ns%1000 == 0 {
		ns /= 1000
		digits -= 3
	}
	if ns > 0 {
		at := len(dst)
		dst = strconv.AppendInt(dst, ns, 10)
		for len(dst)-at < digits {
			dst = append(dst[:at], append([]byte{'0'}, dst[at:]...)...)
		}
		dst = append(dst[:at], append([]byte{'.'}, dst[at:]...)...)
	}
	return append(dst, 's')
}

// decimalText is a confluent.type.Decimal: a number in two's complement, big-endian, with a scale.
func (d *runner) decimalText(dst []byte, in found) []byte {
	var b []byte
	if x, ok := d.get(in, 0); ok {
		b = x.bytes
	}
	x := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	scale := int(d.number(in, 2))
	if scale <= 0 || scale > 1000 {
		return append(append(dst, x.String()...), zeros(-scale)...)
	}
	digits := x.String()
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	digits = zeros(scale+1-len(digits)) + digits
	dst = append(append(dst, digits[:len(digits)-scale]...), '.')
	return append(dst, digits[len(digits)-scale:]...)
}

func zeros(n int) string {
	const some = "0000000000000000000000000000000000000000"
	out := ""
	for n = min(n, 1000); n > 0; n -= len(some) {
		out += some[:min(n, len(some))]
	}
	return out
}
