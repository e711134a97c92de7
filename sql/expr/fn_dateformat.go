package expr

import (
	"fmt"
	"strings"

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
	return family("date", []Function{
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
		{Name: "STR_TO_DATE", Min: 2, Max: 2, Signature: "STR_TO_DATE(text, format)", Doc: "Read in a format of MySQL's specifiers; NULL when the text does not fit it. A constant format of a date alone gives a DATE, of a time alone a TIME, any other a TIMESTAMP.",
			Example: "STR_TO_DATE('29.02.2024 13:14', '%d.%m.%Y %H:%i')", Result: "2024-02-29 13:14:00", bind: bindStrToDate},
		{Name: "FROM_UNIXTIME", Min: 1, Max: 2, Signature: "FROM_UNIXTIME(seconds [, format])", Doc: "The time, UTC, so many seconds after 1970-01-01; as text with a format.",
			Example: "FROM_UNIXTIME(86401)", Result: "1970-01-02 00:00:01", bind: bindFromUnixtime},
	})
}

func bindFromUnixtime(f *Function, args []Expr) (Expr, error) {
	x, err := asNumber(args[0])
	if err != nil {
		return nil, err
	}
	t := types.Type{Kind: types.Timestamp, Precision: secondDigits(x.Type())}
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
	}, asIs, asText)(f, []Expr{x, args[1]})
}

// bindStrToDate takes the type of the result from a constant format.
func bindStrToDate(f *Function, args []Expr) (Expr, error) {
	t := types.Type{Kind: types.Timestamp, Precision: 6}
	if v, ok := constant(args[1]); ok && v.Kind == types.Varchar {
		if t = formatType(v.S); t.Kind == types.Null {
			return nil, fmt.Errorf("the format %s has no specifier; write for example '%%Y-%%m-%%d'", args[1])
		}
	}
	scale := int64(1)
	if t.Kind == types.Date {
		scale = types.MicrosPerDay
	}
	return simple(t, func(r *row) error {
		us, err := types.ParseFormat(r.text(0), r.text(1))
		if err != nil {
			return r.retNull()
		}
		return r.retInt(us / scale)
	}, asText)(f, args)
}

// formatType is the type of what a format reads; that of NULL when it reads nothing.
func formatType(format string) types.Type {
	date, clock, fraction := false, false, uint8(0)
	for i := 0; i+1 < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		switch c := format[i]; {
		case c == 'f':
			fraction, clock = 6, true
		case strings.IndexByte("HkhIlisSprT", c) >= 0:
			clock = true
		case c != '%':
			date = true
		}
	}
	switch {
	case !date && !clock:
		return types.TNull
	case date && !clock:
		return types.TDate
	case clock && !date:
		return types.Type{Kind: types.Time, Precision: fraction}
	}
	return types.Type{Kind: types.Timestamp, Precision: fraction}
}
