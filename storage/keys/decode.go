package keys

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Decode reads a key of AppendRow, appends one value to each vector (whose types must be those of the key's columns, or
// other exact numbers for exact numbers) and returns the rest of key. A value that its vector's type cannot hold is
// ErrCorrupt.
func Decode(key []byte, into []*vector.Vector) (rest []byte, err error) {
	for _, v := range into {
		if key, err = decode(key, v); err != nil {
			return nil, err
		}
	}
	return key, nil
}

func decode(key []byte, v *vector.Vector) ([]byte, error) {
	if len(key) == 0 {
		return nil, ErrCorrupt
	}
	tag := key[0]
	if tag == tagNull {
		v.AppendNull()
		return key[1:], nil
	}
	var err error
	switch {
	case v.Type.Exact():
		key, err = decodeExact(key, v)
	case tag == tagOf(v.Type.Kind) && v.Type.Kind == types.Double:
		key, err = decodeDouble(key[1:], v)
	case tag == tagOf(v.Type.Kind) && v.Type.Temporal():
		if len(key) < 9 {
			return nil, ErrCorrupt
		}
		v.Ints = append(v.Ints, Time(key[1:]))
		key = key[9:]
	case tag == tagOf(v.Type.Kind):
		key, err = decodeString(key[1:], v)
	default:
		err = ErrCorrupt
	}
	if err == nil && v.Nulls != nil {
		v.Nulls = append(v.Nulls, false)
	}
	return key, err
}

func tagOf(k types.Kind) byte {
	switch k {
	case types.Double:
		return tagDouble
	case types.Varchar, types.Varbinary:
		return tagString
	case types.JSON, types.Array, types.Map, types.Struct:
		return tagNested
	case types.Date:
		return tagDate
	case types.Time:
		return tagTime
	case types.Timestamp:
		return tagTimestamp
	}
	return tagNull
}

func decodeDouble(key []byte, v *vector.Vector) ([]byte, error) {
	if len(key) < 8 {
		return nil, ErrCorrupt
	}
	b := binary.BigEndian.Uint64(key)
	if b>>63 != 0 {
		b &^= 1 << 63
	} else {
		b = ^b
	}
	v.Floats = append(v.Floats, math.Float64frombits(b))
	return key[8:], nil
}

func decodeString(key []byte, v *vector.Vector) ([]byte, error) {
	if len(v.Bytes.Off) == 0 {
		v.Bytes.Off = append(v.Bytes.Off, 0)
	}
	data, key, err := CutBytes(v.Bytes.Data, key)
	if err != nil {
		return nil, err
	}
	v.Bytes.Data = data
	v.Bytes.Off = append(v.Bytes.Off, uint32(len(data)))
	return key, nil
}

// CutBytes appends to dst the bytes whose form (AppendBytes) key begins with, and returns the rest of key.
func CutBytes(dst, key []byte) (b, rest []byte, err error) {
	for {
		i := bytes.IndexByte(key, 0)
		if i < 0 || i+1 >= len(key) {
			return dst, nil, ErrCorrupt
		}
		dst = append(dst, key[:i]...)
		end := key[i+1]
		key = key[i+2:]
		if end == 0 {
			return dst, key, nil
		}
		if end != 0xFF {
			return dst, nil, ErrCorrupt
		}
		dst = append(dst, 0)
	}
}

func decodeExact(key []byte, v *vector.Vector) ([]byte, error) {
	negative := key[0] < exactZero
	n := int(key[0]) - exactZero
	if negative {
		n = exactZero - 1 - int(key[0])
	}
	if n < 0 || n > 16 || len(key) < 1+n {
		return nil, ErrCorrupt
	}
	var hi, lo uint64
	for _, b := range key[1 : 1+n] {
		if negative {
			b = ^b
		}
		hi, lo = hi<<8|lo>>56, lo<<8|uint64(b)
	}
	if negative {
		hi, lo = ^hi, ^lo
	}
	key = key[1+n:]
	end := bytes.IndexByte(key, 0)
	if end < 0 || hi>>63 != 0 != negative {
		return nil, ErrCorrupt
	}
	return key[end+1:], appendExact(v, types.Int128{Hi: int64(hi), Lo: lo}, key[:end])
}

// appendExact appends floor + the digit pairs.
func appendExact(v *vector.Vector, floor types.Int128, pairs []byte) error {
	if v.Type.Kind != types.Decimal {
		signed := floor.Hi == int64(floor.Lo)>>63
		unsigned := floor.Hi == 0
		if len(pairs) > 0 || v.Type.Kind == types.Uint && !unsigned || v.Type.Kind != types.Uint && !signed {
			return ErrCorrupt
		}
		v.Ints = append(v.Ints, int64(floor.Lo))
		return nil
	}
	if floor == (types.Int128{}) && len(pairs) == 0 {
		v.Decs = append(v.Decs, floor)
		return nil
	}
	// The floor of a negative number times 10^scale may lie one unit beyond what fits, but the number does: two's
	// complement arithmetic modulo 2^128 is exact then.
	hi, lo := uint64(floor.Hi), floor.Lo
	scale := int(v.Type.Scale)
	for i := range (scale + 1) / 2 {
		pair := uint64(0)
		if i < len(pairs) {
			pair = uint64(pairs[i] - 1)
		}
		by := uint64(100)
		if 2*i+1 == scale {
			if pair%10 != 0 {
				return ErrCorrupt
			}
			by, pair = 10, pair/10
		}
		hi, lo = multiplyAdd(hi, lo, by, pair)
	}
	if len(pairs) > (scale+1)/2 {
		return ErrCorrupt
	}
	v.Decs = append(v.Decs, types.Int128{Hi: int64(hi), Lo: lo})
	return nil
}

func multiplyAdd(hi, lo, by, add uint64) (uint64, uint64) {
	carry, low := bits.Mul64(lo, by)
	low, c := bits.Add64(low, add, 0)
	return hi*by + carry + c, low
}

// Skip returns what follows the first value of key, of whatever type it is.
func Skip(key []byte) ([]byte, error) {
	if len(key) == 0 {
		return nil, ErrCorrupt
	}
	tag, n := key[0], 0
	switch tag {
	case tagNull:
		return key[1:], nil
	case tagString, tagNested:
		return skipString(key[1:])
	case tagDouble, tagDate, tagTime, tagTimestamp:
		n = 9
	default: // an exact number: its floor, then digit pairs up to a zero
		n = 1 + int(tag) - exactZero
		if tag < exactZero {
			n = 1 + exactZero - 1 - int(tag)
		}
		if n < 1 || n > 17 || len(key) < n {
			return nil, ErrCorrupt
		}
		end := bytes.IndexByte(key[n:], 0)
		if end < 0 {
			return nil, ErrCorrupt
		}
		n += end + 1
	}
	if len(key) < n {
		return nil, ErrCorrupt
	}
	return key[n:], nil
}

func skipString(key []byte) ([]byte, error) {
	for {
		i := bytes.IndexByte(key, 0)
		if i < 0 || i+1 >= len(key) {
			return nil, ErrCorrupt
		}
		end := key[i+1]
		key = key[i+2:]
		if end == 0 {
			return key, nil
		}
	}
}
