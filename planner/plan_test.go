package planner_test

import (
	"errors"
	"flag"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/parser"
)

var update = flag.Bool("update", false, "rewrite the golden plans")

// counts is a cluster of topics with their partition counts.
type counts map[string]int

func (c counts) Names() []string { return slices.AppendSeq([]string{}, maps.Keys(c)) }

func (c counts) Partitions(topic string) (int, bool) { n, ok := c[topic]; return n, ok }

// run compiles a script, adding what it creates to a catalog, and returns the last result.
func run(t *testing.T, text string, topics planner.Topics) (*planner.Compiled, error) {
	t.Helper()
	script, err := parser.Parse("q.sql", text)
	if err != nil {
		return nil, err
	}
	cat := catalog.New()
	var last *planner.Compiled
	for _, st := range script.Statements {
		last, err = planner.Compile(cat, st, planner.Options{App: "app", Topics: topics, File: "q.sql", Text: text, Functions: program(t)})
		if err != nil {
			return nil, err
		}
		if last.Relation != nil {
			cat.Replace(last.Relation)
		}
	}
	return last, nil
}

type part struct {
	Word string `json:"word"`
	At   int64  `json:"at"`
}

// program are the functions of a program: a table function, and one with a value.
func program(t *testing.T) *expr.Library {
	t.Helper()
	var l expr.Library
	err := errors.Join(
		l.AddTable(expr.GoTable{Name: "words", Func: func(string, ...string) iter.Seq[part] { return nil }}),
		l.AddFunction(expr.GoFunction{Name: "list", Func: func(string) []string { return nil }}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return &l
}

func mustRun(t *testing.T, text string, topics planner.Topics) *plan.Query {
	t.Helper()
	c, err := run(t, text, topics)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return c.Query
}

// TestGolden prints plans: each file holds a script, an optional line "-- topics: a=4 b=3", and after the line "----" the
// text of EXPLAIN of its last statement.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.plan")
	if len(files) == 0 {
		t.Fatal("no golden plans")
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			script, want, _ := strings.Cut(string(raw), "\n----\n")
			q := mustRun(t, script, topicsOf(script))
			e := q.Explain("app")
			e.Fingerprint = ""
			got := e.String()
			if *update {
				if err := os.WriteFile(f, []byte(script+"\n----\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func topicsOf(script string) counts {
	out := counts{}
	for _, line := range strings.Split(script, "\n") {
		list, ok := strings.CutPrefix(line, "-- topics:")
		if !ok {
			continue
		}
		for _, p := range strings.Fields(list) {
			name, n, _ := strings.Cut(p, "=")
			for _, c := range n {
				out[name] = out[name]*10 + int(c-'0')
			}
		}
	}
	return out
}

func asError(t *testing.T, err error) *ast.Error {
	t.Helper()
	e, ok := err.(*ast.Error)
	if !ok {
		t.Fatalf("error without a place: %v", err)
	}
	return e
}
