package parser

import (
	"maps"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// Split cuts a text that is still being typed into its complete statements, each with its ';', and the unfinished rest.
// A ';' in a string, a quoted name or a comment does not end a statement. Empty statements are left out; a rest of only
// blanks and closed comments is "".
func Split(text string) (complete []string, rest string) {
	start, empty := 0, true
	for i := 0; i < len(text); {
		end, code := region(text, i)
		if code && text[i] == ';' {
			if !empty {
				complete = append(complete, strings.TrimSpace(text[start:end]))
			}
			start, empty = end, true
		} else if code {
			empty = false
		}
		i = end
	}
	if empty {
		return complete, ""
	}
	return complete, text[start:]
}

// region measures the stretch of text at i that is one string, one quoted name, one comment, or one byte of anything else.
// code is false for blanks and closed comments.
func region(text string, i int) (end int, code bool) {
	switch c := text[i]; {
	case c == '\'' || c == '"' || c == '`':
		end, _ = stringEnd(text, i)
		return end, true
	case isSpace(c):
		return i + 1, false
	case i == 0 && strings.HasPrefix(text, "\ufeff"):
		return len("\ufeff"), false
	}
	if n, closed := comment(text, i); n > 0 {
		return i + n, !closed
	}
	return i + 1, true
}

// Substitute replaces every ${name} outside comments by its value in vars, inside strings too; $${ stands for ${.
// A name that vars does not hold is an *ast.Error at its place.
func Substitute(text string, vars map[string]string) (string, error) {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if n, _ := comment(text, i); n > 0 {
			i += n
			continue
		}
		if q := text[i]; q == '\'' || q == '"' || q == '`' {
			// Comments do not begin inside strings, variables do.
			end, _ := stringEnd(text, i)
			out, err := expand(text, i, end, vars)
			if err != nil {
				return "", err
			}
			b.WriteString(text[done:i])
			b.WriteString(out)
			i, done = end, end
			continue
		}
		end := i + 1
		if strings.HasPrefix(text[i:], "$${") {
			end = i + len("$${")
		} else if strings.HasPrefix(text[i:], "${") {
			end = variableEnd(text, i)
		}
		if end > i+1 {
			out, err := expand(text, i, end, vars)
			if err != nil {
				return "", err
			}
			b.WriteString(text[done:i])
			b.WriteString(out)
			done = end
		}
		i = end
	}
	b.WriteString(text[done:])
	return b.String(), nil
}

// variableEnd is the end of the ${name} at text[i:].
func variableEnd(text string, i int) int {
	if n := strings.IndexByte(text[i:], '}'); n >= 0 {
		return i + n + 1
	}
	return i + len("${")
}

// expand replaces the variables of text[from:to].
func expand(text string, from, to int, vars map[string]string) (string, error) {
	var b strings.Builder
	for i := from; i < to; {
		switch {
		case strings.HasPrefix(text[i:to], "$${"):
			b.WriteString("${")
			i += len("$${")
		case strings.HasPrefix(text[i:to], "${"):
			end := variableEnd(text[:to], i)
			value, ok := vars[strings.TrimSuffix(text[i+2:end], "}")]
			if !ok {
				return "", unknownVariable(text, ast.Span{Start: i, End: end}, vars)
			}
			b.WriteString(value)
			i = end
		default:
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String(), nil
}

func unknownVariable(text string, at ast.Span, vars map[string]string) error {
	ref := text[at.Start:at.End]
	if !strings.HasSuffix(ref, "}") {
		return ast.Errorf(at, "this ${ has no }").WithHint("write ${name}, or $${ for the two characters").At("", text)
	}
	names := slices.Sorted(maps.Keys(vars))
	err := ast.Errorf(at, "variable %s is not defined", ref)
	name := ref[2 : len(ref)-1]
	if near := spell.Closest(name, names); near != "" {
		return err.WithHint("did you mean ${%s}?", near).At("", text)
	}
	return err.WithHint("define it first: DEFINE %s = '…';", name).At("", text)
}
