// Package keys encodes typed values as bytes that order as the values do, so that equal keys are equal bytes in state, in
// shuffles and in changelogs.
//
// A value is a tag byte and what follows; NULL (0x00) comes first. The encoding of a value is never a prefix of another's,
// so a composite key is the concatenation of its columns and orders by them. All exact numbers (BOOLEAN, INT, UINT,
// DECIMAL) share one form without a scale: INT 1, BIGINT 1, TRUE and DECIMAL 1.00 are the same bytes (semantics S6).
// DOUBLE has one NaN, the largest value, and no negative zero. Strings compare as bytes, unpadded.
//
// The bytes are on disk and decide which partition of a shuffle topic a key lives in: they never change.
package keys

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Tags. Exact numbers use the tags from exactZero-17 to exactZero+16.
const (
	tagNull      = 0x00
	exactZero    = 0x80 // + the number of bytes of the integer part; negative: exactZero-1 - that number
	tagDouble    = 0xA0
	tagString    = 0xB0
	tagNested    = 0xB1
	tagDate      = 0xC0
	tagTime      = 0xC1
	tagTimestamp = 0xC2
)

// ErrCorrupt is returned for bytes that are no key of the expected types.
var ErrCorrupt = errors.New("corrupt key encoding")

// Append appends the encoding of v's value in row.
func Append(dst []byte, v *vector.Vector, row int) []byte {
	if v.Nulls != nil && v.Nulls[row] {
		return append(dst, tagNull)
	}
	switch v.Type.Kind {
	case types.Boolean, types.Int:
		return appendInt(dst, v.Ints[row])
	case types.Uint:
		return append(appendMagnitude(dst, exactZero, 0, uint64(v.Ints[row])), 0)
	case types.Decimal:
		return appendDecimal(dst, v.Decs[row], v.Type.Scale)
	case types.Double:
		return appendDouble(dst, v.Floats[row])
	case types.Varchar, types.Varbinary:
		return AppendBytes(append(dst, tagString), v.Bytes.At(row))
	case types.Date:
		return AppendTime(append(dst, tagDate), v.Ints[row])
	case types.Time:
		return AppendTime(append(dst, tagTime), v.Ints[row])
	case types.Timestamp:
		return AppendTime(append(dst, tagTimestamp), v.Ints[row])
	case types.JSON, types.Array, types.Map, types.Struct:
		return AppendBytes(append(dst, tagNested), v.Bytes.At(row))
	}
	return append(dst, tagNull)
}

// AppendRow appends the composite key of the columns' values in row.
func AppendRow(dst []byte, cols []*vector.Vector, row int) []byte {
	for _, c := range cols {
		dst = Append(dst, c, row)
	}
	return dst
}

// AppendTime appends a fixed 8-byte form of an int64 that orders as the number does.
func AppendTime(dst []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(t)^1<<63)
}

// Time reads AppendTime's form from the first 8 bytes of b.
func Time(b []byte) int64 { return int64(binary.BigEndian.Uint64(b) ^ 1<<63) }

// Hash is the hash that shuffles partition by: partition = Hash(key) % partitions (xxHash64, seed 0).
func Hash(key []byte) uint64 { return xxhash.Sum64(key) }

func appendInt(dst []byte, x int64) []byte {
	if x >= 0 && x < 256 { // most booleans, flags and small ids
		if x == 0 {
			return append(dst, exactZero, 0)
		}
		return append(dst, exactZero+1, byte(x), 0)
	}
	if x < 0 {
		return append(appendNegative(dst, 0, uint64(^x)), 0)
	}
	return append(appendMagnitude(dst, exactZero, 0, uint64(x)), 0)
}

func appendDouble(dst []byte, f float64) []byte {
	bits := math.Float64bits(f)
	switch {
	case f == 0:
		bits = 0 // -0 is 0
	case f != f:
		bits = math.Float64bits(math.NaN())
	}
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(append(dst, tagDouble), bits)
}

// AppendBytes appends any bytes in a form that orders as they do and is never a prefix of another's: 0x00 is escaped as
// 0x00FF, and the end is 0x0000.
func AppendBytes(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, 0)
		if i < 0 {
			break
		}
		dst = append(append(dst, b[:i]...), 0, 0xFF)
		b = b[i+1:]
	}
	return append(append(dst, b...), 0, 0)
}
