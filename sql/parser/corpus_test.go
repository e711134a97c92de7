package parser

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// corpus is every statement file of testdata.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	texts := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[f] = string(b)
	}
	return texts
}

func TestCorpusParses(t *testing.T) {
	for name, text := range corpus(t) {
		script, errs := ParseAll(name, text)
		for _, err := range errs {
			t.Error(err)
		}
		complete, rest := Split(text)
		want := len(complete)
		if rest != "" {
			want++
		}
		if len(script.Statements) != want {
			t.Errorf("%s: %d statements, Split finds %d", name, len(script.Statements), want)
		}
	}
}

// TestSpans reads the text of every expression, query, relation and type again by itself: if it is the same tree, its
// place is exact at both ends.
func TestSpans(t *testing.T) {
	for name, text := range corpus(t) {
		script, err := Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		walk(reflect.ValueOf(script), func(node any, at ast.Span) {
			if at.Start < 0 || at.End > len(text) || at.Start > at.End {
				t.Fatalf("%s: %T at %v", name, node, at)
			}
			n++
			checkSpan(t, node, text[at.Start:at.End])
		})
		if n < 100 {
			t.Errorf("%s: only %d nodes visited", name, n)
		}
	}
}

func checkSpan(t *testing.T, node any, src string) {
	t.Helper()
	again, want := any(nil), node
	var err error
	reparse := func(before, after string, pick func(s *ast.Select) any) {
		var script *ast.Script
		if script, err = Parse("", before+src+after); err == nil {
			again = pick(script.Statements[0].(*ast.SelectStatement).Query.(*ast.Select))
		}
	}
	switch x := node.(type) {
	case ast.Expr:
		reparse("SELECT ", "", func(s *ast.Select) any { return s.Items[0].Expr })
		if _, ok := node.(*ast.Lambda); ok {
			reparse("SELECT f(", ")", func(s *ast.Select) any { return s.Items[0].Expr.(*ast.Call).Args[0] })
		}
		if l, ok := node.(*ast.Literal); ok && (l.Kind == ast.IntervalLiteral || strings.EqualFold(src, l.Text)) {
			// An interval is no expression by itself; SECOND in TIMESTAMPDIFF and LEADING in TRIM are literals without quotes.
			return
		}
	case *ast.Ident:
		if x.Name != "" && strings.Trim(src, "`'\"") != x.Name {
			t.Errorf("name %q stands at %q", x.Name, src)
		}
		return
	case *ast.Item:
		reparse("SELECT ", "", func(s *ast.Select) any { return &s.Items[0] })
	case *ast.Window:
		reparse("SELECT 1 FROM s ", "", func(s *ast.Select) any { return s.Window })
	case *ast.Distinct:
		reparse("SELECT ", " 1", func(s *ast.Select) any { return s.Distinct })
	case ast.Relation:
		reparse("SELECT 1 FROM ", "", func(s *ast.Select) any { return s.From })
	case *ast.AsOf:
		reparse("SELECT 1 FROM t ", "", func(s *ast.Select) any { return s.From.(*ast.TableRef).AsOf })
	case *ast.OverSpec:
		reparse("SELECT f(1) OVER ", "", func(s *ast.Select) any { return s.Items[0].Expr.(*ast.Call).Over })
	case *ast.Duration:
		reparse("SELECT 1 FROM t JOIN u WITHIN ", "", func(s *ast.Select) any { return s.From.(*ast.Join).Within })
	case *ast.TypeName:
		reparse("SELECT CAST(1 AS ", ")", func(s *ast.Select) any { return &s.Items[0].Expr.(*ast.Cast).Type })
	case ast.Query:
		var script *ast.Script
		if script, err = Parse("", src); err == nil {
			again = script.Statements[0].(*ast.SelectStatement).Query
		}
	case ast.Statement:
		var script *ast.Script
		if script, err = Parse("", src); err == nil {
			again = script.Statements[0]
		}
	default:
		return
	}
	if err != nil {
		t.Errorf("%T %q: %v", node, src, err)
	} else if dump(again) != dump(want) {
		t.Errorf("%T %q:\n got %s\nwant %s", node, src, dump(again), dump(want))
	}
}

// TestByteOrderMarkAndLineEnds: how a file was saved does not matter.
func TestByteOrderMarkAndLineEnds(t *testing.T) {
	for name, text := range corpus(t) {
		want, err := Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(name, "\ufeff"+strings.ReplaceAll(text, "\n", "\r\n"))
		if err != nil {
			t.Fatal(err)
		}
		if dump(got.Statements) != dump(want.Statements) {
			if a, b := dump(got.Statements), strings.ReplaceAll(dump(want.Statements), "\n", "\r\n"); a != b {
				t.Errorf("%s is read differently", name)
			}
		}
	}
}

// TestConcurrent: the pooled parsers are never shared.
func TestConcurrent(t *testing.T) {
	const text = "SELECT a + b || 'x' AS c, COUNT(*) FILTER (WHERE d > 1) FROM s WHERE e IN (SELECT f FROM g) GROUP BY a"
	want := dump(selectOf(t, text))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				script, err := Parse("", text)
				if err != nil || dump(script.Statements[0].(*ast.SelectStatement).Query) != want {
					t.Errorf("read differently: %v", err)
				}
			}
		})
	}
	wg.Wait()
}
