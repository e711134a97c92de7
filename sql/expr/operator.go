package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

// NewBinary is x op y for + - * / DIV % = <> < <= > >= <=> AND OR XOR & | ^ << >> || -> ->>. With an Interval on one side,
// + and - move a date or timestamp.
func NewBinary(op string, x, y Expr) (Expr, error) {
	if e, ok, err := intervalBinary(op, x, y); ok || err != nil {
		return e, err
	}
	switch op {
	case "+", "-", "*", "/", "DIV", "%":
		return newArith(op, x, y)
	case "=", "<>", "<", "<=", ">", ">=", "<=>":
		return newCompare(op, x, y)
	case "AND", "OR", "XOR":
		return newLogic(op, x, y)
	case "&", "|", "^", "<<", ">>":
		return newBitwise(op, x, y)
	case "||":
		return NewCall("CONCAT", []Expr{x, y})
	case "->":
		return NewCall("JSON_EXTRACT", []Expr{x, y})
	case "->>":
		e, err := NewCall("JSON_EXTRACT", []Expr{x, y})
		if err != nil {
			return nil, err
		}
		return NewCall("JSON_UNQUOTE", []Expr{e})
	}
	return nil, fmt.Errorf("operator %s is not supported", op)
}

// NewUnary is - + ! NOT ~ before x.
func NewUnary(op string, x Expr) (Expr, error) {
	switch op {
	case "NOT", "!":
		return newNot(x)
	case "+":
		if _, err := asNumber(x); err != nil {
			return nil, fmt.Errorf("operator +: %w", err)
		}
		return x, nil
	case "-":
		return newNegate(x)
	case "~":
		x, err := asBits(x)
		if err != nil {
			return nil, fmt.Errorf("operator ~: %w", err)
		}
		return &call{fn: bitFunction("~"), args: []Expr{x}, typ: types.TUBigInt, kernel: func(r *row) error { return r.retInt(^r.int(0)) }}, nil
	}
	return nil, fmt.Errorf("operator %s is not supported", op)
}

// newNegate is 0 - x, and a constant for a literal, so that -9223372036854775808 is a BIGINT.
func newNegate(x Expr) (Expr, error) {
	if v, ok := constant(x); ok && !v.IsNull() {
		switch v.Kind {
		case types.Double:
			return newConst(types.NewDouble(-v.F), x.Type()), nil
		case types.Boolean, types.Int, types.Uint, types.Decimal:
			d, scale, _ := v.Exact()
			if d, ok = d.Neg(); !ok {
				break
			}
			if i, fits := d.Int64(); fits && v.Kind != types.Decimal {
				return Literal(types.NewInt(i)), nil
			}
			return Literal(types.NewDecimal(d, scale)), nil
		}
	}
	if _, err := asNumber(x); err != nil {
		return nil, fmt.Errorf("operator -: %w", err)
	}
	t := x.Type()
	switch t.Kind {
	case types.Null:
		return NullOf(types.TBigInt), nil
	case types.Uint: // the result is signed
		y, err := coerce(x, types.TDecimal(20, 0))
		if err != nil {
			return nil, err
		}
		if y, err = newArith("-", newConst(types.NewInt(0), types.TBigInt), y); err != nil {
			return nil, err
		}
		return NewCast(y, types.TBigInt)
	case types.Double:
		return newArith("*", newConst(types.NewDouble(-1), types.TDouble), x) // keeps the sign of zero
	}
	return newArith("-", newConst(types.NewInt(0), types.TBigInt), x)
}

// asBits is an argument of a bit operator: an integer's 64 bits.
func asBits(x Expr) (Expr, error) {
	if _, err := asNumber(x); err != nil {
		return nil, err
	}
	if k := x.Type().Kind; k == types.Uint || k == types.Int || k == types.Boolean {
		return x, nil
	}
	return coerce(x, types.TBigInt)
}

func bitFunction(op string) *Function { return &Function{Name: op, Deterministic: true} }

// newBitwise is & | ^ << >> on 64-bit unsigned integers (MySQL manual, "Bit Functions and Operators"); shifts by 64 or
// more give 0.
func newBitwise(op string, x, y Expr) (Expr, error) {
	args, err := convert([]Expr{x, y}, []param{asBits})
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", op, err)
	}
	if isNull(x) || isNull(y) {
		return NullOf(types.TUBigInt), nil
	}
	kernel := map[string]func(p, q uint64) uint64{
		"&":  func(p, q uint64) uint64 { return p & q },
		"|":  func(p, q uint64) uint64 { return p | q },
		"^":  func(p, q uint64) uint64 { return p ^ q },
		"<<": func(p, q uint64) uint64 { return p << q },
		">>": func(p, q uint64) uint64 { return p >> q },
	}[op]
	return &call{fn: bitFunction(op), args: args, typ: types.TUBigInt, kernel: func(r *row) error {
		return r.retInt(int64(kernel(uint64(r.int(0)), uint64(r.int(1)))))
	}}, nil
}
