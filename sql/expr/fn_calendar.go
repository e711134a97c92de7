package expr

import (
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

// epochDay is the day number of 1970-01-01 as TO_DAYS counts: from the year 0.
const epochDay = 719528

func calendarFunctions() []Function {
	return family("date", []Function{
		{Name: "TO_DAYS", Min: 1, Max: 1, Signature: "TO_DAYS(date) -> BIGINT", Doc: "Days since the year 0.",
			Example: "TO_DAYS('2007-10-07')", Result: "733321", bind: simple(types.TBigInt, func(r *row) error {
				return r.retInt(types.FloorDiv(r.int(0), types.MicrosPerDay) + epochDay)
			}, asTimestamp)},
		{Name: "FROM_DAYS", Min: 1, Max: 1, Signature: "FROM_DAYS(days) -> DATE", Doc: "The date of a number of days since the year 0.",
			Example: "FROM_DAYS(730669)", Result: "2000-07-03", bind: simple(types.TDate, func(r *row) error {
				return r.retDate(r.int(0) - epochDay)
			}, asInt)},
		{Name: "TO_SECONDS", Min: 1, Max: 1, Signature: "TO_SECONDS(timestamp) -> BIGINT", Doc: "Seconds since the year 0.",
			Example: "TO_SECONDS('2009-11-29')", Result: "63426672000", bind: simple(types.TBigInt, func(r *row) error {
				return r.retInt(types.FloorDiv(r.int(0), types.MicrosPerSecond) + epochDay*86400)
			}, asTimestamp)},
		{Name: "MAKEDATE", Min: 2, Max: 2, Signature: "MAKEDATE(year, day) -> DATE", Doc: "The date of a day of a year, from 1; NULL when the day is not positive.",
			Example: "MAKEDATE(2011, 32)", Result: "2011-02-01", bind: simple(types.TDate, makeDateKernel, asInt)},
		{Name: "PERIOD_ADD", Min: 2, Max: 2, Signature: "PERIOD_ADD(period, months) -> BIGINT", Doc: "A period YYYYMM moved by months.",
			Example: "PERIOD_ADD(202401, 2)", Result: "202403", bind: simple(types.TBigInt, func(r *row) error {
				months, err := periodMonths(r.int(0))
				if err != nil {
					return err
				}
				months += r.int(1)
				return r.retInt(months/12*100 + months%12 + 1)
			}, asInt)},
		{Name: "PERIOD_DIFF", Min: 2, Max: 2, Signature: "PERIOD_DIFF(x, y) -> BIGINT", Doc: "Months from period y to period x, both YYYYMM.",
			Example: "PERIOD_DIFF(202402, 202311)", Result: "3", bind: simple(types.TBigInt, func(r *row) error {
				x, err := periodMonths(r.int(0))
				if err != nil {
					return err
				}
				y, err := periodMonths(r.int(1))
				if err != nil {
					return err
				}
				return r.retInt(x - y)
			}, asInt)},
		{Name: "WEEK", Min: 1, Max: 2, Signature: "WEEK(timestamp [, mode]) -> BIGINT", Doc: "The week of the year in a mode of MySQL, 0 (weeks from Sunday, the default) to 7; 3 is ISO 8601.",
			Example: "WEEK('2024-02-29', 3)", Result: "9", bind: bindWeek(func(us int64, mode int64) int64 {
				_, week := weekOf(us, mode, false)
				return week
			})},
		{Name: "YEARWEEK", Min: 1, Max: 2, Signature: "YEARWEEK(timestamp [, mode]) -> BIGINT", Doc: "Year and week as one number YYYYWW; the year is that of the week.",
			Example: "YEARWEEK('1987-01-01')", Result: "198652", bind: bindWeek(func(us int64, mode int64) int64 {
				year, week := weekOf(us, mode, true)
				return year*100 + week
			})},
		{Name: "WEEKOFYEAR", Min: 1, Max: 1, Signature: "WEEKOFYEAR(timestamp) -> BIGINT", Doc: "The ISO 8601 week, 1 to 53.",
			Example: "WEEKOFYEAR('2021-01-03')", Result: "53", bind: simple(types.TBigInt, func(r *row) error {
				_, week := weekOf(r.int(0), 3, false)
				return r.retInt(week)
			}, asTimestamp)},
		{Name: "GET_FORMAT", Min: 2, Max: 2, Signature: "GET_FORMAT(DATE | TIME | DATETIME, 'EUR' | 'USA' | 'JIS' | 'ISO' | 'INTERNAL') -> VARCHAR", Doc: "A format for DATE_FORMAT; NULL for an unknown name.",
			Example: "GET_FORMAT(DATE, 'EUR')", Result: "%d.%m.%Y", bind: bindGetFormat},
	})
}

// retDate gives out a day, which must lie in the years 0 to 9999.
func (r *row) retDate(day int64) error {
	if day < yearSpan[0]/types.MicrosPerDay || day >= yearSpan[1]/types.MicrosPerDay {
		return errors.New("DATE value is out of range")
	}
	return r.retInt(day)
}

func makeDateKernel(r *row) error {
	year, day := fullYear(r.int(0)), r.int(1)
	if day <= 0 || year < 0 || year > 9999 || day > 4_000_000 {
		return r.retNull()
	}
	d := types.DaysOf(int(year), 1, 1) + day - 1
	if d*types.MicrosPerDay >= yearSpan[1] {
		return r.retNull()
	}
	return r.retInt(d)
}

// fullYear reads a year of two digits as MySQL does: 70 to 99 are in the 1900s.
func fullYear(y int64) int64 {
	switch {
	case y >= 0 && y < 70:
		return y + 2000
	case y >= 70 && y < 100:
		return y + 1900
	}
	return y
}

// periodMonths is a period, YYYYMM or YYMM, as months since the year 0.
func periodMonths(p int64) (int64, error) {
	year, month := p/100, p%100
	if p <= 0 || month < 1 || month > 12 || year > 9999 {
		return 0, fmt.Errorf("%d is not a period; write YYYYMM", p)
	}
	return fullYear(year)*12 + month - 1, nil
}

func bindWeek(of func(us, mode int64) int64) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		return simple(types.TBigInt, func(r *row) error { return r.retInt(of(r.int(0), r.number(1, 0)&7)) }, asTimestamp, asInt)(f, args)
	}
}

// weekOf is MySQL's calc_week. The bits of the mode: 1 weeks begin on Monday; 2 weeks are numbered from 1, the first days of a
// year may belong to the year before (always so with yearly); 4 week 1 is the first with a Monday (Sunday), else the first
// with four days.
func weekOf(us, mode int64, yearly bool) (year, week int64) {
	monday, numbered, first := mode&1 != 0, mode&2 != 0 || yearly, mode&4 != 0
	if !monday {
		first = !first
	}
	c := types.CivilOf(us)
	day, jan := types.DaysOf(c.Year, c.Month, c.Day), types.DaysOf(c.Year, 1, 1)
	weekdayOf := func(d int64) int64 { // days since the week began
		d += 3 // 1970-01-01 was a Thursday
		if !monday {
			d++
		}
		return d - types.FloorDiv(d, 7)*7
	}
	late := func(weekday int64) bool { return first && weekday != 0 || !first && weekday >= 4 }
	year = int64(c.Year)
	weekday := weekdayOf(jan)
	if day-jan < 7-weekday && late(weekday) {
		if !numbered {
			return year, 0
		}
		year--
		jan = types.DaysOf(c.Year-1, 1, 1)
		weekday = weekdayOf(jan)
	} else if day-jan < 7-weekday {
		numbered = true
	}
	start := jan - weekday
	if late(weekday) {
		start += 7
	}
	week = (day-start)/7 + 1
	if numbered && week == 53 {
		next := types.DaysOf(int(year)+1, 1, 1)
		if !late(weekdayOf(next)) && day >= next-weekdayOf(next) {
			return year + 1, 1
		}
	}
	return year, week
}

// formats are what GET_FORMAT knows.
var formats = map[string]map[string]string{
	"DATE": {"USA": "%m.%d.%Y", "JIS": "%Y-%m-%d", "ISO": "%Y-%m-%d", "EUR": "%d.%m.%Y", "INTERNAL": "%Y%m%d"},
	"DATETIME": {"USA": "%Y-%m-%d %H.%i.%s", "JIS": "%Y-%m-%d %H:%i:%s", "ISO": "%Y-%m-%d %H:%i:%s", "EUR": "%Y-%m-%d %H.%i.%s",
		"INTERNAL": "%Y%m%d%H%i%s"},
	"TIME": {"USA": "%h:%i:%s %p", "JIS": "%H:%i:%s", "ISO": "%H:%i:%s", "EUR": "%H.%i.%s", "INTERNAL": "%H%i%s"},
}

func bindGetFormat(_ *Function, args []Expr) (Expr, error) {
	kind, _ := constant(args[0])
	if kind.S == "TIMESTAMP" {
		kind.S = "DATETIME"
	}
	of, ok := formats[kind.S]
	name, isConst := constant(args[1])
	if !ok || !isConst {
		return nil, errors.New("takes DATE, TIME or DATETIME, and a constant name")
	}
	if f, ok := of[name.S]; ok {
		return Literal(types.NewString(f)), nil
	}
	return NullOf(types.TVarchar), nil
}
