package debezium

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Names of types in Connect's schemas.
const (
	connectDecimal = "org.apache.kafka.connect.data.Decimal"
	debeziumDate   = "io.debezium.time.Date"
	microTime      = "io.debezium.time.MicroTime"
	millis         = "io.debezium.time.Timestamp"
	micros         = "io.debezium.time.MicroTimestamp"
	debeziumJSON   = "io.debezium.data.Json"
)

// units are how the types of times stand in values.
var units = map[string]string{
	debeziumDate: "days", "org.apache.kafka.connect.data.Date": "days",
	"io.debezium.time.Time": "ms", microTime: "us", "io.debezium.time.NanoTime": "ns", "org.apache.kafka.connect.data.Time": "ms",
	millis: "ms", micros: "us", "io.debezium.time.NanoTimestamp": "ns", "org.apache.kafka.connect.data.Timestamp": "ms",
}

// formsOf are the forms of the columns that are times in a schema: of an envelope (its rows), or of a key. A column that the schema
// says to be something else is an error.
func formsOf(schema []byte, columns []format.Column) (map[string]string, error) {
	if schema == nil {
		return nil, nil
	}
	s, err := fastjson.ParseBytes(schema)
	if err != nil {
		return nil, bad(format.Malformed, "the schema cannot be read: %v", err)
	}
	fields := s.GetArray("fields")
	for _, f := range fields {
		if string(f.GetStringBytes("field")) == "after" {
			fields = f.GetArray("fields")
			break
		}
	}
	forms := map[string]string{}
	for _, f := range fields {
		name, kind := string(f.GetStringBytes("field")), string(f.GetStringBytes("name"))
		for _, c := range columns {
			if path := c.FieldPath(); len(path) > 1 || !strings.EqualFold(path[0], name) {
				continue
			}
			switch {
			case kind == connectDecimal && c.Type.Kind == types.Decimal:
				if scale := string(f.GetStringBytes("parameters", "scale")); scale != fmt.Sprint(c.Type.Scale) {
					return nil, &format.BadRecord{Reason: format.WrongType, Field: c.Name, Err: fmt.Errorf("it has %s digits after the point in the database, %s declares %d", scale, c.Type, c.Type.Scale)}
				}
			case units[kind] == "days" && c.Type.Kind != types.Date && c.Type.Temporal():
				return nil, &format.BadRecord{Reason: format.WrongType, Field: c.Name, Err: fmt.Errorf("it is a date in the database (%s), not a %s", kind, c.Type)}
			case units[kind] != "" && c.Type.Temporal():
				forms[c.FieldPath()[0]] = units[kind]
			}
		}
	}
	return forms, nil
}

// field is the schema of a column, as the text of a JSON object; with a name it is a field of a struct.
func (o options) field(dst []byte, name string, t types.Type, optional bool) []byte {
	dst = append(dst, '{')
	dst = append(dst, o.typed(t)...)
	if optional {
		dst = append(dst, `,"optional":true`...)
	} else {
		dst = append(dst, `,"optional":false`...)
	}
	if name != "" {
		dst = append(dst, `,"field":`...)
		dst = appendText(dst, name)
	}
	return append(dst, '}')
}

// typed are the members of a schema that say the type.
func (o options) typed(t types.Type) string {
	named := func(base, name string) string {
		return `"type":"` + base + `","name":"` + name + `","version":1`
	}
	switch t.Kind {
	case types.Boolean:
		return `"type":"boolean"`
	case types.Int, types.Uint:
		bits := t.Bits
		if t.Kind == types.Uint && bits < 64 {
			bits *= 2
		}
		return fmt.Sprintf(`"type":"int%d"`, bits)
	case types.Double:
		if t.Bits == 32 {
			return `"type":"float"`
		}
		return `"type":"double"`
	case types.Decimal:
		if !o.BinaryDecimals {
			return `"type":"string"`
		}
		return named("bytes", connectDecimal) + fmt.Sprintf(`,"parameters":{"scale":"%d","connect.decimal.precision":"%d"}`, t.Scale, t.Precision)
	case types.Varbinary:
		return `"type":"bytes"`
	case types.Date:
		return named("int32", debeziumDate)
	case types.Time:
		return named("int64", microTime)
	case types.Timestamp:
		if t.Precision > 3 {
			return named("int64", micros)
		}
		return named("int64", millis)
	case types.JSON:
		return named("string", debeziumJSON)
	case types.Array:
		return `"type":"array","items":` + string(o.field(nil, "", *t.Elem, true))
	case types.Map:
		return `"type":"map","keys":{"type":"string","optional":false},"values":` + string(o.field(nil, "", *t.Elem, true))
	case types.Struct:
		return `"type":"struct","fields":` + string(o.fields(nil, t.Fields, true))
	}
	return `"type":"string"`
}

// fields are the fields of a struct.
func (o options) fields(dst []byte, fields []types.Field, optional bool) []byte {
	dst = append(dst, '[')
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = o.field(dst, f.Name, f.Type, optional)
	}
	return append(dst, ']')
}

// structOf is the schema of a row, of a key or of what lies around a row.
func (o options) structOf(cols []format.Column, name, field string, optional bool) string {
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field{Name: c.Name, Type: c.Type}
	}
	out := append([]byte(`{"type":"struct","fields":`), o.fields(nil, fields, optional)...)
	out = fmt.Appendf(out, `,"optional":%v,"name":`, field != "")
	out = appendText(out, name)
	if field != "" {
		out = appendText(append(out, `,"field":`...), field)
	}
	return string(append(out, '}'))
}

// envelopeSchema is the schema of the envelopes of a topic.
func (o options) envelopeSchema(cols []format.Column, topic string) string {
	return `{"type":"struct","fields":[` + o.structOf(cols, topic+".Value", "before", true) + "," + o.structOf(cols, topic+".Value", "after", true) + `,` +
		`{"type":"struct","fields":[{"type":"string","optional":false,"field":"connector"},{"type":"int64","optional":false,"field":"ts_ms"}],"optional":false,"name":"streamsql.Source","field":"source"},` +
		`{"type":"string","optional":false,"field":"op"},{"type":"int64","optional":true,"field":"ts_ms"}],"optional":false,"name":` + string(appendText(nil, topic+".Envelope")) + `}`
}
