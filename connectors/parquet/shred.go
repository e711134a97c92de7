package parquet

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// shape is a column of a relation, or a part of a nested one, as it lies in the leaves of a schema: with repetition and definition levels (Dremel, as
// the Parquet format has it). Every shape is optional.
type shape struct {
	typ         types.Type
	first, last int // its leaves: [first, last)
	rep         int // repetition level of the elements of a list or map
	parts       []shape
	cell        format.Cell    // of a leaf below a document
	scratch     *vector.Vector // its value
}

// shredder takes rows apart into the values of leaves.
type shredder struct {
	shapes []shape
	leaves [][]parquet.Value // of the row at hand
}

func newShredder(cols []types.Column) (*shredder, error) {
	s := &shredder{}
	at := 0
	for _, c := range cols {
		x, err := newShape(c.Name, c.Type, &at, 0)
		if err != nil {
			return nil, err
		}
		s.shapes = append(s.shapes, x)
	}
	s.leaves = make([][]parquet.Value, at)
	return s, nil
}

func newShape(name string, t types.Type, at *int, rep int) (shape, error) {
	s := shape{typ: t, first: *at}
	add := func(part types.Type, rep int) error {
		p, err := newShape(name, part, at, rep)
		s.parts = append(s.parts, p)
		return err
	}
	var err error
	switch t.Kind {
	case types.Array:
		s.rep = rep + 1
		err = add(*t.Elem, s.rep)
	case types.Map:
		s.rep = rep + 1
		*at++ // the key
		err = add(*t.Elem, s.rep)
	case types.Struct:
		for _, f := range t.Fields {
			if err == nil {
				err = add(f.Type, rep)
			}
		}
	default:
		*at++
		s.scratch = vector.New(t, 1)
		s.cell, err = format.NewCell(format.Column{Name: name, Type: t})
	}
	s.last = *at
	return s, err
}

// row is row i of cols, which are parallel to the shapes. It is valid until the next call.
func (s *shredder) row(dst parquet.Row, cols []*vector.Vector, i int) (parquet.Row, error) {
	for l := range s.leaves {
		s.leaves[l] = s.leaves[l][:0]
	}
	for c := range s.shapes {
		x, v := &s.shapes[c], cols[c]
		switch {
		case v.IsNull(i):
			s.none(x, 0, 0)
		case x.scratch != nil:
			s.leaf(x.first, value(v, i), 0, 1)
		default:
			doc, err := document(v.Bytes.At(i))
			if err == nil {
				err = s.put(x, doc, 0, 0)
			}
			if err != nil {
				return dst, err
			}
		}
	}
	return parquet.AppendRow(dst, s.leaves...), nil
}

func document(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var x any
	err := d.Decode(&x)
	return x, err
}

func (s *shredder) leaf(at int, v parquet.Value, rep, def int) {
	s.leaves[at] = append(s.leaves[at], v.Level(rep, def, at))
}

// none says in all leaves of a shape that there is nothing, from a definition level on.
func (s *shredder) none(x *shape, rep, def int) {
	for l := x.first; l < x.last; l++ {
		s.leaf(l, parquet.NullValue(), rep, def)
	}
}

// put takes a part of a document apart. def is the level of what it is in.
func (s *shredder) put(x *shape, doc any, rep, def int) error {
	if doc == nil && x.typ.Kind != types.JSON {
		s.none(x, rep, def)
		return nil
	}
	def++
	switch x.typ.Kind {
	case types.Array:
		list, ok := doc.([]any)
		if !ok {
			return fmt.Errorf("%T is not an %s", doc, x.typ)
		}
		return s.elements(x, len(list), rep, def, func(i, rep int) error { return s.put(&x.parts[0], list[i], rep, def+1) })
	case types.Map:
		m, ok := doc.(map[string]any)
		if !ok {
			return fmt.Errorf("%T is not a %s", doc, x.typ)
		}
		keys := slices.Sorted(maps.Keys(m))
		return s.elements(x, len(keys), rep, def, func(i, rep int) error {
			s.leaf(x.first, parquet.ByteArrayValue([]byte(keys[i])), rep, def+1)
			return s.put(&x.parts[0], m[keys[i]], rep, def+1)
		})
	case types.Struct:
		m, ok := doc.(map[string]any)
		if !ok {
			return fmt.Errorf("%T is not a %s", doc, x.typ)
		}
		for i := range x.parts {
			if err := s.put(&x.parts[i], m[x.typ.Fields[i].Name], rep, def); err != nil {
				return err
			}
		}
		return nil
	}
	v, err := x.scalar(doc)
	if err == nil {
		s.leaf(x.first, v, rep, def)
	}
	return err
}

// elements puts those of a list: the first one repeats what the list itself does.
func (s *shredder) elements(x *shape, n, rep, def int, put func(i, rep int) error) error {
	if n == 0 {
		s.none(x, rep, def)
	}
	for i := range n {
		if err := put(i, rep); err != nil {
			return err
		}
		rep = x.rep
	}
	return nil
}

// scalar is a leaf of a document in the shape's type.
func (x *shape) scalar(doc any) (parquet.Value, error) {
	if x.typ.Kind == types.JSON {
		text, err := json.Marshal(doc)
		return parquet.ByteArrayValue(text), err
	}
	x.scratch.Reset()
	var err error
	switch d := doc.(type) {
	case string:
		text := []byte(d)
		if x.typ.Kind == types.Varbinary {
			if text, err = base64.StdEncoding.DecodeString(d); err != nil {
				return parquet.Value{}, err
			}
		}
		err = x.cell.Text(x.scratch, text)
	case json.Number:
		err = x.cell.Number(x.scratch, []byte(d))
	case bool:
		err = x.cell.Bool(x.scratch, d)
	default:
		err = fmt.Errorf("%T is not a %s", doc, x.typ)
	}
	if err != nil {
		return parquet.Value{}, err
	}
	return value(x.scratch, 0).Clone(), nil // the scratch is used again within the row
}

// value is a scalar as its leaf holds it; it shares the vector's memory.
func value(v *vector.Vector, i int) parquet.Value {
	t := v.Type
	switch t.Kind {
	case types.Boolean:
		return parquet.BooleanValue(v.Ints[i] != 0)
	case types.Int, types.Uint:
		if width(t) <= 32 {
			return parquet.Int32Value(int32(v.Ints[i]))
		}
		return parquet.Int64Value(v.Ints[i])
	case types.Date:
		return parquet.Int32Value(int32(v.Ints[i]))
	case types.Time:
		return parquet.Int64Value(v.Ints[i])
	case types.Timestamp:
		if timestampUnit(t) == parquet.Millisecond {
			return parquet.Int64Value(types.FloorDiv(v.Ints[i], types.MicrosPerMilli))
		}
		return parquet.Int64Value(v.Ints[i])
	case types.Double:
		if t.Bits == 32 {
			return parquet.FloatValue(float32(v.Floats[i]))
		}
		return parquet.DoubleValue(v.Floats[i])
	case types.Decimal:
		return decimal(v.Decs[i], int(t.Precision))
	}
	return parquet.ByteArrayValue(v.Bytes.At(i))
}

func decimal(d types.Int128, precision int) parquet.Value {
	if precision <= 18 {
		x, _ := d.Int64()
		if precision <= 9 {
			return parquet.Int32Value(int32(x))
		}
		return parquet.Int64Value(x)
	}
	short := d.AppendBigEndian(nil)
	long := bytes.Repeat([]byte{byte(int8(short[0]) >> 7)}, decimalBytes(precision))
	copy(long[len(long)-len(short):], short)
	return parquet.FixedLenByteArrayValue(long)
}
