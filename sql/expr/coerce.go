package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

// digits is the precision of an exact number as a DECIMAL. A constant counts its own digits.
func digits(e Expr) (precision, scale int) {
	t := e.Type()
	if v, ok := constant(e); ok && !v.IsNull() {
		if d, s, ok := v.Exact(); ok {
			return max(types.Digits(d), int(s)), int(s)
		}
	}
	return typeDigits(t)
}

func typeDigits(t types.Type) (precision, scale int) {
	switch t.Kind {
	case types.Boolean:
		return 1, 0
	case types.Decimal:
		return int(t.Precision), int(t.Scale)
	}
	switch t.Bits {
	case 8:
		return 3, 0
	case 16:
		return 5, 0
	case 32:
		return 10, 0
	}
	if t.Kind == types.Uint {
		return 20, 0
	}
	return 19, 0
}

// CommonType is the type in which values of both types can be given out together: the branches of CASE, COALESCE, the
// inputs of UNION (MySQL manual, "Flow Control Functions", result types). NULL takes any type. The error names the types
// and says what to cast.
func CommonType(a, b types.Type) (types.Type, error) {
	switch {
	case a.Kind == types.Null:
		return b, nil
	case b.Kind == types.Null:
		return a, nil
	case a.Equal(b):
		if a.Length == 0 || b.Length == 0 {
			a.Length, b.Length = 0, 0
		}
		a.Length = max(a.Length, b.Length)
		return a, nil
	case a.Numeric() && b.Numeric():
		return commonNumber(a, b), nil
	case a.Text() && b.Text():
		if a.Kind == b.Kind {
			return types.Type{Kind: a.Kind}, nil
		}
		return types.TVarbinary, nil
	case a.Temporal() && b.Temporal():
		if a.Kind == b.Kind {
			a.Precision = max(a.Precision, b.Precision)
			return a, nil
		}
		if a.Kind != types.Time && b.Kind != types.Time {
			return types.Type{Kind: types.Timestamp, Precision: max(a.Precision, b.Precision)}, nil
		}
	case a.Text() && !b.Nested() || b.Text() && !a.Nested():
		return types.TVarchar, nil
	}
	return types.Type{}, fmt.Errorf("%s and %s have no common type; CAST one of them", a, b)
}

func commonNumber(a, b types.Type) types.Type {
	switch {
	case a.Kind == types.Double || b.Kind == types.Double:
		return types.TDouble
	case a.Kind == types.Decimal || b.Kind == types.Decimal:
		return widerDecimal(a, b)
	case a.Kind == types.Boolean:
		return b
	case b.Kind == types.Boolean:
		return a
	case a.Kind == b.Kind:
		a.Bits = max(a.Bits, b.Bits)
		return a
	}
	signed, unsigned := a, b
	if a.Kind == types.Uint {
		signed, unsigned = b, a
	}
	if unsigned.Bits == 64 {
		return types.TDecimal(20, 0)
	}
	return types.Type{Kind: types.Int, Bits: max(signed.Bits, unsigned.Bits*2)}
}

func widerDecimal(a, b types.Type) types.Type {
	ap, as := typeDigits(a)
	bp, bs := typeDigits(b)
	scale := max(as, bs)
	return types.TDecimal(max(ap-as, bp-bs)+scale, scale)
}

// KeyType is the one type both sides of a join key are cast to before they are hashed (semantics S6). Exact numbers are
// hashed in one scale-free form, so exact with exact gives a, whose values are then compared by value and not cast: the
// caller casts a side only when exact is false. DOUBLE with any number is DOUBLE.
func KeyType(a, b types.Type) (t types.Type, exact bool, err error) {
	for _, x := range [2]types.Type{a, b} {
		if x.Nested() {
			return t, false, fmt.Errorf("%s cannot be a join key; extract a scalar with ->> and CAST it", x)
		}
	}
	if a.Exact() && b.Exact() {
		return a, true, nil
	}
	t, err = compareType(a, b)
	if err == nil && t.Text() {
		t.Length = 0
	}
	return t, false, err
}

// compareType is the type in which two types compare, or the reason why they do not.
func compareType(a, b types.Type) (types.Type, error) {
	switch {
	case a.Kind == types.Null:
		return b, nil
	case b.Kind == types.Null:
		return a, nil
	case a.Nested() || b.Nested():
		return types.Type{}, fmt.Errorf("%s does not compare with %s; extract a scalar with ->> and CAST it", a, b)
	case a.Numeric() && b.Numeric(), a.Text() && b.Text(), a.Temporal() && b.Temporal():
		t, err := CommonType(a, b)
		if err != nil {
			return t, fmt.Errorf("%s does not compare with %s; CAST one of them", a, b)
		}
		return t, nil
	case a.Text() && b.Numeric():
		return types.Type{}, fmt.Errorf("%s does not compare with %s; write CAST(… AS %s) or CAST(… AS VARCHAR)", a, b, b)
	case b.Text() && a.Numeric():
		return types.Type{}, fmt.Errorf("%s does not compare with %s; write CAST(… AS %s) or CAST(… AS VARCHAR)", a, b, a)
	case a.Temporal() && b.Text():
		return types.Type{}, fmt.Errorf("%s does not compare with %s; write CAST(… AS %s)", a, b, a)
	case b.Temporal() && a.Text():
		return types.Type{}, fmt.Errorf("%s does not compare with %s; write CAST(… AS %s)", a, b, b)
	}
	return types.Type{}, fmt.Errorf("%s does not compare with %s; CAST one of them", a, b)
}

// comparePair brings two expressions to the type they compare in. A string constant beside a temporal value is converted
// now, so a bad literal is an error of the statement.
func comparePair(x, y Expr) (Expr, Expr, types.Type, error) {
	var err error
	if x, err = temporalLiteral(x, y.Type()); err != nil {
		return nil, nil, types.Type{}, err
	}
	if y, err = temporalLiteral(y, x.Type()); err != nil {
		return nil, nil, types.Type{}, err
	}
	t, err := compareType(x.Type(), y.Type())
	if err != nil {
		return nil, nil, t, err
	}
	if t.Kind == types.Decimal { // compared at their own scales
		if x, err = toDecimal(x); err != nil {
			return nil, nil, t, err
		}
		if y, err = toDecimal(y); err != nil {
			return nil, nil, t, err
		}
		return atScaleOf(x, y), atScaleOf(y, x), t, nil
	}
	if x, err = coerce(x, t); err != nil {
		return nil, nil, t, err
	}
	y, err = coerce(y, t)
	return x, y, t, err
}

// atScaleOf gives a constant the scale of what it is compared with, when that loses nothing, so that rows compare directly.
func atScaleOf(x, other Expr) Expr {
	v, ok := constant(x)
	scale := other.Type().Scale
	if !ok || v.IsNull() || v.Scale >= scale {
		return x
	}
	d, ok := types.Rescale(v.D, v.Scale, scale)
	if !ok || !types.FitsDecimal(d, types.MaxDecimalDigits) {
		return x
	}
	return newConst(types.NewDecimal(d, scale), types.TDecimal(types.MaxDecimalDigits, int(scale)))
}

func temporalLiteral(x Expr, other types.Type) (Expr, error) {
	v, ok := constant(x)
	if !ok || !other.Temporal() || !x.Type().Text() {
		return x, nil
	}
	if other.Kind == types.Date && len(v.S) > len("2006-01-02") {
		other = types.Type{Kind: types.Timestamp} // keep the time of day: DATE compares as midnight
	}
	if other.Kind != types.Date {
		other.Precision = 6
	}
	k, err := NewConst(v, other)
	if err != nil {
		return nil, err
	}
	return k, nil
}

// coerce is an implicit cast. Constants are converted at once when they can be. A conversion that does not change what is
// stored (INT to BIGINT, FLOAT to DOUBLE, VARCHAR(5) to VARCHAR) is left out, so a vector may carry the narrower type.
func coerce(x Expr, t types.Type) (Expr, error) {
	from := x.Type()
	if from.Equal(t) || sameStorage(from, t) {
		return x, nil
	}
	if v, ok := constant(x); ok {
		if k, err := NewConst(v, t); err == nil {
			return k, nil
		}
	}
	return NewCast(x, t)
}

func sameStorage(from, to types.Type) bool {
	switch to.Kind {
	case types.Int:
		return from.Kind == types.Boolean || from.Kind == types.Int && from.Bits <= to.Bits
	case types.Uint:
		return from.Kind == types.Boolean || from.Kind == types.Uint && from.Bits <= to.Bits
	case types.Double:
		return from.Kind == types.Double && from.Bits <= to.Bits
	case types.Decimal:
		return from.Kind == types.Decimal && from.Scale == to.Scale && from.Precision <= to.Precision
	case types.Varchar, types.Varbinary:
		return from.Text() && (to.Length == 0 || from.Kind == to.Kind && from.Length > 0 && from.Length <= to.Length)
	case types.Time, types.Timestamp:
		return from.Kind == to.Kind && from.Precision <= to.Precision
	}
	return false
}

func asText(x Expr) (Expr, error) {
	if x.Type().Text() {
		return x, nil
	}
	return coerce(x, types.TVarchar)
}

func asNumber(x Expr) (Expr, error) {
	t := x.Type()
	switch {
	case t.Numeric() || t.Kind == types.Null:
		return x, nil
	case t.Kind == types.Varchar || t.Nested():
		return nil, fmt.Errorf("%s is %s, not a number; write CAST(%s AS DECIMAL(38,10)), AS BIGINT or AS DOUBLE", x, t, x)
	}
	return nil, fmt.Errorf("%s is %s, not a number", x, t)
}

func asTimestamp(x Expr) (Expr, error) {
	t := x.Type()
	switch {
	case t.Kind == types.Timestamp:
		return x, nil
	case t.Kind == types.Date || t.Text() || t.Kind == types.Null:
		v, ok := constant(x)
		to := types.Type{Kind: types.Timestamp, Precision: 6}
		if ok {
			k, err := NewConst(v, to)
			if err != nil {
				return nil, err
			}
			if !k.Value.IsNull() { // as many digits as were written
				k = Literal(k.Value)
			}
			return k, nil
		}
		if t.Kind == types.Date {
			to.Precision = 0
		}
		return NewCast(x, to)
	}
	return nil, fmt.Errorf("%s is %s, not a date or timestamp; a number of milliseconds converts with CAST(%s AS TIMESTAMP(3))", x, t, x)
}
