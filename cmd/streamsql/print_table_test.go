package main

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
