package expr

import (
	"fmt"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func lambdaFunctions() []Function {
	list := family("array", []Function{
		{Name: "TRANSFORM", Min: 2, Max: 2, Signature: "TRANSFORM(array, x -> expression) -> ARRAY", Doc: "The array of what the lambda makes of each element; (x, i) -> … also has its position, from 1.",
			Example: "TRANSFORM(ARRAY[1, 2, 3], x -> x * x)", Result: "[1,4,9]", bind: bindTransform},
		{Name: "FILTER", Min: 2, Max: 2, Signature: "FILTER(array, x -> condition) -> ARRAY", Doc: "The elements for which the lambda is true; (x, i) -> … also has the position, from 1.",
			Example: "FILTER(ARRAY[5, 1, 4], x -> x > 3)", Result: "[5,4]", bind: bindFilter},
		{Name: "REDUCE", Min: 3, Max: 4, Signature: "REDUCE(array, start, (acc, x) -> expression [, acc -> result])", Doc: "Folds the elements from left to right into one value, beginning with start.",
			Example: "REDUCE(ARRAY[1, 2, 3], 0, (acc, x) -> acc + x)", Result: "6", bind: bindReduce},
		{Name: "ANY_MATCH", Min: 2, Max: 2, Signature: "ANY_MATCH(array, x -> condition) -> BOOLEAN", Doc: "Whether the lambda is true for an element; NULL when it is for none and NULL for some.",
			Example: "ANY_MATCH(ARRAY[1, 5], x -> x > 3)", Result: "1", bind: bindQuantifier(1)},
		{Name: "ALL_MATCH", Min: 2, Max: 2, Signature: "ALL_MATCH(array, x -> condition) -> BOOLEAN", Doc: "Whether the lambda is true for every element; NULL when it is false for none and NULL for some.",
			Example: "ALL_MATCH(ARRAY[1, 5], x -> x > 3)", Result: "0", bind: bindQuantifier(0)},
	})
	for i := range list {
		list[i].lambda = true
	}
	return list
}

// higher is a function with lambdas over the elements of an array. All elements of a batch are one batch of the lambda.
type higher struct {
	fn      *Function
	args    []Expr // the array, and what else is no lambda
	lambdas []closure
	typ     types.Type
	elem    types.Type
	eval    func(h *higher, ctx *Ctx, s *elements, b *vector.Batch, out *vector.Vector)
}

func (h *higher) Type() types.Type { return h.typ }

func (h *higher) Inputs() []Expr {
	in := append([]Expr(nil), h.args...)
	for _, f := range h.lambdas {
		in = append(in, f.body)
	}
	return in
}

func (h *higher) WithInputs(in []Expr) Expr {
	c := *h
	c.args = in[:len(h.args):len(h.args)]
	c.lambdas = make([]closure, len(h.lambdas))
	for i, f := range h.lambdas {
		c.lambdas[i] = f.with(in[len(h.args)+i])
	}
	return &c
}

func (h *higher) String() string {
	s := h.fn.Name + "("
	for _, a := range h.args {
		s += a.String() + ", "
	}
	for i, f := range h.lambdas {
		if i > 0 {
			s += ", "
		}
		s += f.String()
	}
	return s + ")"
}

func (h *higher) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	slot := ctx.slot(h)
	s, _ := slot.aux.(*elements)
	if s == nil {
		s = &elements{frames: make([]frame, len(h.lambdas))}
		slot.aux = s
	}
	s.explode(h, ctx, h.args[0].Eval(ctx, b), b.N)
	out := slot.empty(h.typ)
	h.eval(h, ctx, s, b, out)
	return out
}

// elements are the elements of the arrays of one batch, one after the other.
type elements struct {
	frames []frame
	rows   []int32 // of each element, the row it belongs to
	from   []int32 // of each row, its first element; one entry more at the end
	null   []bool  // of each row: no array, or one that could not be read
	values *vector.Vector
	index  *vector.Vector // of each element, its position in its array, from 1

	parser fastjson.Parser
	field  fieldScratch

	// REDUCE: acc holds the values of the arrays that go on (live), done those of the others; place is where a row's is.
	acc, done             *vector.Vector
	args                  [2]*vector.Vector
	live, kept, at, place []int32
}

// explode takes n arrays apart.
func (s *elements) explode(h *higher, ctx *Ctx, arrays *vector.Vector, n int) {
	if s.values == nil {
		s.values, s.index = vector.New(h.elem, n), vector.New(types.TBigInt, n)
	}
	s.values.Reset()
	s.index.Reset()
	s.rows, s.from, s.null = s.rows[:0], s.from[:0], s.null[:0]
	for i := range n {
		s.from = append(s.from, int32(len(s.rows)))
		null := arrays.Type.Kind == types.Null || arrays.IsNull(i)
		if !null {
			if err := s.append(arrays.Bytes.At(i), h.elem, int32(i)); err != nil {
				null = true
				ctx.Fail(i, fmt.Errorf("%s: %w", h.fn.Name, err))
			}
		}
		s.null = append(s.null, null)
	}
	s.from = append(s.from, int32(len(s.rows)))
}

func (s *elements) append(text []byte, elem types.Type, row int32) error {
	doc, err := s.parser.ParseBytes(text)
	if err != nil {
		return err
	}
	if doc.Type() == fastjson.TypeNull {
		return fmt.Errorf("JSON null is no array")
	}
	items, err := doc.Array()
	if err != nil {
		return err
	}
	for k, x := range items {
		if err = s.field.convert(x, elem, s.values); err != nil {
			return err
		}
		s.index.AppendInt(int64(k) + 1)
		s.rows = append(s.rows, row)
	}
	return nil
}

// elementType is the type of an array's elements.
func elementType(x Expr) (types.Type, error) {
	switch t := x.Type(); t.Kind {
	case types.Array:
		return *t.Elem, nil
	case types.JSON, types.Null:
		return types.TJSON, nil
	default:
		return t, fmt.Errorf("%s is %s, not an ARRAY", x, t)
	}
}

func arrayOf(elem types.Type) types.Type { return types.Type{Kind: types.Array, Elem: &elem} }

// bindClosure binds the lambda of f(array, lambda): x, or x and its position.
func bindClosure(args []Expr) (elem types.Type, body closure, err error) {
	if elem, err = elementType(args[0]); err == nil {
		body, err = closureOf(args[1], 1, elem, types.TBigInt)
	}
	return elem, body, err
}

// bindPredicate is bindClosure for a condition.
func bindPredicate(args []Expr) (elem types.Type, body closure, err error) {
	elem, body, err = bindClosure(args)
	if err != nil {
		return elem, body, err
	}
	cond, err := Condition(body.body)
	if err != nil {
		return elem, body, err
	}
	return elem, body.with(cond), nil
}

// perArray evaluates the lambda for all elements, and makes one value of each array: of its elements [from, to) and the
// lambda's values v for them.
func perArray(one func(s *elements, v, out *vector.Vector, from, to int)) func(*higher, *Ctx, *elements, *vector.Batch, *vector.Vector) {
	return func(h *higher, ctx *Ctx, s *elements, b *vector.Batch, out *vector.Vector) {
		v := h.lambdas[0].eval(ctx, &s.frames[0], b, s.rows, s.null, s.values, s.index)
		for i := range b.N {
			if s.null[i] {
				out.AppendNull()
				continue
			}
			one(s, v, out, int(s.from[i]), int(s.from[i+1]))
		}
	}
}

func bindTransform(f *Function, args []Expr) (Expr, error) {
	elem, body, err := bindClosure(args)
	if err != nil {
		return nil, err
	}
	return &higher{fn: f, args: args[:1], lambdas: []closure{body}, typ: arrayOf(body.body.Type()), elem: elem,
		eval: perArray(func(_ *elements, v, out *vector.Vector, from, to int) {
			dst := append(out.Bytes.Data, '[')
			for k := from; k < to; k++ {
				if k > from {
					dst = append(dst, ',')
				}
				dst = appendJSONValue(dst, v, k)
			}
			out.Bytes.Data = append(dst, ']')
			out.CloseBytes()
		})}, nil
}

func bindFilter(f *Function, args []Expr) (Expr, error) {
	elem, body, err := bindPredicate(args)
	if err != nil {
		return nil, err
	}
	return &higher{fn: f, args: args[:1], lambdas: []closure{body}, typ: args[0].Type(), elem: elem,
		eval: perArray(func(s *elements, v, out *vector.Vector, from, to int) {
			dst, first := append(out.Bytes.Data, '['), true
			for k := from; k < to; k++ {
				if v.IsNull(k) || v.Ints[k] == 0 {
					continue
				}
				if !first {
					dst = append(dst, ',')
				}
				dst, first = appendJSONValue(dst, s.values, k), false
			}
			out.Bytes.Data = append(dst, ']')
			out.CloseBytes()
		})}, nil
}

// bindQuantifier is ANY_MATCH, decided by 1, and ALL_MATCH, decided by 0.
func bindQuantifier(decides int64) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		elem, body, err := bindPredicate(args)
		if err != nil {
			return nil, err
		}
		return &higher{fn: f, args: args[:1], lambdas: []closure{body}, typ: types.TBoolean, elem: elem,
			eval: perArray(func(_ *elements, v, out *vector.Vector, from, to int) {
				unknown := false
				for k := from; k < to; k++ {
					switch {
					case v.IsNull(k):
						unknown = true
					case v.Ints[k] == decides:
						out.AppendInt(decides)
						return
					}
				}
				if unknown {
					out.AppendNull()
					return
				}
				out.AppendInt(1 - decides)
			})}, nil
	}
}

// bindReduce finds the type of the accumulator: that of start, widened to what the lambda makes of it.
func bindReduce(f *Function, args []Expr) (Expr, error) {
	elem, err := elementType(args[0])
	if err != nil {
		return nil, err
	}
	start := args[1]
	step, err := closureOf(args[2], 2, start.Type(), elem)
	if err != nil {
		return nil, err
	}
	acc, err := CommonType(start.Type(), step.body.Type())
	if err != nil {
		return nil, err
	}
	if !acc.Equal(start.Type()) {
		if step, err = closureOf(args[2], 2, acc, elem); err != nil {
			return nil, err
		}
	}
	body, err := coerce(step.body, acc)
	if err != nil {
		return nil, err
	}
	if start, err = coerce(start, acc); err != nil {
		return nil, err
	}
	h := &higher{fn: f, args: []Expr{args[0], start}, lambdas: []closure{step.with(body)}, typ: acc, elem: elem, eval: reduce}
	if len(args) == 4 {
		last, err := closureOf(args[3], 1, acc)
		if err != nil {
			return nil, err
		}
		h.lambdas, h.typ = append(h.lambdas, last), last.body.Type()
	}
	return h, nil
}

// reduce folds the first elements of all arrays, then the second ones, and so on; arrays that have no more drop out.
func reduce(h *higher, ctx *Ctx, s *elements, b *vector.Batch, out *vector.Vector) {
	s.begin(h, ctx, b)
	for k := int32(0); s.advance(k); k++ {
		v := h.lambdas[0].eval(ctx, &s.frames[0], b, s.live, s.null, regather(s.args[0], s.acc, s.kept), regather(s.args[1], s.values, s.at))
		s.acc.Reset()
		s.acc.AppendAll(v)
	}
	result := s.done
	if len(h.lambdas) > 1 {
		s.live, s.kept = s.live[:0], s.kept[:0]
		for i := range b.N {
			if !s.null[i] {
				s.live, s.kept = append(s.live, int32(i)), append(s.kept, s.place[i])
				s.place[i] = int32(len(s.live)) - 1
			}
		}
		result = h.lambdas[1].eval(ctx, &s.frames[1], b, s.live, s.null, regather(s.args[0], s.done, s.kept))
	}
	for i := range b.N {
		if s.null[i] {
			out.AppendNull()
			continue
		}
		out.AppendFrom(result, int(s.place[i]))
	}
}

// begin makes every array live, with the start as its value.
func (s *elements) begin(h *higher, ctx *Ctx, b *vector.Batch) {
	if s.acc == nil {
		acc := h.args[1].Type()
		s.acc, s.done = vector.New(acc, b.N), vector.New(acc, b.N)
		s.args = [2]*vector.Vector{{}, {}}
	}
	s.live, s.place = s.live[:0], sized(s.place, b.N)
	for i := range b.N {
		if !s.null[i] {
			s.live = append(s.live, int32(i))
		}
	}
	s.done.Reset()
	s.acc.Reset()
	s.acc.AppendSelect(h.args[1].Eval(ctx, b), s.live)
}

// advance keeps the arrays that have an element k: live are their rows, kept their values in acc, at their elements. The
// values of the others are done.
func (s *elements) advance(k int32) bool {
	live := s.live
	s.live, s.kept, s.at = s.live[:0], s.kept[:0], s.at[:0]
	for j, row := range live {
		at := s.from[row] + k
		if at >= s.from[row+1] {
			s.place[row] = int32(s.done.Len())
			s.done.AppendFrom(s.acc, j)
			continue
		}
		s.live, s.kept, s.at = append(s.live, row), append(s.kept, int32(j)), append(s.at, at)
	}
	return len(s.live) > 0
}
