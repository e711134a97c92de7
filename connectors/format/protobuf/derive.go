package protobuf

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Derive is the schema that rows of columns are written with, a file in proto3: a message of that name (its full name; what is before
// the last point is the package) with one field per column, numbered from 1 in their order.
//
//	BOOLEAN                   optional bool
//	TINYINT … INT, BIGINT     optional int32, int64
//	UNSIGNED                  optional uint32, uint64
//	FLOAT, DOUBLE             optional float, double
//	VARCHAR, JSON             optional string
//	VARBINARY                 optional bytes
//	TIMESTAMP                 google.protobuf.Timestamp
//	DECIMAL, DATE, TIME       optional string: 12.10, 2030-01-31, 08:00:00.5
//	ARRAY<t>, MAP<VARCHAR, t> repeated t, map<string, t>; t no ARRAY or MAP itself
//	STRUCT                    a message inside the message
func Derive(name string, cols []format.Column) (string, error) {
	var fields []types.Field
	for _, c := range cols {
		fields = append(fields, types.Field{Name: c.Name, Type: c.Type})
	}
	for part := range strings.SplitSeq(name, ".") {
		if !isName(part) {
			return "", fmt.Errorf("%q is not a name for a message: letters, digits and _, parts separated by points; say schema.name = '…'", name)
		}
	}
	head := &strings.Builder{}
	head.WriteString("syntax = \"proto3\";\n")
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		fmt.Fprintf(head, "package %s;\n", name[:at])
		name = name[at+1:]
	}
	body := &strings.Builder{}
	if err := deriveMessage(body, "", name, fields); err != nil {
		return "", err
	}
	if strings.Contains(body.String(), timestampName) {
		head.WriteString("\nimport \"google/protobuf/timestamp.proto\";\n")
	}
	return head.String() + "\n" + body.String(), nil
}

const timestampName = ".google.protobuf.Timestamp"

func isName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func deriveMessage(b *strings.Builder, indent, name string, fields []types.Field) error {
	fmt.Fprintf(b, "%smessage %s {\n", indent, name)
	inside := indent + "  "
	for i, f := range fields {
		if !isName(f.Name) {
			return fmt.Errorf("column %q cannot be a field of a message: its names are of letters, digits and _; give it one, … AS name", f.Name)
		}
		label, of := "optional ", f.Type
		switch f.Type.Kind {
		case types.Array:
			label, of = "repeated ", *f.Type.Elem
		case types.Map:
			label, of = "", *f.Type.Elem
		case types.Timestamp, types.Struct:
			label = ""
		}
		if f.Type.Kind == types.Array || f.Type.Kind == types.Map {
			if of.Kind == types.Array || of.Kind == types.Map {
				return fmt.Errorf("column %s: %s has no place in Protocol Buffers, which know no list in a list: make the inner one a STRUCT, or write with another format", f.Name, f.Type)
			}
		}
		typ := scalarName(of)
		if of.Kind == types.Struct {
			typ = "M_" + f.Name
			if err := deriveMessage(b, inside, typ, of.Fields); err != nil {
				return err
			}
		}
		if f.Type.Kind == types.Map {
			typ = "map<string, " + typ + ">"
		}
		fmt.Fprintf(b, "%s%s%s %s = %d;\n", inside, label, typ, f.Name, fieldNumber(i))
	}
	fmt.Fprintf(b, "%s}\n", indent)
	return nil
}

// fieldNumber passes over the numbers that Protocol Buffers keep for themselves.
func fieldNumber(i int) int {
	if i+1 >= 19000 {
		return i + 1 + 1000
	}
	return i + 1
}

func scalarName(t types.Type) string {
	switch t.Kind {
	case types.Boolean:
		return "bool"
	case types.Int:
		if t.Bits == 64 {
			return "int64"
		}
		return "int32"
	case types.Uint:
		if t.Bits == 64 {
			return "uint64"
		}
		return "uint32"
	case types.Double:
		if t.Bits == 32 {
			return "float"
		}
		return "double"
	case types.Varbinary:
		return "bytes"
	case types.Timestamp:
		return timestampName
	}
	return "string" // VARCHAR, JSON, DECIMAL, DATE, TIME, and NULL, which has no values
}
