package repl

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql"
)

// include runs a file.
func (sh *shell) include(path string) error {
	if path == "" {
		return fmt.Errorf("which file?")
	}
	text, err := os.ReadFile(expand(sh.Getenv, path))
	if err != nil {
		return err
	}
	if !sh.script(path, string(text)) {
		return fmt.Errorf("%s was not run to its end", path)
	}
	return nil
}

func (sh *shell) output(path string) error { return sh.openOut(path) }

func (sh *shell) onceTo(path string) error {
	if path == "" {
		return fmt.Errorf("to which file?")
	}
	err := sh.openOut(path)
	sh.once = err == nil
	return err
}

// showHistory shows the newest n entries, 20 without a number.
func (sh *shell) showHistory(arg string) error {
	n := 20
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			return fmt.Errorf("use a number of entries")
		}
	}
	for _, e := range sh.hist.newest(n) {
		fmt.Fprintln(sh.term.Out, e)
	}
	return nil
}

// editLast opens the last statement in the user's editor and runs what is saved.
func (sh *shell) editLast(string) error {
	text, err := sh.edited(sh.last)
	if err != nil || strings.TrimSpace(text) == "" {
		return err
	}
	fmt.Fprintln(sh.term.Out, strings.TrimRight(text, "\n"))
	if statements, rest := streamsql.Complete(text); len(statements) == 0 && rest != "" {
		text += ";"
	}
	if sh.feed(text, false); sh.text != "" { // the rest is not ended
		sh.text = ""
		return errors.New("what stands behind the last ; was not run")
	}
	return nil
}

// edited lets $VISUAL or $EDITOR change a text.
func (sh *shell) edited(text string) (string, error) {
	f, err := os.CreateTemp("", "streamsql-*.sql")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if _, err := f.WriteString(text + "\n"); err != nil {
		return "", errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	editor := sh.Getenv("VISUAL")
	if editor == "" {
		editor = sh.Getenv("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	cmd := exec.CommandContext(sh.ctx, "sh", "-c", editor+` "$1"`, "sh", f.Name()) // $EDITOR may have arguments
	cmd.Stdin, cmd.Stdout, cmd.Stderr = sh.In, sh.Out, sh.Err
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w (set EDITOR)", editor, err)
	}
	saved, err := os.ReadFile(f.Name())
	return string(saved), err
}

// watch runs a statement every few seconds until Ctrl-C, on a terminal in place.
func (sh *shell) watch(arg string) error {
	every := 2 * time.Second
	word, rest, _ := strings.Cut(arg, " ")
	if n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(word, "i="), "s"), 64); err == nil {
		if n < 0.1 {
			return fmt.Errorf("use 0.1 seconds or more")
		}
		every, arg = time.Duration(n*float64(time.Second)), strings.TrimSpace(rest)
	}
	if arg == "" {
		arg = sh.last
	}
	if arg == "" {
		return fmt.Errorf("which statement?")
	}
	if !strings.HasSuffix(arg, ";") {
		arg += ";"
	}
	sh.last = arg
	for {
		if sh.term.Control && sh.out == nil && sh.term.Rows {
			fmt.Fprint(sh.term.Out, "\x1b[H\x1b[2J")
		}
		fmt.Fprintf(sh.Err, "%s (every %v, Ctrl-C ends)\n\n", time.Now().Format(time.DateTime), every)
		if !sh.run("", arg, "") {
			return nil // a mistake was shown, or Ctrl-C pressed
		}
		if !sh.pause(every) {
			return nil
		}
	}
}

// pause waits, unless Ctrl-C is pressed.
func (sh *shell) pause(d time.Duration) bool {
	ctx, end := sh.begin()
	defer end()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
