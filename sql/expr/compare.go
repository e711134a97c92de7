package expr

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// compare is x op y: = <> < <= > >= <=>. Strings compare as bytes, without padding.
type compare struct {
	op     string
	x, y   Expr
	kernel compareKernel
	hit    [3]int64 // the result for less, equal, greater
}

type compareKernel func(c *compare, out []int64, x, y operand)

var compareHits = map[string][3]int64{
	"=": {0, 1, 0}, "<=>": {0, 1, 0}, "<>": {1, 0, 1}, "<": {1, 0, 0}, "<=": {1, 1, 0}, ">": {0, 0, 1}, ">=": {0, 1, 1},
}

func newCompare(op string, x, y Expr) (Expr, error) {
	x, y, t, err := comparePair(x, y)
	if err != nil {
		return nil, err
	}
	if op != "<=>" && (isNull(x) || isNull(y)) {
		return NullOf(types.TBoolean), nil
	}
	if t.Kind == types.Null { // NULL <=> NULL
		return Literal(types.NewBool(true)), nil
	}
	return &compare{op: op, x: x, y: y, kernel: compareKernelOf(t), hit: compareHits[op]}, nil
}

func compareKernelOf(t types.Type) compareKernel {
	switch t.Physical() {
	case types.PhysFloat:
		return compareFloats
	case types.PhysDec:
		return compareDecs
	case types.PhysBytes:
		return compareBytes
	}
	if t.Kind == types.Uint {
		return compareUints
	}
	return compareInts
}

func (c *compare) Type() types.Type { return types.TBoolean }
func (c *compare) Inputs() []Expr   { return []Expr{c.x, c.y} }
func (c *compare) String() string {
	return "(" + c.x.String() + " " + c.op + " " + c.y.String() + ")"
}

func (c *compare) WithInputs(in []Expr) Expr {
	d := *c
	d.x, d.y = in[0], in[1]
	return &d
}

func (c *compare) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(c)
	x, y := ctx.operand(c.x, b), ctx.operand(c.y, b)
	out := s.fixed(types.TBoolean, b.N)
	c.kernel(c, out.Ints, x, y)
	if c.op != "<=>" {
		s.mergeNulls(b.N, x, y)
		return out
	}
	if x.v.Nulls != nil || y.v.Nulls != nil {
		for i := range out.Ints {
			if p, q := x.null(i), y.null(i); p || q {
				out.Ints[i] = 0
				if p && q {
					out.Ints[i] = 1
				}
			}
		}
	}
	return out
}

func compareInts(c *compare, out []int64, x, y operand) {
	if y.mask == 0 && x.mask != 0 {
		compareConst(c.op, out, x.v.Ints, y.v.Ints[0])
		return
	}
	compareOrdered(c, out, x.v.Ints, y.v.Ints, x.mask, y.mask)
}

func compareOrdered[T cmp.Ordered](c *compare, out []int64, xs, ys []T, mx, my int) {
	hit := c.hit
	for i := range out {
		p, q := xs[i&mx], ys[i&my]
		at := 1
		if p < q {
			at = 0
		}
		if p > q {
			at = 2
		}
		out[i] = hit[at]
	}
}

// compareConst has one loop per operator, for the commonest filter of all.
func compareConst(op string, out, xs []int64, k int64) {
	xs = xs[:len(out)]
	switch op {
	case "=", "<=>":
		for i, v := range xs {
			out[i] = bit(v == k)
		}
	case "<>":
		for i, v := range xs {
			out[i] = bit(v != k)
		}
	case "<":
		for i, v := range xs {
			out[i] = bit(v < k)
		}
	case "<=":
		for i, v := range xs {
			out[i] = bit(v <= k)
		}
	case ">":
		for i, v := range xs {
			out[i] = bit(v > k)
		}
	case ">=":
		for i, v := range xs {
			out[i] = bit(v >= k)
		}
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func compareUints(c *compare, out []int64, x, y operand) {
	for i := range out {
		out[i] = c.hit[1+cmp.Compare(uint64(x.v.Ints[i&x.mask]), uint64(y.v.Ints[i&y.mask]))]
	}
}

func compareFloats(c *compare, out []int64, x, y operand) {
	for i := range out {
		out[i] = c.hit[1+types.CompareFloat(x.v.Floats[i&x.mask], y.v.Floats[i&y.mask])]
	}
}

func compareDecs(c *compare, out []int64, x, y operand) {
	xs, ys := x.v.Type.Scale, y.v.Type.Scale
	if xs == ys {
		for i := range out {
			out[i] = c.hit[1+x.v.Decs[i&x.mask].Cmp(y.v.Decs[i&y.mask])]
		}
		return
	}
	for i := range out {
		out[i] = c.hit[1+types.CompareDecimal(x.v.Decs[i&x.mask], xs, y.v.Decs[i&y.mask], ys)]
	}
}

func compareBytes(c *compare, out []int64, x, y operand) {
	if c.hit[0] == c.hit[2] { // = and <> need no order
		for i := range out {
			out[i] = c.hit[bit(bytes.Equal(x.v.Bytes.At(i&x.mask), y.v.Bytes.At(i&y.mask)))]
		}
		return
	}
	for i := range out {
		out[i] = c.hit[1+bytes.Compare(x.v.Bytes.At(i&x.mask), y.v.Bytes.At(i&y.mask))]
	}
}

// NewBetween is x BETWEEN lo AND hi: x >= lo AND x <= hi.
func NewBetween(x, lo, hi Expr) (Expr, error) {
	a, err := newCompare(">=", x, lo)
	if err != nil {
		return nil, fmt.Errorf("BETWEEN: %w", err)
	}
	b, err := newCompare("<=", x, hi)
	if err != nil {
		return nil, fmt.Errorf("BETWEEN: %w", err)
	}
	return newLogic("AND", a, b)
}
