package types

// Lengths of time in microseconds.
const (
	MicrosPerMilli  int64 = 1000
	MicrosPerSecond int64 = 1000 * MicrosPerMilli
	MicrosPerMinute int64 = 60 * MicrosPerSecond
	MicrosPerHour   int64 = 60 * MicrosPerMinute
	MicrosPerDay    int64 = 24 * MicrosPerHour
)

// Civil is a date and time of day, UTC, in the proleptic Gregorian calendar.
type Civil struct {
	Year, Month, Day     int
	Hour, Minute, Second int
	Micro                int
}

// FloorDiv is a/b rounded toward minus infinity; b must be positive.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// DaysOf is the number of days from 1970-01-01 to a date. Month and day may lie outside their ranges.
// (Days are counted from 1 March of year 0 in eras of 400 years.)
func DaysOf(year, month, day int) int64 {
	m := int64(month) - 1
	y := int64(year) + FloorDiv(m, 12)
	m = m - FloorDiv(m, 12)*12 + 1
	if m <= 2 {
		y--
	}
	era := FloorDiv(y, 400)
	yoe := y - era*400
	doy := (153*((m+9)%12) + 2) / 5
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy + int64(day) - 1 - 719468
}

// DateOf is the date a number of days after 1970-01-01.
func DateOf(days int64) (year, month, day int) {
	z := days + 719468
	era := FloorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	m := mp + 3
	if m > 12 {
		m -= 12
	}
	y := yoe + era*400
	if m <= 2 {
		y++
	}
	return int(y), int(m), int(doy - (153*mp+2)/5 + 1)
}

// CivilOf splits microseconds since the epoch.
func CivilOf(micros int64) Civil {
	days := FloorDiv(micros, MicrosPerDay)
	us := micros - days*MicrosPerDay
	var c Civil
	c.Year, c.Month, c.Day = DateOf(days)
	c.Hour = int(us / MicrosPerHour)
	c.Minute = int(us / MicrosPerMinute % 60)
	c.Second = int(us / MicrosPerSecond % 60)
	c.Micro = int(us % MicrosPerSecond)
	return c
}

// Micros is the inverse of CivilOf.
func (c Civil) Micros() int64 {
	return DaysOf(c.Year, c.Month, c.Day)*MicrosPerDay + int64(c.Hour)*MicrosPerHour +
		int64(c.Minute)*MicrosPerMinute + int64(c.Second)*MicrosPerSecond + int64(c.Micro)
}

// DaysInMonth is the length of a month.
func DaysInMonth(year, month int) int {
	return int(DaysOf(year, month+1, 1) - DaysOf(year, month, 1))
}

// Valid says whether every part is in its range, years 0 to 9999 (the range MySQL prints in four digits).
func (c Civil) Valid() bool {
	return c.Year >= 0 && c.Year <= 9999 && c.Month >= 1 && c.Month <= 12 && c.Day >= 1 &&
		(c.Day <= 28 || c.Day <= DaysInMonth(c.Year, c.Month)) &&
		c.Hour >= 0 && c.Hour < 24 && c.Minute >= 0 && c.Minute < 60 && c.Second >= 0 && c.Second < 60 &&
		c.Micro >= 0 && c.Micro < 1_000_000
}

// AddMonths moves a date by months, keeping the day unless the month is shorter (MySQL DATE_ADD: 2024-01-31 + 1 MONTH is
// 2024-02-29).
func (c Civil) AddMonths(n int64) Civil {
	m := int64(c.Year)*12 + int64(c.Month) - 1 + n
	c.Year = int(FloorDiv(m, 12))
	c.Month = int(m-FloorDiv(m, 12)*12) + 1
	c.Day = min(c.Day, DaysInMonth(c.Year, c.Month))
	return c
}

// RoundMicros rounds a time to a number of fractional digits (0..6), half up in absolute value, as MySQL does when it
// stores a time in a column of fewer digits.
func RoundMicros(micros int64, digits uint8) int64 {
	if digits >= 6 {
		return micros
	}
	unit := int64(1)
	for i := digits; i < 6; i++ {
		unit *= 10
	}
	r := micros % unit
	switch {
	case r == 0:
		return micros
	case r >= unit/2:
		return micros - r + unit
	case -r >= unit/2:
		return micros - r - unit
	}
	return micros - r
}
