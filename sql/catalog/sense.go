package catalog

import (
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// planned are the formats that the dialect names and that do not run yet.
var planned = []string{"debezium-json"}

// sense refuses options that cannot have an effect, formats that do not run yet, and key formats that do not fit the key.
func (d *definition) sense(c *ast.Create) error {
	if slices.Contains(planned, d.r.Format) {
		return ast.Unsupported(optionSpan(c, "format"), "format '"+d.r.Format+"'", "json, csv, tsv, avro, protobuf and json-schema are there, and Kafka's primitives for one column")
	}
	if slices.Contains(planned, d.r.KeyFormat) {
		return ast.Unsupported(optionSpan(c, "key_format"), "key_format '"+d.r.KeyFormat+"'", "string, json, avro, protobuf, json-schema and Kafka's primitives are there")
	}
	if d.given["dead_letter_topic"] && d.r.OnError != DeadLetter {
		return ast.Errorf(optionSpan(c, "dead_letter_topic"), "dead_letter_topic takes nothing without on_error = 'dead_letter'").WithHint("add on_error = 'dead_letter'")
	}
	if d.given["history"] && d.r.Kind == ast.Stream {
		return ast.Errorf(optionSpan(c, "history"), "history is of tables: a stream keeps no versions").WithHint("declare it on the table that the stream is joined with")
	}
	if err := d.span(c); err != nil {
		return err
	}
	for _, k := range d.r.Key {
		if kinds, limited := keyKinds[d.r.KeyFormat]; limited && !slices.Contains(kinds, d.r.Columns[k].Type.Kind) {
			return ast.Errorf(optionSpan(c, "key_format"), "key_format '%s' cannot hold column %s of type %s", d.r.KeyFormat, d.r.Columns[k].Name, d.r.Columns[k].Type).
				WithHint("key_format = 'string' holds any column as text")
		}
	}
	return nil
}

// span refuses a start and an end that leave nothing to read, and those of what is no topic of somebody else's.
func (d *definition) span(c *ast.Create) error {
	if d.target && d.given["end"] {
		return ast.Errorf(optionSpan(c, "end"), "end is of a source: %s is written by its query", d.r.Name).WithHint("declare it on what the query reads")
	}
	from, _ := ParsePosition(cmp.Or(d.r.Start, "earliest")) // both were read before
	to, _ := ParsePosition(cmp.Or(d.r.End, "latest"))
	if d.r.Connector != "kafka" && (d.given["end"] || from.Kind == OfGroup) {
		o := "end"
		if from.Kind == OfGroup {
			o = "start"
		}
		return ast.Errorf(optionSpan(c, o), "%s is a place in a Kafka topic, %s has connector '%s'", o, d.r.Name, d.r.Connector).WithHint("leave it out: such a source is read as a whole")
	}
	if !d.given["start"] || !d.given["end"] {
		return nil
	}
	if from.Kind == to.Kind && from.Offsets == nil && to.Offsets == nil && (from.Kind == AtOffset || from.Kind == AtInstant) && to.N <= from.N {
		return ast.Errorf(optionSpan(c, "end"), "end = '%s' is not after start = '%s'", d.r.End, d.r.Start)
	}
	return nil
}

// keyKinds are what Kafka's primitive key serialisations hold; other formats hold any scalar.
var keyKinds = map[string][]types.Kind{
	"boolean":  {types.Boolean},
	"smallint": {types.Int, types.Uint},
	"int":      {types.Int, types.Uint},
	"bigint":   {types.Int, types.Uint},
	"float":    {types.Double},
	"double":   {types.Double},
	"bytes":    {types.Varbinary, types.Varchar},
}
