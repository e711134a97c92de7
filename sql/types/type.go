// Package types holds the SQL types of the engine, their values at the edges, and the exact arithmetic they share.
// It is the floor of the house: it imports the standard library only.
package types

import (
	"fmt"
	"strings"
)

// Kind is the family of a type.
type Kind uint8

// The kinds. The comment names what a column of the kind holds (see vector.Vector).
const (
	Null      Kind = iota // the type of the literal NULL; no values
	Boolean               // Ints: 0 or 1
	Int                   // Ints; Bits is 8, 16, 32 or 64
	Uint                  // Ints, the bits of a uint64; Bits as for Int
	Double                // Floats; FLOAT is Bits 32
	Decimal               // Decs scaled by Scale; at most MaxDecimalDigits digits
	Varchar               // Bytes, UTF-8
	Varbinary             // Bytes
	Date                  // Ints: days since 1970-01-01
	Time                  // Ints: microseconds, signed
	Timestamp             // Ints: microseconds since 1970-01-01T00:00:00Z; DATETIME and TIMESTAMP
	JSON                  // Bytes: JSON text
	Array                 // Bytes: JSON text; Elem
	Map                   // Bytes: JSON text; Elem (keys are strings)
	Struct                // Bytes: JSON text; Fields
)

// Physical is how a column stores the values of a kind.
type Physical uint8

// The physical forms.
const (
	PhysNone Physical = iota
	PhysInt
	PhysFloat
	PhysDec
	PhysBytes
)

// MaxDecimalDigits is the largest precision of a DECIMAL: what a signed 128-bit integer holds in full.
const MaxDecimalDigits = 38

// Field is one field of a STRUCT.
type Field struct {
	Name string
	Type Type
}

// Type is a SQL type. The zero Type is the type of NULL.
type Type struct {
	Kind      Kind
	Bits      uint8 // Int, Uint, Double
	Precision uint8 // Decimal: digits; Time, Timestamp: fractional digits 0..6
	Scale     uint8 // Decimal: digits after the point
	Length    int   // Varchar(n), Varbinary(n): declared length, 0 none
	Elem      *Type
	Fields    []Field
}

// Common types.
var (
	TNull      = Type{}
	TBoolean   = Type{Kind: Boolean}
	TBigInt    = Type{Kind: Int, Bits: 64}
	TInt       = Type{Kind: Int, Bits: 32}
	TUBigInt   = Type{Kind: Uint, Bits: 64}
	TDouble    = Type{Kind: Double, Bits: 64}
	TVarchar   = Type{Kind: Varchar}
	TVarbinary = Type{Kind: Varbinary}
	TDate      = Type{Kind: Date}
	TTimestamp = Type{Kind: Timestamp, Precision: 3}
	TJSON      = Type{Kind: JSON}
)

// TDecimal is DECIMAL(precision, scale), capped at MaxDecimalDigits.
func TDecimal(precision, scale int) Type {
	return Type{Kind: Decimal, Precision: uint8(min(precision, MaxDecimalDigits)), Scale: uint8(min(scale, MaxDecimalDigits))}
}

// Physical says which slice of a vector holds the type.
func (t Type) Physical() Physical {
	switch t.Kind {
	case Boolean, Int, Uint, Date, Time, Timestamp:
		return PhysInt
	case Double:
		return PhysFloat
	case Decimal:
		return PhysDec
	case Varchar, Varbinary, JSON, Array, Map, Struct:
		return PhysBytes
	}
	return PhysNone
}

// Exact says whether the type is an exact number (integers, booleans, decimals).
func (t Type) Exact() bool {
	return t.Kind == Boolean || t.Kind == Int || t.Kind == Uint || t.Kind == Decimal
}

// Numeric says whether the type is a number.
func (t Type) Numeric() bool { return t.Exact() || t.Kind == Double }

// Text says whether the type is a string of characters or bytes.
func (t Type) Text() bool { return t.Kind == Varchar || t.Kind == Varbinary }

// Temporal says whether the type is a date, time or timestamp.
func (t Type) Temporal() bool { return t.Kind == Date || t.Kind == Time || t.Kind == Timestamp }

// Nested says whether the type is carried as JSON text.
func (t Type) Nested() bool { return t.Kind >= JSON }

// Equal compares two types, declared lengths apart.
func (t Type) Equal(o Type) bool {
	if t.Kind != o.Kind || t.Bits != o.Bits || t.Precision != o.Precision || t.Scale != o.Scale || len(t.Fields) != len(o.Fields) {
		return false
	}
	if (t.Elem == nil) != (o.Elem == nil) || t.Elem != nil && !t.Elem.Equal(*o.Elem) {
		return false
	}
	for i := range t.Fields {
		if t.Fields[i].Name != o.Fields[i].Name || !t.Fields[i].Type.Equal(o.Fields[i].Type) {
			return false
		}
	}
	return true
}

// String writes the type as the dialect declares it.
func (t Type) String() string {
	switch t.Kind {
	case Null:
		return "NULL"
	case Boolean:
		return "BOOLEAN"
	case Int, Uint:
		s := map[uint8]string{8: "TINYINT", 16: "SMALLINT", 32: "INT"}[t.Bits]
		if s == "" {
			s = "BIGINT"
		}
		if t.Kind == Uint {
			s += " UNSIGNED"
		}
		return s
	case Double:
		if t.Bits == 32 {
			return "FLOAT"
		}
		return "DOUBLE"
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case Varchar, Varbinary:
		s := "VARCHAR"
		if t.Kind == Varbinary {
			s = "VARBINARY"
		}
		if t.Length > 0 {
			s += fmt.Sprintf("(%d)", t.Length)
		}
		return s
	case Date:
		return "DATE"
	case Time, Timestamp:
		s := "TIME"
		if t.Kind == Timestamp {
			s = "TIMESTAMP"
		}
		if t.Precision > 0 {
			s += fmt.Sprintf("(%d)", t.Precision)
		}
		return s
	case JSON:
		return "JSON"
	case Array:
		return "ARRAY<" + t.Elem.String() + ">"
	case Map:
		return "MAP<VARCHAR, " + t.Elem.String() + ">"
	case Struct:
		var f []string
		for _, x := range t.Fields {
			f = append(f, x.Name+" "+x.Type.String())
		}
		return "STRUCT<" + strings.Join(f, ", ") + ">"
	}
	return "?"
}
