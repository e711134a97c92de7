package avro

import (
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Encoder writes rows as Avro values.
type Encoder struct {
	registry.Writing
	cols     []format.Column
	ordinals []int
	root     *put
	writer
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
	return newEncoder(place, s.Columns, ordinals, Derive)
}

// newEncoder makes an encoder that writes by the schema of the place, or one that derive makes.
func newEncoder(place registry.Place, cols []format.Column, ordinals []int, derive func(string, []format.Column) (string, error)) (*Encoder, error) {
	e := &Encoder{cols: cols, ordinals: ordinals}
	var err error
	e.Writing, err = registry.NewWriting(place, registry.Avro, func(name string) (string, error) { return derive(name, cols) })
	if err != nil {
		return nil, err
	}
	var n *node
	switch {
	case e.File != "":
		n, err = parseFile(e.File)
	case e.Text != "":
		n, err = parse(e.Text, nil)
	default:
		return e, nil // once it is prepared
	}
	if err != nil {
		return nil, err
	}
	return e, e.use(n)
}

// Prepare implements format.Preparer.
func (e *Encoder) Prepare(ctx context.Context) error {
	return e.Writing.Prepare(ctx, func(s registry.Schema) error {
		n, err := usable(s)
		if err != nil {
			return err
		}
		return e.use(n)
	})
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
	return e.record(dst, e.root, cols, row)
}

// use plans how rows are written by a schema.
func (e *Encoder) use(n *node) error {
	p := &put{n: n, column: -1}
	top := n
	if n.optional != nil {
		top = n.optional
	}
	var err error
	if top.kind == record {
		err = e.useRecord(p, top)
	} else if len(e.cols) == 1 {
		err = e.column(p, 0)
	} else {
		err = fmt.Errorf("the schema is %s, not a record: it holds one column, not %d", n, len(e.cols))
	}
	if err == nil {
		e.root = p
	}
	return err
}

func (e *Encoder) useRecord(p *put, n *node) error {
	used := make([]bool, len(e.cols))
	for i := range n.fields {
		f := &n.fields[i]
		at := format.FindColumn(f.name, e.cols)
		inner := put{n: f.node, column: -1}
		switch {
		case at >= 0:
			used[at] = true
			if err := e.column(&inner, at); err != nil {
				return err
			}
		case f.fallback != nil:
			inner.fixed = f.fallback
		case f.node.nullAt >= 0 && f.node.kind == union:
			inner.fixed = appendLong(nil, int64(f.node.nullAt))
		default:
			return fmt.Errorf("the schema's field %s must have a value, and no column has its name", f.name)
		}
		p.fields = append(p.fields, inner)
	}
	for i, ok := range used {
		if !ok {
			return fmt.Errorf("the schema has no field for column %s", e.cols[i].Name)
		}
	}
	return nil
}

// column lets a column be written as a type.
func (e *Encoder) column(p *put, at int) error {
	c := e.cols[at]
	p.column, p.field = at, c.Name
	if e.ordinals != nil {
		p.column = e.ordinals[at]
	}
	if p.branch = p.n.accepting(c.Type); p.branch < 0 {
		return fmt.Errorf("column %s is %s, which the schema's type %s does not take", c.Name, c.Type, p.n)
	}
	p.value = p.n
	if p.n.kind == union {
		p.value = p.n.branches[p.branch]
	}
	if c.Type.Temporal() && p.value.kind == text {
		w, err := format.NewTimeWriter(c)
		p.time = &w
		return err
	}
	if c.Type.Nested() && p.value.kind != text {
		var err error
		p.nested, err = newNested(p.value, c.Name)
		return err
	}
	return nil
}
