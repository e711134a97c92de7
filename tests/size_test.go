package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 600
	maxFunctionLines = 80
)

// vague are names that say nothing about what is inside.
var vague = []string{"util", "utils", "helper", "helpers", "common", "manager", "v2", "misc", "base"}

// concurrent may start goroutines (the root package runs an Engine's queries in the background); clocked may ask the machine for the time.
var (
	concurrent = []string{"", "exec", "connectors/kafka", "connectors/file", "connectors/generate", "cmd", "web"}
	clocked    = []string{"connectors/kafka", "cmd", "web"}
	// sequential are below a concurrent package and must not start goroutines.
	sequential = []string{"exec/op", "exec/agg", "exec/dedup", "exec/join", "exec/window", "exec/build", "exec/task", "exec/wire"}
)

// sourceFiles parses every Go file of the module, tests apart.
func sourceFiles(t *testing.T, visit func(name, dir string, set *token.FileSet, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(p, ".."+string(filepath.Separator)))
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && p != ".." || d.Name() == "testdata" || d.Name() == "vendor") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, nil, 0)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		if dir == "." {
			dir = ""
		}
		visit(name, dir, set, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSizesAndNames(t *testing.T) {
	sourceFiles(t, func(name, dir string, set *token.FileSet, f *ast.File) {
		if n := set.File(f.Pos()).LineCount(); n > maxFileLines {
			t.Errorf("%s has %d lines, more than %d: it holds more than one thing", name, n, maxFileLines)
		}
		stem := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".go"), "_test")
		for _, part := range append(strings.Split(dir, "/"), strings.Split(stem, "_")...) {
			if slices.Contains(vague, part) {
				t.Errorf("%s: the name %q says nothing about what is inside", name, part)
			}
		}
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || dispatches(fn) {
				continue
			}
			if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, more than %d", set.Position(fn.Pos()), fn.Name.Name, n, maxFunctionLines)
			}
		}
	})
}

// dispatches says whether a function is not much more than one switch, which may be long.
func dispatches(fn *ast.FuncDecl) bool {
	if fn.Body == nil || len(fn.Body.List) > 6 {
		return false
	}
	return slices.ContainsFunc(fn.Body.List, func(s ast.Stmt) bool {
		switch s.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt:
			return true
		}
		return false
	})
}

func TestGoroutinesAndClocks(t *testing.T) {
	sourceFiles(t, func(name, dir string, set *token.FileSet, f *ast.File) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if !under(dir, concurrent) || under(dir, sequential) {
					t.Errorf("%s starts a goroutine; only %s may", set.Position(n.Pos()), strings.Join(concurrent, ", "))
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "Tick"}, n.Sel.Name) {
					if !under(dir, clocked) && name != "exec/config.go" {
						t.Errorf("%s uses time.%s; time comes from the injected clock", set.Position(n.Pos()), n.Sel.Name)
					}
				}
			}
			return true
		})
	})
}

// TestPackagesAreDocumented: every package says in one place what it is.
func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(p)
		documented[dir] = documented[dir] || f.Doc != nil
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", strings.TrimPrefix(filepath.ToSlash(dir), "../"))
		}
	}
}
