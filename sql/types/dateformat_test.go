package types

import (
	"testing"

	"pgregory.net/rapid"
)

func TestFormatReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.Int64Range(0, 4_000_000_000_000_000).Draw(t, "us")
		format := rapid.SampledFrom([]string{"%Y-%m-%d %H:%i:%s.%f", "%d.%c.%Y %T.%f", "%M %D %Y, %r %f", "%W %e %b %Y %k:%i:%S %f", "%Y %j %h %i %s %p %f"}).Draw(t, "format")
		s := AppendFormat(nil, us, format)
		if back, err := ParseFormat(s, []byte(format)); err != nil || back != us {
			t.Fatalf("%d as %s is %s, which reads as %d, %v", us, format, s, back, err)
		}
	})
}

func TestParseFormatRefuses(t *testing.T) {
	for _, c := range [][2]string{{"2024-02-30", "%Y-%m-%d"}, {"2024", "%Y-%m"}, {"13 PM", "%h %p"}, {"2023 366", "%Y %j"}, {"2024x", "%Y"}, {"Foo", "%M"}, {"a", "b"}} {
		if us, err := ParseFormat(c[0], c[1]); err == nil {
			t.Errorf("%q as %q was read as %d", c[0], c[1], us)
		}
	}
}
