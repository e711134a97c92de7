package expr

import (
	"errors"
	"strings"
	"testing"
)

func TestEveryFunctionIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Functions() {
		if seen[f.Name] {
			t.Errorf("%s is listed twice", f.Name)
		}
		seen[f.Name] = true
		if f.Doc == "" || f.Signature == "" || f.Family == "" || !strings.Contains(f.Signature, f.Name) || !strings.Contains(f.Example, f.Name) {
			t.Errorf("%s: its description is not complete", f.Name)
		}
	}
}

func TestUnknownFunction(t *testing.T) {
	_, err := NewCall("UPER", nil)
	var unknown *UnknownFunctionError
	if !errors.As(err, &unknown) || unknown.Suggestion != "UPPER" {
		t.Errorf("UPER: %v", err)
	}
	_, err = NewCall("XYZZYXYZZY", nil)
	if !errors.As(err, &unknown) || unknown.Suggestion != "" {
		t.Errorf("nothing is near XYZZYXYZZY: %v", err)
	}
}

func TestArgumentCount(t *testing.T) {
	for _, sql := range []string{"UPPER()", "UPPER('a', 'b')", "JSON_EXTRACT('{}')", "REPLACE('a', 'b')"} {
		if got := calc(t, sql); !strings.HasPrefix(got, "refused:") || !strings.Contains(got, "argument") {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

func TestDeterminism(t *testing.T) {
	for sql, want := range map[string]bool{"NOW()": false, "RAND() + 1": false, "UNIX_TIMESTAMP()": false, "UNIX_TIMESTAMP('2020-01-01')": true,
		"UPPER('a')": true, "CASE WHEN CURRENT_DATE() > '2020-01-01' THEN 1 END": false} {
		e, err := parse(sql, nil)
		if err != nil {
			t.Fatal(err)
		}
		if Deterministic(e) != want || IsConst(e) != want {
			t.Errorf("%s: deterministic %v, constant %v", sql, Deterministic(e), IsConst(e))
		}
	}
}
