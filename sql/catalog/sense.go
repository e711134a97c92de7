package catalog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// sense refuses options that cannot have an effect, and formats that do not fit the relation or its key.
func (d *definition) sense(c *ast.Create) error {
	if err := d.changes(c); err != nil {
		return err
	}
	if d.given["dead_letter_topic"] && d.r.OnError != DeadLetter {
		return ast.Errorf(optionSpan(c, "dead_letter_topic"), "dead_letter_topic takes nothing without on_error = 'dead_letter'").WithHint("add on_error = 'dead_letter'")
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

// changes refuses what change events cannot be.
func (d *definition) changes(c *ast.Create) error {
	if d.r.Format != Debezium {
		return nil
	}
	if d.r.Kind == ast.Stream {
		return ast.Errorf(optionSpan(c, "format"), "format '%s' tells changes of the rows of a table, and %s is a stream", Debezium, d.r.Name).
			WithHint("CREATE TABLE %s; to read the events themselves, CREATE STREAM with format = 'json' and columns op VARCHAR, before STRUCT<…>, after STRUCT<…>", d.r.Name)
	}
	if t := d.r.FormatOptions["debezium.time"]; t != "" && !strings.EqualFold(t, "record") && (d.timestamp != "" || c.Watermark != nil) {
		return ast.Errorf(c.Name.Span, "event time is given twice: by debezium.time = '%s' and by a column", t).WithHint("keep one of them")
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
