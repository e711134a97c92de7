package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/streamsql-go/streamsql/sql/parser"
)

// sql runs a statement for a command.
func (sh *shell) sql(text string) error {
	if !sh.run("", text, "") {
		return errShown
	}
	return nil
}

// list is SHOW what [LIKE pattern]; a pattern without % is one of names that begin so, * stands for anything.
func list(what string) func(*shell, string) error {
	return func(sh *shell, pattern string) error {
		text := "SHOW " + what
		if pattern != "" {
			pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, "*", "%"), "'", "''")
			if !strings.Contains(pattern, "%") {
				pattern += "%"
			}
			text += " LIKE '" + pattern + "'"
		}
		return sh.sql(text + ";")
	}
}

// describe is \d: everything, or one relation.
func (sh *shell) describe(name string) error {
	if name != "" {
		return sh.sql("DESCRIBE EXTENDED " + quoted(name) + ";")
	}
	for _, what := range []string{"STREAMS", "TABLES", "VIEWS"} {
		if err := sh.sql("SHOW " + what + ";"); err != nil {
			return err
		}
	}
	return nil
}

// quoted writes a name as SQL, unless it is quoted already.
func quoted(name string) string {
	if strings.HasPrefix(name, "`") {
		return name
	}
	return parser.QuoteName(name)
}

func (sh *shell) schema(name string) error {
	if name == "" {
		return fmt.Errorf("of which stream, table or view?")
	}
	return sh.run1("SHOW CREATE "+quoted(name)+";", "vertical")
}

func (sh *shell) status(query string) error {
	if query != "" {
		return sh.sql("SHOW STATUS FOR " + quoted(query) + ";")
	}
	return sh.sql("SHOW STATUS;")
}

// run1 is sql in a form of its own.
func (sh *shell) run1(text, form string) error {
	if !sh.run("", text, form) {
		return errShown
	}
	return nil
}

func (sh *shell) where(string) error {
	return sh.sql("SHOW SETTINGS;")
}

// names that TAB proposes behind a command.

func relationNames(sh *shell) []string { return sh.suggested("DESCRIBE ") }
func queryNames(sh *shell) []string    { return sh.suggested("PAUSE ") }

func variableNames(sh *shell) []string {
	var out []string
	for n := range sh.Engine.Variables() {
		out = append(out, n)
	}
	return out
}

// suggested are what may stand at the end of a text, keywords apart.
func (sh *shell) suggested(text string) []string {
	var out []string
	for _, c := range sh.Engine.Suggest(sh.ctx, text, len(text)).Candidates {
		if c.Kind != "keyword" {
			out = append(out, c.Text)
		}
	}
	return out
}

// files are those of the directory; TAB narrows them down.
func files(*shell) []string {
	entries, err := os.ReadDir(".")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		if !strings.HasPrefix(name, ".") {
			out = append(out, name)
		}
	}
	return out
}
