package types

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// Text is v as a client shows it: NULL as NULL, strings without quotes, the fraction of a time in as many groups of three
// digits as it needs.
func (v Value) Text() string { return string(AppendText(nil, v)) }

// AppendText appends Text.
func AppendText(dst []byte, v Value) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "NULL"...)
	case Time:
		return AppendTime(dst, v.I, fractionDigits(v.I))
	case Timestamp:
		return AppendTimestamp(dst, v.I, fractionDigits(v.I))
	}
	return AppendTextAs(dst, v, Type{})
}

// AppendTextAs is AppendText with the fractional digits of t for TIME and TIMESTAMP, and FLOAT's shorter digits.
func AppendTextAs(dst []byte, v Value, t Type) []byte {
	switch v.Kind {
	case Null:
		return append(dst, "NULL"...)
	case Boolean, Int:
		return strconv.AppendInt(dst, v.I, 10)
	case Uint:
		return strconv.AppendUint(dst, uint64(v.I), 10)
	case Double:
		bits := 64
		if t.Bits == 32 {
			bits = 32
		}
		return AppendDouble(dst, v.F, bits)
	case Decimal:
		return AppendDecimal(dst, v.D, v.Scale)
	case Date:
		return AppendDate(dst, v.I)
	case Time:
		return AppendTime(dst, v.I, t.Precision)
	case Timestamp:
		return AppendTimestamp(dst, v.I, t.Precision)
	}
	return append(dst, v.S...)
}

func fractionDigits(micros int64) uint8 {
	switch {
	case micros%1_000_000 == 0:
		return 0
	case micros%1000 == 0:
		return 3
	}
	return 6
}

// Literal is v as it is written in SQL.
func (v Value) Literal() string {
	switch v.Kind {
	case Boolean:
		if v.I != 0 {
			return "TRUE"
		}
		return "FALSE"
	case Double:
		s := v.Text()
		if !strings.ContainsAny(s, "eE") {
			s += "e0"
		}
		return s
	case Varchar, JSON, Array, Map, Struct:
		return quote(v.S)
	case Varbinary:
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(v.S))) + "'"
	case Date:
		return "DATE '" + v.Text() + "'"
	case Time:
		return "TIME '" + v.Text() + "'"
	case Timestamp:
		return "TIMESTAMP '" + v.Text() + "'"
	}
	return v.Text()
}

func quote(s string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`, "\x00", `\0`, "\n", `\n`, "\r", `\r`).Replace(s) + "'"
}
