package jsonschema

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Derive is the JSON Schema (draft 7) of rows of columns, as the format 'json' writes them: an object of that title with one property per
// column, each of which may be null. connect.type tells integers and floating point numbers of several sizes apart, as Kafka
// Connect has it; a DECIMAL is a multiple of its last digit.
func Derive(name string, cols []format.Column) (string, error) {
	var fields []types.Field
	for _, c := range cols {
		fields = append(fields, types.Field{Name: c.Name, Type: c.Type})
	}
	return `{"$schema":"http://json-schema.org/draft-07/schema#","title":` + quoted(name) + `,` + object(fields, false) + `}`, nil
}

// deriveKey is the schema of a key: of one column that of its value.
func deriveKey(name string, cols []format.Column) (string, error) {
	if len(cols) != 1 {
		return Derive(name, cols)
	}
	return `{"$schema":"http://json-schema.org/draft-07/schema#","title":` + quoted(name) + `,` + members(cols[0].Type, false) + `}`, nil
}

func quoted(s string) string { return string(json.AppendString(nil, []byte(s))) }

func object(fields []types.Field, null bool) string {
	var properties []string
	for _, f := range fields {
		properties = append(properties, quoted(f.Name)+":{"+members(f.Type, true)+"}")
	}
	return kind("object", null) + `,"properties":{` + strings.Join(properties, ",") + `}`
}

func kind(name string, null bool) string {
	if null {
		return `"type":["` + name + `","null"]`
	}
	return `"type":"` + name + `"`
}

// members are those of a type's schema.
func members(t types.Type, null bool) string {
	connect := func(name, size string) string { return kind(name, null) + `,"connect.type":"` + size + `"` }
	switch t.Kind {
	case types.Boolean:
		return kind("boolean", null)
	case types.Int:
		return connect("integer", fmt.Sprintf("int%d", t.Bits))
	case types.Uint:
		return kind("integer", null) + `,"minimum":0`
	case types.Double:
		return connect("number", fmt.Sprintf("float%d", max(t.Bits, 32)))
	case types.Decimal:
		unit := "1"
		if t.Scale > 0 {
			unit = "0." + strings.Repeat("0", int(t.Scale)-1) + "1"
		}
		return kind("number", null) + `,"multipleOf":` + unit
	case types.Varbinary:
		return kind("string", null) + `,"contentEncoding":"base64"`
	case types.Date:
		return kind("string", null) + `,"format":"date"`
	case types.Timestamp:
		return kind("string", null) + `,"format":"date-time"`
	case types.Array:
		return kind("array", null) + `,"items":{` + members(*t.Elem, true) + `}`
	case types.Map:
		return kind("object", null) + `,"additionalProperties":{` + members(*t.Elem, true) + `}`
	case types.Struct:
		return object(t.Fields, null)
	case types.JSON:
		return `"description":"any JSON"`
	}
	return kind("string", null) // VARCHAR and TIME
}
