package ast

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Error is a mistake in a text, with its place. Every user error that has a place is one.
type Error struct {
	File string // "" for text typed in
	Text string // the whole source text
	Span Span
	Msg  string
	Hint string // what to do next; may be empty
	// Unsupported names a feature that is read but not implemented; "" for other errors.
	Unsupported string
	// Unknown is the name of a stream or table that does not exist; "" for other errors.
	Unknown string
}

// Errorf makes an error at a place; the parser or binder fills in File and Text later (At).
func Errorf(at Span, format string, args ...any) *Error {
	return &Error{Span: at, Msg: fmt.Sprintf(format, args...)}
}

// Unsupported makes the one typed error of a feature that the dialect names and the engine does not run (yet).
func Unsupported(at Span, feature, hint string) *Error {
	return &Error{Span: at, Msg: feature + " is not supported", Hint: hint, Unsupported: feature}
}

// Unknown makes the one error of a stream or table that does not exist.
func Unknown(at Span, name string) *Error {
	return &Error{Span: at, Msg: "unknown stream or table " + name, Unknown: name}
}

// WithHint adds what to do next.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// At fills in the source of an error that has none yet. Secrets in it are hidden.
func (e *Error) At(file, text string) *Error {
	if e.Text == "" {
		e.File, e.Text = file, Hide(text)
	}
	return e
}

// Place is the line and column of the error, both from 1; the column counts characters.
func (e *Error) Place() (line, column int) {
	at := min(max(e.Span.Start, 0), len(e.Text))
	before := e.Text[:at]
	line = strings.Count(before, "\n") + 1
	return line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// Error is file:line:column: message, the source line, a caret under the place, and the hint.
func (e *Error) Error() string {
	line, col := e.Place()
	file := e.File
	if file == "" {
		file = "<input>"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s", file, line, col, e.Msg)
	if e.Text != "" {
		at := min(max(e.Span.Start, 0), len(e.Text))
		from := strings.LastIndexByte(e.Text[:at], '\n') + 1
		src := e.Text[from:]
		if i := strings.IndexByte(src, '\n'); i >= 0 {
			src = src[:i]
		}
		src = strings.TrimRight(src, "\r")
		lead := strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return ' '
		}, e.Text[from:at])
		if lead != "" && !strings.Contains(lead, "\t") {
			lead = strings.Repeat(" ", runewidth.StringWidth(e.Text[from:at]))
		}
		end := min(max(e.Span.End, at), from+len(src))
		n := 1
		if end > at {
			n = max(1, runewidth.StringWidth(e.Text[at:end]))
		}
		fmt.Fprintf(&b, "\n  %s\n  %s%s", src, lead, strings.Repeat("^", n))
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n  hint: %s", e.Hint)
	}
	return b.String()
}
