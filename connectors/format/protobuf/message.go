package protobuf

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
)

// special is a message that means something else than its fields.
type special uint8

const (
	ordinary special = iota
	timestamp
	duration
	calendarDate
	timeOfDay
	decimal
	wrapper   // of one value: google.protobuf.Int64Value and the like
	anyStruct // google.protobuf.Struct
	anyValue
	anyList
)

var specials = map[protoreflect.FullName]special{
	"google.protobuf.Timestamp": timestamp, "google.protobuf.Duration": duration, "google.type.Date": calendarDate,
	"google.type.TimeOfDay": timeOfDay, "confluent.type.Decimal": decimal,
	"google.protobuf.Struct": anyStruct, "google.protobuf.Value": anyValue, "google.protobuf.ListValue": anyList,
	"google.protobuf.DoubleValue": wrapper, "google.protobuf.FloatValue": wrapper, "google.protobuf.Int64Value": wrapper,
	"google.protobuf.UInt64Value": wrapper, "google.protobuf.Int32Value": wrapper, "google.protobuf.UInt32Value": wrapper,
	"google.protobuf.BoolValue": wrapper, "google.protobuf.StringValue": wrapper, "google.protobuf.BytesValue": wrapper,
}

// message is a message type as decoders and encoders need it. Messages that contain themselves are cycles.
type message struct {
	desc    protoreflect.MessageDescriptor
	special special
	fields  []field // in the order of the file
	dense   []int32 // the place of the field of a number, +1; of small numbers
	sparse  map[protowire.Number]int32
}

// field is one field of a message.
type field struct {
	desc     protoreflect.FieldDescriptor
	name     string
	quoted   []byte // `"name":`
	number   protowire.Number
	kind     protoreflect.Kind
	wire     protowire.Type // of one value
	list     bool
	entries  bool     // a map; message is that of its entries
	packable bool     // a list whose values may lie in one run of bytes
	presence bool     // that it is not there can be told from its default
	oneof    int      // among the message's; -1: none
	message  *message // of a message or group
	symbols  map[protoreflect.EnumNumber][]byte
	absent   *item // what the field stands for when it is not there; nil: NULL
}

const mostDense = 256

// message is what was made of a message type.
func (f *file) message(d protoreflect.MessageDescriptor) *message {
	if m, ok := f.messages[d.FullName()]; ok {
		return m
	}
	m := &message{desc: d, special: specials[d.FullName()], sparse: map[protowire.Number]int32{}}
	f.messages[d.FullName()] = m
	ds := d.Fields()
	for i := range ds.Len() {
		m.fields = append(m.fields, f.field(ds.Get(i)))
		n := ds.Get(i).Number()
		if n < mostDense {
			for len(m.dense) <= int(n) {
				m.dense = append(m.dense, 0)
			}
			m.dense[n] = int32(i) + 1
		} else {
			m.sparse[n] = int32(i) + 1
		}
	}
	return m
}

func (f *file) field(d protoreflect.FieldDescriptor) field {
	out := field{
		desc: d, name: string(d.Name()), number: d.Number(), kind: d.Kind(), wire: wireType(d.Kind()), list: d.IsList(), entries: d.IsMap(),
		presence: d.HasPresence(), oneof: -1,
	}
	out.quoted = append(json.AppendString(nil, []byte(out.name)), ':')
	out.packable = out.list && out.wire != protowire.BytesType && out.wire != protowire.StartGroupType
	if o := d.ContainingOneof(); o != nil && !o.IsSynthetic() {
		out.oneof = o.Index()
	}
	if !out.presence || d.HasDefault() {
		out.absent = absent(d)
	}
	if m := d.Message(); m != nil {
		out.message = f.message(m)
	}
	if e := d.Enum(); e != nil {
		out.symbols = map[protoreflect.EnumNumber][]byte{}
		vs := e.Values()
		for i := range vs.Len() {
			if _, alias := out.symbols[vs.Get(i).Number()]; !alias {
				out.symbols[vs.Get(i).Number()] = []byte(vs.Get(i).Name())
			}
		}
	}
	return out
}

func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return protowire.Fixed64Type
	case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return protowire.Fixed32Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

// of is the place of the field of a number; -1: there is none.
func (m *message) of(n protowire.Number) int32 {
	if int(n) < len(m.dense) {
		return m.dense[n] - 1
	}
	if len(m.sparse) == 0 {
		return -1
	}
	return m.sparse[n] - 1
}

// find is the place of a field by its exact name, else of the single one that differs in case only; -1: none, -2: several
// that differ in case only.
func (m *message) find(name string) int {
	return format.Find(name, len(m.fields), func(i int) string { return m.fields[i].name })
}

// String names the field's type in messages.
func (f *field) String() string {
	switch {
	case f.entries:
		return "a map"
	case f.list:
		return "repeated " + f.single()
	}
	return f.single()
}

func (f *field) single() string {
	if f.message != nil {
		return "message " + string(f.message.desc.FullName())
	}
	if e := f.desc.Enum(); e != nil {
		return "enum " + string(e.FullName())
	}
	return f.kind.String()
}

// symbol is the name of an enum's number; of one without a name its digits.
func (f *field) symbol(dst []byte, n int32) []byte {
	if s, ok := f.symbols[protoreflect.EnumNumber(n)]; ok {
		return append(dst, s...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}
