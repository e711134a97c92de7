package format

import (
	"errors"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

const second = types.MicrosPerSecond

var ts3, ts6, ts0 = types.TTimestamp, types.Type{Kind: types.Timestamp, Precision: 6}, types.Type{Kind: types.Timestamp}
var date, clock = types.TDate, types.Type{Kind: types.Time, Precision: 3}

const november = 1_700_000_000 * second // 2023-11-14 22:13:20 UTC

var goodTimes = []struct {
	of     types.Type
	format string
	number string // or
	text   string
	want   int64
}{
	{ts3, "", "1700000000000", "", november},
	{ts3, "ms", "1700000000123.4", "", november + 123_000},
	{ts3, "s", "1700000000", "", november},
	{ts3, "s", "1700000000.5", "", november + 500_000},
	{ts3, "s", "1.7e9", "", november},
	{ts6, "us", "1700000000000001", "", november + 1},
	{ts6, "NS", "1700000000000001499", "", november + 1},
	{ts6, "ns", "1700000000000001500", "", november + 2},
	{ts3, "", "-1", "", -1000},
	{ts3, "", "", "1700000000000", november},
	{ts3, "s", "", "1700000000", november},
	{ts3, "", "", "2023-11-14T22:13:20Z", november},
	{ts3, "", "", "2023-11-14T23:13:20.5+01:00", november + 500_000},
	{ts3, "", "", "2023-11-14 22:13:20.123", november + 123_000},
	{ts3, "", "", "2023-11-14 22:13:20.1235", november + 124_000},
	{ts0, "", "", "2023-11-14 22:13:20.5", november + second},
	{ts3, "iso", "", "2023-11-14T22:13:20Z", november},
	{ts3, "", "", "2023-11-14", 1_699_920_000 * second},
	{ts3, "%d.%m.%Y %H:%i:%s", "", "14.11.2023 22:13:20", november},
	{ts3, "%Y-%m-%dT%H:%i:%s.%fZ", "", "2023-11-14T22:13:20.25Z", november + 250_000},
	{ts3, "%e %b %y, %r", "", "14 Nov 23, 10:13:20 PM", november},
	{ts3, "%W, %D %M %Y %l:%i%p", "", "Tuesday, 14th November 2023 12:00am", 1_699_920_000 * second},
	{ts3, "%Y%m%d%H%i%s", "20231114221320", "", november},
	{ts3, "%Y/%j %T", "", "2023/318 22:13:20", november},
	{ts3, "100%% %Y", "", "100% 1971", 365 * types.MicrosPerDay},
	{ts3, "%y", "", "69", 3_124_224_000 * second}, // 2069, as MySQL reads two digits
	{date, "", "86400000", "", 1},
	{date, "", "-1", "", -1},
	{date, "", "", "1970-01-03", 2},
	{date, "", "", "1970-01-03T10:00:00Z", 2},
	{date, "%d/%m/%Y", "", "02/01/1970", 1},
	{clock, "", "1500", "", 1_500_000},
	{clock, "", "", "-838:59:59", -(838*3600 + 59*60 + 59) * second},
	{clock, "", "", "10:20", (10*3600 + 20*60) * second},
	{clock, "%H.%i", "", "10.20", (10*3600 + 20*60) * second},
}

func TestTimes(t *testing.T) {
	for _, test := range goodTimes {
		c, err := NewCell(Column{Name: "ts", Type: test.of, TimestampFormat: test.format})
		if err != nil {
			t.Errorf("%s: %v", test.format, err)
			continue
		}
		v := vector.New(test.of, 1)
		if test.number != "" {
			err = c.Number(v, []byte(test.number))
		} else {
			err = c.Text(v, []byte(test.text))
		}
		if err != nil || v.Ints[0] != test.want {
			t.Errorf("%s %q of %q%q: got %v, %v; want %d", test.of, test.format, test.number, test.text, v.Ints, err, test.want)
		}
	}
}

func TestBadTimes(t *testing.T) {
	tests := []struct {
		of     types.Type
		format string
		number string
		text   string
		reason Reason
	}{
		{types.TTimestamp, "", "1e30", "", OutOfRange},
		{types.TTimestamp, "s", "9223372036854775807", "", OutOfRange},
		{types.TTimestamp, "ns", "1e38", "", OutOfRange},
		{types.TTimestamp, "", "253402300800000", "", OutOfRange}, // 10000-01-01
		{types.TTimestamp, "", "", "9999-12-31 23:59:59.9995", OutOfRange},
		{types.TDate, "", "253402300800000", "", OutOfRange},
		{types.TTimestamp, "iso", "1700000000000", "", WrongType},
		{types.TTimestamp, "iso", "", "1700000000000", WrongType},
		{types.TTimestamp, "", "", "", WrongType},
		{types.TTimestamp, "", "", "2023-02-30", WrongType},
		{types.TTimestamp, "", "", "2023-11-14 25:00:00", WrongType},
		{types.TTimestamp, "%d.%m.%Y", "", "14.11.2023 22:00", WrongType},
		{types.TTimestamp, "%d.%m.%Y", "", "31.02.2023", WrongType},
		{types.TTimestamp, "%h:%i %p", "", "13:00 PM", WrongType},
		{types.TTimestamp, "%Y %j", "", "2023 366", WrongType},
		{types.Type{Kind: types.Time}, "", "3020400000", "", OutOfRange}, // 839 hours
	}
	for _, test := range tests {
		c, err := NewCell(Column{Name: "ts", Type: test.of, TimestampFormat: test.format})
		if err != nil {
			t.Fatal(err)
		}
		v := vector.New(test.of, 1)
		if test.number != "" {
			err = c.Number(v, []byte(test.number))
		} else {
			err = c.Text(v, []byte(test.text))
		}
		var bad *BadRecord
		if !errors.As(err, &bad) || bad.Reason != test.reason || bad.Field != "ts" || v.Len() != 0 {
			t.Errorf("%q of %q%q: got %v, %v", test.format, test.number, test.text, v.Ints, err)
		}
	}
	for format, says := range map[string]string{"seconds": "use ms, s", "%Q": "%Q is not supported", "%Y%": "lone %"} {
		_, err := NewCell(Column{Name: "ts", Type: types.TTimestamp, TimestampFormat: format})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", format, err)
		}
	}
}
