package repl

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/sql/complete"
)

// listed is how many candidates TAB lists.
const listed = 20

// complete is TAB at a place in a line, behind the lines before it.
func (sh *shell) complete(before, line string, pos int) completion {
	if before != "" && strings.TrimSpace(line[:pos]) == "" { // indents
		return completion{line: line[:pos] + "  " + line[pos:], pos: pos + 2}
	}
	var s streamsql.Suggestions
	if before == "" && strings.HasPrefix(strings.TrimSpace(line), `\`) || before == "" && strings.HasPrefix(strings.TrimSpace(line), ".") {
		s = sh.completeCommand(line[:pos])
	} else {
		s = sh.Engine.Suggest(sh.ctx, before+line, len(before)+pos)
		s.Start, s.End = s.Start-len(before), s.End-len(before)
	}
	return apply(line, pos, s, sh.width(), sh.colours)
}

func (sh *shell) width() int {
	w, _ := sh.term.Size()
	return w
}

// apply puts what all candidates begin with into the line; when that is nothing new, they are listed.
func apply(line string, pos int, s streamsql.Suggestions, cols int, colours bool) completion {
	same := completion{line: line, pos: pos}
	if len(s.Candidates) == 0 || s.Start < 0 {
		return same
	}
	common := s.Candidates[0].Text
	for _, c := range s.Candidates[1:] {
		common = sharedPrefix(common, c.Text)
	}
	if len(s.Candidates) == 1 {
		common += gap(s.Candidates[0], line[pos:])
	}
	if len(common) > pos-s.Start || len(s.Candidates) == 1 {
		return completion{line: line[:s.Start] + common + line[pos:], pos: s.Start + len(common)}
	}
	same.list = listing(s.Candidates, cols, colours)
	return same
}

// gap is the blank behind a word that is whole.
func gap(c complete.Candidate, behind string) string {
	last := c.Text[len(c.Text)-1]
	if strings.ContainsRune("(.<'}`\"/", rune(last)) && c.Kind != complete.Value || strings.HasPrefix(behind, " ") || c.Kind == complete.Column || c.Kind == complete.Value || c.Kind == complete.Topic {
		return ""
	}
	return " "
}

// sharedPrefix is what both begin with, letters in any case.
func sharedPrefix(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && strings.EqualFold(a[n:n+1], b[n:n+1]) {
		n++
	}
	return a[:n]
}

// listing shows candidates with what they are.
func listing(cs []complete.Candidate, cols int, colours bool) string {
	var b strings.Builder
	wide := 0
	for _, c := range cs[:min(len(cs), listed)] {
		wide = max(wide, runewidth.StringWidth(c.Text))
	}
	dim, plain := "", ""
	if colours {
		dim, plain = "\x1b[2m", off
	}
	for _, c := range cs[:min(len(cs), listed)] {
		doc := c.Doc
		if doc == "" {
			doc = string(c.Kind)
		}
		doc = runewidth.Truncate(doc, max(0, cols-wide-6), "…")
		fmt.Fprintf(&b, "  %s%s  %s%s%s\n", c.Text, strings.Repeat(" ", wide-runewidth.StringWidth(c.Text)), dim, doc, plain)
	}
	if more := len(cs) - listed; more > 0 {
		fmt.Fprintf(&b, "  %s… %d more%s\n", dim, more, plain)
	}
	return b.String()
}

// completeCommand proposes commands, and what stands behind one.
func (sh *shell) completeCommand(line string) streamsql.Suggestions {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	word, arg, behind := strings.Cut(line[indent:], " ")
	if !behind {
		s := streamsql.Suggestions{Start: indent, End: len(line)}
		for _, c := range commands() {
			for _, n := range c.names {
				if text := word[:1] + n; strings.HasPrefix(text, word) && (word[0] == '.' || n == c.names[0]) {
					s.Candidates = append(s.Candidates, complete.Candidate{Text: text, Kind: complete.Keyword, Doc: strings.TrimSpace(c.args + "  " + c.doc)})
				}
			}
		}
		return s
	}
	s := streamsql.Suggestions{Start: len(line) - len(arg), End: len(line)}
	c, ok := find(strings.TrimLeft(word, `\.`))
	if !ok || c.values == nil {
		return s
	}
	for _, v := range c.values(sh) {
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(arg)) {
			s.Candidates = append(s.Candidates, complete.Candidate{Text: v, Kind: complete.Value})
		}
	}
	return s
}
