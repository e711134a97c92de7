package protobuf

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
)

// render appends a field as JSON: what the format 'json' would write for it, with the names of the .proto file and numbers as
// numbers. All fields of a message are there, those that are missing with their defaults or null.
func (d *runner) render(dst []byte, f found, i, depth int) ([]byte, error) {
	fd := &f.m.fields[i]
	switch {
	case fd.entries:
		return d.renderEntries(dst, f, i, depth)
	case fd.list:
		return d.renderList(dst, f, i, depth)
	}
	x, ok := d.get(f, i)
	if !ok {
		if x = fd.absent; x == nil {
			return append(dst, "null"...), nil
		}
	}
	one := *x
	return d.renderOne(dst, fd, &one, depth)
}

func (d *runner) renderList(dst []byte, f found, i, depth int) ([]byte, error) {
	fd := &f.m.fields[i]
	dst = append(dst, '[')
	first := len(dst)
	for at := d.slots[f.at+i].first; at > 0; at = d.items[at-1].next {
		one := d.items[at-1]
		run := one.bytes
		for more := true; more; {
			if one.run {
				if len(run) == 0 {
					break
				}
				var err error
				if one.number, run, err = fd.next(run); err != nil {
					return dst, err
				}
			}
			if len(dst) > first {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = d.renderOne(dst, fd, &one, depth); err != nil {
				return dst, err
			}
			more = one.run
		}
	}
	return append(dst, ']'), nil
}

// renderEntries appends a map in the order of the wire. Of entries with one key the last counts, as of names in JSON.
func (d *runner) renderEntries(dst []byte, f found, i, depth int) ([]byte, error) {
	fd := &f.m.fields[i]
	dst = append(dst, '{')
	first := len(dst)
	for at := d.slots[f.at+i].first; at > 0; at = d.items[at-1].next {
		items := len(d.items)
		in, err := d.open(fd.message, d.items[at-1].bytes)
		if err != nil {
			return dst, err
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		if dst, err = d.renderKey(dst, in); err != nil {
			return dst, err
		}
		if dst, err = d.renderValue(append(dst, ':'), in, depth); err != nil {
			return dst, err
		}
		d.close(in, items)
	}
	return append(dst, '}'), nil
}

func (d *runner) renderKey(dst []byte, in found) ([]byte, error) {
	fd := &in.m.fields[0]
	var one item
	if x, ok := d.get(in, 0); ok {
		one = *x
	}
	if fd.kind == protoreflect.StringKind {
		return d.quote(dst, one.bytes), nil
	}
	dst, err := d.renderOne(append(dst, '"'), fd, &one, 0)
	return append(dst, '"'), err
}

// renderValue appends the value of a map's entry; one that is not there is the default, also of a message.
func (d *runner) renderValue(dst []byte, in found, depth int) ([]byte, error) {
	var one item
	if x, ok := d.get(in, 1); ok {
		one = *x
	}
	return d.renderOne(dst, &in.m.fields[1], &one, depth+1)
}

func (d *runner) renderOne(dst []byte, fd *field, x *item, depth int) ([]byte, error) {
	switch fd.kind {
	case protoreflect.BoolKind:
		return strconv.AppendBool(dst, x.number != 0), nil
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return strconv.AppendUint(dst, uint64(uint32(x.number)), 10), nil
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return strconv.AppendUint(dst, x.number, 10), nil
	case protoreflect.FloatKind:
		return appendFloat(dst, float64(math.Float32frombits(uint32(x.number))), 32), nil
	case protoreflect.DoubleKind:
		return appendFloat(dst, math.Float64frombits(x.number), 64), nil
	case protoreflect.StringKind:
		return d.quote(dst, x.bytes), nil
	case protoreflect.BytesKind:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), x.bytes), '"'), nil
	case protoreflect.EnumKind:
		return append(fd.symbol(append(dst, '"'), int32(x.number)), '"'), nil
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return d.renderMessage(dst, fd.message, x.bytes, depth+1)
	}
	return strconv.AppendInt(dst, int64Of(fd.kind, x.number), 10), nil
}

func (d *runner) quote(dst, s []byte) []byte {
	d.invalid = d.invalid || !utf8.Valid(s)
	return json.AppendString(dst, s)
}

// appendFloat appends a JSON number; NaN and infinities are null.
func appendFloat(dst []byte, x float64, bits uint8) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(dst, "null"...)
	}
	return format.AppendDouble(dst, x, bits)
}

func (d *runner) renderMessage(dst []byte, m *message, data []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, malformed("messages lie too deep in each other")
	}
	items := len(d.items)
	in, err := d.open(m, data)
	if err != nil {
		return dst, err
	}
	dst, err = d.renderFields(dst, in, depth)
	d.close(in, items)
	return dst, err
}

func (d *runner) renderFields(dst []byte, in found, depth int) ([]byte, error) {
	switch in.m.special {
	case timestamp, calendarDate, timeOfDay:
		us, ok := d.micros(in)
		if !ok {
			return append(dst, "null"...), nil
		}
		return append(appendTime(append(dst, '"'), in.m.special, us), '"'), nil
	case duration:
		return append(d.durationText(append(dst, '"'), in), '"'), nil
	case decimal:
		return append(d.decimalText(append(dst, '"'), in), '"'), nil
	case wrapper:
		var one item
		if x, ok := d.get(in, 0); ok {
			one = *x
		}
		return d.renderOne(dst, &in.m.fields[0], &one, depth)
	case anyStruct, anyList:
		return d.render(dst, in, 0, depth)
	case anyValue:
		for i := range in.m.fields {
			x, ok := d.get(in, i)
			if !ok {
				continue
			}
			if in.m.fields[i].kind == protoreflect.EnumKind { // google.protobuf.NullValue
				break
			}
			one := *x
			return d.renderOne(dst, &in.m.fields[i], &one, depth)
		}
		return append(dst, "null"...), nil
	}
	dst = append(dst, '{')
	var err error
	for i := range in.m.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = d.render(append(dst, in.m.fields[i].quoted...), in, i, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
