package story

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/parser"
)

// test is one block of a test file.
type test struct {
	parser.TestCase
	file   string
	until  exec.Until
	script *ast.Script
}

// Run runs every test of a file under every regime that applies to it. The error is a mistake in the file's directives;
// mistakes in a test are its failure.
func Run(ctx context.Context, file, text string, regimes []Regime) (*Report, error) {
	text, untils, err := untilDirectives(file, text)
	if err != nil {
		return nil, err
	}
	cases, err := parser.Directives(text)
	if err != nil {
		var at *ast.Error
		if errors.As(err, &at) {
			at.File = file
		}
		return nil, err
	}
	report := &Report{}
	for i, c := range cases {
		if c.Name == "" {
			return nil, fmt.Errorf("%s:%d: statements before the first --@test: line", file, c.Line)
		}
		next := len(strings.Split(text, "\n")) + 1
		if i+1 < len(cases) {
			next = cases[i+1].Line
		}
		t := &test{TestCase: c, file: file}
		for line := range untils {
			if line > c.Line && line < next {
				t.until = exec.UntilEnd
			}
		}
		for _, g := range regimes {
			r := Result{File: file, Line: c.Line, Test: c.Name, Regime: g}
			if r.Skipped = t.skip(g); r.Skipped == "" {
				r.Failure = t.run(ctx, g)
			}
			report.Results = append(report.Results, r)
		}
	}
	return report, nil
}

// untilDirectives blanks the --@until: lines and returns their numbers.
func untilDirectives(file, text string) (string, map[int]bool, error) {
	lines := strings.SplitAfter(text, "\n")
	found := map[int]bool{}
	for i, l := range lines {
		value, ok := strings.CutPrefix(strings.TrimSpace(l), "--@until:")
		if !ok {
			continue
		}
		if strings.TrimSpace(value) != "end" {
			return "", nil, fmt.Errorf("%s:%d: --@until: takes 'end'", file, i+1)
		}
		found[i+1] = true
		trimmed := strings.TrimRight(l, "\r\n")
		lines[i] = strings.Repeat(" ", len(trimmed)) + l[len(trimmed):]
	}
	return strings.Join(lines, ""), found, nil
}

// run is one test under one regime; it returns the failure.
func (t *test) run(ctx context.Context, g Regime) string {
	err := t.play(ctx, g)
	switch {
	case t.ExpectError == "" && err != nil:
		return t.place(err)
	case t.ExpectError != "" && err == nil:
		return fmt.Sprintf("%s:%d: expected an error with %q, there was none", t.file, t.Line, t.ExpectError)
	case t.ExpectError != "" && !strings.Contains(err.Error(), t.ExpectError):
		return fmt.Sprintf("%s:%d: expected an error with %q, there was another:\n%v", t.file, t.Line, t.ExpectError, err)
	}
	return ""
}

// place puts file and line in front of an error that has none.
func (t *test) place(err error) string {
	var at *ast.Error
	if errors.As(err, &at) || strings.HasPrefix(err.Error(), t.file+":") {
		return err.Error()
	}
	return fmt.Sprintf("%s:%d: %v", t.file, t.Line, err)
}

func (t *test) parse() error {
	if t.script != nil {
		return nil
	}
	script, err := parser.Parse(t.file, t.Text)
	if err != nil {
		return err
	}
	t.script = script
	return nil
}

func (t *test) play(ctx context.Context, g Regime) error {
	if err := t.parse(); err != nil {
		return err
	}
	w := newWorld(t, g)
	defer w.close()
	for _, st := range t.script.Statements {
		if err := w.statement(ctx, st); err != nil {
			var at *ast.Error
			if errors.As(err, &at) {
				return at.At(t.file, t.Text)
			}
			line, _ := ast.Errorf(st.Pos(), "").At(t.file, t.Text).Place()
			return fmt.Errorf("%s:%d: %w", t.file, line, err)
		}
	}
	if len(w.queries) > 0 && t.ExpectError != "" {
		return w.drain(ctx)
	}
	return nil
}

// skip says why a regime does not apply: a test of an error needs only the plain one; where partitions are multiplied,
// rows must not name them, lateness (which is per partition) must not be asserted, and nothing may be asserted between
// inserts, since idle partitions hold time back.
func (t *test) skip(g Regime) string {
	if t.ExpectError != "" && g.Name != "plain" {
		return "a test of an error"
	}
	if g.factor() == 1 || t.parse() != nil {
		return ""
	}
	asserted := false
	for _, st := range t.script.Statements {
		switch st := st.(type) {
		case *ast.Insert:
			if asserted && st.Query == nil {
				return "inserts after an assert"
			}
			for _, c := range st.Columns {
				if c.Name == "_partition" {
					return "names partitions"
				}
			}
		case *ast.Assert:
			asserted = true
			if st.Form == "LATE" {
				return "asserts lateness"
			}
		case *ast.Harness:
			asserted = asserted || st.Verb == "ADVANCE"
		}
	}
	return ""
}
