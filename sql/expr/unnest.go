package expr

import (
	"fmt"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Opener makes rows of one. It belongs to one goroutine.
type Opener interface {
	// Eval gives, for each row that is made, the row of b that it belongs to, in the order of b, and the columns; some may be of a row that is reported with ctx.Fail.
	// They are valid until the next call.
	Eval(ctx *Ctx, b *vector.Batch) (rows []int32, cols []*vector.Vector)
}

// NewOpener opens x, which UnnestColumns accepts.
func NewOpener(x Expr) (Opener, error) {
	if c, ok := x.(*call); ok && c.fn.table != nil {
		return newTableRows(c), nil
	}
	columns, err := UnnestColumns(x)
	if err != nil {
		return nil, err
	}
	u := &unnesting{x: x, columns: columns}
	u.values, u.index = vector.New(columns[len(columns)-1].Type, 0), vector.New(types.TBigInt, 0)
	if len(columns) == 2 {
		u.keys = vector.New(types.TVarchar, 0)
	}
	return u, nil
}

// UnnestColumns are the columns of the rows that x makes of one: the element of an ARRAY (of a JSON array: JSON), the key and the value of a MAP, those of
// a table function. A single column has no name of its own.
func UnnestColumns(x Expr) ([]types.Field, error) {
	if c, ok := x.(*call); ok && c.fn.table != nil {
		return c.fn.table.columns, nil
	}
	switch t := x.Type(); t.Kind {
	case types.Array:
		return []types.Field{{Type: *t.Elem}}, nil
	case types.JSON:
		return []types.Field{{Type: types.TJSON}}, nil
	case types.Map:
		return []types.Field{{Name: "key", Type: types.TVarchar}, {Name: "value", Type: *t.Elem}}, nil
	}
	return nil, fmt.Errorf("UNNEST takes an ARRAY or a MAP, not %s; a text that holds JSON converts with CAST(… AS JSON)", x.Type())
}

// unnesting takes arrays and maps apart, one row for each element.
type unnesting struct {
	x       Expr
	columns []types.Field

	elements
	keys *vector.Vector // of a map
}

// Eval takes apart what x is for each row. A NULL has no elements.
func (u *unnesting) Eval(ctx *Ctx, b *vector.Batch) (rows []int32, cols []*vector.Vector) {
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
			err = u.append(v.Bytes.At(i), u.columns[0].Type, int32(i))
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
func (u *unnesting) entries(text []byte, row int32) error {
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
		if err = u.field.convert(v, u.columns[1].Type, u.values); err == nil {
			u.keys.AppendBytes(key)
			u.rows = append(u.rows, row)
		}
	})
	return err
}
