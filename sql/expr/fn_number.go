package expr

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/streamsql-go/streamsql/sql/types"
)

func numberFunctions() []Function {
	ceil := Function{Name: "CEILING", Min: 1, Max: 1, Signature: "CEILING(number)", Doc: "The smallest integer not below the number.",
		Example: "CEILING(-1.5)", Result: "-1", bind: bindToInteger(math.Ceil, 1)}
	power := Function{Name: "POWER", Min: 2, Max: 2, Signature: "POWER(x, y) -> DOUBLE", Doc: "x to the y.",
		Example: "POWER(2, 10)", Result: "1024", bind: simple(types.TDouble, func(r *row) error {
			return retFinite(r, math.Pow(r.float(0), r.float(1)))
		}, asDouble)}
	ln := positive("LN", "Natural logarithm; NULL when x is not positive.", "LN(1)", "0", math.Log)
	list := family("number", []Function{
		ceil, synonym(ceil, "CEIL"), power, synonym(power, "POW"), ln,
		positive("LOG10", "Logarithm to base 10; NULL when x is not positive.", "LOG10(1000)", "3", math.Log10),
		positive("LOG2", "Logarithm to base 2; NULL when x is not positive.", "LOG2(8)", "3", math.Log2),
		{Name: "LOG", Min: 1, Max: 2, Signature: "LOG([base,] x) -> DOUBLE", Doc: "Logarithm, natural without a base; NULL where there is none.",
			Example: "LOG(2, 65536)", Result: "16", bind: simple(types.TDouble, logKernel, asDouble)},
		{Name: "FLOOR", Min: 1, Max: 1, Signature: "FLOOR(number)", Doc: "The largest integer not above the number.",
			Example: "FLOOR(-1.5)", Result: "-2", bind: bindToInteger(math.Floor, -1)},
		{Name: "ABS", Min: 1, Max: 1, Signature: "ABS(number)", Doc: "Absolute value, of the same type.",
			Example: "ABS(-2.50)", Result: "2.50", bind: bindAbs},
		{Name: "ROUND", Min: 1, Max: 2, Signature: "ROUND(number [, digits])", Doc: "Rounded to digits after the point (0): half away from zero when exact, half to even when DOUBLE.",
			Example: "ROUND(2.675, 2)", Result: "2.68", bind: bindRound(types.Rescale, math.RoundToEven)},
		{Name: "TRUNCATE", Min: 2, Max: 2, Signature: "TRUNCATE(number, digits)", Doc: "Cut to digits after the point.",
			Example: "TRUNCATE(-1.999, 1)", Result: "-1.9", bind: bindRound(cutScale, math.Trunc)},
		{Name: "MOD", Min: 2, Max: 2, Signature: "MOD(x, y)", Doc: "Remainder with the sign of x; also x % y.",
			Example: "MOD(-7, 2)", Result: "-1", bind: func(_ *Function, args []Expr) (Expr, error) { return newArith("%", args[0], args[1]) }},
		{Name: "SQRT", Min: 1, Max: 1, Signature: "SQRT(x) -> DOUBLE", Doc: "Square root; NULL when x is negative.",
			Example: "SQRT(16)", Result: "4", bind: simple(types.TDouble, func(r *row) error {
				if r.float(0) < 0 {
					return r.retNull()
				}
				return retFinite(r, math.Sqrt(r.float(0)))
			}, asDouble)},
		{Name: "EXP", Min: 1, Max: 1, Signature: "EXP(x) -> DOUBLE", Doc: "e to the x.",
			Example: "EXP(0)", Result: "1", bind: simple(types.TDouble, func(r *row) error { return retFinite(r, math.Exp(r.float(0))) }, asDouble)},
		{Name: "SIGN", Min: 1, Max: 1, Signature: "SIGN(number) -> BIGINT", Doc: "-1, 0 or 1.",
			Example: "SIGN(-3.2)", Result: "-1", bind: simple(types.TBigInt, signKernel, asNumber)},
		{Name: "PI", Min: 0, Max: 0, Signature: "PI() -> DOUBLE", Doc: "π.",
			Example: "ROUND(PI(), 5)", Result: "3.14159", bind: func(*Function, []Expr) (Expr, error) { return Literal(types.NewDouble(math.Pi)), nil }},
	})
	return append(list, Function{Name: "RAND", Family: "number", Signature: "RAND() -> DOUBLE", Doc: "A random number from 0 up to 1.",
		Example: "RAND() < 1", Result: "1", random: true, bind: simple(types.TDouble, func(r *row) error {
			r.out.AppendFloat(rand.Float64())
			return nil
		})})
}

var errDoubleRange = errors.New("DOUBLE value is out of range")

func retFinite(r *row, f float64) error {
	if !finite(f) {
		return errDoubleRange
	}
	r.out.AppendFloat(f)
	return nil
}

func positive(name, doc, example, result string, f func(float64) float64) Function {
	return Function{Name: name, Min: 1, Max: 1, Signature: name + "(x) -> DOUBLE", Doc: doc, Example: example, Result: result,
		bind: simple(types.TDouble, func(r *row) error {
			if r.float(0) <= 0 {
				return r.retNull()
			}
			return retFinite(r, f(r.float(0)))
		}, asDouble)}
}

func logKernel(r *row) error {
	x := r.float(len(r.args) - 1)
	if x <= 0 {
		return r.retNull()
	}
	if len(r.args) == 1 {
		return retFinite(r, math.Log(x))
	}
	base := r.float(0)
	if base <= 0 || base == 1 {
		return r.retNull()
	}
	return retFinite(r, math.Log2(x)/math.Log2(base))
}

func signKernel(r *row) error {
	v := r.value(0)
	if v.Kind == types.Double {
		return r.retInt(int64(types.CompareFloat(v.F, 0)))
	}
	d, _, _ := v.Exact()
	return r.retInt(int64(d.Sign()))
}

// bindToInteger is CEILING (away 1) and FLOOR (away -1): integers as they are, DECIMAL to BIGINT where that holds it, DOUBLE
// stays DOUBLE.
func bindToInteger(float func(float64) float64, away int) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		x := args[0]
		if _, err := asNumber(x); err != nil {
			return nil, err
		}
		t := x.Type()
		switch t.Kind {
		case types.Double:
			return simple(types.TDouble, func(r *row) error { return retFinite(r, float(r.float(0))) }, asDouble)(f, args)
		case types.Decimal:
		default:
			return coerce(x, commonNumber(t, types.Type{Kind: t.Kind, Bits: 64}))
		}
		out := types.TDecimal(int(t.Precision-t.Scale)+1, 0)
		e, err := simple(out, func(r *row) error {
			q, rem, _ := r.dec(0).QuoRem(types.Pow10(int(t.Scale)))
			if rem.Sign() == away {
				q, _ = q.Add(types.FromInt64(int64(away)))
			}
			r.out.AppendDec(q)
			return nil
		}, asNumber)(f, args)
		if err != nil || t.Precision-t.Scale >= 18 {
			return e, err
		}
		return NewCast(e, types.TBigInt)
	}
}

func bindAbs(f *Function, args []Expr) (Expr, error) {
	x := args[0]
	if _, err := asNumber(x); err != nil {
		return nil, err
	}
	switch t := x.Type(); t.Kind {
	case types.Null, types.Uint:
		return x, nil
	case types.Double:
		return simple(types.TDouble, func(r *row) error {
			r.out.AppendFloat(math.Abs(r.float(0)))
			return nil
		}, asDouble)(f, args)
	case types.Decimal:
		return simple(t, func(r *row) error {
			d, _ := r.dec(0).Abs()
			r.out.AppendDec(d)
			return nil
		}, asNumber)(f, args)
	}
	return simple(types.TBigInt, func(r *row) error {
		v := r.int(0)
		if v == math.MinInt64 {
			return errors.New("BIGINT value is out of range in ABS")
		}
		return r.retInt(max(v, -v))
	}, asInt)(f, args)
}

// cutScale is Rescale without rounding.
func cutScale(d types.Int128, from, to uint8) (types.Int128, bool) {
	if from <= to {
		return types.Rescale(d, from, to)
	}
	if int(from-to) > types.MaxDecimalDigits {
		return types.Int128{}, true
	}
	q, _, ok := d.QuoRem(types.Pow10(int(from - to)))
	return q, ok
}

// bindRound is ROUND and TRUNCATE. An exact number keeps its kind; a constant number of digits sets the scale of the
// result.
func bindRound(exact func(types.Int128, uint8, uint8) (types.Int128, bool), float func(float64) float64) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		if len(args) == 1 {
			args = []Expr{args[0], Literal(types.NewInt(0))}
		}
		args, err := convert(args, []param{asNumber, asInt})
		if err != nil {
			return nil, err
		}
		t := args[0].Type()
		switch {
		case t.Kind == types.Null:
			return args[0], nil
		case t.Kind == types.Double:
			return simple(types.TDouble, func(r *row) error { return retFinite(r, roundFloat(r.float(0), r.int(1), float)) }, asDouble, asInt)(f, args)
		case t.Kind == types.Decimal:
			out := roundedType(t, args[1])
			return simple(out, func(r *row) error {
				d, ok := roundDec(r.dec(0), t.Scale, r.int(1), out.Scale, exact)
				if !ok {
					return errors.New("DECIMAL value is out of range in " + f.Name)
				}
				r.out.AppendDec(d)
				return nil
			}, asNumber, asInt)(f, args)
		}
		return bindRoundInt(f, args, exact)
	}
}

func roundedType(t types.Type, n Expr) types.Type {
	v, ok := constant(n)
	if !ok || v.IsNull() || v.I >= int64(t.Scale) {
		return t
	}
	scale := max(int(v.I), 0)
	return types.TDecimal(min(int(t.Precision-t.Scale)+scale+1, types.MaxDecimalDigits), scale)
}

// roundDec rounds to n digits, which may be negative, and gives the result at scale to.
func roundDec(d types.Int128, from uint8, n int64, to uint8, exact func(types.Int128, uint8, uint8) (types.Int128, bool)) (types.Int128, bool) {
	if n >= int64(from) {
		return types.Rescale(d, from, to)
	}
	if n < -types.MaxDecimalDigits {
		return types.Int128{}, true
	}
	drop := int64(from) - n // digits that go, at most twice the largest scale
	if drop > types.MaxDecimalDigits {
		return types.Int128{}, true
	}
	r, ok := exact(d, uint8(drop), 0)
	if !ok {
		return r, false
	}
	if back := int64(to) - n; back >= 0 {
		if back > types.MaxDecimalDigits {
			return types.Int128{}, r.IsZero()
		}
		return r.Mul(types.Pow10(int(back)))
	}
	return types.Rescale(r, uint8(n), to)
}

func bindRoundInt(f *Function, args []Expr, exact func(types.Int128, uint8, uint8) (types.Int128, bool)) (Expr, error) {
	t := types.TBigInt
	if args[0].Type().Kind == types.Uint {
		t = types.TUBigInt
	}
	if v, ok := constant(args[1]); ok && !v.IsNull() && v.I >= 0 {
		return coerce(args[0], t)
	}
	return simple(t, func(r *row) error {
		d, _ := decimalAt(r.args[0].v, r.at(0))
		d, ok := roundDec(d, 0, r.int(1), 0, exact)
		v, fits := d.Int64()
		if t.Kind == types.Uint {
			_, fits = d.Uint64()
			v = int64(d.Lo)
		}
		if !ok || !fits {
			return errors.New(t.String() + " value is out of range in " + f.Name)
		}
		return r.retInt(v)
	}, asNumber, asInt)(f, args)
}

func roundFloat(x float64, n int64, float func(float64) float64) float64 {
	switch {
	case n > 300 || !finite(x):
		return x
	case n < -308:
		return 0
	}
	p := math.Pow10(int(max(n, -n)))
	if n < 0 {
		return float(x/p) * p
	}
	if scaled := x * p; finite(scaled) {
		return float(scaled) / p
	}
	return x
}
