package render

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// palette are the escape sequences of a few colours; empty where there are none.
type palette struct{ bold, dim, warn, off string }

func newPalette(colours bool) palette {
	if !colours {
		return palette{}
	}
	return palette{bold: "\x1b[1m", dim: "\x1b[2m", warn: "\x1b[33m", off: "\x1b[0m"}
}

// oneLine keeps a value in its line, and what would steer the terminal visible: a record may come from anybody.
func oneLine(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unprintable are control characters and those that turn the direction of text.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// width is how many columns of a terminal a text takes.
func width(s string) int { return runewidth.StringWidth(s) }

// fit cuts a text to w columns, with an ellipsis.
func fit(s string, w int) string {
	if width(s) <= w {
		return s
	}
	return runewidth.Truncate(s, w, "…")
}

// pad fills a text with blanks to w columns.
func pad(s string, w int, right bool) string {
	blanks := strings.Repeat(" ", max(0, w-width(s)))
	if right {
		return blanks + s
	}
	return s + blanks
}

// Grouped writes 1240113 as 1,240,113.
func Grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes 1240113 as 1.24M: three digits that mean something.
func short(n float64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		switch {
		case n < 10 && unit != "":
			return fmt.Sprintf("%.2f%s", n, unit)
		case n < 100 && unit != "":
			return fmt.Sprintf("%.1f%s", n, unit)
		case n < 999.5:
			return fmt.Sprintf("%.0f%s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.0fT", n)
}
