package expr

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

var (
	goTime  = reflect.TypeFor[time.Time]()
	goValue = reflect.TypeFor[types.Value]()
	goBytes = reflect.TypeFor[[]byte]()
	goError = reflect.TypeFor[error]()
)

// goType is the SQL type of a Go type: of a pointer that of what it points to. Slices, maps of text and structures are nested types, with
// the names that encoding/json gives to fields.
func goType(t reflect.Type) (types.Type, error) {
	switch {
	case t == goTime:
		return types.Type{Kind: types.Timestamp, Precision: 6}, nil
	case t == goBytes:
		return types.Type{Kind: types.Varbinary}, nil
	case t == goValue:
		return types.Type{}, fmt.Errorf("a Value has no SQL type of its own: say which by a signature")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return goType(t.Elem())
	case reflect.Bool:
		return types.TBoolean, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return types.Type{Kind: types.Int, Bits: uint8(t.Bits())}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return types.Type{Kind: types.Uint, Bits: uint8(t.Bits())}, nil
	case reflect.Float32, reflect.Float64:
		return types.Type{Kind: types.Double, Bits: uint8(t.Bits())}, nil
	case reflect.String:
		return types.TVarchar, nil
	case reflect.Slice, reflect.Map:
		if t.Kind() == reflect.Map && t.Key().Kind() != reflect.String {
			break
		}
		elem, err := goType(t.Elem())
		if t.Kind() == reflect.Map {
			return types.Type{Kind: types.Map, Elem: &elem}, err
		}
		return types.Type{Kind: types.Array, Elem: &elem}, err
	case reflect.Struct:
		return goStruct(t)
	}
	return types.Type{}, fmt.Errorf("Go type %s has no SQL type", t)
}

// fieldName is the name that encoding/json gives to a field; "": it has none there.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case !f.IsExported() || name == "-":
		return ""
	case name == "":
		return f.Name
	}
	return name
}

// columnFields are the fields of a structure that have names.
func columnFields(t reflect.Type) []int {
	out := []int{}
	for i := range t.NumField() {
		if fieldName(t.Field(i)) != "" {
			out = append(out, i)
		}
	}
	return out
}

func goStruct(t reflect.Type) (types.Type, error) {
	out := types.Type{Kind: types.Struct}
	for i := range t.NumField() {
		f := t.Field(i)
		name := fieldName(f)
		if name == "" {
			continue
		}
		if f.Anonymous {
			return out, fmt.Errorf("Go type %s embeds %s: write its fields out", t, f.Type)
		}
		ft, err := goType(f.Type)
		if err != nil {
			return out, fmt.Errorf("field %s: %w", f.Name, err)
		}
		out.Fields = append(out.Fields, types.Field{Name: name, Type: ft})
	}
	if len(out.Fields) == 0 {
		return out, fmt.Errorf("Go type %s has no fields that SQL could name", t)
	}
	return out, nil
}

// holds says whether values of a SQL type fit a Go type: one that a signature gives to a parameter or result.
func holds(g reflect.Type, t types.Type) error {
	if g.Kind() == reflect.Pointer {
		g = g.Elem()
	}
	if g == goValue {
		return nil
	}
	own, err := goType(g)
	if err != nil {
		return err
	}
	text := own.Kind == types.Varchar && (t.Kind == types.Varchar || t.Kind == types.JSON)
	if own.Equal(t) || text || own.Kind == types.Timestamp && t.Kind == types.Timestamp || own.Kind == types.Varbinary && t.Kind == types.Varbinary {
		return nil
	}
	return fmt.Errorf("Go type %s holds %s, not %s: take a Value", g, own, t)
}

// input makes Go values of a SQL type for one parameter.
type input struct {
	typ      types.Type
	to       reflect.Type
	pointer  bool // NULL is nil
	nullable bool // it takes NULL
}

func newInput(to reflect.Type, t types.Type) input {
	in := input{typ: t, to: to, nullable: to.Kind() == reflect.Pointer || to == goValue}
	if to.Kind() == reflect.Pointer {
		in.to, in.pointer = to.Elem(), true
	}
	return in
}

// value is row i as the parameter takes it; NULL only where it takes one.
func (in *input) value(v *vector.Vector, i int) (reflect.Value, error) {
	if in.pointer && v.IsNull(i) {
		return reflect.Zero(reflect.PointerTo(in.to)), nil
	}
	x, err := in.bare(v, i)
	if err != nil || !in.pointer {
		return x, err
	}
	p := reflect.New(in.to)
	p.Elem().Set(x)
	return p, nil
}

func (in *input) bare(v *vector.Vector, i int) (reflect.Value, error) {
	out := reflect.New(in.to).Elem()
	switch {
	case in.to == goValue:
		out.Set(reflect.ValueOf(v.Value(i)))
		return out, nil
	case in.to == goTime:
		out.Set(reflect.ValueOf(time.UnixMicro(v.Ints[i]).UTC()))
		return out, nil
	}
	switch in.typ.Kind {
	case types.Boolean:
		out.SetBool(v.Ints[i] != 0)
	case types.Int:
		out.SetInt(v.Ints[i])
	case types.Uint:
		out.SetUint(uint64(v.Ints[i]))
	case types.Double:
		out.SetFloat(v.Floats[i])
	case types.Varchar, types.JSON:
		out.SetString(string(v.Bytes.At(i)))
	case types.Varbinary:
		out.SetBytes([]byte(string(v.Bytes.At(i))))
	default:
		if err := json.Unmarshal(v.Bytes.At(i), out.Addr().Interface()); err != nil {
			return out, fmt.Errorf("%s does not become a %s: %w", in.typ, in.to, err)
		}
	}
	return out, nil
}

// appendGo appends a Go value to a vector of the type that its Go type holds.
func appendGo(out *vector.Vector, x reflect.Value) error {
	if x.Kind() == reflect.Pointer {
		if x.IsNil() {
			out.AppendNull()
			return nil
		}
		x = x.Elem()
	}
	switch {
	case x.Type() == goValue:
		return appendValue(out, x.Interface().(types.Value))
	case x.Type() == goTime:
		out.AppendInt(x.Interface().(time.Time).UnixMicro())
		return nil
	}
	switch out.Type.Kind {
	case types.Boolean:
		out.AppendInt(bit(x.Bool()))
	case types.Int:
		out.AppendInt(x.Int())
	case types.Uint:
		out.AppendInt(int64(x.Uint()))
	case types.Double:
		out.AppendFloat(x.Float())
	case types.Varchar, types.JSON:
		return appendValue(out, types.NewString(x.String()))
	case types.Varbinary:
		if x.IsNil() {
			out.AppendNull()
			return nil
		}
		out.AppendBytes(x.Bytes())
	default:
		if (x.Kind() == reflect.Slice || x.Kind() == reflect.Map) && x.IsNil() {
			out.AppendNull()
			return nil
		}
		text, err := json.Marshal(x.Interface())
		if err != nil {
			return err
		}
		out.AppendBytes(text)
	}
	return nil
}

// appendValue appends a value that a program made, cast to the vector's type.
func appendValue(out *vector.Vector, v types.Value) error {
	v, err := types.Cast(v, out.Type)
	if err != nil {
		return err
	}
	if v.Kind == types.Varchar && !validText(v.S) {
		return errNotUTF8
	}
	out.Append(v)
	return nil
}
