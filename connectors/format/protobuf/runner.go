package protobuf

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// runner reads messages by plans. It belongs to one goroutine.
type runner struct {
	reader
	cols    []*vector.Vector
	invalid bool // text that is not UTF-8 was met
	scratch []byte
	doc     []byte
}

// run appends the row of a message. On an error, a *format.BadRecord, nothing is appended.
func (d *runner) run(s *step, data []byte, cols []*vector.Vector) error {
	before := 0
	if len(cols) > 0 {
		before = cols[0].Len()
	}
	d.items, d.slots, d.cols, d.invalid = d.items[:0], d.slots[:0], cols, false
	if err := d.message(s, data); err != nil {
		format.Truncate(cols, before)
		return err
	}
	return nil
}

func (d *runner) message(s *step, data []byte) error {
	items := len(d.items)
	f, err := d.open(s.m, data)
	if err != nil {
		return err
	}
	for i := range s.takes {
		if err := d.take(f, &s.takes[i]); err != nil {
			return err
		}
	}
	for i := range s.inside {
		in := &s.inside[i]
		x, ok := d.get(f, in.field)
		if !ok {
			for _, c := range in.step.all {
				d.cols[c].AppendNull()
			}
			continue
		}
		if err := d.message(in.step, x.bytes); err != nil {
			return err
		}
	}
	d.close(f, items)
	return nil
}

func (d *runner) take(f found, t *take) error {
	v := d.cols[t.column]
	if t.field < 0 {
		v.AppendNull()
		return nil
	}
	fd := &f.m.fields[t.field]
	if fd.list || fd.entries {
		if t.how == impossible {
			if d.slots[f.at+t.field].first == 0 {
				v.AppendNull()
				return nil
			}
			return t.err
		}
		return d.document(f, t, v)
	}
	x, ok := d.get(f, t.field)
	if !ok {
		if x = fd.absent; x == nil || t.how == impossible {
			v.AppendNull()
			return nil
		}
	}
	switch t.how {
	case impossible:
		return t.err
	case scalar:
		return d.scalar(fd, x, t.target, v)
	case inText:
		if !ok { // an empty text is no document
			v.AppendNull()
			return nil
		}
		return t.target.Docs.Append(v, x.bytes)
	}
	return d.document(f, t, v)
}

// document appends a field as a JSON document, or brings it into the form of the column's type.
func (d *runner) document(f found, t *take, v *vector.Vector) error {
	dst := v.Bytes.Data
	if t.how == fitted {
		dst = d.doc[:0]
	}
	dst, err := d.render(dst, f, t.field, 0)
	if d.invalid && err == nil {
		d.invalid = false
		err = t.target.Cell.Bad(format.InvalidUTF8, "it holds text that is not valid UTF-8")
	}
	if err != nil {
		return err
	}
	if t.how == fitted {
		d.doc = dst
		return t.target.Docs.Append(v, dst)
	}
	v.Bytes.Data = dst
	v.CloseBytes()
	return nil
}

// absent is the item that a field's default would be on the wire.
func absent(d protoreflect.FieldDescriptor) *item {
	x := &item{}
	if !d.HasDefault() {
		return x
	}
	v := d.Default()
	switch d.Kind() {
	case protoreflect.StringKind:
		x.bytes = []byte(v.String())
	case protoreflect.BytesKind:
		x.bytes = v.Bytes()
	default:
		x.number = encodeNumber(d.Kind(), v)
	}
	return x
}
