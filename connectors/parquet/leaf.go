package parquet

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	stdjson "encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	streamformat "github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
)

// leaf is how a value of a type is written as JSON; want is the column's type in the relation.
func leaf(t parquet.Type, want types.Type) func([]byte, parquet.Value) []byte {
	if l := t.LogicalType(); l != nil {
		switch x := l.Value.(type) {
		case *format.DecimalType:
			return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v, uint8(x.Scale)) }
		case *format.DateType:
			return func(dst []byte, v parquet.Value) []byte { return quoted(dst, types.AppendDate(nil, int64(v.Int32()))) }
		case *format.TimeType:
			unit := perUnit(x.Unit)
			return func(dst []byte, v parquet.Value) []byte {
				return quoted(dst, types.AppendTime(nil, micros(whole(v), unit), 6))
			}
		case *format.TimestampType:
			unit := perUnit(x.Unit)
			return func(dst []byte, v parquet.Value) []byte {
				return quoted(dst, types.AppendISO(nil, micros(v.Int64(), unit), 6))
			}
		case *format.IntType:
			if !x.IsSigned {
				return appendUnsigned
			}
		case *format.JsonType:
			return embedded
		case *format.UUIDType:
			return appendUUID
		case *format.Float16Type:
			return func(dst []byte, v parquet.Value) []byte { return appendDouble(dst, float16(v.ByteArray()), 32) }
		case *format.StringType, *format.EnumType:
			if want.Kind == types.JSON {
				return embedded
			}
			return func(dst []byte, v parquet.Value) []byte { return json.AppendString(dst, v.ByteArray()) }
		}
	}
	return physical(t.Kind(), want)
}

// physical is the same for a value of which nothing is said but how it is stored.
func physical(k parquet.Kind, want types.Type) func([]byte, parquet.Value) []byte {
	switch k {
	case parquet.Boolean:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) }
	case parquet.Int32, parquet.Int64:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, whole(v), 10) }
	case parquet.Int96:
		return appendInt96
	case parquet.Float:
		return func(dst []byte, v parquet.Value) []byte { return appendDouble(dst, float64(v.Float()), 32) }
	case parquet.Double:
		return func(dst []byte, v parquet.Value) []byte { return appendDouble(dst, v.Double(), 64) }
	}
	return func(dst []byte, v parquet.Value) []byte {
		b := v.ByteArray()
		if want.Kind != types.Varbinary && utf8.Valid(b) {
			return json.AppendString(dst, b)
		}
		return quoted(dst, []byte(base64.StdEncoding.EncodeToString(b)))
	}
}

// quoted appends a text that needs no escapes.
func quoted(dst, text []byte) []byte { return append(append(append(dst, '"'), text...), '"') }

// embedded appends a text that is JSON as it is.
func embedded(dst []byte, v parquet.Value) []byte {
	if b := v.ByteArray(); stdjson.Valid(b) {
		return append(dst, b...)
	}
	return json.AppendString(dst, v.ByteArray())
}

func whole(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func appendUnsigned(dst []byte, v parquet.Value) []byte {
	if v.Kind() == parquet.Int32 {
		return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
	}
	return strconv.AppendUint(dst, v.Uint64(), 10)
}

func appendDouble(dst []byte, f float64, bits uint8) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) { // JSON has no word for them
		return append(dst, "null"...)
	}
	return streamformat.AppendDouble(dst, f, bits)
}

func appendDecimal(dst []byte, v parquet.Value, scale uint8) []byte {
	var d types.Int128
	ok := true
	switch v.Kind() {
	case parquet.Int32, parquet.Int64:
		d = types.FromInt64(whole(v))
	default:
		d, ok = types.FromBigEndian(v.ByteArray())
	}
	if !ok || types.Digits(d) > 38 { // more than any column holds: the row is refused where it is decoded
		return append(dst, "1e39"...)
	}
	return types.AppendDecimal(dst, d, scale)
}

// perUnit is how many units a second has.
func perUnit(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1000
	case *format.NanoSeconds:
		return 1_000_000_000
	}
	return types.MicrosPerSecond
}

// micros are units as microseconds, cut off towards the past.
func micros(x, perSecond int64) int64 {
	if perSecond > types.MicrosPerSecond {
		return types.FloorDiv(x, perSecond/types.MicrosPerSecond)
	}
	return x * (types.MicrosPerSecond / perSecond)
}

// julianEpoch is 1970-01-01 as a Julian day.
const julianEpoch = 2_440_588

// appendInt96 appends the timestamp of older writers: nanoseconds of the day, and the Julian day.
func appendInt96(dst []byte, v parquet.Value) []byte {
	x := v.Int96()
	nanos := int64(uint64(x[1])<<32 | uint64(x[0]))
	us := (int64(x[2])-julianEpoch)*types.MicrosPerDay + types.FloorDiv(nanos, 1000)
	return quoted(dst, types.AppendISO(nil, us, 6))
}

func appendUUID(dst []byte, v parquet.Value) []byte {
	b := v.ByteArray()
	h := hex.EncodeToString(b)
	if len(h) != 32 {
		return quoted(dst, []byte(h))
	}
	return quoted(dst, []byte(h[:8]+"-"+h[8:12]+"-"+h[12:16]+"-"+h[16:20]+"-"+h[20:]))
}

// float16 reads an IEEE 754 half, least byte first.
func float16(b []byte) float64 {
	if len(b) != 2 {
		return math.NaN()
	}
	x := binary.LittleEndian.Uint16(b)
	exponent, fraction := int(x>>10&0x1f), float64(x&0x3ff)
	f := math.Ldexp(1+fraction/1024, exponent-15)
	switch exponent {
	case 0:
		f = math.Ldexp(fraction/1024, -14)
	case 0x1f:
		return math.NaN()
	}
	if x>>15 != 0 {
		return -f
	}
	return f
}
