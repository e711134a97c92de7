package streamsql

import (
	"errors"
	"maps"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/parser"
)

// Define sets a variable: ${name} in later texts stands for value.
func (e *Engine) Define(name, value string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	vars := map[string]string{}
	maps.Copy(vars, e.mu.defines)
	vars[name] = value
	e.mu.defines = vars
}

// Variables are those that are defined, by name.
func (e *Engine) Variables() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.mu.defines)
}

// parse reads a text, with the defined variables put in.
func (e *Engine) parse(name, sql string) (*ast.Script, error) {
	e.mu.Lock()
	vars := e.mu.defines
	closed := e.mu.closed
	e.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	text, err := substitute(name, sql, vars)
	if err != nil {
		return nil, err
	}
	return parser.Parse(name, text)
}

// Complete cuts a text that is still being typed into its complete statements, each with its ';', and the unfinished rest,
// "" when nothing but blanks and comments is left.
func Complete(text string) (statements []string, rest string) { return parser.Split(text) }

// substitute puts variables into a text: those of vars, and those that the text itself defines further up.
func substitute(name, text string, vars map[string]string) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	vars = maps.Clone(vars)
	if vars == nil {
		vars = map[string]string{}
	}
	var out strings.Builder
	for at := 0; at < len(text); {
		end := statementEnd(text, at)
		part, err := parser.Substitute(text[at:end], vars)
		if err != nil {
			var mistake *ast.Error
			if errors.As(err, &mistake) {
				mistake.Span.Start += at
				mistake.Span.End += at
				mistake.File, mistake.Text = name, text
			}
			return "", err
		}
		out.WriteString(part)
		if script, errs := parser.ParseAll("", part); len(errs) == 0 {
			for _, st := range script.Statements {
				if d, ok := st.(*ast.Define); ok {
					vars[d.Name] = d.Value
				}
			}
		}
		at = end
	}
	return out.String(), nil
}

// statementEnd is the end of the statement at text[at:], its ';' included.
func statementEnd(text string, at int) int {
	complete, _ := parser.Split(text[at:])
	if len(complete) == 0 {
		return len(text)
	}
	// What Split returns is a part of the text without the blanks around it, comments before it included.
	return at + strings.Index(text[at:], complete[0]) + len(complete[0])
}
