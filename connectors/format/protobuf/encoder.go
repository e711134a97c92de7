package protobuf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Encoder writes rows as messages.
type Encoder struct {
	place    registry.Place
	cols     []format.Column
	ordinals []int
	text     string // of a schema made of the columns; "": of another
	name     string // of its message
	header   []byte // with the index
	m        *message
	puts     []put // in the order of the fields; nil: not prepared
	writer
}

// put is how a column is written.
type put struct {
	field  *field
	column int // ordinal
	name   string
	time   *format.TimeWriter // of a time that is written as text
	nested *nested
}

// NewEncoder makes the encoder of a topic's values. With a schema registry it is ready to write once it is prepared.
func NewEncoder(s format.Spec, ordinals []int) (*Encoder, error) {
	place, err := registry.ValuePlace(s)
	if err != nil {
		return nil, err
	}
	if ordinals != nil && len(ordinals) != len(s.Columns) {
		return nil, fmt.Errorf("%d columns but %d ordinals", len(s.Columns), len(ordinals))
	}
	return newEncoder(place, s.Columns, ordinals)
}

func newEncoder(place registry.Place, cols []format.Column, ordinals []int) (*Encoder, error) {
	e := &Encoder{place: place, cols: cols, ordinals: ordinals}
	switch {
	case place.File != "":
		f, err := parseFile(place.File)
		if err != nil {
			return nil, err
		}
		if err := e.use(f, place.Name); err != nil {
			return nil, fmt.Errorf("schema.file %s: %w", place.File, err)
		}
		return e, nil
	case place.Version != registry.Derived:
		return e, nil
	}
	if e.name = place.Name; e.name == "" {
		e.name = place.RecordName()
	}
	var err error
	if e.text, err = Derive(e.name, cols); err != nil {
		return nil, err
	}
	f, err := parse(e.text, nil)
	if err != nil {
		return nil, fmt.Errorf("the schema of the columns: %w", err)
	}
	return e, e.use(f, e.name)
}

// Prepare registers the schema, or fetches the one that is named.
func (e *Encoder) Prepare(ctx context.Context) error {
	switch {
	case e.place.File != "":
		return nil
	case e.text != "":
		id, err := e.place.Write(ctx, registry.Schema{Type: registry.Protobuf, Text: e.text}, e.name)
		if err != nil {
			return err
		}
		e.header = appendIndex(registry.AppendHeader(nil, id), []int{0})
		return nil
	}
	s, err := e.place.Current(ctx)
	if err != nil {
		return err
	}
	f, err := usable(s)
	if err == nil {
		err = e.use(f, e.place.Name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Origin(), err)
	}
	e.header = appendIndex(registry.AppendHeader(nil, s.ID), indexOf(e.m.desc))
	return nil
}

// use plans how rows are written as a message of a file.
func (e *Encoder) use(f *file, name string) error {
	m, err := f.named(name)
	if err != nil {
		return err
	}
	e.m, e.puts = m, nil
	used := make([]bool, len(e.cols))
	for i := range m.fields {
		fd := &m.fields[i]
		at := e.columnOf(fd)
		if at < 0 {
			if fd.required() {
				return fmt.Errorf("the schema's field %s must have a value, and no column has its name", fd.name)
			}
			continue
		}
		used[at] = true
		p, err := e.put(fd, at)
		if err != nil {
			return err
		}
		e.puts = append(e.puts, p)
	}
	for i, ok := range used {
		if !ok {
			return fmt.Errorf("%s has no field for column %s", m.desc.FullName(), e.cols[i].Name)
		}
	}
	return nil
}

func (e *Encoder) put(fd *field, at int) (put, error) {
	c := e.cols[at]
	p := put{field: fd, column: at, name: c.Name}
	if e.ordinals != nil {
		p.column = e.ordinals[at]
	}
	if !fd.accepts(c.Type) {
		return p, fmt.Errorf("column %s is %s, which the schema's type %s does not take", c.Name, c.Type, fd)
	}
	switch {
	case fd.list || fd.entries || c.Type.Nested() && fd.message != nil:
		p.nested = &nested{name: c.Name, shapes: map[*field]*shape{}}
	case c.Type.Temporal() && fd.message == nil:
		w, err := format.NewTimeWriter(c)
		p.time = &w
		return p, err
	}
	return p, nil
}

// columnOf is the column that a field takes: of its exact name, else the single one that differs in case only; -1: none.
func (e *Encoder) columnOf(f *field) int {
	found := -1
	for i, c := range e.cols {
		if c.Name == f.name {
			return i
		}
		if strings.EqualFold(c.Name, f.name) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

var errNotPrepared = errors.New("the encoder was not prepared")

// Encode implements format.Encoder.
func (e *Encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	return e.encode(dst, b.Cols, row)
}

func (e *Encoder) encode(dst []byte, cols []*vector.Vector, row int) ([]byte, error) {
	if e.m == nil || e.header == nil && e.place.File == "" {
		return dst, errNotPrepared
	}
	dst = append(dst, e.header...)
	chosen := -1 // of the last oneof met
	for i := range e.puts {
		p := &e.puts[i]
		v := cols[p.column]
		if v.IsNull(row) || v.Type.Physical() == 0 {
			if err := p.null(); err != nil {
				return dst, err
			}
			continue
		}
		if o := p.field.oneof; o >= 0 {
			if o == chosen {
				return dst, unfit(p.name, format.WrongType, "another member of its oneof %s has a value too", p.field.desc.ContainingOneof().Name())
			}
			chosen = o
		}
		var err error
		if dst, err = e.column(dst, p, v, row); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// null refuses NULL where it would be read as a value.
func (p *put) null() error {
	if p.field.required() || !p.field.presence && !p.field.list && !p.field.entries {
		return unfit(p.name, format.WrongType, "it is NULL, which the schema's field does not tell from %s: declare it optional", p.field.emptiness())
	}
	return nil
}

func unfit(field string, reason format.Reason, text string, args ...any) error {
	return &format.BadRecord{Reason: reason, Field: field, Err: fmt.Errorf(text, args...)}
}
