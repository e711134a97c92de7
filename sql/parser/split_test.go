package parser

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text     string
		complete []string
		rest     string
	}{
		{"SELECT 1", nil, "SELECT 1"},
		{"SELECT 1;", []string{"SELECT 1;"}, ""},
		{" SELECT 1 ;\n;SELECT 2", []string{"SELECT 1 ;"}, "SELECT 2"},
		{"SELECT ';' -- ;\n; a", []string{"SELECT ';' -- ;\n;"}, " a"},
		{"SELECT 'it''s;", nil, "SELECT 'it''s;"},
		{`SELECT "\";"; x`, []string{`SELECT "\";";`}, " x"},
		{"SELECT `a;``b`;", []string{"SELECT `a;``b`;"}, ""},
		{"/* ; */ SELECT 1; /* open ;", []string{"/* ; */ SELECT 1;"}, " /* open ;"},
		{"# it's;\n", nil, ""},
		{"SELECT 5--3;", []string{"SELECT 5--3;"}, ""},
		{"", nil, ""},
	} {
		complete, rest := Split(c.text)
		if !reflect.DeepEqual(complete, c.complete) || rest != c.rest {
			t.Errorf("%q: got %q, rest %q", c.text, complete, rest)
		}
	}
}

func TestSubstitute(t *testing.T) {
	vars := map[string]string{"env": "prod", "n": "3", "quote": "'"}
	for text, want := range map[string]string{
		"SELECT ${n}, '${env}_x' FROM ${env}_s": "SELECT 3, 'prod_x' FROM prod_s",
		"-- ${nope}\nSELECT 1 /* ${nope} */":    "-- ${nope}\nSELECT 1 /* ${nope} */",
		"'$${env}' $${n} $n":                    "'${env}' ${n} $n",
		"'-- ${env}'":                           "'-- prod'",
		"":                                      "",
		"'open ${env}":                          "'open prod",
	} {
		got, err := Substitute(text, vars)
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
	for text, hint := range map[string]string{"a\n  ${evn}": "did you mean ${env}?", "a\n  ${unheard_of}": "DEFINE unheard_of", "a\n  ${env": "write ${name}", "a\n '${env'": "write ${name}"} {
		_, err := Substitute(text, vars)
		var e *ast.Error
		if !errors.As(err, &e) {
			t.Fatalf("%q: got %v", text, err)
		}
		if line, col := e.Place(); line != 2 || col != 3 || !strings.Contains(e.Hint, hint) {
			t.Errorf("%q: got %v", text, e)
		}
	}
}

func TestDirectives(t *testing.T) {
	text := "\ufeff-- file comment\n--@test: first one\nSELECT 1;\n\n--@test: bad input\r\n  --@expect.error: WINDOW size must be positive\r\nSELECT 1 FROM s WINDOW TUMBLING(0s);\n"
	cases, err := Directives(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 2 || cases[0].Name != "first one" || cases[1].Name != "bad input" || cases[1].ExpectError != "WINDOW size must be positive" || cases[0].ExpectError != "" {
		t.Fatalf("got %+v", cases)
	}
	if cases[0].Line != 2 || cases[1].Line != 5 || !strings.HasPrefix(text[cases[1].Offset:], "--@test: bad") {
		t.Errorf("places: %+v", cases)
	}
	if s, err := Parse("", cases[0].Text); err != nil || len(s.Statements) != 1 || text[s.Statements[0].Pos().Start:s.Statements[0].Pos().End] != "SELECT 1" {
		t.Errorf("the first block: %v %v", s, err)
	}
	_, err = Parse("", cases[1].Text)
	var e *ast.Error
	if !errors.As(err, &e) || !strings.Contains(e.Msg, cases[1].ExpectError) {
		t.Fatalf("got %v", err)
	}
	if line, col := e.Place(); line != 7 || col != 33 {
		t.Errorf("the error is at %d:%d of the file", line, col)
	}
	if _, err := Parse("", text); err == nil || !strings.Contains(err.Error(), "must be positive") {
		t.Errorf("a whole test file parses but for its error, got %v", err)
	}
	if cases, err := Directives("SELECT 1;\n--@test: x\nSELECT 2;"); err != nil || len(cases) != 2 || cases[0].Name != "" {
		t.Errorf("statements before the first test: %+v %v", cases, err)
	}
	for text, msg := range map[string]string{"--@tset: x": "unknown directive", "--@test:": "no value", "\n--@expect.error: x": "before the first"} {
		if _, err := Directives(text); err == nil || !strings.Contains(err.Error(), msg) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
