package expr

import (
	"fmt"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Unnesting takes arrays and maps apart, one row for each element. It belongs to one goroutine.
type Unnesting struct {
	x     Expr
	types []types.Type

	elements
	keys *vector.Vector // of a map
}

// UnnestTypes are the columns that UNNEST of a type gives: the element of an ARRAY (of a JSON array: JSON), the key and the
// value of a MAP.
func UnnestTypes(t types.Type) ([]types.Type, error) {
	switch t.Kind {
	case types.Array:
		return []types.Type{*t.Elem}, nil
	case types.JSON:
		return []types.Type{types.TJSON}, nil
	case types.Map:
		return []types.Type{types.TVarchar, *t.Elem}, nil
	}
	return nil, fmt.Errorf("UNNEST takes an ARRAY or a MAP, not %s; a text that holds JSON converts with CAST(… AS JSON)", t)
}

// NewUnnesting takes x apart, whose type UnnestTypes accepts.
func NewUnnesting(x Expr) (*Unnesting, error) {
	kinds, err := UnnestTypes(x.Type())
	if err != nil {
		return nil, err
	}
	u := &Unnesting{x: x, types: kinds}
	u.values, u.index = vector.New(kinds[len(kinds)-1], 0), vector.New(types.TBigInt, 0)
	if len(kinds) == 2 {
		u.keys = vector.New(types.TVarchar, 0)
	}
	return u, nil
}

// Eval gives, for each element, the row of b that it belongs to, and the columns. A NULL has no elements. They are valid until the
// next call.
func (u *Unnesting) Eval(ctx *Ctx, b *vector.Batch) (rows []int32, cols []*vector.Vector) {
	v := u.x.Eval(ctx, b)
	u.rows = u.rows[:0]
	u.values.Reset()
	u.index.Reset()
	if u.keys != nil {
		u.keys.Reset()
	}
	for i := range b.N {
		if v.IsNull(i) {
			continue
		}
		var err error
		if u.keys == nil {
			err = u.append(v.Bytes.At(i), u.types[0], int32(i))
		} else {
			err = u.entries(v.Bytes.At(i), int32(i))
		}
		if err != nil {
			ctx.Fail(i, fmt.Errorf("UNNEST: %w", err))
		}
	}
	if u.keys != nil {
		return u.rows, []*vector.Vector{u.keys, u.values}
	}
	return u.rows, []*vector.Vector{u.values}
}

// entries takes a map apart.
func (u *Unnesting) entries(text []byte, row int32) error {
	doc, err := u.parser.ParseBytes(text)
	if err != nil {
		return err
	}
	object, err := doc.Object()
	if err != nil {
		return err
	}
	object.Visit(func(key []byte, v *fastjson.Value) {
		if err != nil {
			return
		}
		if err = u.field.convert(v, u.types[1], u.values); err == nil {
			u.keys.AppendBytes(key)
			u.rows = append(u.rows, row)
		}
	})
	return err
}
