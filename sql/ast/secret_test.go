package ast

import (
	"strings"
	"testing"
)

func TestHide(t *testing.T) {
	for text, want := range map[string]string{
		`WITH (registry.password = 'a''b\'c', x = 'y')`:     `WITH (registry.password = '*******', x = 'y')`,
		`WITH (Registry.Token="t;", topic='t')`:             `WITH (Registry.Token="**", topic='t')`,
		"WITH (\n`registry.password`\n=\n'two\nlines')":     "WITH (\n`registry.password`\n=\n'*********')",
		`(registry.password = 'never closed`:                `(registry.password = '************`,
		`SELECT password FROM users WHERE password > 'a'`:   `SELECT password FROM users WHERE password > 'a'`,
		`CREATE STREAM s (id INT) WITH (registry.user='u')`: `CREATE STREAM s (id INT) WITH (registry.user='u')`,
	} {
		if got := Hide(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
	err := Errorf(Span{Start: 6, End: 7}, "no").At("", "WITH (x = 1, registry.password = 'geheim')")
	if strings.Contains(err.Error(), "geheim") || strings.Contains(err.Text, "geheim") {
		t.Errorf("shown: %v", err)
	}
}
