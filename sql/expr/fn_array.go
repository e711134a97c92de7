package expr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func arrayFunctions() []Function {
	return family("array", []Function{
		{Name: "ARRAY_CONTAINS", Min: 2, Max: 2, Signature: "ARRAY_CONTAINS(array, x) -> BOOLEAN", Doc: "Whether an element equals x.",
			Example: "ARRAY_CONTAINS(ARRAY['a', 'b'], 'b')", Result: "1", bind: bindSearch(types.TBoolean, func(r *row, at int) error { return r.retBool(at >= 0) })},
		{Name: "ARRAY_POSITION", Min: 2, Max: 2, Signature: "ARRAY_POSITION(array, x) -> BIGINT", Doc: "The position of the first element that equals x, from 1; 0 when none does.",
			Example: "ARRAY_POSITION(ARRAY['a', 'b'], 'b')", Result: "2", bind: bindSearch(types.TBigInt, func(r *row, at int) error { return r.retInt(int64(at) + 1) })},
		{Name: "ARRAY_JOIN", Min: 2, Max: 3, Signature: "ARRAY_JOIN(array, separator [, null]) -> VARCHAR", Doc: "The elements as one text; NULLs are left out, or written as the third argument.",
			Example: "ARRAY_JOIN(ARRAY['a', NULL, 'b'], '-')", Result: "a-b", bind: bindJoin},
		{Name: "ARRAY_DISTINCT", Min: 1, Max: 1, Signature: "ARRAY_DISTINCT(array) -> ARRAY", Doc: "Each element once, in the order of first occurrence; NULL is one value.",
			Example: "ARRAY_DISTINCT(ARRAY[2, 1, 2])", Result: "[2,1]", bind: bindSets(func(r *row) {
				r.pick(0, (*jsonScratch).unseen)
			})},
		{Name: "ARRAY_UNION", Min: 2, Max: 2, Signature: "ARRAY_UNION(x, y) -> ARRAY", Doc: "The elements of both arrays, each once.",
			Example: "ARRAY_UNION(ARRAY[1, 2], ARRAY[2, 3])", Result: "[1,2,3]", bind: bindSets(func(r *row) {
				r.pick(0, (*jsonScratch).unseen)
				r.pick(1, (*jsonScratch).unseen)
			})},
		{Name: "ARRAY_INTERSECT", Min: 2, Max: 2, Signature: "ARRAY_INTERSECT(x, y) -> ARRAY", Doc: "The elements of x that are in y, each once.",
			Example: "ARRAY_INTERSECT(ARRAY[1, 2, 3], ARRAY[3, 2])", Result: "[2,3]", bind: bindSets(func(r *row) {
				r.note(1)
				r.pick(0, (*jsonScratch).takeSeen)
			})},
		{Name: "ARRAY_EXCEPT", Min: 2, Max: 2, Signature: "ARRAY_EXCEPT(x, y) -> ARRAY", Doc: "The elements of x that are not in y, each once.",
			Example: "ARRAY_EXCEPT(ARRAY[1, 2, 3], ARRAY[2])", Result: "[1,3]", bind: bindSets(func(r *row) {
				r.note(1)
				r.pick(0, (*jsonScratch).unseen)
			})},
		{Name: "ARRAYS_OVERLAP", Min: 2, Max: 2, Signature: "ARRAYS_OVERLAP(x, y) -> BOOLEAN", Doc: "Whether the arrays share an element.",
			Example: "ARRAYS_OVERLAP(ARRAY[1, 2], ARRAY[2, 3])", Result: "1", bind: bindOverlap},
		{Name: "ARRAY_CONCAT", Min: 2, Max: -1, Signature: "ARRAY_CONCAT(x, y, …) -> ARRAY", Doc: "The elements of all arrays, one array after the other.",
			Example: "ARRAY_CONCAT(ARRAY[1, 2], ARRAY[2])", Result: "[1,2,2]", bind: bindSets(func(r *row) {
				for k := range r.args {
					r.pick(k, every)
				}
			})},
		{Name: "ARRAY_REVERSE", Min: 1, Max: 1, Signature: "ARRAY_REVERSE(array) -> ARRAY", Doc: "The elements in reverse order.",
			Example: "ARRAY_REVERSE(ARRAY[1, 2, 3])", Result: "[3,2,1]", bind: bindReorder(reversed)},
		{Name: "ARRAY_SORT", Min: 1, Max: 2, Signature: "ARRAY_SORT(array [, 'ASC' | 'DESC']) -> ARRAY", Doc: "The elements in order; NULLs are last.",
			Example: "ARRAY_SORT(ARRAY[3, 1, 2], 'DESC')", Result: "[3,2,1]", bind: bindSort},
		{Name: "SLICE", Min: 3, Max: 3, Signature: "SLICE(array, from, length) -> ARRAY", Doc: "So many elements from a position, which counts from 1, or from the end when negative.",
			Example: "SLICE(ARRAY[1, 2, 3, 4], 2, 2)", Result: "[2,3]", bind: bindReorder(sliced, asInt)},
		{Name: "ARRAY_MIN", Min: 1, Max: 1, Signature: "ARRAY_MIN(array)", Doc: "The smallest element; NULL when there is none.",
			Example: "ARRAY_MIN(ARRAY[3, 1, 2])", Result: "1", bind: bindBest(-1)},
		{Name: "ARRAY_MAX", Min: 1, Max: 1, Signature: "ARRAY_MAX(array)", Doc: "The largest element; NULL when there is none.",
			Example: "ARRAY_MAX(ARRAY[3, 1, 2])", Result: "3", bind: bindBest(1)},
	})
}

// elements reads an argument that is an array into a vector of its element type elem.
func (r *row) elements(arg int, elem types.Type) (*vector.Vector, error) {
	s := r.json()
	for len(s.items) < len(r.args) {
		s.items = append(s.items, nil)
	}
	if s.items[arg] == nil {
		s.items[arg] = vector.New(elem, 8)
	}
	out := s.items[arg]
	out.Reset()
	doc, err := r.document(arg)
	if err != nil {
		return nil, err
	}
	items, err := doc.Array()
	if err != nil {
		return nil, err
	}
	for _, x := range items {
		if err := s.field.convert(x, elem, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// orderedElement is elementType for functions that compare elements, which a JSON array does not allow.
func orderedElement(x Expr) (types.Type, error) {
	t, err := elementType(x)
	if err == nil && t.Kind == types.JSON && x.Type().Kind != types.Null {
		err = fmt.Errorf("the elements of %s are of any type; write CAST(%s AS ARRAY<VARCHAR>), or another type", x, x)
	}
	return t, err
}

// bindSearch binds f(array, x): where x is in the array, or -1.
func bindSearch(result types.Type, found func(r *row, at int) error) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		elem, err := orderedElement(args[0])
		if err != nil {
			return nil, err
		}
		if isNull(args[0]) || isNull(args[1]) {
			return NullOf(result), nil
		}
		t, err := compareType(elem, args[1].Type())
		if elem.Nested() && elem.Equal(args[1].Type()) {
			t, err = elem, nil
		}
		if err != nil {
			return nil, err
		}
		x, err := coerce(args[1], t)
		if err != nil {
			return nil, err
		}
		return simple(result, func(r *row) error {
			v, err := r.elements(0, t)
			if err != nil {
				return err
			}
			for k := range v.Len() {
				if !v.IsNull(k) && compareRows(t, v, k, r.args[1].v, r.at(1)) == 0 {
					return found(r, k)
				}
			}
			return found(r, -1)
		})(f, []Expr{args[0], x})
	}
}

func bindJoin(f *Function, args []Expr) (Expr, error) {
	elem, err := elementType(args[0])
	if err != nil {
		return nil, err
	}
	t := types.TVarchar
	if elem.Temporal() || elem.Kind == types.Decimal {
		t = elem
	}
	return simple(types.TVarchar, func(r *row) error {
		v, err := r.elements(0, t)
		if err != nil {
			return err
		}
		dst, first := r.build(), true
		for k := range v.Len() {
			if v.IsNull(k) && len(r.args) < 3 {
				continue
			}
			if !first {
				*dst = append(*dst, r.text(1)...)
			}
			first = false
			if v.IsNull(k) {
				*dst = append(*dst, r.text(2)...)
				continue
			}
			*dst = appendText(*dst, v, k, t)
		}
		return r.done()
	}, asIs, asText)(f, args)
}

// bindSets binds a function of arrays whose elements are brought to one type. The kernel picks from their JSON texts, which are
// canonical for a type.
func bindSets(kernel func(*row)) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		elem, err := sharedElement(args)
		if err != nil {
			return nil, err
		}
		return simple(arrayOf(elem), func(r *row) error {
			if err := r.gather(elem); err != nil {
				return err
			}
			dst := r.build()
			*dst = append(*dst, '[')
			kernel(r)
			*dst = append(*dst, ']')
			return r.done()
		})(f, args)
	}
}

func sharedElement(args []Expr) (types.Type, error) {
	elem, err := elementType(args[0])
	for _, x := range args[1:] {
		if err != nil {
			break
		}
		var t types.Type
		if t, err = elementType(x); err == nil {
			elem, err = CommonType(elem, t)
		}
	}
	return elem, err
}

// gather reads the elements of every argument, and forgets what was seen.
func (r *row) gather(elem types.Type) error {
	for k := range r.args {
		if _, err := r.elements(k, elem); err != nil {
			return err
		}
	}
	s := r.json()
	if s.seen == nil {
		s.seen = map[string]struct{}{}
	}
	clear(s.seen)
	return nil
}

// note makes the elements of an argument seen.
func (r *row) note(arg int) {
	r.each(arg, func(s *jsonScratch) { s.unseen() })
}

// pick appends the elements of an argument that keep says; it looks at their text in buf.
func (r *row) pick(arg int, keep func(*jsonScratch) bool) {
	dst := r.build()
	r.each(arg, func(s *jsonScratch) {
		if !keep(s) {
			return
		}
		if (*dst)[len(*dst)-1] != '[' {
			*dst = append(*dst, ',')
		}
		*dst = append(*dst, s.buf...)
	})
}

func (r *row) each(arg int, visit func(*jsonScratch)) {
	s := r.json()
	for k := range s.items[arg].Len() {
		s.buf = appendJSONValue(s.buf[:0], s.items[arg], k)
		visit(s)
	}
}

func every(*jsonScratch) bool { return true }

// unseen makes the text in buf seen; false when it was.
func (s *jsonScratch) unseen() bool {
	if _, ok := s.seen[string(s.buf)]; ok {
		return false
	}
	s.seen[string(s.buf)] = struct{}{}
	return true
}

// takeSeen says whether the text in buf was seen, and forgets it.
func (s *jsonScratch) takeSeen() bool {
	_, ok := s.seen[string(s.buf)]
	delete(s.seen, string(s.buf))
	return ok
}

func bindOverlap(f *Function, args []Expr) (Expr, error) {
	elem, err := sharedElement(args)
	if err != nil {
		return nil, err
	}
	return simple(types.TBoolean, func(r *row) error {
		if err := r.gather(elem); err != nil {
			return err
		}
		r.note(1)
		found := false
		r.each(0, func(s *jsonScratch) { found = found || string(s.buf) != "null" && s.takeSeen() })
		return r.retBool(found)
	})(f, args)
}

// bindReorder binds a function that gives elements of its array in another order, or fewer.
func bindReorder(reorder func(r *row, v *vector.Vector, order []int32) []int32, params ...param) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		elem, err := elementType(args[0])
		if err != nil {
			return nil, err
		}
		return simple(arrayOf(elem), func(r *row) error {
			v, err := r.elements(0, elem)
			if err != nil {
				return err
			}
			s := r.json()
			s.order = s.order[:0]
			for k := range v.Len() {
				s.order = append(s.order, int32(k))
			}
			dst := r.build()
			*dst = append(*dst, '[')
			for i, k := range reorder(r, v, s.order) {
				if i > 0 {
					*dst = append(*dst, ',')
				}
				*dst = appendJSONValue(*dst, v, int(k))
			}
			*dst = append(*dst, ']')
			return r.done()
		}, append([]param{asIs}, params...)...)(f, args)
	}
}

func reversed(_ *row, _ *vector.Vector, order []int32) []int32 {
	slices.Reverse(order)
	return order
}

func sliced(r *row, _ *vector.Vector, order []int32) []int32 {
	n, from := int64(len(order)), r.int(1)
	if from < 0 {
		from += n + 1
	}
	if from < 1 || from > n {
		return nil
	}
	return order[from-1:][:max(min(r.int(2), n-from+1), 0)]
}

func bindSort(f *Function, args []Expr) (Expr, error) {
	elem, err := orderedElement(args[0])
	if err != nil {
		return nil, err
	}
	sign, name := 1, f.Name
	if len(args) == 2 {
		way, _ := constant(args[1])
		switch strings.ToUpper(way.S) {
		case "ASC":
		case "DESC":
			sign, name = -1, f.Name+"_DESC"
		default:
			return nil, fmt.Errorf("the order is 'ASC' or 'DESC', not %s", args[1])
		}
	}
	g := *f
	g.Name = name
	return bindReorder(func(_ *row, v *vector.Vector, order []int32) []int32 {
		slices.SortStableFunc(order, func(a, b int32) int {
			i, j := int(a), int(b)
			if v.IsNull(i) || v.IsNull(j) {
				return cmp.Compare(bit(v.IsNull(i)), bit(v.IsNull(j)))
			}
			return sign * compareRows(elem, v, i, v, j)
		})
		return order
	})(&g, args[:1])
}

// bindBest is ARRAY_MIN, for want -1, and ARRAY_MAX.
func bindBest(want int) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		elem, err := orderedElement(args[0])
		if err != nil {
			return nil, err
		}
		return simple(elem, func(r *row) error {
			v, err := r.elements(0, elem)
			if err != nil {
				return err
			}
			best := -1
			for k := range v.Len() {
				if !v.IsNull(k) && (best < 0 || compareRows(elem, v, k, v, best) == want) {
					best = k
				}
			}
			if best < 0 {
				return r.retNull()
			}
			r.out.AppendFrom(v, best)
			return nil
		})(f, args)
	}
}
