package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/chzyer/readline"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// errInterrupt is Ctrl-C at the prompt.
var errInterrupt = errors.New("interrupted")

// editor reads lines from a terminal: keys, colours, completion, history, pastes.
type editor struct {
	in    *input
	out   io.Writer
	line  *readline.Instance
	hist  *history
	paint *painter
	width func() int
	text  func() string // the lines of the statement above
	tab   func(before, line string, pos int) completion
	edit  *change // what TAB made of the line
	rest  string  // of a paste: its last line, which is not ended
}

// change is a line with its cursor.
type change struct {
	line []rune
	pos  int
}

type editorOptions struct {
	in      *os.File
	out     *os.File
	colours bool
	hist    *history
	text    func() string
	tab     func(before, line string, pos int) completion
}

func newEditor(o editorOptions) (*editor, error) {
	width := func() int {
		if w, _, err := term.GetSize(int(o.out.Fd())); err == nil && w > 0 {
			return w
		}
		return 80
	}
	e := &editor{in: newInput(readline.NewCancelableStdin(o.in)), out: o.out, hist: o.hist, width: width, text: o.text, tab: o.tab}
	e.paint = &painter{colours: o.colours, before: o.text, width: width}
	var raw *readline.State
	fd := int(o.in.Fd())
	cfg := &readline.Config{
		DisableAutoSaveHistory: true, HistoryLimit: recalled, HistorySearchFold: true, InterruptPrompt: "^C", EOFPrompt: "\n",
		Stdin: e.in, Stdout: o.out, Stderr: o.out, Painter: e.paint, AutoComplete: completer{e}, FuncGetWidth: width,
		FuncIsTerminal: func() bool { return true },
		FuncMakeRaw: func() (err error) {
			raw, err = readline.MakeRaw(fd)
			return err
		},
		FuncExitRaw: func() error {
			if raw == nil {
				return nil
			}
			return readline.Restore(fd, raw)
		},
	}
	cfg.SetListener(e.changed)
	var err error
	if e.line, err = readline.NewEx(cfg); err != nil {
		return nil, err
	}
	e.recall()
	return e, nil
}

// recall gives the editor the history anew: readline would append to the entry that was looked at last.
func (e *editor) recall() {
	e.line.ResetHistory()
	for _, entry := range e.hist.newest(recalled) {
		_ = e.line.SaveHistory(strings.ReplaceAll(entry, "\n", string(newlineMark))) // it has no file
	}
}

func (e *editor) remember(entry string) error {
	err := e.hist.add(entry)
	e.recall()
	return err
}

func (e *editor) close() error {
	return errors.Join(e.in.Close(), e.line.Close())
}

// read reads a line, or all whole lines of a paste; those are not on the screen.
func (e *editor) read(prompt string) (string, bool, error) {
	e.line.SetPrompt(prompt)
	fmt.Fprint(e.out, "\x1b[?2004h")
	defer fmt.Fprint(e.out, "\x1b[?2004l")
	rest := e.rest
	e.rest = ""
	line, err := e.line.ReadlineWithDefault(rest)
	line = strings.ReplaceAll(line, string(newlineMark), "\n")
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return strings.ReplaceAll(line, string(pasteMark), ""), false, errInterrupt
	case err != nil:
		return "", false, err
	}
	if strings.ContainsRune(line, pasteMark) {
		return e.pasted(prompt, line), true, nil
	}
	return line, false, nil
}

// pasted puts pastes into the line, and takes the line off the screen: what is run of it shows itself. The last line of the paste stays to
// be edited.
func (e *editor) pasted(prompt, line string) string {
	up := (runewidth.StringWidth(prompt+line)-1)/max(1, e.width()) + 1
	for strings.ContainsRune(line, pasteMark) {
		line = strings.Replace(line, string(pasteMark), e.in.next(), 1)
	}
	fmt.Fprintf(e.out, "\x1b[%dA\r\x1b[J", up)
	i := strings.LastIndexByte(line, '\n')
	e.rest = line[i+1:]
	return line[:max(0, i)]
}

// changed is called after each key. It puts what was pasted or completed into the line.
func (e *editor) changed(line []rune, pos int, key rune) ([]rune, int, bool) {
	switch {
	case key == readline.CharTab && e.edit != nil:
		c := e.edit
		e.edit = nil
		return c.line, c.pos, true
	case key == pasteMark && pos > 0 && line[pos-1] == pasteMark && !e.lines():
		text := []rune(e.in.next())
		out := append(append(append([]rune{}, line[:pos-1]...), text...), line[pos:]...)
		return out, pos - 1 + len(text), true
	}
	return nil, 0, false
}

// lines tells whether the paste at hand has several lines: it waits for the line end that follows it.
func (e *editor) lines() bool {
	e.in.mu.Lock()
	defer e.in.mu.Unlock()
	return len(e.in.pastes) == 0 || strings.Contains(e.in.pastes[0], "\n")
}

// completer is TAB.
type completer struct{ e *editor }

// completion is what TAB does: the line becomes another one, or a list is shown.
type completion struct {
	line string
	pos  int // in bytes
	list string
}

// Do never proposes anything to readline, which would only append: it changes the line itself.
func (c completer) Do(line []rune, pos int) ([][]rune, int) {
	text := strings.ReplaceAll(string(line), string(newlineMark), "\n")
	at := len(string(line[:pos])) - strings.Count(string(line[:pos]), string(newlineMark))*(len(string(newlineMark))-1)
	done := c.e.tab(c.e.text(), text, at)
	if done.list != "" {
		fmt.Fprint(c.e.line.Stdout(), done.list)
	}
	if done.line != text || done.pos != at {
		mark := func(s string) []rune { return []rune(strings.ReplaceAll(s, "\n", string(newlineMark))) }
		c.e.edit = &change{mark(done.line), len(mark(done.line[:done.pos]))}
	}
	return nil, 0
}
