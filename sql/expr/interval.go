package expr

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Interval is INTERVAL n unit: no value of its own, but the right side of + and - and the second argument of DATE_ADD and
// DATE_SUB.
type Interval struct {
	N    Expr
	Unit string
	unit unit
}

// unit is a length of time: months, or microseconds.
type unit struct{ months, micros int64 }

var units = map[string]unit{
	"MICROSECOND": {0, 1}, "MILLISECOND": {0, types.MicrosPerMilli}, "SECOND": {0, types.MicrosPerSecond},
	"MINUTE": {0, types.MicrosPerMinute}, "HOUR": {0, types.MicrosPerHour}, "DAY": {0, types.MicrosPerDay},
	"WEEK": {0, 7 * types.MicrosPerDay}, "MONTH": {1, 0}, "QUARTER": {3, 0}, "YEAR": {12, 0},
}

// lookupUnit finds a unit by name, in any case, with or without a plural S.
func lookupUnit(name string) (unit, string, error) {
	canonical := strings.ToUpper(name)
	if u, ok := units[canonical]; ok {
		return u, canonical, nil
	}
	canonical = strings.TrimSuffix(canonical, "S")
	if u, ok := units[canonical]; ok {
		return u, canonical, nil
	}
	return unit{}, "", fmt.Errorf("%s is not a unit of time; use MICROSECOND, MILLISECOND, SECOND, MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR", name)
}

// NewInterval is INTERVAL n unit. n is a number, or a constant text holding one; fractions are kept for SECOND and rounded
// to a whole number for other units, as MySQL does. A unit of several parts (DAY_HOUR) takes a constant text.
func NewInterval(n Expr, unitName string) (*Interval, error) {
	if parts := compositeUnits[strings.ToUpper(unitName)]; parts != nil {
		return compositeInterval(n, strings.ToUpper(unitName), parts)
	}
	u, canonical, err := lookupUnit(unitName)
	if err != nil {
		return nil, err
	}
	if v, ok := constant(n); ok && n.Type().Text() {
		if n, err = NumberLiteral(strings.TrimSpace(v.S)); err != nil {
			return nil, fmt.Errorf("INTERVAL: %w", err)
		}
	}
	if _, err := asNumber(n); err != nil {
		return nil, fmt.Errorf("INTERVAL: %w", err)
	}
	if canonical == "SECOND" && n.Type().Kind != types.Int {
		six, err := coerce(n, types.TDecimal(24, 6))
		if err != nil {
			return nil, err
		}
		if six, err = newArith("*", six, Literal(types.NewInt(types.MicrosPerSecond))); err != nil {
			return nil, err
		}
		n, u, canonical = six, unit{0, 1}, "MICROSECOND"
	}
	if n, err = coerce(n, types.TBigInt); err != nil {
		return nil, err
	}
	return &Interval{n, canonical, u}, nil
}

// Type is that of the number of units.
func (v *Interval) Type() types.Type { return types.TBigInt }

// Eval is the number of units.
func (v *Interval) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector { return v.N.Eval(ctx, b) }

// Inputs is the number.
func (v *Interval) Inputs() []Expr { return []Expr{v.N} }

// WithInputs replaces the number.
func (v *Interval) WithInputs(in []Expr) Expr { return &Interval{in[0], v.Unit, v.unit} }

// String is INTERVAL n unit.
func (v *Interval) String() string { return "INTERVAL " + v.N.String() + " " + v.Unit }

// Micros is the length of a constant interval in microseconds; false for months and for what is not constant.
func (v *Interval) Micros() (int64, bool) {
	k, ok := constant(v.N)
	if !ok || k.IsNull() || v.unit.months != 0 {
		return 0, false
	}
	us := k.I * v.unit.micros
	return us, us/v.unit.micros == k.I
}

// intervalBinary is x + INTERVAL, INTERVAL + x, x - INTERVAL; ok is false when neither side is an interval.
func intervalBinary(op string, x, y Expr) (e Expr, ok bool, err error) {
	iv, right := y.(*Interval)
	if !right {
		var left bool
		if iv, left = x.(*Interval); !left {
			return nil, false, nil
		}
		x = y
	}
	switch {
	case op == "+":
		e, err = newShift("DATE_ADD", x, iv)
	case op == "-" && right:
		e, err = newShift("DATE_SUB", x, iv)
	default:
		err = fmt.Errorf("operator %s does not take an INTERVAL there; write x + INTERVAL n unit or x - INTERVAL n unit", op)
	}
	return e, true, err
}

// newShift moves x by an interval. A DATE stays a DATE when the unit is a day or longer, else the result is a TIMESTAMP
// fine enough for the unit.
func newShift(name string, x Expr, iv *Interval) (Expr, error) {
	sign := int64(1)
	if name == "DATE_SUB" {
		sign = -1
	}
	x = dateLiteral(x)
	if k := x.Type().Kind; k != types.Date || iv.unit.micros%types.MicrosPerDay != 0 {
		var err error
		if x, err = asTimestamp(x); err != nil {
			return nil, err
		}
	}
	t := types.Type{Kind: types.Timestamp, Precision: 6}
	switch xt := x.Type(); {
	case xt.Kind == types.Date:
		t = types.TDate
	case xt.Kind == types.Timestamp && iv.unit.micros%types.MicrosPerSecond == 0:
		t.Precision = xt.Precision
	case xt.Kind == types.Timestamp && iv.unit.micros%types.MicrosPerMilli == 0:
		t.Precision = max(xt.Precision, 3)
	}
	if isNull(x) || isNull(iv.N) {
		return NullOf(t), nil
	}
	f := &Function{Name: name, Deterministic: true}
	return &call{fn: f, args: []Expr{x, iv}, typ: t, kernel: shiftKernel(t, iv.unit, sign)}, nil
}

// dateLiteral makes a DATE of a constant text that is a date without a time of day.
func dateLiteral(x Expr) Expr {
	v, ok := constant(x)
	if !ok || v.Kind != types.Varchar || strings.ContainsAny(v.S, ":Tt") {
		return x
	}
	if k, err := NewConst(v, types.TDate); err == nil {
		return k
	}
	return x
}

func shiftKernel(t types.Type, u unit, sign int64) func(*row) error {
	scale := int64(1)
	if t.Kind == types.Date {
		scale = types.MicrosPerDay
	}
	return func(r *row) error {
		v, ok := addUnits(r.int(0)*scale, u, sign*r.int(1))
		if !ok {
			return fmt.Errorf("%s value is out of range", t)
		}
		return r.retInt(types.FloorDiv(v, scale))
	}
}

// yearSpan bounds the results of date arithmetic, in microseconds: years 0 to 9999.
var yearSpan = [2]int64{types.DaysOf(0, 1, 1) * types.MicrosPerDay, types.DaysOf(10000, 1, 1) * types.MicrosPerDay}

func addUnits(us int64, u unit, n int64) (int64, bool) {
	if n > 1<<59 || n < -1<<59 {
		return 0, false
	}
	if u.months != 0 {
		if n > 120_000 || n < -120_000 {
			return 0, false
		}
		us = types.CivilOf(us).AddMonths(n * u.months).Micros()
	} else {
		d := n * u.micros
		if d/u.micros != n {
			return 0, false
		}
		sum := us + d
		if (us^sum)&(d^sum) < 0 {
			return 0, false
		}
		us = sum
	}
	return us, us >= yearSpan[0] && us < yearSpan[1]
}
