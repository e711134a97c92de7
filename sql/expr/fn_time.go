package expr

import (
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

// timeLimit is where a TIME ends: 838:59:59, as in MySQL.
const timeLimit = 839*types.MicrosPerHour - types.MicrosPerSecond

var errTimeRange = errors.New("TIME value is out of range")

// timeFunctions make and move TIMEs.
func timeFunctions() []Function {
	return family("date", []Function{
		{Name: "TIME_TO_SEC", Min: 1, Max: 1, Signature: "TIME_TO_SEC(time) -> BIGINT", Doc: "A TIME as seconds.",
			Example: "TIME_TO_SEC('01:00:01')", Result: "3601", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(r.int(0) / types.MicrosPerSecond) }, asTime)},
		{Name: "SEC_TO_TIME", Min: 1, Max: 1, Signature: "SEC_TO_TIME(seconds) -> TIME", Doc: "Seconds as a TIME, with the fraction of the argument.",
			Example: "SEC_TO_TIME(3601)", Result: "01:00:01", bind: bindSecToTime},
		{Name: "TIME", Min: 1, Max: 1, Signature: "TIME(timestamp) -> TIME", Doc: "The time of day alone.",
			Example: "TIME('2024-02-29 13:14:15')", Result: "13:14:15", bind: bindTimeOfDay},
		{Name: "TIMESTAMP", Min: 1, Max: 2, Signature: "TIMESTAMP(date [, time]) -> TIMESTAMP", Doc: "A date as a timestamp; with a time added to it.",
			Example: "TIMESTAMP('2003-12-31', '12:00:00')", Result: "2003-12-31 12:00:00", bind: bindToTimestamp},
		{Name: "ADDTIME", Min: 2, Max: 2, Signature: "ADDTIME(timestamp | time, time)", Doc: "Moved forward by a TIME.",
			Example: "ADDTIME('2024-12-31 23:59:59', '00:00:02')", Result: "2025-01-01 00:00:01", bind: bindAddTime(1)},
		{Name: "SUBTIME", Min: 2, Max: 2, Signature: "SUBTIME(timestamp | time, time)", Doc: "Moved back by a TIME.",
			Example: "SUBTIME('01:00:00', '00:00:01.5')", Result: "00:59:58.500", bind: bindAddTime(-1)},
		{Name: "TIMEDIFF", Min: 2, Max: 2, Signature: "TIMEDIFF(x, y) -> TIME", Doc: "From y to x, which are both timestamps or both TIMEs.",
			Example: "TIMEDIFF('2000-01-01 00:00:00', '1999-12-31 23:00:00')", Result: "01:00:00", bind: bindTimeDiff},
		{Name: "MAKETIME", Min: 3, Max: 3, Signature: "MAKETIME(hour, minute, second) -> TIME", Doc: "A TIME of its parts; NULL when minute or second are out of range.",
			Example: "MAKETIME(12, 15, 30)", Result: "12:15:30", bind: bindMakeTime},
		{Name: "TIME_FORMAT", Min: 2, Max: 2, Signature: "TIME_FORMAT(time, format) -> VARCHAR", Doc: "A TIME in a format of MySQL's specifiers for hours and below; %H and %k may exceed 23.",
			Example: "TIME_FORMAT('100:00:00', '%H %k %h %I %l')", Result: "100 100 04 04 4", bind: simple(types.TVarchar, timeFormatKernel, asTime, asText)},
	})
}

func asTime(x Expr) (Expr, error) {
	switch v, ok := constant(x); {
	case x.Type().Kind == types.Time:
		return x, nil
	case ok && x.Type().Text():
		k, err := NewConst(v, types.Type{Kind: types.Time, Precision: 6})
		if err != nil || k.Value.IsNull() {
			return k, err
		}
		return Literal(k.Value), nil // as many digits as were written
	}
	return NewCast(x, types.Type{Kind: types.Time, Precision: 6})
}

// asMoment is a timestamp or a TIME; a constant text may be either.
func asMoment(x Expr) (Expr, error) {
	if v, ok := constant(x); x.Type().Kind == types.Time || ok && x.Type().Text() && isTimeText(v.S) {
		return asTime(x)
	}
	return asTimestamp(x)
}

func isTimeText(s string) bool {
	_, err := types.ParseTime(s)
	return err == nil
}

func (r *row) retTime(us int64) error {
	if us > timeLimit || us < -timeLimit {
		return errTimeRange
	}
	return r.retInt(us)
}

func bindSecToTime(f *Function, args []Expr) (Expr, error) {
	x, err := asNumber(args[0])
	if err != nil {
		return nil, err
	}
	t := types.Type{Kind: types.Time, Precision: secondDigits(x.Type())}
	if x, err = coerce(x, types.TDecimal(30, 6)); err != nil {
		return nil, err
	}
	return simple(t, func(r *row) error {
		us, ok := r.dec(0).Int64()
		if !ok {
			return errTimeRange
		}
		return r.retTime(us)
	})(f, []Expr{x})
}

// secondDigits is how many fractional digits a number of seconds has as a time.
func secondDigits(t types.Type) uint8 {
	switch t.Kind {
	case types.Double:
		return 6
	case types.Decimal:
		return min(t.Scale, 6)
	}
	return 0
}

func bindTimeOfDay(f *Function, args []Expr) (Expr, error) {
	x, err := asMoment(args[0])
	if err != nil || x.Type().Kind == types.Time {
		return x, err
	}
	return simple(types.Type{Kind: types.Time, Precision: x.Type().Precision}, func(r *row) error {
		us := r.int(0)
		return r.retInt(us - types.FloorDiv(us, types.MicrosPerDay)*types.MicrosPerDay)
	})(f, []Expr{x})
}

func bindToTimestamp(f *Function, args []Expr) (Expr, error) {
	x, err := asTimestamp(args[0])
	if err != nil {
		return nil, err
	}
	if len(args) == 1 {
		return x, nil
	}
	return bindAddTime(1)(f, []Expr{x, args[1]})
}

func bindAddTime(sign int64) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		x, err := asMoment(args[0])
		if err != nil {
			return nil, err
		}
		d, err := asTime(args[1])
		if err != nil {
			return nil, err
		}
		t := types.Type{Kind: x.Type().Kind, Precision: max(x.Type().Precision, d.Type().Precision)}
		if t.Kind == types.Null {
			return NullOf(types.Type{Kind: types.Timestamp}), nil
		}
		return simple(t, func(r *row) error {
			us := r.int(0) + sign*r.int(1)
			if t.Kind == types.Time {
				return r.retTime(us)
			}
			if us < yearSpan[0] || us >= yearSpan[1] {
				return fmt.Errorf("%s value is out of range", t)
			}
			return r.retInt(us)
		})(f, []Expr{x, d})
	}
}

func bindTimeDiff(f *Function, args []Expr) (Expr, error) {
	x, err := asMoment(args[0])
	if err != nil {
		return nil, err
	}
	y, err := asMoment(args[1])
	if err != nil {
		return nil, err
	}
	a, b := x.Type(), y.Type()
	t := types.Type{Kind: types.Time, Precision: max(a.Precision, b.Precision)}
	if a.Kind != b.Kind && a.Kind != types.Null && b.Kind != types.Null {
		return nil, fmt.Errorf("%s is %s and %s is %s; both must be timestamps or both TIMEs", x, a, y, b)
	}
	return simple(t, func(r *row) error { return r.retTime(r.int(0) - r.int(1)) })(f, []Expr{x, y})
}

func bindMakeTime(f *Function, args []Expr) (Expr, error) {
	seconds, err := asNumber(args[2])
	if err != nil {
		return nil, err
	}
	t := types.Type{Kind: types.Time, Precision: secondDigits(seconds.Type())}
	if seconds, err = coerce(seconds, types.TDecimal(30, 6)); err != nil {
		return nil, err
	}
	return simple(t, func(r *row) error {
		hour, minute := r.int(0), r.int(1)
		us, ok := r.dec(2).Int64()
		if minute < 0 || minute > 59 || !ok || us < 0 || us >= types.MicrosPerMinute {
			return r.retNull()
		}
		if hour > 838 || hour < -838 {
			return errTimeRange
		}
		us += max(hour, -hour)*types.MicrosPerHour + minute*types.MicrosPerMinute
		if hour < 0 {
			us = -us
		}
		return r.retTime(us)
	}, asInt, asInt, asIs)(f, []Expr{args[0], args[1], seconds})
}

func timeFormatKernel(r *row) error {
	us, format := r.int(0), r.text(1)
	dst := r.build()
	if us < 0 {
		*dst, us = append(*dst, '-'), -us
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			*dst = append(*dst, format[i])
			continue
		}
		i++
		switch hour := us / types.MicrosPerHour; format[i] {
		case 'H':
			*dst = fmt.Appendf(*dst, "%02d", hour)
		case 'k':
			*dst = fmt.Appendf(*dst, "%d", hour)
		case 'T':
			*dst = types.AppendTime(*dst, us, 0)
		case 'Y', 'y', 'm', 'c', 'd', 'e', 'D', 'j', 'M', 'b', 'W', 'a', 'w', 'U', 'u', 'V', 'v', 'X', 'x':
			return fmt.Errorf("TIME_FORMAT: a TIME has no %%%c; DATE_FORMAT formats timestamps", format[i])
		default:
			*dst = types.AppendFormat(*dst, us%types.MicrosPerDay, format[i-1:i+1])
		}
	}
	return r.done()
}
