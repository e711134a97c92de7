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

// integerCodec is big-endian two's complement of some bytes. A number that does not fit them would be another one, so only
// columns of at most so many bits are taken.
func integerCodec(size int, takes string, put func([]byte, int64) []byte, get func([]byte) int64) codec {
	bits := uint8(8 * size)
	return codec{
		fits:  func(t types.Type) bool { return isInteger(t) && t.Bits <= bits },
		takes: takes,
		write: func(dst []byte, v *vector.Vector, row int) []byte { return put(dst, v.Ints[row]) },
		read: func(c *codec, data []byte, v *vector.Vector) error {
			if err := c.sized(data, size); err != nil {
				return err
			}
			x := get(data)
			if c.Type.Kind == types.Uint && c.Type.Bits == bits { // all bits are digits
				if size < 8 {
					x &= 1<<bits - 1
				}
				v.AppendInt(x)
				return nil
			}
			return c.integer(x, v)
		},
	}
}

func smallintCodec() codec {
	return integerCodec(2, "an integer of at most 16 bits (SMALLINT)",
		func(dst []byte, x int64) []byte { return binary.BigEndian.AppendUint16(dst, uint16(x)) },
		func(data []byte) int64 { return int64(int16(binary.BigEndian.Uint16(data))) })
}

func intCodec() codec {
	return integerCodec(4, "an integer of at most 32 bits (INT)",
		func(dst []byte, x int64) []byte { return binary.BigEndian.AppendUint32(dst, uint32(x)) },
		func(data []byte) int64 { return int64(int32(binary.BigEndian.Uint32(data))) })
}

func bigintCodec() codec {
	return integerCodec(8, "an integer",
		func(dst []byte, x int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(x)) },
		func(data []byte) int64 { return int64(binary.BigEndian.Uint64(data)) })
}

// sized refuses data of another length.
func (c *codec) sized(data []byte, size int) error {
	if len(data) != size {
		return c.Bad(format.Malformed, "%d bytes, but as %s it has %d", len(data), c.Type, size)
	}
	return nil
}

func booleanCodec() codec {
	return codec{
		fits:  func(t types.Type) bool { return t.Kind == types.Boolean },
		takes: "BOOLEAN",
		write: func(dst []byte, v *vector.Vector, row int) []byte { return append(dst, byte(v.Ints[row])) },
		read: func(c *codec, data []byte, v *vector.Vector) error {
			if err := c.sized(data, 1); err != nil {
				return err
			}
			if data[0] > 1 {
				return c.Bad(format.Malformed, "the byte %#02x is neither 0 nor 1", data[0])
			}
			v.AppendInt(int64(data[0]))
			return nil
		},
	}
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
		read: func(c *codec, data []byte, v *vector.Vector) error {
			if err := c.sized(data, 8); err != nil {
				return err
			}
			f := math.Float64frombits(binary.BigEndian.Uint64(data))
			if c.Type.Bits == 32 && float64(float32(f)) != f && !math.IsNaN(f) {
				return c.Bad(format.OutOfRange, "%g is not exactly a FLOAT", f)
			}
			v.AppendFloat(f)
			return nil
		},
	}
}

// floatCodec holds single precision; a DOUBLE would lose digits.
func floatCodec() codec {
	return codec{
		fits:  func(t types.Type) bool { return t.Kind == types.Double && t.Bits == 32 },
		takes: "a FLOAT",
		write: func(dst []byte, v *vector.Vector, row int) []byte {
			return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(format.KeyDouble(v.Floats[row]))))
		},
		read: func(c *codec, data []byte, v *vector.Vector) error {
			if err := c.sized(data, 4); err != nil {
				return err
			}
			v.AppendFloat(float64(math.Float32frombits(binary.BigEndian.Uint32(data))))
			return nil
		},
	}
}
