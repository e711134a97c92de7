package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chzyer/readline"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// readline makes the line editor. A pasted TAB is a space: readline would take it for a request to complete.
func (a *app) readline() (*readline.Instance, error) {
	return readline.NewEx(&readline.Config{
		HistoryFile: a.history(), HistoryLimit: 10000, DisableAutoSaveHistory: true, HistorySearchFold: true,
		Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr,
		FuncFilterInputRune: func(r rune) (rune, bool) {
			if r == '\t' {
				r = ' '
			}
			return r, true
		},
	})
}

// history is the file of what was typed, "" when there is no place for it. Only its owner may read it. Secrets are hidden in
// it.
func (a *app) history() string {
	dir := a.getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	dir = filepath.Join(dir, "streamsql")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ""
	}
	path := filepath.Join(dir, "history")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return ""
	}
	if f.Close() != nil {
		return ""
	}
	return path
}

// remember puts statements into the history, each as one entry of one line.
func (sh *shell) remember(statements []string) {
	for _, st := range statements {
		if err := sh.line.SaveHistory(flat(ast.Hide(st))); err != nil {
			sh.log.Debug("history was not written", "error", err)
		}
	}
}

// flat makes a statement one line: comments to the end of a line become /* … */ ones, so that they do not swallow the rest.
func flat(statement string) string {
	var out []string
	for line := range strings.SplitSeq(statement, "\n") {
		line = strings.TrimSpace(line)
		if at := comment(line); at >= 0 {
			text := strings.TrimSpace(strings.TrimLeft(line[at:], "-#"))
			line = strings.TrimSpace(line[:at])
			if text != "" && !strings.Contains(text, "*/") {
				line = strings.TrimSpace(line + " /* " + text + " */")
			}
		}
		if line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, " ")
}

// comment is where a comment to the end of the line begins, outside quotes; -1: nowhere.
func comment(line string) int {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'', c == '"', c == '`':
			quote = c
		case c == '#', strings.HasPrefix(line[i:], "-- "), line[i:] == "--":
			return i
		}
	}
	return -1
}
