package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// truth makes a condition of x: a number is true when it is not zero.
func truth(x Expr) (Expr, error) {
	t := x.Type()
	switch {
	case t.Kind == types.Boolean:
		return x, nil
	case t.Kind == types.Null:
		return NullOf(types.TBoolean), nil
	case t.Numeric():
		return coerce(x, types.TBoolean)
	}
	return nil, fmt.Errorf("%s is %s, not a condition; compare it with something", x, t)
}

// Condition makes a condition of x (WHERE, HAVING, ON, FILTER): a number is true when it is not zero, NULL is unknown;
// text and times are refused.
func Condition(x Expr) (Expr, error) { return truth(x) }

// logic is AND, OR, XOR in three-valued logic. A failure of the right side counts only where the left side does not
// decide already: `n <> 0 AND CAST(x AS BIGINT) = n` is safe.
type logic struct {
	op   string
	x, y Expr
}

func newLogic(op string, x, y Expr) (Expr, error) {
	x, err := truth(x)
	if err != nil {
		return nil, err
	}
	if y, err = truth(y); err != nil {
		return nil, err
	}
	return &logic{op, x, y}, nil
}

func (l *logic) Type() types.Type          { return types.TBoolean }
func (l *logic) Inputs() []Expr            { return []Expr{l.x, l.y} }
func (l *logic) WithInputs(in []Expr) Expr { return &logic{l.op, in[0], in[1]} }
func (l *logic) String() string {
	return "(" + l.x.String() + " " + l.op + " " + l.y.String() + ")"
}

func (l *logic) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(l)
	x := l.x.Eval(ctx, b)
	y, failed := ctx.evalApart(l.y, b)
	decided := map[string]int64{"AND": 0, "OR": 1, "XOR": -1}[l.op]
	for i, err := range failed {
		if x.IsNull(i) || x.Ints[i] != decided {
			ctx.Fail(i, err)
		}
	}
	out := s.fixed(types.TBoolean, b.N)
	if x.Nulls == nil && y.Nulls == nil {
		xs, ys := x.Ints[:b.N], y.Ints[:b.N]
		switch l.op {
		case "AND":
			for i := range out.Ints {
				out.Ints[i] = xs[i] & ys[i]
			}
		case "OR":
			for i := range out.Ints {
				out.Ints[i] = xs[i] | ys[i]
			}
		default:
			for i := range out.Ints {
				out.Ints[i] = xs[i] ^ ys[i]
			}
		}
		return out
	}
	for i := range out.Ints {
		xn, yn := x.IsNull(i), y.IsNull(i)
		switch {
		case !xn && x.Ints[i] == decided || !yn && y.Ints[i] == decided:
			out.Ints[i] = decided
		case xn || yn:
			s.setNull(i)
		case l.op == "XOR":
			out.Ints[i] = x.Ints[i] ^ y.Ints[i]
		default:
			out.Ints[i] = 1 - decided
		}
	}
	return out
}

// truthTest is NOT x, x IS NULL, x IS TRUE, x IS FALSE: a result for NULL, and one for zero and for other values.
type truthTest struct {
	text                string // with %s for x
	x                   Expr
	null, zero, nonZero int64 // -1 is NULL
}

func newNot(x Expr) (Expr, error) {
	x, err := truth(x)
	if err != nil {
		return nil, err
	}
	return &truthTest{"(NOT %s)", x, -1, 1, 0}, nil
}

// NewIsNull is x IS NULL.
func NewIsNull(x Expr) (Expr, error) { return &truthTest{"(%s IS NULL)", x, 1, 0, 0}, nil }

// NewIsTruth is x IS TRUE, FALSE or UNKNOWN.
func NewIsTruth(x Expr, want string) (Expr, error) {
	x, err := truth(x)
	if err != nil {
		return nil, err
	}
	switch want {
	case "TRUE":
		return &truthTest{"(%s IS TRUE)", x, 0, 0, 1}, nil
	case "FALSE":
		return &truthTest{"(%s IS FALSE)", x, 0, 1, 0}, nil
	case "UNKNOWN":
		return &truthTest{"(%s IS UNKNOWN)", x, 1, 0, 0}, nil
	}
	return nil, fmt.Errorf("IS %s is not known; write IS TRUE, IS FALSE or IS UNKNOWN", want)
}

func (t *truthTest) Type() types.Type { return types.TBoolean }
func (t *truthTest) Inputs() []Expr   { return []Expr{t.x} }
func (t *truthTest) String() string   { return fmt.Sprintf(t.text, t.x) }
func (t *truthTest) WithInputs(in []Expr) Expr {
	c := *t
	c.x = in[0]
	return &c
}

func (t *truthTest) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(t)
	x := t.x.Eval(ctx, b)
	out := s.fixed(types.TBoolean, b.N)
	switch {
	case t.zero == t.nonZero: // only NULL matters; x may be of any type
		for i := range out.Ints {
			out.Ints[i] = t.zero
		}
	default:
		for i, v := range x.Ints[:b.N] {
			if v == 0 {
				out.Ints[i] = t.zero
			} else {
				out.Ints[i] = t.nonZero
			}
		}
	}
	for i, null := range x.Nulls {
		switch {
		case !null:
		case t.null < 0:
			s.setNull(i)
		default:
			out.Ints[i] = t.null
		}
	}
	return out
}
