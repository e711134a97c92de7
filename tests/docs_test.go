package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
	_ "github.com/streamsql-go/streamsql/connectors/http"    // the documentation shows it
	_ "github.com/streamsql-go/streamsql/connectors/parquet" // and this
)

// pages are the texts for users.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no docs: %v", err)
	}
	out := map[string]string{}
	for _, n := range append(names, "../README.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimPrefix(n, "../")] = string(text)
	}
	return out
}

var (
	link = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)
	// path is what looks like a file of this repository, in prose or in a command.
	pathRE = regexp.MustCompile(`(?:\./)?\b(?:cmd|docs|examples|exec|planner|sql|storage|connectors|tests)/[A-Za-z0-9_./-]*[A-Za-z0-9_]`)
	target = regexp.MustCompile("(?m)(?:^|`)make ([a-z-]+)")
	block  = regexp.MustCompile("(?ms)^```sql\n(.*?)^```")
)

func TestDocsNameWhatExists(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
		}
		for _, p := range pathRE.FindAllString(link.ReplaceAllString(text, "]"), -1) {
			if _, err := os.Stat(filepath.Join("..", p)); err != nil {
				t.Errorf("%s names %s, which does not exist", name, p)
			}
		}
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s says make %s, which is no target", name, m[1])
			}
		}
	}
}

// TestDocsSQL plans every block of SQL: each stands by itself.
func TestDocsSQL(t *testing.T) {
	n := 0
	for name, text := range pages(t) {
		if name == "docs/design.md" {
			continue
		}
		for _, m := range block.FindAllStringSubmatchIndex(text, -1) {
			n++
			// The text before it, blank, keeps lines and columns.
			sql := regexp.MustCompile(`[^\n]`).ReplaceAllString(text[:m[2]], " ") + text[m[2]:m[3]]
			for _, e := range streamsql.Check(name, sql, map[string]string{}) {
				t.Error(e)
			}
		}
	}
	if n == 0 {
		t.Error("no SQL in the documentation")
	}
}

// TestCitedRules: comments cite the rules of docs/semantics.md by number; each has its chapter.
func TestCitedRules(t *testing.T) {
	text, err := os.ReadFile("../docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	cited := regexp.MustCompile(`\bsemantics S(\d+)`)
	found := 0
	err = filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range cited.FindAllSubmatch(source, -1) {
			found++
			if !strings.Contains(string(text), "\n## S"+string(m[1])+" ") {
				t.Errorf("%s cites semantics S%s, which docs/semantics.md does not have", path, m[1])
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d citations found: %v", found, err)
	}
}
