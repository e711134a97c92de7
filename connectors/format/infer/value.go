package infer

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// values finds the format of the values and their columns.
func (p *Proposal) values(ctx context.Context) error {
	if p.all(registryFramed) {
		if err := p.registered(ctx); err == nil || !p.all(func(v []byte) bool { return len(v) == 8 }) {
			return err
		} // eight bytes that begin with zero may as well be a number
	}
	switch {
	case p.json():
	case p.csv():
	case p.all(plainText):
		p.text()
	default:
		p.binary()
	}
	return p.verify(ctx)
}

func (p *Proposal) all(is func([]byte) bool) bool {
	for _, r := range p.records {
		if !is(r.Value) {
			return false
		}
	}
	return true
}

// registryFramed says whether a value begins as those of Confluent's serialisers: a zero byte and the id of a schema.
func registryFramed(v []byte) bool { return len(v) >= 5 && v[0] == 0 }

func (p *Proposal) registered(ctx context.Context) error {
	id := binary.BigEndian.Uint32(p.records[0].Value[1:])
	err := errors.New("no format in this program reads such values")
	for _, f := range format.All() {
		if f.Schema == nil {
			continue
		}
		var s format.Schema
		if s, err = f.Schema(ctx, format.Spec{Topic: p.sample.Topic, Options: p.opts.FormatOptions}); err != nil {
			continue
		}
		p.format = f.Name
		for _, c := range s.Columns {
			p.columns = append(p.columns, column{name: cmp.Or(c.Name, "value"), typ: c.Type})
		}
		p.note("The columns are those of %s.", s.Origin)
		return p.verify(ctx)
	}
	return fmt.Errorf("the values begin with the id of a schema in a registry (%d), but: %w", id, err)
}

// most is how large a part of the values must be of a format for it to be proposed; the others are taken for mistakes.
const most = 0.9

func (p *Proposal) json() bool {
	check, err := format.NewDecoder("json", format.Spec{})
	if err != nil {
		return false
	}
	root, parser, events := &guess{}, fastjson.Parser{}, &changes{}
	for _, r := range p.records {
		if check.Decode(r.Value, nil) != nil {
			continue
		}
		if v, err := parser.ParseBytes(r.Value); err == nil {
			root.look(v)
			if v.Type() == fastjson.TypeObject {
				events.look(v)
			}
		}
	}
	if float64(root.objects) < most*float64(len(p.records)) {
		return false
	}
	if _, err := format.Lookup(changeEvents); err == nil && float64(events.events) >= most*float64(len(p.records)) {
		p.proposeChanges(events)
		return true
	}
	p.format = "json"
	p.fields(root)
	return true
}

// fields makes columns of the members of the values.
func (p *Proposal) fields(root *guess) {
	for _, m := range root.members {
		if strings.HasPrefix(m.name, "_") && hidden[strings.ToLower(m.name)] {
			p.note("The field %s is left out: a column of that name stands for a part of the record.", m.name)
			continue
		}
		if at := p.column(m.name); at >= 0 {
			p.note("The field %s is left out: it differs from %s in case only.", m.name, p.columns[at].name)
			continue
		}
		c := column{name: m.name}
		c.typ, c.note = m.typ()
		if gone := root.objects - m.values; gone > 0 && m.values > 0 {
			c.remark("NULL or missing in %d of %d", gone, root.objects)
		}
		if how := epoch(m); how != "" {
			c.typ = types.TTimestamp
			c.remark("%s", how)
		} else if unit := otherUnit(m); unit != "" {
			c.remark("a time? timestamp = %s, timestamp_format = '%s' makes it the event time", quoted(m.name), unit)
		}
		p.columns = append(p.columns, c)
	}
	if len(p.columns) == 0 {
		p.columns = []column{{name: "any", typ: types.TVarchar, note: "the objects have no fields"}}
	}
}

// hidden are the names of the columns that every relation has.
var hidden = map[string]bool{"_key": true, "_value": true, "_topic": true, "_partition": true, "_offset": true, "_timestamp": true, "_headers": true}

func (p *Proposal) column(name string) int {
	for i, c := range p.columns {
		if strings.EqualFold(c.name, name) {
			return i
		}
	}
	return -1
}

func (c *column) remark(text string, args ...any) {
	if c.note != "" {
		c.note += "; "
	}
	c.note += fmt.Sprintf(text, args...)
}

// csv tries the delimiters: each record must have the same number of fields, two at least. Commas come last: they are in
// texts and numbers, too.
func (p *Proposal) csv() bool {
	if !p.all(plainText) {
		return false
	}
	for _, d := range []struct{ char, format, option string }{{"\t", "tsv", ""}, {";", "csv", ";"}, {"|", "csv", "|"}, {",", "csv", ""}} {
		n := strings.Count(string(p.records[0].Value), d.char) + 1
		for ; n >= 2; n-- { // delimiters in quotes are none
			if p.split(n, d.format, d.option) {
				return true
			}
		}
	}
	return false
}

// split proposes csv of n fields if all records are that.
func (p *Proposal) split(n int, name, delimiter string) bool {
	s := format.Spec{Options: map[string]string{}}
	if delimiter != "" {
		s.Options["csv.delimiter"] = delimiter
	}
	guesses := make([]guess, n)
	for i := range n {
		s.Columns = append(s.Columns, format.Column{Name: fmt.Sprintf("c%d", i+1), Type: types.TVarchar})
	}
	d, err := format.NewDecoder(name, s)
	if err != nil {
		return false
	}
	row := vectors(s.Columns)
	for _, r := range p.records {
		reset(row)
		if d.Decode(r.Value, row) != nil {
			return false
		}
		for i, v := range row {
			guesses[i].cell(v)
		}
	}
	p.format, p.options = name, s.Options
	for i := range guesses {
		c := column{name: s.Columns[i].Name}
		c.typ, c.note = guesses[i].typ()
		p.columns = append(p.columns, c)
	}
	p.note("The names of the columns are made up: the records do not say them.")
	return true
}

// cell takes a field of a record of texts: a text that is a number counts as one.
func (g *guess) cell(v *vector.Vector) {
	if v.IsNull(0) {
		g.nulls++
		return
	}
	g.values++
	switch s := string(v.Bytes.At(0)); {
	case numberForm.MatchString(s):
		g.numbers.look(s)
	case s == "true" || s == "false":
		g.bools++
	default:
		g.texts.look(s)
	}
}

// numberForm is a number of JSON; "007" is none, it would come back as 7.
var numberForm = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)

func plainText(v []byte) bool {
	for _, c := range v {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return utf8.Valid(v)
}

// text proposes one column of text.
func (p *Proposal) text() {
	g := guess{}
	v := vector.New(types.TVarchar, 1)
	for _, r := range p.records {
		v.Reset()
		v.AppendBytes(r.Value)
		g.cell(v)
	}
	c := column{name: "value"}
	c.typ, c.note = g.typ()
	p.format, p.columns = "string", []column{c}
}

// binary proposes one column of a primitive serialisation, or of bytes.
func (p *Proposal) binary() {
	size := len(p.records[0].Value)
	if !p.all(func(v []byte) bool { return len(v) == size }) {
		size = -1
	}
	name, t := primitive(size, p.bytes())
	c := column{name: "value", typ: t}
	if name != "bytes" {
		c.note = fmt.Sprintf("guessed from the length of %d bytes", size)
	}
	p.format, p.columns = name, []column{c}
}

func (p *Proposal) bytes() [][]byte {
	out := make([][]byte, len(p.records))
	for i, r := range p.records {
		out[i] = r.Value
	}
	return out
}

// primitive is the serialisation of Kafka that texts of a size have: of 8 bytes a DOUBLE, if all of them are numbers of
// usual size when read so.
func primitive(size int, all [][]byte) (string, types.Type) {
	switch size {
	case 1:
		if !slices.ContainsFunc(all, func(b []byte) bool { return b[0] > 1 }) {
			return "boolean", types.TBoolean
		}
	case 2:
		return "smallint", types.Type{Kind: types.Int, Bits: 16}
	case 4:
		return "int", types.TInt
	case 8:
		for _, b := range all {
			bits := binary.BigEndian.Uint64(b)
			if f := math.Abs(math.Float64frombits(bits)); bits == 0 || !(f > 1e-9 && f < 1e15) {
				return "bigint", types.TBigInt
			}
		}
		return "double", types.TDouble
	}
	return "bytes", types.TVarbinary
}

// verify counts the records that the proposal does not read.
func (p *Proposal) verify(ctx context.Context) error {
	d, err := format.NewDecoder(p.format, p.spec())
	if err != nil {
		return err
	}
	row := vectors(p.spec().Columns)
	for _, r := range p.records {
		reset(row)
		if err := format.Decode(ctx, d, r.Value, row); err != nil {
			var away *format.FetchError
			if errors.As(err, &away) {
				return err
			}
			if p.bad == 0 {
				p.note("The first record that is not read so: partition %d, offset %d: %v.", r.Partition, r.Offset, err)
			}
			p.bad++
		}
	}
	return nil
}

// spec is what the value's format is told.
func (p *Proposal) spec() format.Spec {
	s := format.Spec{Topic: p.sample.Topic, Options: p.formatOptions()}
	for _, c := range p.columns {
		s.Columns = append(s.Columns, format.Column{Name: c.name, Type: c.typ})
	}
	return s
}

func (p *Proposal) formatOptions() map[string]string {
	out := map[string]string{}
	maps.Copy(out, p.opts.FormatOptions)
	maps.Copy(out, p.options)
	return out
}

func vectors(cols []format.Column) []*vector.Vector {
	out := make([]*vector.Vector, len(cols))
	for i, c := range cols {
		out[i] = vector.New(c.Type, 1)
	}
	return out
}

func reset(row []*vector.Vector) {
	for _, v := range row {
		v.Reset()
	}
}
