package expr

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

// zoneFunctions are about time zones and the beginnings of units of time.
func zoneFunctions() []Function {
	return family("date", []Function{
		{Name: "CONVERT_TZ", Min: 3, Max: 3, Signature: "CONVERT_TZ(timestamp, from, to) -> TIMESTAMP", Doc: "What clocks in zone to show when those in zone from show the timestamp. A time that comes twice is the first, one that is skipped the moment of the change.",
			Example: "CONVERT_TZ('2024-07-01 12:00:00', 'UTC', 'Europe/Berlin')", Result: "2024-07-01 14:00:00", bind: bindConvertTZ},
		{Name: "DATE_TRUNC", Min: 2, Max: 3, Signature: "DATE_TRUNC(unit, timestamp [, zone])", Doc: "The beginning of the MICROSECOND … HOUR, DAY, WEEK (from Monday), MONTH, QUARTER or YEAR; of days and longer as clocks in the zone show them.",
			Example: "DATE_TRUNC('HOUR', '2024-02-29 13:14:15')", Result: "2024-02-29 13:00:00", bind: bindTrunc},
	})
}

func bindConvertTZ(f *Function, args []Expr) (Expr, error) {
	x, err := asTimestamp(args[0])
	if err != nil {
		return nil, err
	}
	t := types.Type{Kind: types.Timestamp, Precision: x.Type().Precision}
	return simple(t, func(r *row) error {
		from, err := r.zone(1)
		if err != nil {
			return err
		}
		to, err := r.zone(2)
		if err != nil {
			return err
		}
		return r.retInt(toLocal(toInstant(r.int(0), from), to))
	}, asIs, asZone)(f, []Expr{x, args[1], args[2]})
}

func bindTrunc(f *Function, args []Expr) (Expr, error) {
	u, name, err := constantUnit(args[0])
	if err != nil {
		return nil, err
	}
	x := args[1]
	t := types.TDate
	if x.Type().Kind != types.Date || u.micros%types.MicrosPerDay != 0 {
		if x, err = asTimestamp(x); err != nil {
			return nil, err
		}
		t = types.Type{Kind: types.Timestamp, Precision: min(x.Type().Precision, unitDigits(u))}
	}
	scale := int64(1)
	if t.Kind == types.Date {
		scale = types.MicrosPerDay
	}
	g := *f
	g.Name = f.Name + "_" + name
	return simple(t, func(r *row) error {
		us := r.int(0) * scale
		if len(r.args) == 1 {
			return r.retInt(truncate(us, u) / scale)
		}
		loc, err := r.zone(1)
		if err != nil {
			return err
		}
		return r.retInt(types.FloorDiv(toInstant(truncate(toLocal(us, loc), u), loc), scale))
	}, asIs, asZone)(&g, append([]Expr{x}, args[2:]...))
}

// unitDigits is how many fractional digits the beginnings of a unit have.
func unitDigits(u unit) uint8 {
	switch {
	case u.months != 0 || u.micros%types.MicrosPerSecond == 0:
		return 0
	case u.micros%types.MicrosPerMilli == 0:
		return 3
	}
	return 6
}

// truncate is the beginning of the unit that a time lies in. Weeks begin on Monday.
func truncate(us int64, u unit) int64 {
	if u.months == 0 {
		monday := int64(0)
		if u.micros == 7*types.MicrosPerDay {
			monday = -3 * types.MicrosPerDay // 1969-12-29
		}
		return types.FloorDiv(us-monday, u.micros)*u.micros + monday
	}
	c := types.CivilOf(us)
	month := int64(c.Year)*12 + int64(c.Month) - 1
	month -= month % u.months
	return types.DaysOf(0, int(month)+1, 1) * types.MicrosPerDay
}

// compositeUnits are MySQL's units of several parts: the parts of an interval's text, largest first. A last part MICROSECOND is
// a fraction.
var compositeUnits = map[string][]string{
	"YEAR_MONTH": {"YEAR", "MONTH"}, "DAY_HOUR": {"DAY", "HOUR"}, "DAY_MINUTE": {"DAY", "HOUR", "MINUTE"}, "DAY_SECOND": {"DAY", "HOUR", "MINUTE", "SECOND"},
	"DAY_MICROSECOND": {"DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"}, "HOUR_MINUTE": {"HOUR", "MINUTE"}, "HOUR_SECOND": {"HOUR", "MINUTE", "SECOND"},
	"HOUR_MICROSECOND": {"HOUR", "MINUTE", "SECOND", "MICROSECOND"}, "MINUTE_SECOND": {"MINUTE", "SECOND"},
	"MINUTE_MICROSECOND": {"MINUTE", "SECOND", "MICROSECOND"}, "SECOND_MICROSECOND": {"SECOND", "MICROSECOND"},
}

// compositeInterval is INTERVAL 'text' of a composite unit: the digits of the text are its parts, the last one the smallest.
func compositeInterval(n Expr, name string, parts []string) (*Interval, error) {
	v, ok := constant(n)
	if !ok {
		return nil, &UnsupportedError{"INTERVAL expression " + name, "write a constant text, as in INTERVAL '1 10' DAY_HOUR, or add intervals of one unit each"}
	}
	if v.IsNull() {
		return &Interval{NullOf(types.TBigInt), "MICROSECOND", units["MICROSECOND"]}, nil
	}
	text := strings.TrimSpace(v.Text())
	fields := strings.FieldsFunc(text, func(c rune) bool { return c < '0' || c > '9' })
	if len(fields) == 0 || len(fields) > len(parts) {
		return nil, fmt.Errorf("INTERVAL %q: %s has %d parts", text, name, len(parts))
	}
	parts = parts[len(parts)-len(fields):]
	total, u := int64(0), units["MICROSECOND"]
	for i, f := range fields {
		if len(f) > 9 {
			return nil, fmt.Errorf("INTERVAL %q: %s is too large", text, f)
		}
		k := int64(0)
		for _, d := range f {
			k = k*10 + int64(d-'0')
		}
		part := units[parts[i]]
		switch {
		case part.months != 0:
			u = units["MONTH"]
			total += k * part.months
		case parts[i] == "MICROSECOND":
			for j := len(f); j < 6; j++ {
				k *= 10
			}
			if len(f) > 6 {
				return nil, fmt.Errorf("INTERVAL %q: a fraction has at most 6 digits", text)
			}
			total += k
		default:
			total += k * part.micros
		}
	}
	if strings.HasPrefix(text, "-") {
		total = -total
	}
	unitName := "MICROSECOND"
	switch {
	case u.months != 0:
		unitName = "MONTH"
	case total%types.MicrosPerSecond == 0: // as fine as what it is added to
		unitName, total = "SECOND", total/types.MicrosPerSecond
	}
	return &Interval{Literal(types.NewInt(total)), unitName, units[unitName]}, nil
}

// compositeParts are the parts of a composite unit as EXTRACT writes them: decimal digits side by side.
func compositeExtract(us int64, parts []string) int64 {
	c := types.CivilOf(us)
	of := map[string]int{"YEAR": c.Year, "MONTH": c.Month, "DAY": c.Day, "HOUR": c.Hour, "MINUTE": c.Minute, "SECOND": c.Second, "MICROSECOND": c.Micro}
	n := int64(0)
	for _, p := range parts {
		if p == "MICROSECOND" {
			n *= 10_000
		}
		n = n*100 + int64(of[p])
	}
	return n
}
