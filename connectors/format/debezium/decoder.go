package debezium

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// The reasons of bad records that are envelopes.
const (
	badEnvelope format.Reason = "not_an_envelope"
	badOp       format.Reason = "unusable_op"
	truncation  format.Reason = "truncate"
)

// decoder reads envelopes.
type decoder struct {
	options
	columns []format.Column
	wrap    *json.Picker // of the value: payload and schema, or the envelope itself
	inside  *json.Picker // of the payload
	row     *json.Decoder
	schema  []byte // of the wrapper that row was made for
	wrong   error  // why rows of that schema cannot be read
	millis  format.Cell
	at      *vector.Vector // of the time
	change  format.Change
}

var _ format.ChangeDecoder = (*decoder)(nil)

// The members of an envelope, in the order in which the pickers have them.
const (
	op = iota
	before
	after
	payloadTime
	sourceTime
	envelopeMembers
)

func envelope(more ...[]string) *json.Picker {
	paths := [envelopeMembers][]string{op: {"op"}, before: {"before"}, after: {"after"}, payloadTime: {"ts_ms"}, sourceTime: {"source", "ts_ms"}}
	return json.NewPicker(append(paths[:], more...)...)
}

// What the picker of the value has besides.
const (
	payload = envelopeMembers + iota
	schema
)

func newDecoder(s format.Spec) (*decoder, error) {
	o, err := optionsOf(s)
	if err != nil {
		return nil, err
	}
	d := &decoder{options: o, columns: s.Columns, wrap: envelope([]string{"payload"}, []string{"schema"}), inside: envelope(), at: vector.New(types.TTimestamp, 1)}
	if d.millis, err = format.NewCell(format.Column{Name: "ts_ms", Type: types.TTimestamp, TimestampFormat: "ms"}); err != nil {
		return nil, err
	}
	d.row, err = d.rows(nil)
	return d, err
}

// rows is a decoder of rows; forms are the units of times that a schema says, by column.
func (d *decoder) rows(forms map[string]string) (*json.Decoder, error) {
	cols := make([]format.Column, len(d.columns))
	for i, c := range d.columns {
		cols[i] = usual(c)
		if form := forms[c.FieldPath()[0]]; form != "" && len(c.FieldPath()) == 1 {
			cols[i].TimestampFormat = form
		}
	}
	return json.NewDecoderWith(cols, d.Conventions)
}

// Timed implements format.ChangeDecoder.
func (d *decoder) Timed() bool { return d.time != "record" }

// Change implements format.ChangeDecoder.
func (d *decoder) Change() format.Change { return d.change }

// Decode implements format.Decoder.
func (d *decoder) Decode(value []byte, cols []*vector.Vector) error {
	if err := d.wrap.Pick(value); err != nil {
		return err
	}
	e := d.wrap
	if inner := e.Object(payload); inner != nil && e.Raw(op) == nil {
		if err := d.believe(e.Object(schema)); err != nil {
			return err
		}
		if err := d.inside.Pick(inner); err != nil {
			return err
		}
		e = d.inside
	}
	row, deleted, err := image(e)
	if err != nil {
		return err
	}
	if d.change, err = d.changeOf(e, deleted); err != nil {
		return err
	}
	if row == nil {
		for _, v := range cols {
			v.AppendNull()
		}
		return nil
	}
	return d.row.Decode(row, cols)
}

// image is the row that an envelope is about: after, or of a deletion before, which may be nil.
func image(e *json.Picker) (row []byte, deleted bool, err error) {
	kind := e.Raw(op)
	if len(kind) < 2 || kind[0] != '"' {
		return nil, false, bad(badEnvelope, "there is no op: expected an envelope with op, before and after (for plain rows declare format='json')")
	}
	switch string(kind) {
	case `"c"`, `"u"`, `"r"`:
		if row = e.Object(after); row == nil {
			return nil, false, bad(badEnvelope, "op %s without a row in after", kind)
		}
		return row, false, nil
	case `"d"`:
		return e.Object(before), true, nil
	case `"t"`:
		return nil, false, bad(truncation, "op \"t\" empties the whole table, which cannot be done here: load it anew from a snapshot (in Debezium skipped.operations='t' leaves such events out)")
	}
	return nil, false, bad(badOp, "op %s is no change of a row", format.Shown(kind))
}

func bad(reason format.Reason, text string, args ...any) error {
	return &format.BadRecord{Reason: reason, Err: fmt.Errorf(text, args...)}
}

// changeOf is the change, with its time if that is wanted from the envelope.
func (d *decoder) changeOf(e *json.Picker, deleted bool) (format.Change, error) {
	c := format.Change{Deleted: deleted}
	member, where := sourceTime, "source.ts_ms"
	switch d.time {
	case "record":
		return c, nil
	case "payload":
		member, where = payloadTime, "ts_ms"
	}
	raw := e.Raw(member)
	if raw == nil {
		return c, &format.BadRecord{Reason: "null_timestamp", Field: where, Err: errors.New("the event time is missing")}
	}
	d.at.Reset()
	if err := d.millis.Number(d.at, raw); err != nil {
		return c, err
	}
	c.Time, c.Timed = d.at.Ints[0], true
	return c, nil
}

// believe makes the decoder of rows anew when the schema of the wrapper is another one than before.
func (d *decoder) believe(s []byte) error {
	if !bytes.Equal(s, d.schema) {
		d.schema, d.wrong = append(d.schema[:0], s...), nil
		forms, err := formsOf(s, d.columns)
		if err == nil {
			d.row, err = d.rows(forms)
		}
		d.wrong = err
	}
	return d.wrong
}
