package format

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func written(t testing.TB, of types.Type, layout string, x int64) string {
	t.Helper()
	w, err := NewTimeWriter(Column{Name: "ts", Type: of, TimestampFormat: layout})
	if err != nil {
		t.Fatal(err)
	}
	v := vector.New(of, 1)
	v.AppendInt(x)
	return string(w.Append(nil, v, 0))
}

func TestTimesWritten(t *testing.T) {
	for _, test := range []struct {
		of     types.Type
		format string
		value  int64
		want   string
	}{
		{ts3, "", november, "2023-11-14T22:13:20.000Z"},
		{ts3, "iso", november, "2023-11-14T22:13:20.000Z"},
		{ts3, "ms", november + 123_000, "1700000000123"},
		{ts6, "ms", november + 1, "1700000000000.001"},
		{ts3, "s", november, "1700000000"},
		{ts3, "S", november + 500_000, "1700000000.5"},
		{ts3, "s", -500_000, "-0.5"},
		{ts3, "s", -1_500_000, "-1.5"},
		{ts6, "us", november + 1, "1700000000000001"},
		{ts6, "ns", november + 1, "1700000000000001000"},
		{ts6, "ns", 0, "0"},
		{ts3, "%d.%m.%Y %H:%i:%s", november, "14.11.2023 22:13:20"},
		{ts3, "%d.%m.%Y", -1, "31.12.1969"},
		{date, "", 1, "1970-01-02"},
		{date, "ms", 1, "86400000"},
		{date, "%d/%m/%Y", -1, "31/12/1969"},
		{clock, "", 1_500_000, "00:00:01.500"},
		{clock, "ms", 1_500_000, "1500"},
		{clock, "%H.%i", 37_200_000_000, "10.20"},
		{clock, "%H.%i", -second, "-00:00:01.000"},
	} {
		if got := written(t, test.of, test.format, test.value); got != test.want {
			t.Errorf("%s %q of %d: got %s, want %s", test.of, test.format, test.value, got, test.want)
		}
	}
	for _, c := range []Column{{Name: "ts", Type: ts3, TimestampFormat: "minutes"}, {Name: "n", Type: types.TInt}} {
		if _, err := NewTimeWriter(c); err == nil {
			t.Errorf("a writer of %v", c)
		}
	}
}

// What is written in a form that loses nothing is read in the same form as the same value.
func TestTimesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom([]types.Type{date, ts6, {Kind: types.Time, Precision: 6}}).Draw(t, "type")
		c := Column{Name: "ts", Type: of, TimestampFormat: rapid.SampledFrom([]string{
			"", "iso", "ms", "s", "us", "ns", "%Y-%m-%d %H:%i:%s.%f", "%W %D %M %Y %r %f", "%j/%Y %l %p %i:%s %f%%"}).Draw(t, "format")}
		var x int64
		switch of.Kind {
		case types.Time:
			x = rapid.Int64Range(0, types.MicrosPerDay-1).Draw(t, "time")
		case types.Date:
			x = rapid.Int64Range(firstMicro/types.MicrosPerDay, afterLast/types.MicrosPerDay-1).Draw(t, "day")
		default:
			x = rapid.Int64Range(firstMicro, afterLast-1).Draw(t, "instant")
		}
		w, err := NewTimeWriter(c)
		if err != nil {
			t.Fatal(err)
		}
		cell, err := NewCell(c)
		if err != nil {
			t.Fatal(err)
		}
		v, back := vector.New(of, 1), vector.New(of, 1)
		v.AppendInt(x)
		text := w.Append(nil, v, 0)
		read := cell.Text
		if w.Numbers() {
			read = cell.Number
		}
		if err := read(back, text); err != nil || back.Ints[0] != x {
			t.Fatalf("%s %q: %d written as %s, read as %v, %v", of, c.TimestampFormat, x, text, back.Ints, err)
		}
	})
}

func TestTimeWriterDoesNotAllocate(t *testing.T) {
	for _, layout := range []string{"", "s", "%d.%m.%Y %T", "%r"} {
		w, err := NewTimeWriter(Column{Name: "ts", Type: ts3, TimestampFormat: layout})
		if err != nil {
			t.Fatal(err)
		}
		v, buf := vector.New(ts3, 1), make([]byte, 0, 64)
		v.AppendInt(november)
		if n := testing.AllocsPerRun(100, func() { _ = w.Append(buf, v, 0) }); n != 0 {
			t.Errorf("%q: %v allocations per value", layout, n)
		}
	}
}
