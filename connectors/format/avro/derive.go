package avro

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Derive is the schema that values of columns are written with: a record of that name with one field per column, in order, each a
// union of null and the column's type, with the default null, so that columns may come and go between versions.
//
//	BOOLEAN                       boolean
//	TINYINT … INT, SMALLINT UNSIGNED  int
//	BIGINT, INT UNSIGNED          long
//	BIGINT UNSIGNED               bytes, decimal(20,0)
//	FLOAT, DOUBLE                 float, double
//	DECIMAL(p,s)                  bytes, decimal(p,s)
//	VARCHAR, JSON                 string
//	VARBINARY                     bytes
//	DATE                          int, date
//	TIME(p), TIMESTAMP(p)         time-millis and timestamp-millis up to three digits, else -micros
//	ARRAY, MAP, STRUCT            array, map and record, of types that may be null
func Derive(name string, cols []format.Column) (string, error) {
	var fields []types.Field
	for _, c := range cols {
		fields = append(fields, types.Field{Name: c.Name, Type: c.Type})
	}
	if !isName(name, ".") {
		return "", fmt.Errorf("%q is not a name for an Avro record: letters, digits and _, parts separated by points; say schema.name = '…'", name)
	}
	b := &strings.Builder{}
	err := deriveRecord(b, name, fields)
	return b.String(), err
}

// keySchema is the schema that keys are written with: of one column its type, of several a record as that of values.
func keySchema(name string, cols []format.Column) (string, error) {
	if len(cols) != 1 {
		return Derive(name, cols)
	}
	b := &strings.Builder{}
	err := deriveType(b, name, cols[0].Type)
	return b.String(), err
}

// isName holds the specification's rule for names; parts may be separated by one of separators.
func isName(s, separators string) bool {
	if s == "" {
		return false
	}
	for part := range strings.FieldsFuncSeq(s+" ", func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		part = strings.TrimSuffix(part, " ")
		for i, r := range part {
			letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
			if !letter && (i == 0 || r < '0' || r > '9') {
				return false
			}
		}
		if part == "" {
			return false
		}
	}
	return true
}

func deriveRecord(b *strings.Builder, name string, fields []types.Field) error {
	fmt.Fprintf(b, `{"type":"record","name":%q,"fields":[`, name)
	for i, f := range fields {
		if !isName(f.Name, "") {
			return fmt.Errorf("column %q cannot be a field of an Avro record: its names are of letters, digits and _; give it one, … AS name", f.Name)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, `{"name":%q,"type":`, f.Name)
		if err := deriveOptional(b, name+"_"+f.Name, f.Type); err != nil {
			return err
		}
		b.WriteString(`,"default":null}`)
	}
	b.WriteString("]}")
	return nil
}

func deriveOptional(b *strings.Builder, name string, t types.Type) error {
	b.WriteString(`["null",`)
	err := deriveType(b, name, t)
	b.WriteByte(']')
	return err
}

// deriveType writes a type; name is for a record, should it be one.
func deriveType(b *strings.Builder, name string, t types.Type) error {
	logical := func(of, what string) { fmt.Fprintf(b, `{"type":%q,"logicalType":%q}`, of, what) }
	switch t.Kind {
	case types.Boolean:
		b.WriteString(`"boolean"`)
	case types.Int, types.Uint:
		deriveInteger(b, t)
	case types.Double:
		b.WriteString(map[bool]string{true: `"float"`, false: `"double"`}[t.Bits == 32])
	case types.Decimal:
		deriveDecimal(b, int(t.Precision), int(t.Scale))
	case types.Varbinary:
		b.WriteString(`"bytes"`)
	case types.Date:
		logical("int", "date")
	case types.Time:
		if t.Precision <= 3 {
			logical("int", "time-millis")
		} else {
			logical("long", "time-micros")
		}
	case types.Timestamp:
		if t.Precision <= 3 {
			logical("long", "timestamp-millis")
		} else {
			logical("long", "timestamp-micros")
		}
	case types.Array, types.Map:
		of, inside := "array", "items"
		if t.Kind == types.Map {
			of, inside = "map", "values"
		}
		fmt.Fprintf(b, `{"type":%q,%q:`, of, inside)
		err := deriveOptional(b, name+"_"+inside, *t.Elem)
		b.WriteByte('}')
		return err
	case types.Struct:
		return deriveRecord(b, name, t.Fields)
	default: // VARCHAR, JSON, and NULL, which has no values
		b.WriteString(`"string"`)
	}
	return nil
}

func deriveInteger(b *strings.Builder, t types.Type) {
	switch {
	case t.Kind == types.Uint && t.Bits == 64:
		deriveDecimal(b, len(strconv.FormatUint(types.UintMax(64), 10)), 0)
	case t.Bits == 64, t.Kind == types.Uint && t.Bits == 32:
		b.WriteString(`"long"`)
	default:
		b.WriteString(`"int"`)
	}
}

func deriveDecimal(b *strings.Builder, precision, scale int) {
	fmt.Fprintf(b, `{"type":"bytes","logicalType":"decimal","precision":%d,"scale":%d}`, precision, scale)
}
