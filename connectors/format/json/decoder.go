package json

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Decoder reads JSON objects. It checks the whole text and keeps of it only where the wanted fields lie; then each is
// converted straight into its column.
type Decoder struct {
	scanner
	root    fields
	slots   []span
	columns []column
	in      Conventions
	out     writer // of what lies in documents
	scratch []byte
}

type column struct {
	format.Cell
	slot int
	doc  *nested // of an ARRAY, MAP or STRUCT
}

// NewDecoder makes a decoder for columns. Without columns it only checks that values are objects.
func NewDecoder(cols []format.Column) (*Decoder, error) {
	return NewDecoderWith(cols, Conventions{})
}

// NewDecoderWith is NewDecoder with conventions.
func NewDecoderWith(cols []format.Column, conv Conventions) (*Decoder, error) {
	cells, err := format.Cells(cols)
	if err != nil {
		return nil, err
	}
	d := &Decoder{in: conv, columns: make([]column, len(cols))}
	for i, c := range cols {
		slot := d.root.want(c.FieldPath(), len(d.slots))
		if slot == len(d.slots) {
			d.slots = append(d.slots, span{})
		}
		d.columns[i] = column{Cell: cells[i], slot: slot}
		if c.Type.Nested() && c.Type.Kind != types.JSON {
			c.Name = cells[i].Field
			doc, err := newNested(c, "", &d.slots)
			if err != nil {
				return nil, err
			}
			d.columns[i].doc = &doc
		}
	}
	return d, nil
}

// Decode implements format.Decoder.
func (d *Decoder) Decode(value []byte, cols []*vector.Vector) error {
	d.s = value
	err := d.scan()
	if err == nil {
		err = d.fill(cols)
	}
	d.s = nil
	return err
}

var errEmpty = errors.New("the value is empty or blank; expected a JSON object")

func (d *Decoder) scan() error {
	i := d.space(0)
	if i == len(d.s) {
		return &format.BadRecord{Reason: format.Empty, Err: errEmpty}
	}
	if d.s[i] != '{' {
		return d.notObject(i)
	}
	d.root.forget(d.slots)
	if i = d.object(&d.root, i, 0); i < 0 {
		return d.malformed()
	}
	if i = d.space(i); i < len(d.s) {
		d.fail(i, "there is more text after the JSON object")
		return d.malformed()
	}
	return d.ambiguities(&d.root)
}

func (d *Decoder) malformed() error {
	where := ""
	if d.at < len(d.s) {
		where = fmt.Sprintf(" at byte %d, before %s", d.at, format.Shown(d.s[d.at:min(d.at+20, len(d.s))]))
	}
	return &format.BadRecord{Reason: format.Malformed, Err: fmt.Errorf("not valid JSON%s: %s", where, d.why)}
}

// notObject tells well-formed JSON that is no object from text that is no JSON.
func (d *Decoder) notObject(i int) error {
	var v span
	end := d.value(i, 0, &v)
	if end >= 0 {
		if end = d.space(end); end == len(d.s) {
			what := map[kind]string{null: "null", truth: "true", lie: "false", number: "a number", text: "a string", escaped: "a string", container: "an array"}[v.kind]
			return &format.BadRecord{Reason: format.NotObject, Err: fmt.Errorf("the value is %s; expected a JSON object", what)}
		}
		d.fail(end, "there is more text after the JSON value")
	}
	return d.malformed()
}

// object reads the object at i, filling the slots of f, and returns the position after it.
func (d *Decoder) object(f *fields, i, depth int) int {
	if depth >= maxDepth {
		return d.fail(i, "objects and arrays lie too deep in each other")
	}
	i = d.space(i + 1)
	if i < len(d.s) && d.s[i] == '}' {
		return i + 1
	}
	var skipped span
	for place := 0; ; place++ {
		var name span
		end, h := f.guess(d.s, i, &place)
		if end > 0 {
			name.from, name.to = i+1, end-1
			if end < len(d.s) && d.s[end] == ':' {
				i = d.space(end + 1)
			} else if i = d.colon(end); i < 0 {
				return i
			}
		} else {
			start := i
			if i = d.name(i, &name); i < 0 {
				return i
			}
			h = d.lookup(f, start, name, place)
		}
		if h.field < 0 {
			i = d.value(i, depth+1, &skipped)
		} else {
			i = d.member(&f.wanted[h.field], name, h.match, i, depth+1)
		}
		if i < 0 {
			return i
		}
		if i = d.space(i); i < len(d.s) && d.s[i] == '}' {
			return i + 1
		}
		if i = d.comma(i); i < 0 {
			return i
		}
	}
}

func (d *Decoder) lookup(f *fields, start int, name span, place int) hit {
	if name.kind == escaped {
		d.scratch = unescape(d.scratch[:0], d.s[name.from:name.to])
		return f.lookup(d.scratch, nil, place)
	}
	return f.lookup(d.s[name.from:name.to], d.s[start:name.to+1], place)
}

// member reads the value of a wanted field.
func (d *Decoder) member(w *field, name span, m match, i, depth int) int {
	var v span
	if !w.accept(d.s, name, m) {
		return d.value(i, depth, &v)
	}
	if w.inside == nil {
		return d.value(i, depth, &d.slots[w.slot])
	}
	w.inside.forget(d.slots)
	end := -1
	if i < len(d.s) && d.s[i] == '{' {
		end = d.object(w.inside, i, depth)
		v = span{container, i, end}
	} else if end = d.value(i, depth, &v); v.kind != null && end >= 0 {
		w.inside.orphan(d.slots)
	}
	if w.slot >= 0 {
		d.slots[w.slot] = v
	}
	return end
}

// orphan marks everything inside a field whose value is neither an object nor null.
func (f *fields) orphan(slots []span) {
	for i := range f.wanted {
		w := &f.wanted[i]
		if w.slot >= 0 {
			slots[w.slot].kind = orphaned
		}
		if w.inside != nil {
			w.inside.orphan(slots)
		}
	}
}

// ambiguities refuses a record in which a column's field cannot be told.
func (d *Decoder) ambiguities(f *fields) error {
	for i := range f.wanted {
		w := &f.wanted[i]
		if w.match == ambiguous {
			return &format.BadRecord{Reason: format.AmbiguousField, Field: w.name,
				Err: fmt.Errorf("several fields match it but for upper and lower case, and none exactly")}
		}
		if w.inside != nil {
			if err := d.ambiguities(w.inside); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Decoder) fill(cols []*vector.Vector) error {
	for i := range d.columns {
		c := &d.columns[i]
		if err := d.convert(c, &d.slots[c.slot], cols[i]); err != nil {
			format.Truncate(cols[:i], cols[i].Len())
			return err
		}
	}
	return nil
}

func (d *Decoder) convert(c *column, v *span, into *vector.Vector) error {
	switch v.kind {
	case missing, null:
		into.AppendNull()
		return nil
	case orphaned:
		parent := c.Field[:max(strings.LastIndexByte(c.Field, '.'), 0)]
		return c.Bad(format.WrongType, "it is wanted from inside %q, which is not an object", parent)
	}
	switch {
	case c.doc != nil:
		return d.typed(c.doc, v, into)
	case c.Type.Kind == types.JSON:
		return d.document(&c.Cell, v, into)
	}
	return d.scalar(&c.Cell, v, into)
}

// scalar appends a value that is there to a column that is not nested.
func (d *Decoder) scalar(c *format.Cell, v *span, into *vector.Vector) error {
	s := d.s[v.from:v.to]
	switch v.kind {
	case number:
		return c.Number(into, s)
	case truth, lie:
		return c.Bool(into, v.kind == truth)
	case container:
		if c.Type.Kind != types.Varchar {
			what := "an array"
			if s[0] == '{' {
				what = "an object"
			}
			return c.Bad(format.WrongType, "%s is %s, not a %s", format.Shown(s), what, c.Type)
		}
		return d.document(c, v, into)
	case escaped:
		d.scratch = unescape(d.scratch[:0], s)
		s = d.scratch
	}
	switch {
	case c.Type.Kind == types.Varbinary:
		return d.binary(c, s, into)
	case c.Type.Kind == types.Decimal && d.in.BinaryDecimals:
		return d.decimal(c, s, into)
	}
	return c.Text(into, s)
}

func (d *Decoder) binary(c *format.Cell, s []byte, into *vector.Vector) error {
	data := into.Bytes.Data
	out, err := base64.StdEncoding.AppendDecode(data, s)
	if err != nil {
		return c.Bad(format.WrongType, "%s is not base64", format.Shown(s))
	}
	into.Bytes.Data = out
	into.CloseBytes()
	return nil
}

// decimal reads a text as Conventions.BinaryDecimals says.
func (d *Decoder) decimal(c *format.Cell, s []byte, into *vector.Vector) error {
	var err error
	from := len(d.scratch)
	if d.scratch, err = base64.StdEncoding.AppendDecode(d.scratch, s); err != nil {
		return c.Bad(format.WrongType, "%s is not base64, in which the digits of a DECIMAL are expected", format.Shown(s))
	}
	x, ok := types.FromBigEndian(d.scratch[from:])
	d.scratch = d.scratch[:from]
	if !ok || !types.FitsDecimal(x, int(c.Type.Precision)) {
		return c.Bad(format.OutOfRange, "%s has more digits than %s", format.Shown(s), c.Type)
	}
	into.AppendDec(x)
	return nil
}

// document keeps a value as JSON text.
func (d *Decoder) document(c *format.Cell, v *span, into *vector.Vector) error {
	if c.Type.Kind == types.JSON && d.in.TextDocuments && (v.kind == text || v.kind == escaped) {
		return d.textDocument(c, v, into)
	}
	s := d.whole(v)
	if !utf8.Valid(s) {
		return c.Bad(format.InvalidUTF8, "%s is not valid UTF-8", format.Shown(s))
	}
	into.Bytes.Data = compact(into.Bytes.Data, s)
	into.CloseBytes()
	return nil
}

// textDocument keeps the document that a text holds.
func (d *Decoder) textDocument(c *format.Cell, v *span, into *vector.Vector) error {
	d.scratch = unescape(d.scratch[:0], d.s[v.from:v.to])
	inside := scanner{s: d.scratch}
	var doc span
	i := inside.space(0)
	if i = inside.value(i, 0, &doc); i < 0 || inside.space(i) < len(inside.s) {
		return c.Bad(format.WrongType, "the text %s holds no JSON", format.Shown(d.scratch))
	}
	if !utf8.Valid(d.scratch) {
		return c.Bad(format.InvalidUTF8, "%s is not valid UTF-8", format.Shown(d.scratch))
	}
	if doc.kind == null {
		into.AppendNull()
		return nil
	}
	into.Bytes.Data = compact(into.Bytes.Data, d.scratch)
	into.CloseBytes()
	return nil
}

// typed keeps a value as the JSON text that stands for it in a column of its type.
func (d *Decoder) typed(n *nested, v *span, into *vector.Vector) error {
	from := len(into.Bytes.Data)
	out, err := d.nested(into.Bytes.Data, n, v, 0)
	if err != nil {
		into.Bytes.Data = out[:from]
		return err
	}
	into.Bytes.Data = out
	into.CloseBytes()
	return nil
}

// compact appends valid JSON without the blanks between its tokens.
func compact(dst, s []byte) []byte {
	from := 0
	for i := 0; i < len(s); {
		switch {
		case s[i] == '"':
			end, _, _ := stringEnd(s, i+1)
			i = end + 1
		case s[i] <= ' ':
			dst = append(dst, s[from:i]...)
			i++
			from = i
		default:
			i++
		}
	}
	return append(dst, s[from:]...)
}
