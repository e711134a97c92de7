package expr_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// golden is one line of testdata/mariadb.tsv.
type golden struct{ expression, theirs, ours, reason string }

// goldens are the expressions that were put to MariaDB; testdata/mariadb.sh asks again.
func goldens(t *testing.T) []golden {
	t.Helper()
	text, err := os.ReadFile("testdata/mariadb.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 2 && len(f) != 4 {
			t.Fatalf("line %d has %d columns: an expression and MariaDB's answer, or these with ours and the reason", n+1, len(f))
		}
		g := golden{expression: f[0], theirs: f[1], ours: f[1]}
		if len(f) == 4 {
			g.ours, g.reason = f[2], f[3]
		}
		out = append(out, g)
	}
	return out
}

// TestAgainstMariaDB compares with the answers of a real server. A line with a third column is a difference that is meant.
func TestAgainstMariaDB(t *testing.T) {
	cat := dual(t)
	for _, g := range goldens(t) {
		got := escaped(compute(t, cat, g.expression))
		want, open := strings.CutSuffix(g.ours, "…")
		if got == want || open && strings.HasPrefix(got, want) {
			continue
		}
		if a, b := compact(got), compact(want); a != "" && a == b && g.reason == "" {
			continue // JSON, but for blanks
		}
		t.Errorf("%s\n got  %s\n want %s", g.expression, got, g.ours)
	}
}

// escaped is a value as the client mariadb prints it in batch mode.
func escaped(s string) string {
	return strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`, "\x00", `\0`).Replace(s)
}

// compact is JSON without blanks; "" for what is no object or array.
func compact(s string) string {
	s = strings.ReplaceAll(s, `\\`, `\`)
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return ""
	}
	var out bytes.Buffer
	if json.Compact(&out, []byte(s)) != nil {
		return ""
	}
	return out.String()
}
