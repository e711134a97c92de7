package primitive

import (
	"encoding/binary"
	"math"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func textCodec(types.Type) codec {
	return codec{
		fits:  func(t types.Type) bool { return t.Physical() != types.PhysNone && !t.Nested() },
		takes: "a scalar",
		write: appendText,
		read:  func(c *codec, data []byte, v *vector.Vector) error { return c.Text(v, data) },
	}
}

// appendText writes a double in the form that stands for all its equals.
func appendText(dst []byte, v *vector.Vector, row int) []byte {
	if v.Type.Kind == types.Double {
		return format.AppendDouble(dst, format.KeyDouble(v.Floats[row]), v.Type.Bits)
	}
	return format.AppendPlain(dst, v, row)
}

func bytesCodec(types.Type) codec {
	return codec{
		fits:  types.Type.Text,
		takes: "VARBINARY or VARCHAR",
		write: format.AppendPlain,
		read:  func(c *codec, data []byte, v *vector.Vector) error { return c.Text(v, data) },
	}
}

func isInteger(t types.Type) bool { return t.Kind == types.Int || t.Kind == types.Uint }

// intCodec holds what fits 32 bits. A larger BIGINT would be another number, so only columns of at most 32 bits are taken.
func intCodec() codec {
	return codec{
		fits:  func(t types.Type) bool { return isInteger(t) && t.Bits <= 32 },
		takes: "an integer of at most 32 bits (INT)",
		write: func(dst []byte, v *vector.Vector, row int) []byte {
			return binary.BigEndian.AppendUint32(dst, uint32(v.Ints[row]))
		},
		read: readInt,
	}
}

func readInt(c *codec, data []byte, v *vector.Vector) error {
	if len(data) != 4 {
		return c.Bad(format.Malformed, "%d bytes, but a big-endian INT has 4", len(data))
	}
	bits := binary.BigEndian.Uint32(data)
	if c.Type.Kind == types.Uint && c.Type.Bits == 32 {
		v.AppendInt(int64(bits))
		return nil
	}
	return c.integer(int64(int32(bits)), v)
}

func bigintCodec() codec {
	return codec{
		fits:  isInteger,
		takes: "an integer",
		write: func(dst []byte, v *vector.Vector, row int) []byte {
			return binary.BigEndian.AppendUint64(dst, uint64(v.Ints[row]))
		},
		read: readBigint,
	}
}

func readBigint(c *codec, data []byte, v *vector.Vector) error {
	if len(data) != 8 {
		return c.Bad(format.Malformed, "%d bytes, but a big-endian BIGINT has 8", len(data))
	}
	bits := binary.BigEndian.Uint64(data)
	if c.Type.Kind == types.Uint && c.Type.Bits == 64 {
		v.AppendInt(int64(bits))
		return nil
	}
	return c.integer(int64(bits), v)
}

// integer appends a number after checking it against the column's range.
func (c *codec) integer(x int64, v *vector.Vector) error {
	lo, hi := types.IntRange(c.Type.Bits)
	if c.Type.Kind == types.Uint {
		lo, hi = 0, int64(types.UintMax(c.Type.Bits))
	}
	if x < lo || x > hi {
		return c.Bad(format.OutOfRange, "%d is out of range for %s", x, c.Type)
	}
	v.AppendInt(x)
	return nil
}

func doubleCodec() codec {
	return codec{
		fits:  func(t types.Type) bool { return t.Kind == types.Double },
		takes: "a DOUBLE or FLOAT",
		write: func(dst []byte, v *vector.Vector, row int) []byte {
			return binary.BigEndian.AppendUint64(dst, math.Float64bits(format.KeyDouble(v.Floats[row])))
		},
		read: readDouble,
	}
}

func readDouble(c *codec, data []byte, v *vector.Vector) error {
	if len(data) != 8 {
		return c.Bad(format.Malformed, "%d bytes, but a big-endian DOUBLE has 8", len(data))
	}
	f := math.Float64frombits(binary.BigEndian.Uint64(data))
	if c.Type.Bits == 32 && float64(float32(f)) != f && !math.IsNaN(f) {
		return c.Bad(format.OutOfRange, "%g is not exactly a FLOAT", f)
	}
	v.AppendFloat(f)
	return nil
}
