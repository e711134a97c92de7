package repl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"
)

// errShown is a failure that the user has been told of.
var errShown = errors.New("not done")

// toggle reads on and off; nothing is the other one.
func toggle(now *bool, arg string) error {
	switch strings.ToLower(arg) {
	case "on", "true", "1":
		*now = true
	case "off", "false", "0":
		*now = false
	case "":
		*now = !*now
	default:
		return fmt.Errorf("use on or off")
	}
	return nil
}

// tell says what a setting is now.
func (sh *shell) tell(what string, on bool) {
	word := "off"
	if on {
		word = "on"
	}
	fmt.Fprintf(sh.Err, "%s is %s\n", what, word)
}

func (sh *shell) format(form string) error {
	form = strings.TrimSpace(strings.TrimPrefix(form, "format ")) // psql's \pset format
	if form == "" {
		fmt.Fprintf(sh.Err, "format is %s; there are %s\n", sh.form(), strings.Join(render.Forms(), ", "))
		return nil
	}
	if err := render.CheckForm(form); err != nil {
		return err
	}
	sh.set.Form = form
	return nil
}

// form is the form of rows on the terminal.
func (sh *shell) form() string {
	if sh.set.Form == "" {
		return "table"
	}
	return sh.set.Form
}

func (sh *shell) expanded(arg string) error {
	sh.set.Auto = false
	switch on := sh.form() == "vertical"; {
	case arg == "auto":
		sh.set.Form, sh.set.Auto = "", true
	default:
		if err := toggle(&on, arg); err != nil {
			return fmt.Errorf("use on, off or auto")
		}
		sh.set.Form = ""
		if on {
			sh.set.Form = "vertical"
		}
	}
	return nil
}

func (sh *shell) live(arg string) error {
	err := toggle(&sh.set.Live, arg)
	if err == nil {
		sh.tell("live", sh.set.Live)
	}
	return err
}

func (sh *shell) full(arg string) error {
	err := toggle(&sh.set.Full, arg)
	if err == nil {
		sh.tell("full", sh.set.Full)
	}
	return err
}

func (sh *shell) timing(arg string) error {
	err := toggle(&sh.time, arg)
	if err == nil {
		sh.tell("timing", sh.time)
	}
	return err
}

func (sh *shell) null(text string) error {
	text = strings.Trim(text, "'\"")
	sh.set.Null = &text
	return nil
}

func (sh *shell) rate(arg string) error {
	if arg == "" {
		fmt.Fprintf(sh.Err, "rate is %d\n", sh.set.Rate)
		return nil
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 0 {
		return fmt.Errorf("use a number of rows a second, 0 for all")
	}
	sh.set.Rate = n
	return nil
}

// again shows the rows of the last result, whole.
func (sh *shell) again(string) error {
	if len(sh.kept.Rows()) == 0 {
		return fmt.Errorf("there are no rows yet")
	}
	return sh.term.Replay(&sh.kept, sh.set)
}

// define is \set: variables of SQL.
func (sh *shell) define(arg string) error {
	name, value, given := strings.Cut(arg, " ")
	vars := sh.Engine.Variables()
	switch {
	case name == "":
		for _, n := range slices.Sorted(maps.Keys(vars)) {
			fmt.Fprintf(sh.term.Out, "%s = '%s'\n", n, vars[n])
		}
	case !given:
		v, ok := vars[name]
		if !ok {
			return fmt.Errorf("variable %s is not defined: \\set %s value defines it", name, name)
		}
		fmt.Fprintf(sh.term.Out, "%s = '%s'\n", name, v)
	default:
		value = strings.TrimSpace(value)
		if n := len(value); n > 1 && value[0] == '\'' && value[n-1] == '\'' {
			value = strings.ReplaceAll(value[1:n-1], "''", "'")
		}
		sh.Engine.Define(name, value)
	}
	return nil
}

func (sh *shell) echo(text string) error {
	_, err := fmt.Fprintln(sh.term.Out, strings.Trim(text, "'"))
	return err
}
