package repl

import (
	"bufio"
	"os"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

const (
	historyLimit = 10000
	// recalled is how many entries the editor holds.
	recalled = 2000
	// lineEnd stands for a line end in the file: an entry is one line there.
	lineEnd = "␤"
)

// history are the statements that were typed, each once, in a file that only its owner may read. Secrets are hidden in it.
type history struct {
	path    string // "" keeps nothing
	entries []string
}

func openHistory(path string) *history {
	h := &history{path: path}
	f, err := os.Open(path)
	if err != nil {
		return h
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if entry := strings.ReplaceAll(lines.Text(), lineEnd, "\n"); strings.TrimSpace(entry) != "" {
			h.entries = append(h.entries, entry)
		}
	}
	total := len(h.entries)
	h.entries = unique(h.entries)
	if total > historyLimit {
		h.rewrite()
	}
	return h
}

// unique keeps the newest of equal entries, historyLimit at most.
func unique(entries []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, e := range slices.Backward(entries) {
		if !seen[e] && len(out) < historyLimit {
			seen[e] = true
			out = append(out, e)
		}
	}
	slices.Reverse(out)
	return out
}

// rewrite replaces the file by what is kept.
func (h *history) rewrite() {
	var b strings.Builder
	for _, e := range h.entries {
		b.WriteString(strings.ReplaceAll(e, "\n", lineEnd) + "\n")
	}
	tmp := h.path + ".new"
	if os.WriteFile(tmp, []byte(b.String()), 0o600) == nil {
		_ = os.Rename(tmp, h.path) // the old file serves as well
	}
}

// add appends an entry. Other prompts append to the same file: nothing is read again.
func (h *history) add(entry string) error {
	entry = ast.Hide(strings.TrimSpace(entry))
	if entry == "" {
		return nil
	}
	h.entries = append(slices.DeleteFunc(h.entries, func(e string) bool { return e == entry }), entry)
	if h.path == "" {
		return nil
	}
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(strings.ReplaceAll(entry, "\n", lineEnd) + "\n")
	return err
}

// newest are the last n entries, the oldest first.
func (h *history) newest(n int) []string { return h.entries[max(0, len(h.entries)-n):] }
