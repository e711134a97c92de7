package repl

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/streamsql-go/streamsql/sql/parser"
)

const off = "\x1b[0m"

// colourOf is the escape sequence that a token is shown in, "" for plain ones.
func colourOf(t parser.Token) string {
	switch t.Kind {
	case parser.Word:
		if parser.Keyword(t.Text) {
			return "\x1b[1;34m"
		}
	case parser.String, parser.Unclosed:
		return "\x1b[32m"
	case parser.Number:
		return "\x1b[36m"
	case parser.Comment:
		return "\x1b[2m"
	case parser.Bad:
		return "\x1b[31m"
	}
	return ""
}

// highlight colours the part of before+text that is text: what stands before tells whether a string is open.
func highlight(before, text string) string {
	whole := before + text
	var b strings.Builder
	at := len(before)
	for _, t := range parser.Scan(whole) {
		if t.End <= at {
			continue
		}
		start := max(t.Start, at)
		b.WriteString(whole[at:start])
		if c := colourOf(t); c != "" {
			b.WriteString(c + whole[start:t.End] + off)
		} else {
			b.WriteString(whole[start:t.End])
		}
		at = t.End
	}
	b.WriteString(whole[at:])
	return b.String()
}

// painter shows the line that is edited.
type painter struct {
	colours bool
	before  func() string // the lines of the statement above
	width   func() int
}

// Paint shows line ends as ↵, and colours. readline moves the cursor back by one column per character; wide ones take two.
func (p *painter) Paint(line []rune, pos int) []rune {
	text := string(line)
	shown := strings.ReplaceAll(text, string(newlineMark), "\n")
	if p.colours && !strings.ContainsRune(text, pasteMark) && !isCommand(text) {
		shown = highlight(p.before(), shown)
	}
	shown = strings.ReplaceAll(shown, "\n", "↵")
	if n := len(line); n > 0 && line[n-1] == '\n' { // Enter was pressed
		shown = strings.TrimSuffix(strings.TrimSuffix(shown, off), "↵")
		if p.colours {
			shown += off
		}
		shown += "\n"
	}
	shown = strings.ReplaceAll(shown, string(pasteMark), "⋯")
	if pos < len(line) && runewidth.StringWidth(text) < p.width()-8 {
		tail := string(line[pos:])
		shown += strings.Repeat("\b", max(0, runewidth.StringWidth(tail)-len(line[pos:])))
	}
	return []rune(shown)
}
