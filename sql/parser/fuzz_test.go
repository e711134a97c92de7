package parser

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// FuzzParse: no text makes the parser panic, every error has a place in the text, every node lies in it, and cutting the
// text into statements loses nothing.
func FuzzParse(f *testing.F) {
	var statements []string
	for _, text := range corpus(f) {
		complete, rest := Split(text)
		statements = append(append(statements, complete...), rest)
	}
	trial.Fuzz(f, func(t testing.TB, input []byte) {
		text := string(input)
		script, errs := ParseAll("", text)
		for _, e := range errs {
			if e.Span.Start < 0 || e.Span.End > len(text) || e.Span.Start > e.Span.End || e.Msg == "" || e.Error() == "" {
				t.Fatalf("error %q at %v of %d bytes", e.Msg, e.Span, len(text))
			}
		}
		walk(reflect.ValueOf(script), func(n any, at ast.Span) {
			if at.Start < 0 || at.End > len(text) || at.Start > at.End {
				t.Fatalf("%T at %v of %d bytes", n, at, len(text))
			}
			if x, ok := n.(ast.Expr); ok && at.Start == at.End {
				t.Fatalf("%T has no place", x)
			}
		})
		complete, rest := Split(text)
		if len(errs) == 0 {
			n := len(complete)
			if strings.TrimSpace(rest) != "" {
				n++
			}
			if n != len(script.Statements) {
				t.Fatalf("%d statements, Split finds %d and %q", len(script.Statements), len(complete), rest)
			}
		}
		if _, err := Substitute(text, nil); err != nil && !errors.As(err, new(*ast.Error)) {
			t.Fatal(err)
		}
		if _, err := Directives(text); err != nil && !errors.As(err, new(*ast.Error)) {
			t.Fatal(err)
		}
	}, statements...)
}

func BenchmarkTwoTables(b *testing.B) {
	const text = "SELECT o.op_id, c.owner, o.amount * 2 AS double_amount FROM operations o JOIN contexts c WITHIN 1s ON o.ctx_id = c.id WHERE o.kind = 'x' AND o.amount > 10"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("", text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInsertRows(b *testing.B) {
	text := "INSERT INTO s (a, b, c) VALUES (1, 'x', -2.5)" + strings.Repeat(", (1, 'x', -2.5)", 999)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse("", text); err != nil {
			b.Fatal(err)
		}
	}
}
