package expr

import (
	"fmt"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Field is base.name: a field of a STRUCT, a value of a MAP, a member of a JSON object. Make one with NewField.
type Field struct {
	Base Expr
	Name string
	typ  types.Type
}

// NewField is base.name. Of a STRUCT the declared field is taken, with its type (its spelling first, then a single
// case-insensitive match); of a MAP its value type; of JSON the result is JSON. Absent members and JSON null are NULL.
func NewField(base Expr, name string) (Expr, error) {
	t := base.Type()
	switch t.Kind {
	case types.JSON:
		return &Field{base, name, types.TJSON}, nil
	case types.Map:
		return &Field{base, name, *t.Elem}, nil
	case types.Struct:
	default:
		return nil, fmt.Errorf("%s is %s and has no fields", base, t)
	}
	var folded []types.Field
	var names []string
	for _, f := range t.Fields {
		if f.Name == name {
			return &Field{base, f.Name, f.Type}, nil
		}
		if strings.EqualFold(f.Name, name) {
			folded = append(folded, f)
		}
		names = append(names, f.Name)
	}
	switch len(folded) {
	case 0:
		return nil, fmt.Errorf("%s has no field %s; it has %s", base, name, strings.Join(names, ", "))
	case 1:
		return &Field{base, folded[0].Name, folded[0].Type}, nil
	}
	return nil, fmt.Errorf("%s has several fields %s that differ in case; write one exactly: %s", base, name, strings.Join(names, ", "))
}

// Type is the field's type.
func (f *Field) Type() types.Type { return f.typ }

// Inputs is the base.
func (f *Field) Inputs() []Expr { return []Expr{f.Base} }

// WithInputs replaces the base.
func (f *Field) WithInputs(in []Expr) Expr { return &Field{in[0], f.Name, f.typ} }

// String is base.name, the name in back-quotes when it is no plain word.
func (f *Field) String() string {
	for i, c := range f.Name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9' || i == 0) {
			return f.Base.String() + ".`" + strings.ReplaceAll(f.Name, "`", "``") + "`"
		}
	}
	return f.Base.String() + "." + f.Name
}

// fieldScratch is what a Field keeps in a Ctx.
type fieldScratch struct {
	parser fastjson.Parser
	buf    []byte
}

// Eval parses each document and converts the member to the field's type; what does not convert fails the row.
func (f *Field) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(f)
	sc, _ := s.aux.(*fieldScratch)
	if sc == nil {
		sc = &fieldScratch{}
		s.aux = sc
	}
	base := f.Base.Eval(ctx, b)
	out := s.empty(f.typ)
	for i := range b.N {
		if base.IsNull(i) {
			out.AppendNull()
			continue
		}
		doc, err := sc.parser.ParseBytes(base.Bytes.At(i))
		if err == nil {
			err = sc.convert(member(doc, f.Name), f.typ, out)
		}
		if err != nil {
			out.AppendNull()
			ctx.Fail(i, fmt.Errorf("%s: %w", f, err))
		}
	}
	return out
}

// member is a member of an object: exact case first, then a single case-insensitive match.
func member(doc *fastjson.Value, name string) *fastjson.Value {
	o, err := doc.Object()
	if err != nil {
		return nil
	}
	if v := o.Get(name); v != nil {
		return v
	}
	var found *fastjson.Value
	n := 0
	o.Visit(func(key []byte, v *fastjson.Value) {
		if len(key) == len(name) && strings.EqualFold(string(key), name) {
			found = v
			n++
		}
	})
	if n != 1 {
		return nil
	}
	return found
}

// convert appends a JSON value as type t. Scalars are converted where that is exact (a number to text, a numeric text to a
// number).
func (sc *fieldScratch) convert(v *fastjson.Value, t types.Type, out *vector.Vector) error {
	if v == nil || v.Type() == fastjson.TypeNull {
		out.AppendNull()
		return nil
	}
	if t.Nested() {
		sc.buf = v.MarshalTo(sc.buf[:0])
		out.AppendBytes(sc.buf)
		return nil
	}
	switch v.Type() {
	case fastjson.TypeString:
		text, _ := v.StringBytes()
		sc.buf = append(sc.buf[:0], text...)
	case fastjson.TypeObject, fastjson.TypeArray:
		if !t.Text() {
			return fmt.Errorf("a JSON %s is no %s", v.Type(), t)
		}
		sc.buf = v.MarshalTo(sc.buf[:0])
	default:
		sc.buf = v.MarshalTo(sc.buf[:0])
	}
	switch {
	case t.Text():
		out.AppendBytes(types.Truncate(sc.buf, t))
		return nil
	case t.Kind == types.Int && t.Bits == 64 && v.Type() == fastjson.TypeNumber:
		if n, err := types.ParseInt(sc.buf); err == nil {
			out.AppendInt(n)
			return nil
		}
	}
	x := types.Value{Kind: types.JSON, S: string(sc.buf)}
	if v.Type() == fastjson.TypeString {
		x.Kind = types.Varchar
	}
	x, err := types.Cast(x, t)
	if err != nil {
		return err
	}
	out.Append(x)
	return nil
}
