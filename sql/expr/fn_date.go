package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

func dateFunctions() []Function {
	add := Function{Name: "DATE_ADD", Min: 2, Max: 3, Signature: "DATE_ADD(timestamp, INTERVAL n unit)", Doc: "Moved forward; also timestamp + INTERVAL n unit.",
		Example: "DATE_ADD('2024-01-31', INTERVAL 1 MONTH)", Result: "2024-02-29", bind: bindShift}
	sub := Function{Name: "DATE_SUB", Min: 2, Max: 3, Signature: "DATE_SUB(timestamp, INTERVAL n unit)", Doc: "Moved back; also timestamp - INTERVAL n unit.",
		Example: "DATE_SUB(DATE '2024-03-01', INTERVAL 1 DAY)", Result: "2024-02-29", bind: bindShift}
	day := part("DAY", "Day of the month, 1 to 31.", "DAY('2024-02-29')", "29", func(c types.Civil) int { return c.Day })
	list := []Function{
		add, synonym(add, "ADDDATE"), sub, synonym(sub, "SUBDATE"), day, synonym(day, "DAYOFMONTH"),
		part("YEAR", "The year.", "YEAR('2024-02-29')", "2024", func(c types.Civil) int { return c.Year }),
		part("QUARTER", "The quarter, 1 to 4.", "QUARTER('2024-05-01')", "2", func(c types.Civil) int { return (c.Month + 2) / 3 }),
		part("MONTH", "The month, 1 to 12.", "MONTH('2024-02-29')", "2", func(c types.Civil) int { return c.Month }),
		part("HOUR", "The hour, 0 to 23.", "HOUR('2024-02-29 13:14:15')", "13", func(c types.Civil) int { return c.Hour }),
		part("MINUTE", "The minute.", "MINUTE('2024-02-29 13:14:15')", "14", func(c types.Civil) int { return c.Minute }),
		part("SECOND", "The second.", "SECOND('2024-02-29 13:14:15')", "15", func(c types.Civil) int { return c.Second }),
		part("MICROSECOND", "The fraction of the second in microseconds.", "MICROSECOND('2024-02-29 13:14:15.25')", "250000", func(c types.Civil) int { return c.Micro }),
		part("DAYOFYEAR", "Day of the year, 1 to 366.", "DAYOFYEAR('2024-03-01')", "61", func(c types.Civil) int {
			return int(types.DaysOf(c.Year, c.Month, c.Day)-types.DaysOf(c.Year, 1, 1)) + 1
		}),
		part("DAYOFWEEK", "1 for Sunday to 7 for Saturday.", "DAYOFWEEK('2024-02-29')", "5", func(c types.Civil) int { return weekday(c) + 1 }),
		part("WEEKDAY", "0 for Monday to 6 for Sunday.", "WEEKDAY('2024-02-29')", "3", func(c types.Civil) int { return (weekday(c) + 6) % 7 }),
		{Name: "DATE", Min: 1, Max: 1, Signature: "DATE(timestamp) -> DATE", Doc: "The date alone.",
			Example: "DATE('2024-02-29 13:14:15')", Result: "2024-02-29", bind: simple(types.TDate, func(r *row) error {
				return r.retInt(types.FloorDiv(r.int(0), types.MicrosPerDay))
			}, asTimestamp)},
		{Name: "LAST_DAY", Min: 1, Max: 1, Signature: "LAST_DAY(timestamp) -> DATE", Doc: "The last day of the month.",
			Example: "LAST_DAY('2024-02-05')", Result: "2024-02-29", bind: simple(types.TDate, func(r *row) error {
				c := types.CivilOf(r.int(0))
				return r.retInt(types.DaysOf(c.Year, c.Month+1, 1) - 1)
			}, asTimestamp)},
		{Name: "DATEDIFF", Min: 2, Max: 2, Signature: "DATEDIFF(x, y) -> BIGINT", Doc: "Days from y to x; the time of day does not count.",
			Example: "DATEDIFF('2024-03-01', '2024-02-28 23:59:59')", Result: "2", bind: simple(types.TBigInt, func(r *row) error {
				return r.retInt(types.FloorDiv(r.int(0), types.MicrosPerDay) - types.FloorDiv(r.int(1), types.MicrosPerDay))
			}, asTimestamp)},
		{Name: "TIMESTAMPDIFF", Min: 3, Max: 3, Signature: "TIMESTAMPDIFF(unit, from, to) -> BIGINT", Doc: "Whole units from one to the other.",
			Example: "TIMESTAMPDIFF(MONTH, '2024-01-31', '2024-03-30')", Result: "1", bind: bindTimestampDiff},
		{Name: "TIMESTAMPADD", Min: 3, Max: 3, Signature: "TIMESTAMPADD(unit, n, timestamp)", Doc: "Moved forward by n units.",
			Example: "TIMESTAMPADD(MINUTE, 90, '2024-01-01')", Result: "2024-01-01 01:30:00", bind: bindTimestampAdd},
		{Name: "EXTRACT", Min: 2, Max: 2, Signature: "EXTRACT(unit FROM timestamp) -> BIGINT", Doc: "One part of a time, or several side by side: YEAR_MONTH, DAY_HOUR, DAY_SECOND, HOUR_MINUTE, SECOND_MICROSECOND and the like.",
			Example: "EXTRACT(YEAR_MONTH FROM '2024-02-29')", Result: "202402", bind: bindExtract},
	}
	return family("date", list)
}

// weekday is 0 for Sunday to 6 for Saturday; 1970-01-01 was a Thursday.
func weekday(c types.Civil) int {
	d := types.DaysOf(c.Year, c.Month, c.Day) + 4
	return int(d - types.FloorDiv(d, 7)*7)
}

func part(name, doc, example, result string, of func(types.Civil) int) Function {
	return Function{Name: name, Min: 1, Max: 1, Signature: name + "(timestamp) -> BIGINT", Doc: doc, Example: example, Result: result,
		bind: func(f *Function, args []Expr) (Expr, error) {
			x := args[0]
			if v, ok := constant(x); ok && v.Kind == types.Varchar && timeParts[f.Name].unit > 0 && isTimeText(v.S) {
				var err error
				if x, err = asTime(x); err != nil {
					return nil, err
				}
			}
			if x.Type().Kind == types.Time {
				return bindTimePart(f, x)
			}
			return simple(types.TBigInt, func(r *row) error { return r.retInt(int64(of(types.CivilOf(r.int(0))))) }, asTimestamp)(f, args)
		}}
}

// timeParts are the parts of a TIME: the unit, and how many of it the next larger one has.
var timeParts = map[string]struct{ unit, most int64 }{
	"HOUR": {types.MicrosPerHour, 1 << 40}, "MINUTE": {types.MicrosPerMinute, 60},
	"SECOND": {types.MicrosPerSecond, 60}, "MICROSECOND": {1, 1_000_000},
}

// bindTimePart is HOUR, MINUTE, SECOND and MICROSECOND of a TIME; hours may exceed 23.
func bindTimePart(f *Function, x Expr) (Expr, error) {
	p, ok := timeParts[f.Name]
	if !ok {
		return nil, fmt.Errorf("%s is a TIME, which has no %s", x, f.Name)
	}
	return simple(types.TBigInt, func(r *row) error { return r.retInt(max(r.int(0), -r.int(0)) / p.unit % p.most) })(f, []Expr{x})
}

func bindShift(f *Function, args []Expr) (Expr, error) {
	iv, ok := args[1].(*Interval)
	switch {
	case !ok && len(args) == 3: // INTERVAL n unit with an n that is no constant: DATE_ADD(x, n, 'UNIT')
		_, name, err := constantUnit(args[2])
		if err != nil {
			return nil, err
		}
		if iv, err = NewInterval(args[1], name); err != nil {
			return nil, err
		}
	case !ok:
		if f.Name != "ADDDATE" && f.Name != "SUBDATE" {
			return nil, errors.New("the second argument must be INTERVAL n unit")
		}
		var err error
		if iv, err = NewInterval(args[1], "DAY"); err != nil {
			return nil, err
		}
	}
	if f.Name == "DATE_SUB" || f.Name == "SUBDATE" {
		return newShift("DATE_SUB", args[0], iv)
	}
	return newShift("DATE_ADD", args[0], iv)
}

func constantUnit(x Expr) (unit, string, error) {
	v, ok := constant(x)
	if !ok || v.Kind != types.Varchar {
		return unit{}, "", errors.New("the unit must be a constant")
	}
	if len(v.S) > 8 && (v.S[:8] == "SQL_TSI_" || v.S[:8] == "sql_tsi_") {
		v.S = v.S[8:]
	}
	return lookupUnit(v.S)
}

func bindTimestampAdd(_ *Function, args []Expr) (Expr, error) {
	_, name, err := constantUnit(args[0])
	if err != nil {
		return nil, err
	}
	iv, err := NewInterval(args[1], name)
	if err != nil {
		return nil, err
	}
	return newShift("DATE_ADD", args[2], iv)
}

func bindTimestampDiff(f *Function, args []Expr) (Expr, error) {
	u, name, err := constantUnit(args[0])
	if err != nil {
		return nil, err
	}
	g := *f
	g.Name = f.Name + "_" + name
	return simple(types.TBigInt, func(r *row) error {
		from, to := r.int(0), r.int(1)
		if u.months == 0 {
			return r.retInt((to - from) / u.micros)
		}
		return r.retInt(monthsBetween(from, to) / u.months)
	}, asTimestamp)(&g, args[1:])
}

// monthsBetween counts whole months, as MySQL's TIMESTAMPDIFF does: a month is whole when day and time of the later
// instant are not before those of the earlier.
func monthsBetween(from, to int64) int64 {
	if to < from {
		return -monthsBetween(to, from)
	}
	a, b := types.CivilOf(from), types.CivilOf(to)
	n := int64(b.Year-a.Year)*12 + int64(b.Month-a.Month)
	a.Year, a.Month = b.Year, b.Month
	if a.Micros() > to { // day 31 in a shorter month counts past its end, and so is later
		n--
	}
	return n
}

func bindExtract(f *Function, args []Expr) (Expr, error) {
	if v, _ := constant(args[0]); compositeUnits[strings.ToUpper(v.S)] != nil {
		parts := compositeUnits[strings.ToUpper(v.S)]
		g := *f
		g.Name = f.Name + "_" + strings.ToUpper(v.S)
		as := asTimestamp
		if args[1].Type().Kind == types.Time && parts[0] != "YEAR" && parts[0] != "DAY" {
			as = asTime
		}
		return simple(types.TBigInt, func(r *row) error { return r.retInt(compositeExtract(r.int(0), parts)) }, as)(&g, args[1:])
	}
	_, name, err := constantUnit(args[0])
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(dateFunctions(), calendarFunctions()) {
		if f.Name == name {
			return f.bind(&f, args[1:])
		}
	}
	return nil, fmt.Errorf("%s cannot be extracted", name)
}
