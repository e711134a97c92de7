package expr

import (
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

var errNoClock = errors.New("there is no clock here")

// now is the injected clock's time in microseconds.
func (c *Ctx) now() (int64, error) {
	if c.Now == nil {
		return 0, errNoClock
	}
	return c.Now().UnixMicro(), nil
}

// clockFunctions depend on the clock: they are not deterministic. Within one batch they may tick on.
func clockFunctions() []Function {
	now := Function{Name: "NOW", Family: "date", Max: 1, Signature: "NOW([digits]) -> TIMESTAMP", Doc: "The engine's wall clock, UTC.",
		Example: "NOW() > '2000-01-01'", Result: "1", bind: bindNow(types.Timestamp)}
	curdate := Function{Name: "CURRENT_DATE", Family: "date", Signature: "CURRENT_DATE() -> DATE", Doc: "Today, UTC.",
		Example: "CURRENT_DATE() > '2000-01-01'", Result: "1", bind: simple(types.TDate, func(r *row) error {
			us, err := r.ctx.now()
			if err != nil {
				return err
			}
			return r.retInt(types.FloorDiv(us, types.MicrosPerDay))
		})}
	curtime := Function{Name: "CURRENT_TIME", Family: "date", Max: 1, Signature: "CURRENT_TIME([digits]) -> TIME", Doc: "The time of day by the engine's wall clock, UTC.",
		Example: "CURRENT_TIME() >= '00:00:00'", Result: "1", bind: bindNow(types.Time)}
	return []Function{
		curtime, synonym(curtime, "CURTIME"), synonym(curtime, "UTC_TIME"), now, synonym(now, "CURRENT_TIMESTAMP"), synonym(now, "LOCALTIME"), synonym(now, "LOCALTIMESTAMP"), synonym(now, "UTC_TIMESTAMP"),
		synonym(now, "SYSDATE"), curdate, synonym(curdate, "CURDATE"), synonym(curdate, "UTC_DATE"),
		{Name: "UNIX_TIMESTAMP", Family: "date", Max: 1, Signature: "UNIX_TIMESTAMP([timestamp])", Doc: "Seconds since 1970-01-01 UTC, of now without an argument; with the fraction of the argument.",
			Example: "UNIX_TIMESTAMP('1970-01-02 00:00:01')", Result: "86401", Deterministic: true, bind: bindUnixTimestamp},
	}
}

// bindNow binds the clock with a number of fractional digits, as a Timestamp or a Time.
func bindNow(kind types.Kind) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		digits := uint8(0)
		if len(args) == 1 {
			v, ok := constant(args[0])
			if !ok || v.Kind != types.Int || v.I < 0 || v.I > 6 {
				return nil, fmt.Errorf("the number of fractional digits must be 0 to 6")
			}
			digits = uint8(v.I)
		}
		unit := int64(1)
		for range 6 - digits {
			unit *= 10
		}
		return &call{fn: f, args: args, typ: types.Type{Kind: kind, Precision: digits}, kernel: func(r *row) error {
			us, err := r.ctx.now()
			if err != nil {
				return err
			}
			if kind == types.Time {
				us -= types.FloorDiv(us, types.MicrosPerDay) * types.MicrosPerDay
			}
			return r.retInt(us - us%unit)
		}}, nil
	}
}

func bindUnixTimestamp(f *Function, args []Expr) (Expr, error) {
	if len(args) == 0 {
		g := *f
		g.Deterministic = false
		return &call{fn: &g, typ: types.TBigInt, kernel: func(r *row) error {
			us, err := r.ctx.now()
			if err != nil {
				return err
			}
			return r.retInt(types.FloorDiv(us, types.MicrosPerSecond))
		}}, nil
	}
	x, err := asTimestamp(args[0])
	if err != nil {
		return nil, err
	}
	digits := x.Type().Precision
	if v, ok := constant(x); ok && !v.IsNull() {
		digits = typeOf(v).Precision
	}
	if digits == 0 {
		return simple(types.TBigInt, func(r *row) error { return r.retInt(types.FloorDiv(r.int(0), types.MicrosPerSecond)) })(f, []Expr{x})
	}
	t := types.TDecimal(12+int(digits), int(digits))
	return simple(t, func(r *row) error {
		d, _ := types.Rescale(types.FromInt64(types.RoundMicros(r.int(0), digits)), 6, digits)
		r.out.AppendDec(d)
		return nil
	})(f, []Expr{x})
}
