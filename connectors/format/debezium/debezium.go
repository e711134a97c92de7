// Package debezium is the format 'debezium-json': the change events of Debezium's connectors as Kafka Connect's JsonConverter
// writes them, with the wrapper of schema and payload or without. Importing it registers it, for values and keys of tables.
//
// Reading. A value is an envelope: op 'c' (insert), 'u' (update) and 'r' (read by a snapshot) are the row in after; 'd' is that the
// row in before is gone; the null value that follows repeats that. 't' (truncate), 'm' (message) and anything else are bad
// records: no row of a table is their meaning. Fields of the row that no column wants are ignored.
//
// Values follow Debezium's defaults: a DECIMAL is base64 of its unscaled digits (debezium.decimals = 'string' for those of
// decimal.handling.mode 'string' and 'double'); a number in a DATE is days, in a TIME microseconds, in a TIMESTAMP of at most 3
// digits milliseconds and of more microseconds; a JSON column is a text. With the wrapper its schema is believed instead: the units
// of times are those of its types, and a DECIMAL whose scale is another than the column's is a bad record. What Debezium writes as text is
// read as text.
//
// The event time is that of other formats, or, with debezium.time, when the database made the change ('source', source.ts_ms) or
// when Debezium saw it ('payload', ts_ms).
//
// Writing. A row is {"before":null,"after":{…},"source":{…},"op":"c","ts_ms":…}: what it replaces is not known, so nothing is
// called an update, and readers take 'c' by key. A row that is gone is op 'd' with what is known of it in before, its key at least, and
// then a null value. ts_ms and source.ts_ms are the event time. debezium.schema = 'true' adds the wrapper.
package debezium

import (
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
)

const name = "debezium-json"

var table = []connectors.Option{
	{Name: "debezium.time", Type: connectors.TextOption, Default: "record", Doc: "event time: 'record', the record's timestamp or the relation's event-time column; 'source', when the database made the change; 'payload', when Debezium saw it"},
	{Name: "debezium.decimals", Type: connectors.TextOption, Default: "precise", Doc: "what DECIMALs are: 'precise', base64 of their digits; 'string', text or numbers"},
	{Name: "debezium.schema", Type: connectors.BoolOption, Default: "false", Doc: "write the wrapper of schema and payload; when reading it is always understood"},
}

func init() {
	format.Register(format.Format{
		Name: name, Doc: "change events of Debezium's connectors, with or without schema; tables only", Options: table,
		NewDecoder: func(s format.Spec) (format.Decoder, error) { return newDecoder(s) },
		NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) { return newEncoder(s, ordinals) },
		NewKeys:    func(s format.Spec) (format.KeyFormat, error) { return newKeys(s) },
	})
}

// options are the checked ones of a relation.
type options struct {
	time   string
	schema bool
	json.Conventions
}

func optionsOf(s format.Spec) (options, error) {
	own := map[string]string{}
	for option, value := range s.Options {
		if strings.HasPrefix(option, "debezium.") {
			own[option] = value
		}
	}
	o, err := connectors.CheckOptions(table, nil, own)
	if err != nil {
		return options{}, err
	}
	out := options{schema: o.Bool("debezium.schema"), Conventions: json.Conventions{TextDocuments: true}}
	if out.time, err = word(o, "debezium.time", "record", "source", "payload"); err != nil {
		return out, err
	}
	decimals, err := word(o, "debezium.decimals", "precise", "string")
	out.BinaryDecimals = decimals == "precise"
	return out, err
}

// usual is a column with its times as Debezium writes them where no schema says so.
func usual(c format.Column) format.Column {
	if c.TimestampFormat != "" && c.Type.Kind != types.Date {
		return c
	}
	switch {
	case strings.Contains(c.TimestampFormat, "%"):
	case c.Type.Kind == types.Date:
		c.TimestampFormat = "days"
	case c.Type.Kind == types.Time, c.Type.Kind == types.Timestamp && c.Type.Precision > 3:
		c.TimestampFormat = "us"
	case c.Type.Kind == types.Timestamp:
		c.TimestampFormat = "ms"
	}
	return c
}
