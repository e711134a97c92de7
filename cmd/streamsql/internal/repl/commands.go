package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// command is one that is no SQL. It begins with \ or with a dot.
type command struct {
	names []string // the first one is shown
	args  string
	doc   string
	run   func(sh *shell, arg string) error
	// values are what may stand behind it, for TAB.
	values func(sh *shell) []string
}

var onOff = func(*shell) []string { return []string{"on", "off"} }

// commands are all, in the order of the help.
func commands() []command {
	return []command{
		{[]string{"?", "help", "h"}, "[name]", "this; or what a command, function or option does", (*shell).help, nil},
		{[]string{"q", "quit", "exit"}, "", "end; queries commit and stop", nil, nil},
		{[]string{"d"}, "[name]", "streams, tables and views; or the columns of one", (*shell).describe, relationNames},
		{[]string{"ds", "streams"}, "[pattern]", "streams", list("STREAMS"), nil},
		{[]string{"dt", "tables"}, "[pattern]", "tables", list("TABLES"), nil},
		{[]string{"dv", "views"}, "[pattern]", "views", list("VIEWS"), nil},
		{[]string{"dq", "queries"}, "[pattern]", "queries", list("QUERIES"), nil},
		{[]string{"df", "functions"}, "[pattern]", "functions", list("FUNCTIONS"), nil},
		{[]string{"do", "options"}, "[pattern]", "options of WITH", list("OPTIONS"), nil},
		{[]string{"topics"}, "[pattern]", "topics of the cluster", list("TOPICS"), nil},
		{[]string{"schema", "sf"}, "name", "the CREATE of a stream, table or view", (*shell).schema, relationNames},
		{[]string{"stats", "status"}, "[query]", "what queries do, and why no rows come", (*shell).status, queryNames},
		{[]string{"format", "mode", "pset"}, "form", "form of rows: " + strings.Join(render.Forms(), ", "), (*shell).format, func(*shell) []string { return render.Forms() }},
		{[]string{"x"}, "[on|off|auto]", "one value a line; auto: when a table is too wide", (*shell).expanded, func(*shell) []string { return []string{"on", "off", "auto"} }},
		{[]string{"live"}, "[on|off]", "changes as a table that is updated in place", (*shell).live, onOff},
		{[]string{"full"}, "[on|off]", "values are never cut to fit", (*shell).full, onOff},
		{[]string{"null", "nullvalue"}, "[text]", "how NULL is shown", (*shell).null, nil},
		{[]string{"rate"}, "[n]", "rows a second that are shown of an endless SELECT; 0: all", (*shell).rate, nil},
		{[]string{"last"}, "", "the rows of the last result again, whole", (*shell).again, nil},
		{[]string{"timing", "timer"}, "[on|off]", "how long statements take", (*shell).timing, onOff},
		{[]string{"watch"}, "[seconds] [statement]", "run a statement again and again; the last one without one", (*shell).watch, nil},
		{[]string{"i", "read", "include"}, "file", "run the SQL and the commands of a file", (*shell).include, files},
		{[]string{"o", "output"}, "[file]", "rows go to a file; without one back to the terminal", (*shell).output, files},
		{[]string{"once"}, "file", "the rows of the next result go to a file", (*shell).onceTo, files},
		{[]string{"e", "edit"}, "", "edit the last statement with $EDITOR, and run it", (*shell).editLast, nil},
		{[]string{"set", "define"}, "[name [value]]", "variables: ${name} in SQL stands for its value", (*shell).define, variableNames},
		{[]string{"history", "s"}, "[n]", "what was typed", (*shell).showHistory, nil},
		{[]string{"echo"}, "text", "show a text", (*shell).echo, nil},
		{[]string{"conninfo"}, "", "which cluster this is", (*shell).where, nil},
	}
}

// bare are the words that people type without anything before them.
var bare = []string{"quit", "exit", "help", "?"}

// isCommand tells a command from SQL.
func isCommand(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) > 1 && (line[0] == '\\' || line[0] == '.') {
		return line[0] == '\\' || line[1] < '0' || line[1] > '9'
	}
	return slices.Contains(bare, strings.ToLower(strings.TrimSpace(strings.TrimSuffix(line, ";"))))
}

// find is the command of a name.
func find(name string) (command, bool) {
	all := commands()
	for _, exact := range []bool{true, false} {
		for _, c := range all {
			if slices.ContainsFunc(c.names, func(n string) bool { return n == name || !exact && strings.EqualFold(n, name) }) {
				return c, true
			}
		}
	}
	return command{}, false
}

// command runs a line that is no SQL. It tells whether the prompt ends, and whether all went well.
func (sh *shell) command(line string) (done, ok bool) {
	word, arg, _ := strings.Cut(line, " ")
	name := strings.TrimSuffix(strings.TrimLeft(word, `\.`), ";")
	arg = strings.TrimSpace(arg)
	c, ok := find(name)
	if !ok {
		fmt.Fprintf(sh.Err, "unknown command %s: %s\n", word, hint(word[:1], name))
		return false, false
	}
	if c.run == nil {
		return true, true
	}
	if c.names[0] != "echo" && c.names[0] != "watch" && c.names[0] != "set" {
		arg = strings.TrimSpace(strings.TrimSuffix(arg, ";"))
	}
	err := c.run(sh, arg)
	if err != nil && !errors.Is(err, errShown) {
		fmt.Fprintf(sh.Err, "%s: %v\n", word, err)
	}
	return false, err == nil
}

// hint names the command that was meant, or where they are listed.
func hint(prefix, name string) string {
	var all []string
	for _, c := range commands() {
		all = append(all, c.names...)
	}
	if near := spell.Closest(name, all); near != "" {
		return "did you mean " + prefix + near + "?"
	}
	return prefix + "help lists them"
}

// help lists the commands, or says what one thing is.
func (sh *shell) help(topic string) error {
	if topic != "" {
		return sh.explain(topic)
	}
	w := sh.term.Out
	fmt.Fprint(w, `Statements end with a semicolon (\G: one value a line). TAB completes, Ctrl-R searches what was typed, Alt-Enter starts a new
line, Ctrl-C ends a SELECT, twice at an empty prompt the program. EXPLAIN SELECT … shows a plan, SHOW STATUS what queries do.

`)
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-34s %s\n", strings.TrimSpace(`\`+c.names[0]+" "+c.args), c.doc)
	}
	fmt.Fprintln(w, "\nA dot does as well as a \\; longer names: "+strings.Join(longNames(), " "))
	return nil
}

func longNames() []string {
	var out []string
	for _, c := range commands() {
		for _, n := range c.names[1:] {
			if len(n) > 2 {
				out = append(out, "."+n)
			}
		}
	}
	return out
}

// explain says what a command, function or option is.
func (sh *shell) explain(topic string) error {
	if c, ok := find(strings.TrimLeft(topic, `\.`)); ok && strings.ContainsAny(topic[:1], `\.`) {
		fmt.Fprintf(sh.term.Out, "\\%s %s\n  %s\n", c.names[0], c.args, c.doc)
		return nil
	}
	known := false
	// Of what TAB knows: functions where an expression stands, options in a WITH.
	for _, place := range []string{"SELECT ", "CREATE STREAM x (a INT) WITH ("} {
		for _, s := range sh.Engine.Suggest(sh.ctx, place+topic, len(place+topic)).Candidates {
			if strings.EqualFold(strings.TrimSuffix(s.Text, "("), topic) && s.Doc != "" {
				known = true
				fmt.Fprintf(sh.term.Out, "%s %s\n  %s\n", s.Kind, strings.TrimSuffix(s.Text, "("), s.Doc)
			}
		}
	}
	if !known {
		return fmt.Errorf("nothing is known of %s: \\df and \\do list functions and options", topic)
	}
	return nil
}
