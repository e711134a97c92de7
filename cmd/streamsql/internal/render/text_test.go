package render

import "testing"

func TestOneLine(t *testing.T) {
	for value, want := range map[string]string{
		"a\tb\nc\r":         `a\tb\nc\r`,
		"\x1b[2J\x1b]0;x\a": `\u001b[2J\u001b]0;x\u0007`, // would clear the screen and name the window
		"a\u202eb":          `a\u202eb`,
		"日本語 é 🎉":           "日本語 é 🎉",
		"a\\nb":             `a\nb`,
	} {
		if got := oneLine(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1240113: "1,240,113", -1234: "-1,234", -123: "-123"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 7.6: "8", 999: "999", 1000: "1.00k", 86400: "86.4k", 999600: "1.00M", 1240113: "1.24M"} {
		if got := short(n); got != want {
			t.Errorf("%v: %s, want %s", n, got, want)
		}
	}
}
