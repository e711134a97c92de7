package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// maxScale is the largest scale a result of * and / gets (MySQL: DECIMAL_MAX_SCALE).
const maxScale = 30

// divScale is how many digits / and AVG add to the scale of an exact number (MySQL: div_precision_increment).
const divScale = 4

// arith is x op y on numbers: + - * / DIV %.
type arith struct {
	op     string
	x, y   Expr
	typ    types.Type
	kernel arithKernel
	err    error // what a row that is out of range fails with
}

// arithKernel fills the result for n rows. It need not care for rows where an operand is NULL: those hold zeros, and are
// made NULL afterwards; a failure reported for them is ignored.
type arithKernel func(a *arith, s *slot, x, y operand, n int, fail func(int))

func (a *arith) Type() types.Type { return a.typ }
func (a *arith) Inputs() []Expr   { return []Expr{a.x, a.y} }
func (a *arith) String() string   { return "(" + a.x.String() + " " + a.op + " " + a.y.String() + ")" }

func (a *arith) WithInputs(in []Expr) Expr {
	c := *a
	c.x, c.y = in[0], in[1]
	c.err = outOfRange(c.typ, &c)
	return &c
}

func (a *arith) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(a)
	x, y := ctx.operand(a.x, b), ctx.operand(a.y, b)
	out := s.fixed(a.typ, b.N)
	fail, _ := s.aux.(func(int))
	if fail == nil { // made once per context, so that a batch allocates nothing
		fail = func(i int) {
			if o := s.args; o[0].null(i) || o[1].null(i) {
				return
			}
			s.setNull(i)
			ctx.Fail(i, a.err)
		}
		s.aux = fail
	}
	s.args = append(s.args[:0], x, y)
	a.kernel(a, s, x, y, b.N, fail)
	s.mergeNulls(b.N, x, y)
	return out
}

func newArith(op string, x, y Expr) (Expr, error) {
	if isNull(x) && isNull(y) {
		return NullOf(types.TBigInt), nil
	}
	for _, e := range [2]Expr{x, y} {
		if _, err := asNumber(e); err != nil {
			return nil, fmt.Errorf("operator %s: %w", op, err)
		}
	}
	a := &arith{op: op, x: x, y: y}
	var err error
	switch tx, ty := x.Type(), y.Type(); {
	case tx.Kind == types.Double || ty.Kind == types.Double:
		err = a.bindFloat()
	case tx.Kind == types.Decimal || ty.Kind == types.Decimal || op == "/":
		err = a.bindDecimal()
	case tx.Kind == types.Uint || ty.Kind == types.Uint:
		a.bindUint()
	default:
		a.typ = types.TBigInt
		a.kernel = map[string]arithKernel{"+": addInt, "-": subInt, "*": mulInt, "DIV": divInt, "%": modInt}[op]
	}
	if err != nil {
		return nil, err
	}
	if isNull(x) || isNull(y) {
		return NullOf(a.typ), nil
	}
	a.err = outOfRange(a.typ, a)
	return a, nil
}

func (a *arith) bindFloat() (err error) {
	if a.x, err = coerce(a.x, types.TDouble); err != nil {
		return err
	}
	if a.y, err = coerce(a.y, types.TDouble); err != nil {
		return err
	}
	a.typ = types.TDouble
	if a.op == "DIV" {
		a.typ = types.TBigInt
	}
	a.kernel = map[string]arithKernel{"+": addFloat, "-": subFloat, "*": mulFloat, "/": divFloat, "DIV": divIntFloat, "%": modFloat}[a.op]
	return nil
}

// bindUint types + - * DIV % of integers of which one is unsigned: BIGINT UNSIGNED; a negative result is out of range.
func (a *arith) bindUint() {
	a.typ = types.TUBigInt
	a.kernel = wideUint
	if a.op == "%" && a.x.Type().Kind != types.Uint { // the sign is the dividend's
		a.typ = types.TBigInt
	}
}

// bindDecimal types exact arithmetic (MySQL manual, "Precision Math" and "Arithmetic Operators"), capped at 38 digits.
func (a *arith) bindDecimal() (err error) {
	p1, s1 := digits(a.x)
	p2, s2 := digits(a.y)
	switch a.op {
	case "+", "-":
		scale := max(s1, s2)
		a.typ = types.TDecimal(max(p1-s1, p2-s2)+scale+1, scale)
	case "*":
		a.typ = types.TDecimal(p1+p2, max(min(s1+s2, maxScale), s1, s2))
	case "/":
		scale := max(s1, min(s1+divScale, maxScale))
		a.typ = types.TDecimal(max(p1+s2+divScale, scale), scale)
	case "%":
		a.typ = types.TDecimal(max(p1-s1, p2-s2)+max(s1, s2), max(s1, s2))
	case "DIV":
		a.typ = types.TBigInt
	}
	a.kernel = map[string]arithKernel{"+": addDec, "-": addDec, "*": mulDec, "/": divDec, "DIV": divIntDec, "%": modDec}[a.op]
	if a.x, err = toDecimal(a.x); err != nil {
		return err
	}
	a.y, err = toDecimal(a.y)
	return err
}

// toDecimal casts an integer to a DECIMAL that holds it.
func toDecimal(x Expr) (Expr, error) {
	if x.Type().Kind == types.Decimal {
		return x, nil
	}
	p, s := digits(x)
	return coerce(x, types.TDecimal(p, s))
}
