package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// TestCase is one block of a test file: the statements from a --@test line to the next.
type TestCase struct {
	Name        string // of --@test: name; "" for statements before the first one
	ExpectError string // of --@expect.error: text that the error message must hold; "" when none is expected
	// Text is the block at its place in the file: everything before it and every directive is blank, so offsets, lines
	// and columns of what is parsed from Text are those of the file.
	Text   string
	Line   int // of the --@test line, from 1
	Offset int // byte where the block begins in the file
}

// Directives cuts the text of a test file into its blocks. A directive is a line that begins with --@; one that is
// neither --@test: nor --@expect.error: is an *ast.Error, as is one without a value or outside a block.
func Directives(text string) ([]TestCase, error) {
	var cases []TestCase
	block := TestCase{Line: 1}
	finish := func(end int) {
		body := blankDirectives(text[block.Offset:end])
		if block.Name == "" && len(lex(body)) == 1 {
			return // only blanks and comments before the first test
		}
		block.Text = blank(text[:block.Offset]) + body
		cases = append(cases, block)
	}
	line := 0
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line++
		name, value, ok := directive(text[at:end])
		switch {
		case !ok:
		case value == "":
			return nil, directiveError(text, at, end, "directive %q has no value", name)
		case name == "test":
			finish(at)
			block = TestCase{Name: value, Line: line, Offset: at}
		case name == "expect.error" && block.Name == "":
			return nil, directiveError(text, at, end, "--@expect.error stands before the first --@test")
		case name == "expect.error":
			block.ExpectError = value
		default:
			return nil, directiveError(text, at, end, "unknown directive %q", name)
		}
		at = end
	}
	finish(len(text))
	return cases, nil
}

// directive reads one line: --@name: value.
func directive(line string) (name, value string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(line, "\ufeff"), " \t"), "--@")
	if !ok {
		return "", "", false
	}
	name, value, _ = strings.Cut(rest, ":")
	return strings.TrimSpace(name), strings.TrimSpace(value), true
}

func directiveError(text string, at, end int, format string, args ...any) error {
	at += strings.Index(text[at:end], "--@")
	end = at + len(strings.TrimRight(text[at:end], "\r\n"))
	return ast.Errorf(ast.Span{Start: at, End: end}, format, args...).
		WithHint("directives are --@test: name and --@expect.error: text").At("", text)
}

// blankDirectives overwrites the --@ lines of a block.
func blankDirectives(block string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(block, "\n") {
		if _, _, ok := directive(line); ok {
			line = blank(line)
		}
		b.WriteString(line)
	}
	return b.String()
}

// blank replaces everything but line ends by blanks, byte by byte.
func blank(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
	return string(b)
}
