package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

func dateFormatFunctions() []Function {
	format := func(f string) func(*row) error {
		return func(r *row) error {
			dst := r.build()
			*dst = types.AppendFormat(*dst, r.int(0), f)
			return r.done()
		}
	}
	week := Function{Name: "WEEK", Min: 1, Max: 2, Signature: "WEEK(timestamp [, mode]) -> BIGINT", Doc: "The week of the year; mode 0 (weeks from Sunday, the default) to 3 (ISO 8601).",
		Example: "WEEK('2024-02-29', 3)", Result: "9", bind: bindWeek}
	return family("date", []Function{
		week,
		{Name: "WEEKOFYEAR", Min: 1, Max: 1, Signature: "WEEKOFYEAR(timestamp) -> BIGINT", Doc: "The ISO 8601 week, 1 to 53.",
			Example: "WEEKOFYEAR('2021-01-03')", Result: "53", bind: simple(types.TBigInt, weekKernel('v'), asTimestamp)},
		{Name: "DAYNAME", Min: 1, Max: 1, Signature: "DAYNAME(timestamp) -> VARCHAR", Doc: "The English name of the day.",
			Example: "DAYNAME('2024-02-29')", Result: "Thursday", bind: simple(types.TVarchar, format("%W"), asTimestamp)},
		{Name: "MONTHNAME", Min: 1, Max: 1, Signature: "MONTHNAME(timestamp) -> VARCHAR", Doc: "The English name of the month.",
			Example: "MONTHNAME('2024-02-29')", Result: "February", bind: simple(types.TVarchar, format("%M"), asTimestamp)},
		{Name: "DATE_FORMAT", Min: 2, Max: 2, Signature: "DATE_FORMAT(timestamp, format) -> VARCHAR", Doc: "In a format of MySQL's specifiers (%Y %m %d %H %i %s %f …).",
			Example: "DATE_FORMAT('2024-02-29 13:14:15', '%d.%m.%Y %H:%i')", Result: "29.02.2024 13:14", bind: simple(types.TVarchar, func(r *row) error {
				dst := r.build()
				*dst = types.AppendFormat(*dst, r.int(0), r.text(1))
				return r.done()
			}, asTimestamp, asText)},
		{Name: "STR_TO_DATE", Min: 2, Max: 2, Signature: "STR_TO_DATE(text, format) -> TIMESTAMP(6)", Doc: "Read in a format of MySQL's specifiers; NULL when the text does not fit it.",
			Example: "STR_TO_DATE('29.02.2024 13:14', '%d.%m.%Y %H:%i')", Result: "2024-02-29 13:14:00", bind: simple(types.Type{Kind: types.Timestamp, Precision: 6}, func(r *row) error {
				us, err := types.ParseFormat(r.text(0), r.text(1))
				if err != nil {
					return r.retNull()
				}
				return r.retInt(us)
			}, asText)},
		{Name: "FROM_UNIXTIME", Min: 1, Max: 2, Signature: "FROM_UNIXTIME(seconds [, format])", Doc: "The time, UTC, so many seconds after 1970-01-01; as text with a format.",
			Example: "FROM_UNIXTIME(86401)", Result: "1970-01-02 00:00:01", bind: bindFromUnixtime},
		{Name: "TIME_TO_SEC", Min: 1, Max: 1, Signature: "TIME_TO_SEC(time) -> BIGINT", Doc: "A TIME as seconds.",
			Example: "TIME_TO_SEC('01:00:01')", Result: "3601", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(r.int(0) / types.MicrosPerSecond) }, asTime)},
		{Name: "SEC_TO_TIME", Min: 1, Max: 1, Signature: "SEC_TO_TIME(seconds) -> TIME", Doc: "Seconds as a TIME.",
			Example: "SEC_TO_TIME(3601)", Result: "01:00:01", bind: simple(types.Type{Kind: types.Time}, func(r *row) error {
				if v := r.int(0); v < 3_020_400 && v > -3_020_400 { // MySQL: a TIME ends at 838:59:59
					return r.retInt(v * types.MicrosPerSecond)
				}
				return fmt.Errorf("TIME value is out of range")
			}, asInt)},
		{Name: "TIME", Min: 1, Max: 1, Signature: "TIME(timestamp) -> TIME(6)", Doc: "The time of day alone.",
			Example: "TIME('2024-02-29 13:14:15')", Result: "13:14:15", bind: simple(types.Type{Kind: types.Time, Precision: 6}, func(r *row) error {
				us := r.int(0)
				return r.retInt(us - types.FloorDiv(us, types.MicrosPerDay)*types.MicrosPerDay)
			}, asTimestamp)},
	})
}

func asTime(x Expr) (Expr, error) {
	if x.Type().Kind == types.Time {
		return x, nil
	}
	return NewCast(x, types.Type{Kind: types.Time, Precision: 6})
}

func weekKernel(spec byte) func(*row) error {
	return func(r *row) error {
		_, week := types.CivilOf(r.int(0)).Week(spec)
		return r.retInt(int64(week))
	}
}

func bindWeek(f *Function, args []Expr) (Expr, error) {
	spec := byte('U')
	if len(args) == 2 {
		v, ok := constant(args[1])
		if !ok || v.Kind != types.Int || v.I < 0 || v.I > 3 {
			return nil, fmt.Errorf("the mode must be 0, 1, 2 or 3")
		}
		spec = "UuVv"[v.I]
		g := *f
		g.Name = fmt.Sprintf("WEEK_%d", v.I)
		f = &g
	}
	return simple(types.TBigInt, weekKernel(spec), asTimestamp)(f, args[:1])
}

func bindFromUnixtime(f *Function, args []Expr) (Expr, error) {
	x, err := asNumber(args[0])
	if err != nil {
		return nil, err
	}
	t := types.Type{Kind: types.Timestamp}
	if k := x.Type().Kind; k == types.Double {
		t.Precision = 6
	} else if k == types.Decimal {
		t.Precision = min(x.Type().Scale, 6)
	}
	if x, err = coerce(x, types.TDecimal(30, 6)); err != nil {
		return nil, err
	}
	micros := func(r *row) (int64, error) {
		us, ok := r.dec(0).Int64()
		if !ok || us < 0 || us >= yearSpan[1] {
			return 0, fmt.Errorf("FROM_UNIXTIME: %s is out of range (0 to the year 9999)", types.FormatDecimal(r.dec(0), 6))
		}
		return us, nil
	}
	if len(args) == 1 {
		return simple(t, func(r *row) error {
			us, err := micros(r)
			if err != nil {
				return err
			}
			return r.retInt(us)
		})(f, []Expr{x})
	}
	return simple(types.TVarchar, func(r *row) error {
		us, err := micros(r)
		if err != nil {
			return err
		}
		dst := r.build()
		*dst = types.AppendFormat(*dst, us, r.text(1))
		return r.done()
	}, func(e Expr) (Expr, error) { return e, nil }, asText)(f, []Expr{x, args[1]})
}
