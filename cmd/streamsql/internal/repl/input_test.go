package repl

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// pieces gives a text in reads of n bytes.
type pieces struct {
	text string
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.n, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

func (p *pieces) Close() error { return nil }

// TestKeys: what terminals send, cut anywhere, is what readline knows, or nothing.
func TestKeys(t *testing.T) {
	for keys, want := range map[string]string{
		"SELECT 1;\r":                         "SELECT 1;\r",
		"\x1b[1~a\x1b[4~b\x1b[H\x1bOF":        "\x01a\x05b\x01\x05",     // Home and End of tmux, xterm, VT
		"\x1b[1;5Dx\x1b[1;5C":                 "\x1bbx\x1bf",            // Ctrl-Left, Ctrl-Right
		"\x1b[A\x1b[D\x1bOB":                  "\x1b[A\x1b[D\x1bOB",     // arrows pass
		"\x1b[3~\x1b[3;5~":                    "\x1b[3~\x1bd",           // Delete, Ctrl-Delete
		"\x1b[15~a\x1bOPb\x1b[5~c\x1b[200;1R": "abc",                    // F5, F1, PageUp and reports are no text
		"日本\x1b[1;2A🎉":                        "日本🎉",                    // Shift-Up
		"\x1b\r":                              string(newlineMark),      // Alt-Enter
		"\x1bb\x1b\x7f":                       "\x1bb\x1b\x7f",          // Meta
		pasteStart + "a\tb" + pasteEnd + "c":  string(pasteMark) + "c",  // one line stays to be edited
		pasteStart + "a;\r\nb;\r" + pasteEnd:  string(pasteMark) + "\r", // several run
		pasteStart + pasteEnd:                 "",
		"a\x1b":                               "a\x1b",
	} {
		for _, n := range []int{1, 2, 3, 7, 4096} {
			got, err := io.ReadAll(newInput(&pieces{keys, n}))
			if err != nil || string(got) != want {
				t.Errorf("%q in reads of %d: %q, %v, want %q", keys, n, got, err, want)
			}
		}
	}
}

// TestPastedText: control characters of a paste do nothing, its line ends are those of Unix, TABs stay.
func TestPastedText(t *testing.T) {
	in := newInput(&pieces{pasteStart + "SELECT\t'a'\r\n\x1b[A\x03\x01FROM s;\r" + pasteEnd + pasteStart + "x" + pasteEnd, 5})
	if _, err := io.ReadAll(in); err != nil {
		t.Fatal(err)
	}
	if got, want := in.next(), "SELECT\t'a'\n[AFROM s;\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := in.next(); got != "x" {
		t.Errorf("%q", got)
	}
	if got := in.next(); got != "" {
		t.Errorf("%q", got)
	}
}

// TestHistory: entries keep their lines, each is there once, secrets are not.
func TestHistory(t *testing.T) {
	path := t.TempDir() + "/history"
	h := openHistory(path)
	entries := []string{"SELECT a -- the id\nFROM s;", "SHOW STREAMS;", "SELECT a -- the id\nFROM s;", "CREATE STREAM s WITH (kafka.sasl.password = 'geheim');"}
	for _, e := range entries {
		if err := h.add(e); err != nil {
			t.Fatal(err)
		}
	}
	h = openHistory(path)
	got := strings.Join(h.newest(10), "|")
	if strings.Contains(got, "geheim") || !strings.HasPrefix(got, "SHOW STREAMS;|SELECT a -- the id\nFROM s;|CREATE STREAM s WITH (kafka.sasl.password = ") || len(h.newest(10)) != 3 {
		t.Errorf("%q", got)
	}
	if n := h.newest(1); len(n) != 1 {
		t.Errorf("%q", n)
	}
}

// TestHighlight: colours change nothing of the text, and know what is open above.
func TestHighlight(t *testing.T) {
	for _, x := range []struct{ before, text, want string }{
		{"", "SELECT a, 'x', 12 FROM s -- c", "\x1b[1;34mSELECT\x1b[0m a, \x1b[32m'x'\x1b[0m, \x1b[36m12\x1b[0m \x1b[1;34mFROM\x1b[0m s \x1b[2m-- c\x1b[0m"},
		{"SELECT 'a\n", "SELECT' FROM", "\x1b[32mSELECT'\x1b[0m \x1b[1;34mFROM\x1b[0m"},
		{"/* a\n", "SELECT", "\x1b[2mSELECT\x1b[0m"},
		{"", "  日本  ", "  日本  "},
	} {
		if got := highlight(x.before, x.text); got != x.want {
			t.Errorf("%q\n got %q\nwant %q", x.text, got, x.want)
		}
	}
}

// TestPaint: line ends are arrows; behind the cursor a wide character takes a step of its own.
func TestPaint(t *testing.T) {
	p := &painter{before: func() string { return "" }, width: func() int { return 80 }}
	for _, x := range []struct {
		line string
		pos  int
		want string
	}{
		{"a" + string(newlineMark) + "b", 3, "a↵b"},
		{"日本x", 1, "日本x\b"},
		{"SELECT 1;\n", 10, "SELECT 1;\n"},
	} {
		if got := string(p.Paint([]rune(x.line), x.pos)); got != x.want {
			t.Errorf("%q: %q, want %q", x.line, got, x.want)
		}
	}
}

func TestTerminator(t *testing.T) {
	for line, want := range map[string][2]string{
		`SELECT 1\G`:   {"SELECT 1;", "vertical"},
		`SELECT 1 \gx`: {"SELECT 1 ;", "vertical"},
		`SELECT 1 \g `: {"SELECT 1 ;", ""},
		`SELECT 1;`:    {"SELECT 1;", ""},
	} {
		if text, form := terminator(line); text != want[0] || form != want[1] {
			t.Errorf("%s: %q %q", line, text, form)
		}
	}
}

func TestIsCommand(t *testing.T) {
	for line, want := range map[string]bool{`\d s`: true, ".mode csv": true, "help;": true, "EXIT": true, ".5": false, "": false, `\`: false, "SELECT": false, "exit now": false} {
		if got := isCommand(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	var seen bytes.Buffer
	for _, c := range commands() {
		for _, n := range c.names {
			if strings.Contains(seen.String(), " "+n+" ") {
				t.Errorf("two commands are called %s", n)
			}
			seen.WriteString(" " + n + " ")
		}
	}
}
