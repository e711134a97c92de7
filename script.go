package streamsql

import (
	"context"
	"errors"
	"iter"
	"maps"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/parser"
)

// Result is what one statement of a script did: rows, or a query that was started, or only a message.
type Result struct {
	// Message is one line, without a full stop: "STREAM s created".
	Message string
	// Rows are those of SELECT, SHOW, DESCRIBE, EXPLAIN and PRINT; nil for other statements. Read them or close them.
	Rows *Rows
	// Query is the persistent query that the statement started, nil for other statements.
	Query *Query
}

// Run runs the statements of a text one after the other, each when the one before it has been taken from the sequence. name
// is shown in errors, "" for text typed in. Queries get an end if until says so. The sequence ends after the first error.
func (e *Engine) Run(ctx context.Context, name, text string, until Until) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		script, err := e.parse(name, text)
		if err != nil {
			yield(Result{}, err)
			return
		}
		for _, st := range script.Statements {
			o, err := e.statement(ctx, script, st, until, false)
			r := Result{Message: o.message, Rows: o.rows}
			if err == nil && o.pending != nil {
				r.Query, err = o.pending()
			}
			if err != nil {
				yield(Result{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Complete cuts a text that is still being typed into its complete statements, each with its ';', and the unfinished rest,
// "" when nothing but blanks and comments is left.
func Complete(text string) (statements []string, rest string) { return parser.Split(text) }

// Validate says what is wrong with options that Open would refuse, without reaching for anything.
func (o Options) Validate() error {
	_, err := o.withDefaults()
	return err
}

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
