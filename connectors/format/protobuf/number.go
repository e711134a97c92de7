package protobuf

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// encodeNumber is a number of a kind as its wire type holds it.
func encodeNumber(k protoreflect.Kind, v protoreflect.Value) uint64 {
	switch k {
	case protoreflect.BoolKind:
		return protowire.EncodeBool(v.Bool())
	case protoreflect.EnumKind:
		return uint64(int64(v.Enum()))
	case protoreflect.FloatKind:
		return uint64(math.Float32bits(float32(v.Float())))
	case protoreflect.DoubleKind:
		return math.Float64bits(v.Float())
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return v.Uint()
	}
	return encodeInt(k, v.Int())
}

// encodeInt is a signed integer of a kind as its wire type holds it.
func encodeInt(k protoreflect.Kind, x int64) uint64 {
	switch k {
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.EncodeZigZag(x)
	case protoreflect.Sfixed32Kind:
		return uint64(uint32(x))
	}
	return uint64(x)
}
