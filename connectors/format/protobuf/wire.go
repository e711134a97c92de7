package protobuf

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/streamsql-go/streamsql/connectors/format"
)

// item is one value on the wire.
type item struct {
	number uint64 // varint and fixed
	bytes  []byte // length-delimited, or what is in a group
	next   int32  // the next of the same list, +1; 0: there is none
	run    bool   // bytes are packed numbers
}

// slot is what a message has of one field: items +1, 0 for none. Of what is no list only the last one counts.
type slot struct{ first, last int32 }

// found is a message that was taken apart: its slots lie in the reader's.
type found struct {
	m  *message
	at int
}

// reader takes messages apart. Its items and slots are given up as a stack: what was taken apart last is let go first.
type reader struct {
	items []item
	slots []slot
}

const maxDepth = 100

func malformed(text string, args ...any) error {
	return &format.BadRecord{Reason: format.Malformed, Err: fmt.Errorf("not a valid message: "+text, args...)}
}

// open takes a message apart. Fields that the schema does not have, or that have another wire type there, are passed over.
func (r *reader) open(m *message, data []byte) (found, error) {
	f := found{m, len(r.slots)}
	for range m.fields {
		r.slots = append(r.slots, slot{})
	}
	for at := 0; at < len(data); {
		number, typ, n := protowire.ConsumeTag(data[at:])
		if n < 0 {
			return f, malformed("byte %d of %d: %v", at, len(data), protowire.ParseError(n))
		}
		at += n
		i := m.of(number)
		var x item
		known := i >= 0
		if known {
			x.run = m.fields[i].packable && typ == protowire.BytesType
			known = x.run || typ == m.fields[i].wire
		}
		if n = consume(&x, number, typ, data[at:]); n < 0 {
			return f, malformed("byte %d of %d: %v", at, len(data), protowire.ParseError(n))
		}
		at += n
		if known {
			r.keep(f, i, x)
		}
	}
	return f, nil
}

// consume reads a value; what is behind it begins n bytes on.
func consume(x *item, number protowire.Number, typ protowire.Type, b []byte) (n int) {
	switch typ {
	case protowire.VarintType:
		x.number, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		x.number = uint64(v)
	case protowire.Fixed64Type:
		x.number, n = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		x.bytes, n = protowire.ConsumeBytes(b)
	case protowire.StartGroupType:
		x.bytes, n = protowire.ConsumeGroup(number, b)
	default:
		n = protowire.ConsumeFieldValue(number, typ, b)
	}
	return n
}

// keep notes a value. Of a message that comes twice the parts are joined, which is how they merge; of a oneof the last member counts.
func (r *reader) keep(f found, i int32, x item) {
	fd := &f.m.fields[i]
	s := &r.slots[f.at+int(i)]
	switch {
	case fd.list || fd.entries:
		r.items = append(r.items, x)
		last := int32(len(r.items))
		if s.first == 0 {
			s.first = last
		} else {
			r.items[s.last-1].next = last
		}
		s.last = last
		return
	case fd.oneof >= 0:
		for j := range f.m.fields {
			if f.m.fields[j].oneof == fd.oneof && int32(j) != i {
				r.slots[f.at+j] = slot{}
			}
		}
	}
	if s.last > 0 {
		have := &r.items[s.last-1]
		if fd.message != nil {
			x.bytes = append(have.bytes[:len(have.bytes):len(have.bytes)], x.bytes...)
		}
		*have = x
		return
	}
	r.items = append(r.items, x)
	s.first = int32(len(r.items))
	s.last = s.first
}

// get is the value of a field that is no list; false: it is not there.
func (r *reader) get(f found, i int) (*item, bool) {
	s := r.slots[f.at+i]
	if s.last == 0 {
		return nil, false
	}
	return &r.items[s.last-1], true
}

// close lets go of a message and what was taken apart after it.
func (r *reader) close(f found, items int) {
	r.slots, r.items = r.slots[:f.at], r.items[:items]
}

// next takes the next packed number of a run off it.
func (f *field) next(run []byte) (uint64, []byte, error) {
	var x item
	n := consume(&x, f.number, f.wire, run)
	if n < 0 {
		return 0, nil, malformed("field %s: %v", f.name, protowire.ParseError(n))
	}
	return x.number, run[n:], nil
}
