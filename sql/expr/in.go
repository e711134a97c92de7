package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// in is x IN (constants): TRUE when found, else NULL when x or one of the list is NULL, else FALSE.
type in struct {
	x       Expr
	list    []Expr // as written, for String
	sawNull bool
	ints    map[int64]struct{}
	floats  map[float64]struct{}
	decs    map[types.Int128]struct{} // at the scale of x
	texts   map[string]struct{}
	few     []int64 // the ints, when a scan beats the map
}

// NewIn is x IN (list). Constants are looked up in a set; other items become x = item OR ….
func NewIn(x Expr, list []Expr) (Expr, error) {
	var consts []Expr
	var whole Expr
	for _, item := range list {
		if _, ok := constant(item); ok {
			consts = append(consts, item)
			continue
		}
		eq, err := newCompare("=", x, item)
		if err != nil {
			return nil, fmt.Errorf("IN: %w", err)
		}
		if whole == nil {
			whole = eq
		} else if whole, err = newLogic("OR", whole, eq); err != nil {
			return nil, err
		}
	}
	if len(consts) == 0 {
		return whole, nil
	}
	set, err := newInSet(x, consts)
	if err != nil {
		return nil, fmt.Errorf("IN: %w", err)
	}
	if whole == nil {
		return set, nil
	}
	return newLogic("OR", set, whole)
}

func newInSet(x Expr, list []Expr) (Expr, error) {
	if isNull(x) {
		return NullOf(types.TBoolean), nil
	}
	t := x.Type()
	items := make([]Expr, len(list))
	for i, item := range list {
		item, err := temporalLiteral(item, x.Type())
		if err != nil {
			return nil, err
		}
		c, err := compareType(t, item.Type())
		if err != nil {
			return nil, err
		}
		items[i] = item
		if !isNull(item) {
			t = c
		}
	}
	x, err := coerce(x, t)
	if err != nil {
		return nil, err
	}
	n := &in{x: x, list: list}
	for _, item := range items {
		v, _ := constant(item)
		n.add(v, t)
	}
	if len(n.ints) <= 8 {
		for v := range n.ints {
			n.few = append(n.few, v)
		}
		slices.Sort(n.few)
	}
	return n, nil
}

func (n *in) add(v types.Value, t types.Type) {
	if v.IsNull() {
		n.sawNull = true
		return
	}
	v, err := types.Cast(v, types.Type{Kind: t.Kind, Bits: 64, Precision: max(t.Precision, 6), Scale: t.Scale})
	if t.Kind == types.Decimal {
		v, err = types.Cast(v, types.TDecimal(types.MaxDecimalDigits, int(t.Scale)))
	}
	if err != nil {
		return // a value that x cannot have
	}
	switch t.Physical() {
	case types.PhysInt:
		put(&n.ints, v.I)
	case types.PhysFloat:
		put(&n.floats, v.F+0) // -0 becomes 0
	case types.PhysDec:
		put(&n.decs, v.D)
	case types.PhysBytes:
		put(&n.texts, v.S)
	}
}

func put[K comparable](m *map[K]struct{}, k K) {
	if *m == nil {
		*m = map[K]struct{}{}
	}
	(*m)[k] = struct{}{}
}

func (n *in) Type() types.Type { return types.TBoolean }
func (n *in) Inputs() []Expr   { return []Expr{n.x} }
func (n *in) WithInputs(inputs []Expr) Expr {
	c := *n
	c.x = inputs[0]
	return &c
}

func (n *in) String() string {
	return "(" + n.x.String() + " IN (" + joinText(n.list) + "))"
}

func joinText(list []Expr) string {
	s := make([]string, len(list))
	for i, x := range list {
		s[i] = x.String()
	}
	return strings.Join(s, ", ")
}

func callText(name string, args []Expr) string { return name + "(" + joinText(args) + ")" }

func (n *in) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(n)
	x := n.x.Eval(ctx, b)
	out := s.fixed(types.TBoolean, b.N)
	switch x.Type.Physical() {
	case types.PhysInt:
		n.findInts(out.Ints, x.Ints)
	case types.PhysFloat:
		for i := range out.Ints {
			_, ok := n.floats[x.Floats[i]+0]
			out.Ints[i] = bit(ok)
		}
	case types.PhysDec:
		for i := range out.Ints {
			_, ok := n.decs[x.Decs[i]]
			out.Ints[i] = bit(ok)
		}
	case types.PhysBytes:
		for i := range out.Ints {
			_, ok := n.texts[string(x.Bytes.At(i))]
			out.Ints[i] = bit(ok)
		}
	}
	if n.sawNull {
		for i, found := range out.Ints {
			if found == 0 {
				s.setNull(i)
			}
		}
	}
	s.mergeNulls(b.N, operand{x, -1}, operand{})
	return out
}

func (n *in) findInts(out, xs []int64) {
	if len(n.few) == 0 {
		for i := range out {
			_, ok := n.ints[xs[i]]
			out[i] = bit(ok)
		}
		return
	}
	for i := range out {
		found := int64(0)
		for _, k := range n.few {
			found |= bit(xs[i] == k)
		}
		out[i] = found
	}
}
