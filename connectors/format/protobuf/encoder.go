package protobuf

import (
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Encoder writes rows as messages.
type Encoder struct {
	registry.Writing
	cols     []format.Column
	ordinals []int
	index    []byte // of the message in a registered schema
	m        *message
	puts     []put // in the order of the fields
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
	e := &Encoder{cols: cols, ordinals: ordinals}
	var err error
	e.Writing, err = registry.NewWriting(place, registry.Protobuf, func(name string) (string, error) { return Derive(name, cols) })
	if err != nil {
		return nil, err
	}
	switch {
	case e.File != "":
		var f *file
		if f, err = parseFile(e.File); err == nil {
			if err = e.use(f, e.Name); err != nil {
				err = fmt.Errorf("schema.file %s: %w", e.File, err)
			}
		}
	case e.Text != "":
		var f *file
		if f, err = parse(e.Text, nil); err == nil {
			err = e.use(f, e.Record)
		}
	}
	return e, err
}

// Prepare implements format.Preparer.
func (e *Encoder) Prepare(ctx context.Context) error {
	return e.Writing.Prepare(ctx, func(s registry.Schema) error {
		f, err := usable(s)
		if err != nil {
			return err
		}
		return e.use(f, e.Name)
	})
}

// use plans how rows are written as a message of a file.
func (e *Encoder) use(f *file, name string) error {
	m, err := f.named(name)
	if err != nil {
		return err
	}
	e.m, e.puts = m, nil
	if e.File == "" {
		e.index = appendIndex(nil, indexOf(m.desc))
	}
	used := make([]bool, len(e.cols))
	for i := range m.fields {
		fd := &m.fields[i]
		at := format.FindColumn(fd.name, e.cols)
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
		p.nested = &nested{name: c.Name, scalars: map[*field]*registry.Scalar{}}
	case c.Type.Temporal() && fd.message == nil:
		w, err := format.NewTimeWriter(c)
		p.time = &w
		return p, err
	}
	return p, nil
}

// Encode implements format.Encoder.
func (e *Encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	return e.encode(dst, b.Cols, row)
}

func (e *Encoder) encode(dst []byte, cols []*vector.Vector, row int) ([]byte, error) {
	dst, err := e.Begin(dst)
	if err != nil {
		return dst, err
	}
	dst = append(dst, e.index...)
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
				return dst, registry.Unfit(p.name, format.WrongType, "another member of its oneof %s has a value too", p.field.desc.ContainingOneof().Name())
			}
			chosen = o
		}
		if dst, err = e.column(dst, p, v, row); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// null refuses NULL where it would be read as a value.
func (p *put) null() error {
	if p.field.required() || !p.field.presence && !p.field.list && !p.field.entries {
		return registry.Unfit(p.name, format.WrongType, "it is NULL, which the schema's field does not tell from %s: declare it optional", p.field.emptiness())
	}
	return nil
}
