package repl

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// newlineMark stands for a line end in a line that is edited, pasteMark for a text that was pasted. Both are private-use characters
	// of Unicode.
	newlineMark = '\uE00A'
	pasteMark   = '\uE00B'

	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// input is the terminal's input as readline understands it. Keys that readline does not know are written as those it knows; a
// bracketed paste (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h2-Bracketed-Paste-Mode) is one pasteMark, and a line end
// when it has lines, for its text must not be taken for keys.
type input struct {
	r       io.ReadCloser
	raw     []byte // read, not translated yet
	ready   []byte // translated, not read yet
	pasting bool
	err     error

	mu     sync.Mutex
	pastes []string
}

func newInput(r io.ReadCloser) *input { return &input{r: r} }

// Read gives translated keys.
func (in *input) Read(p []byte) (int, error) {
	buf := make([]byte, 4096)
	for len(in.ready) == 0 {
		if in.err != nil {
			return 0, in.err
		}
		n, err := in.r.Read(buf)
		in.raw = append(in.raw, buf[:n]...)
		in.translate()
		if err != nil {
			in.ready, in.raw, in.err = append(in.ready, in.raw...), nil, err
		}
	}
	n := copy(p, in.ready)
	in.ready = in.ready[n:]
	return n, nil
}

// Close ends a Read that waits.
func (in *input) Close() error { return in.r.Close() }

// next takes the oldest paste.
func (in *input) next() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.pastes) == 0 {
		return ""
	}
	text := in.pastes[0]
	in.pastes = in.pastes[1:]
	return text
}

// translate moves what is whole from raw to ready.
func (in *input) translate() {
	for len(in.raw) > 0 {
		if in.pasting {
			end := bytes.Index(in.raw, []byte(pasteEnd))
			if end < 0 {
				return
			}
			in.paste(string(in.raw[:end]))
			in.raw, in.pasting = in.raw[end+len(pasteEnd):], false
			continue
		}
		esc := bytes.IndexByte(in.raw, '\x1b')
		if esc < 0 {
			esc = len(in.raw)
		}
		in.ready = append(in.ready, in.raw[:esc]...)
		if in.raw = in.raw[esc:]; len(in.raw) == 0 {
			return
		}
		n := sequence(in.raw)
		if n == 0 {
			return // the rest is on its way
		}
		seq := string(in.raw[:n])
		in.raw = in.raw[n:]
		if seq == pasteStart {
			in.pasting = true
			continue
		}
		in.ready = append(in.ready, key(seq)...)
	}
}

// sequence measures the escape sequence that b begins with; 0: it is not whole yet.
func sequence(b []byte) int {
	switch {
	case len(b) < 2:
		return 0
	case b[1] == 'O':
		return min(3, len(b)/3*3)
	case b[1] != '[':
		_, n := utf8.DecodeRune(b[1:])
		return 1 + n
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1
		}
	}
	return 0
}

const (
	home, end, wordLeft, wordRight, wordDelete = "\x01", "\x05", "\x1bb", "\x1bf", "\x1bd"
)

// keys are what terminals send for keys, and what readline takes for them.
var keys = map[string]string{
	"\x1b[1~": home, "\x1b[7~": home, "\x1b[H": home, "\x1bOH": home, "\x1b[4~": end, "\x1b[8~": end, "\x1b[F": end, "\x1bOF": end,
	"\x1b[1;5D": wordLeft, "\x1b[1;3D": wordLeft, "\x1b[5D": wordLeft, "\x1bOd": wordLeft,
	"\x1b[1;5C": wordRight, "\x1b[1;3C": wordRight, "\x1b[5C": wordRight, "\x1bOc": wordRight,
	"\x1b[3;5~": wordDelete, "\x1b[3;3~": wordDelete,
	"\x1b\r": string(newlineMark), "\x1b\n": string(newlineMark), // Alt-Enter
}

// passed are the sequences that readline knows.
var passed = "ABCD"

// key is what readline is given for an escape sequence: nothing for one that it would take for text.
func key(seq string) string {
	if k, ok := keys[seq]; ok {
		return k
	}
	last := seq[len(seq)-1:]
	switch {
	case seq == "\x1b[3~":
		return seq
	case (strings.HasPrefix(seq, "\x1b[") || strings.HasPrefix(seq, "\x1bO")) && len(seq) > 2:
		if strings.Contains(passed, last) && len(seq) == 3 {
			return seq
		}
		return ""
	}
	return seq
}

// paste queues a pasted text: its line ends are \n, and no other control character but TAB is in it.
func (in *input) paste(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == '\x7f' || r == newlineMark || r == pasteMark {
			return -1
		}
		return r
	}, text)
	if text == "" {
		return
	}
	in.mu.Lock()
	in.pastes = append(in.pastes, text)
	in.mu.Unlock()
	in.ready = utf8.AppendRune(in.ready, pasteMark)
	if strings.Contains(text, "\n") {
		in.ready = append(in.ready, '\r')
	}
}
