// Package repl is the prompt: it reads statements and commands from a terminal, runs them on an engine and shows what comes.
package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"
	"github.com/streamsql-go/streamsql/sql/parser"
)

// Options are what a prompt needs.
type Options struct {
	Engine *streamsql.Engine
	Until  streamsql.Until
	In     *os.File // a terminal
	Out    *os.File
	Err    *os.File
	Getenv func(string) string
	Log    *slog.Logger

	Form    string // of rows; "": table
	History string // file of what was typed; "": none
	Start   string // file of commands and SQL that is run first; "": none
	// Figures says what queries did since an instant, in a line.
	Figures func([]*streamsql.Query, time.Time) string
}

const (
	first     = "sql> "
	continued = "  -> "
)

// liner reads lines.
type liner interface {
	// read gives a line, or several that were pasted: they are to be shown.
	read(prompt string) (text string, unseen bool, err error)
	remember(entry string) error
	close() error
}

// shell is the prompt.
type shell struct {
	Options
	ctx  context.Context
	stop context.CancelFunc // ends the prompt

	lines liner
	hist  *history
	term  render.Terminal
	set   render.Settings
	kept  render.Kept
	out   *outFile // \o; nil: the terminal
	once  bool     // for one result
	time  bool     // \timing

	text    string // lines of a statement that is not ended
	last    string // the statement that ran last
	hinted  bool   // Ctrl-C was pressed at an empty prompt
	colours bool

	// running ends the statement that runs; nil: none does.
	running atomic.Pointer[statementRun]
}

// Run reads and runs until the end of the input, \q, Ctrl-C twice, or the end of ctx.
func Run(ctx context.Context, o Options) error {
	sh := newShell(ctx, o)
	defer sh.stop()
	if err := sh.open(); err != nil {
		return err
	}
	context.AfterFunc(sh.ctx, func() { _ = sh.lines.close() })
	defer sh.interrupts()()
	sh.startFile()
	err := sh.loop()
	sh.closeOut()
	return err
}

func newShell(ctx context.Context, o Options) *shell {
	sh := &shell{Options: o, hist: openHistory(o.History)}
	sh.ctx, sh.stop = context.WithCancel(ctx)
	dumb := o.Getenv("TERM") == "dumb" || o.Getenv("TERM") == ""
	sh.colours = !dumb && o.Getenv("NO_COLOR") == "" // https://no-color.org
	sh.term = render.Terminal{
		Out: o.Out, Err: o.Err, Now: time.Now, Colours: sh.colours, Control: !dumb,
		Rows: term.IsTerminal(int(o.Out.Fd())),
		Size: func() (int, int) {
			w, h, err := term.GetSize(int(o.Out.Fd()))
			if err != nil {
				return 0, 0
			}
			return w, h
		},
	}
	sh.set = render.Settings{Form: o.Form, Rate: 500, Silence: 3 * time.Second, Keep: &sh.kept}
	return sh
}

// open begins to read: with an editor, or plain lines where the terminal knows no escape sequences.
func (sh *shell) open() error {
	if !sh.term.Control || !sh.term.Rows {
		sh.lines = &plain{in: bufio.NewReader(sh.In), out: sh.Out, hist: sh.hist}
		return nil
	}
	e, err := newEditor(editorOptions{in: sh.In, out: sh.Out, colours: sh.colours, hist: sh.hist, text: func() string { return sh.text }, tab: sh.complete})
	if err != nil {
		return err
	}
	sh.lines = e
	return nil
}

// loop reads lines until the end of the input.
func (sh *shell) loop() error {
	for sh.ctx.Err() == nil {
		line, unseen, err := sh.lines.read(sh.prompt())
		switch {
		case errors.Is(err, errInterrupt):
			if sh.text == "" && strings.TrimSpace(line) == "" {
				if sh.hinted {
					return nil
				}
				sh.hinted = true
				fmt.Fprintln(sh.Err, "Ctrl-C again, or Ctrl-D, ends")
			}
			sh.text = ""
			continue
		case errors.Is(err, io.EOF), sh.ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		sh.hinted = false
		if sh.feed(line, unseen) {
			return nil
		}
	}
	return nil
}

// prompt says what is open.
func (sh *shell) prompt() string {
	if sh.text == "" {
		return first
	}
	toks := parser.Scan(sh.text)
	if n := len(toks); n > 0 && toks[n-1].Kind == parser.Unclosed {
		return "  " + string(sh.text[toks[n-1].Start]) + "> "
	}
	return continued
}

// feed takes lines as they were typed or pasted: commands, and SQL of which what is complete runs. After a mistake the rest of them is
// dropped. unseen lines are shown. It tells whether the prompt ends.
func (sh *shell) feed(text string, unseen bool) (done bool) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if unseen {
			sh.showLine(line)
		}
		done, ok := sh.line(line)
		if done {
			return true
		}
		if !ok {
			sh.text = ""
			if rest := strings.TrimSpace(strings.Join(lines[i+1:], "\n")); rest != "" {
				fmt.Fprintln(sh.Err, "the lines behind it were not run")
			}
			return false
		}
	}
	return false
}

// showLine shows a line as if it had been typed.
func (sh *shell) showLine(line string) {
	shown := strings.ReplaceAll(line, "\t", "    ")
	if sh.colours && !isCommand(line) {
		shown = highlight(sh.text, shown)
	}
	fmt.Fprintln(sh.Out, sh.prompt()+shown)
}

// line takes one line. It tells whether the prompt ends, and whether all went well.
func (sh *shell) line(line string) (done, ok bool) {
	if sh.text == "" && isCommand(line) {
		return sh.command(strings.TrimSpace(line))
	}
	if sh.text == "" && strings.TrimSpace(line) == "" {
		return false, true
	}
	line, form := terminator(line)
	sh.text += line + "\n"
	statements, rest := streamsql.Complete(sh.text)
	if len(statements) == 0 {
		if rest == "" {
			sh.text = ""
		}
		return false, true
	}
	typed := strings.TrimSpace(strings.TrimSuffix(sh.text, rest))
	sh.text = rest
	if err := sh.lines.remember(typed); err != nil {
		sh.Log.Debug("history was not written", "error", err)
	}
	for _, st := range statements {
		if !sh.statement(st, form) {
			return false, false
		}
	}
	return false, true
}

// terminator takes a \G or \gx at the end of a line, MySQL's and psql's words for "one value a line", and \g, for a semicolon.
func terminator(line string) (text, form string) {
	trimmed := strings.TrimRight(line, " \t")
	for end, form := range map[string]string{`\G`: "vertical", `\gx`: "vertical", `\g`: ""} {
		if text, ok := strings.CutSuffix(trimmed, end); ok {
			return text + ";", form
		}
	}
	return line, ""
}

// startFile runs the user's own file.
func (sh *shell) startFile() {
	if sh.Start == "" {
		return
	}
	text, err := os.ReadFile(sh.Start)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		fmt.Fprintln(sh.Err, err)
		return
	}
	sh.script(sh.Start, string(text))
}

// script runs the SQL and the commands of a file; mistakes have their line in it. It tells whether all went well.
func (sh *shell) script(name, text string) bool {
	var chunk strings.Builder
	line := 0
	flush := func() bool {
		sql := chunk.String()
		chunk.Reset()
		chunk.WriteString(strings.Repeat("\n", line)) // so that places stay
		return strings.TrimSpace(sql) == "" || sh.run(name, sql, "")
	}
	for l := range strings.Lines(text) {
		if isCommand(l) {
			if _, rest := streamsql.Complete(chunk.String()); rest == "" {
				if !flush() {
					return false
				}
				if done, ok := sh.command(strings.TrimSpace(l)); done || !ok {
					return ok
				}
				l = "\n"
			}
		}
		chunk.WriteString(l)
		line++
	}
	return flush()
}
