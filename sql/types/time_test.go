package types

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCivilAgainstTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.Int64Range(-62_167_219_200_000_000, 253_402_300_799_999_999).Draw(t, "us") // years 0 to 9999
		want := time.UnixMicro(us).UTC()
		c := CivilOf(us)
		got := time.Date(c.Year, time.Month(c.Month), c.Day, c.Hour, c.Minute, c.Second, c.Micro*1000, time.UTC)
		if !got.Equal(want) || c.Micros() != us || !c.Valid() {
			t.Fatalf("%d: %+v, want %v", us, c, want)
		}
		if s := string(AppendTimestamp(nil, us, 6)); s != want.Format("2006-01-02 15:04:05.000000") {
			t.Fatalf("%d prints as %s", us, s)
		}
		back, err := ParseTimestamp(AppendISO(nil, us, 6))
		if err != nil || back != us {
			t.Fatalf("%d reads back as %d, %v", us, back, err)
		}
		if _, week := want.ISOWeek(); want.Year() > 0 {
			if _, w := c.Week('v'); w != week {
				t.Fatalf("week of %v: %d, want %d", want, w, week)
			}
		}
	})
}

func TestParseTimestamp(t *testing.T) {
	for in, want := range map[string]int64{
		"1970-01-01": 0, "1970-01-01 00:00:01": 1e6, "1970-01-01T00:00:01Z": 1e6, "1970-01-01 00:00:00.000001": 1, "1970-01-01 00:00:00.0000015": 2, "1970-01-01T01:00:00+01:00": 0,
		"1970-01-01T00:00:00.123456789Z": 123457, "1969-12-31 23:59:59.9999999": 0, "1970-1-2": 86400e6, "1970-01-01 00:01": 60e6, "1970-01-01 00:00:00 -0030": 1800e6,
	} {
		if got, err := ParseTimestamp(in); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "1970", "1970-13-01", "2023-02-29", "1970-01-01 25:00:00", "1970-01-01 00:00:00 Q", "1970-01-01x", "1970-01-01 00:00:00.", "1970-01-01 00:00:00+99:00"} {
		if got, err := ParseTimestamp(in); err == nil {
			t.Errorf("%q was read as %d", in, got)
		}
	}
}

func TestRoundMicros(t *testing.T) {
	for _, c := range []struct {
		us     int64
		digits uint8
		want   int64
	}{{1_499_999, 0, 1e6}, {1_500_000, 0, 2e6}, {-1_500_000, 0, -2e6}, {1_234_500, 3, 1_235_000}, {7, 6, 7}} {
		if got := RoundMicros(c.us, c.digits); got != c.want {
			t.Errorf("%d to %d digits: %d", c.us, c.digits, got)
		}
	}
}
