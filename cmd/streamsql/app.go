package main

import (
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/streamsql-go/streamsql"
)

// app is the program: its streams and, once a command runs, its configuration.
type app struct {
	stdin   *os.File
	stdout  *os.File
	stderr  *os.File
	getenv  func(string) string
	environ func() []string

	flags  flags
	config config
	log    *slog.Logger
	page   string // its address, "": there is none
}

// flags are those that are no settings of the configuration.
type flags struct {
	config  string
	extra   []string // -X
	define  []string // -D
	verbose int
	until   string
	stats   string
	command []string // -c
	file    []string // -f
}

const about = `streamsql runs streaming SQL over Kafka.

Without a command it is a prompt; with SQL on standard input, with -c or with -f it is a filter: it runs the statements
one after the other, prints rows to standard output and everything else to standard error.

Without -b a broker runs in this process, in memory (--data-dir keeps its records).

Every setting below can also be given as -X setting=value, as an environment variable (STREAMSQL_STATE_DIR for
--state-dir), and in streamsql.yaml or the file named by --config (state_dir: …). The first of these that says something
counts, a flag before all. TLS, login and the like: -X kafka.sasl.user=…, STREAMSQL_KAFKA_SASL_USER, kafka: {sasl.user: …};
SHOW OPTIONS lists them.

Exit codes: 0 done, or stopped by a signal; 1 failure while running; 2 usage or configuration; 3 mistake in SQL;
130 ended by a second signal.`

const samples = `  streamsql dev                              see it work, without Kafka
  streamsql -b localhost:9092                prompt on a cluster
  streamsql -b localhost:9092 run job.sql    run the queries of a file until SIGTERM
  streamsql run --until end job.sql          run them over what is there, and end
  echo 'SHOW FUNCTIONS;' | streamsql -o csv  filter`

// main runs the program and returns its exit code.
func (a *app) main(args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.report(root.Execute())
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "streamsql", Short: "Streaming SQL over Kafka", Long: about, Example: samples, Version: version(),
		SilenceErrors: true, SilenceUsage: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := ""
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = ": did you mean " + near[0] + "?"
			} else if strings.HasSuffix(args[0], ".sql") {
				hint = ": did you mean streamsql run " + args[0] + "?"
			}
			return usagef("unknown command %q%s (streamsql --help lists them)", args[0], hint)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.configure(cmd) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.interactive(cmd.Context()) },
	}
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v (%s --help lists the flags)", err, cmd.CommandPath())
	})
	p := root.PersistentFlags()
	p.SortFlags = false
	root.Flags().SortFlags = false
	for _, s := range settings() {
		p.StringP(s.flag(), s.short, "", s.doc)
	}
	p.StringArrayVarP(&a.flags.extra, "extra", "X", nil, "any `setting=value`, such as kafka.tls=true")
	p.StringArrayVarP(&a.flags.define, "define", "D", nil, "let ${var} in SQL stand for a value: `var=value`")
	p.StringVar(&a.flags.config, "config", "", "configuration `file` (default streamsql.yaml, if there is one)")
	p.CountVarP(&a.flags.verbose, "verbose", "v", "log more: -v facts, -vv details")
	root.Flags().StringArrayVarP(&a.flags.command, "command", "c", nil, "run this `SQL` and end")
	root.Flags().StringArrayVarP(&a.flags.file, "file", "f", nil, "run the SQL of this `file`, statement by statement, and end")
	a.bounds(root)
	root.AddCommand(a.runCommand(), a.checkCommand(), a.explainCommand(), a.inferCommand(), a.testCommand(), a.resetCommand(), a.devCommand())
	return root
}

// bounds adds the flags of what may end by itself.
func (a *app) bounds(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&a.flags.until, "until", "", "`end|caught-up`: end when all that was in the sources at the start has gone through, and close all windows; or leave them open")
	cmd.Flags().StringVar(&a.flags.stats, "stats", "", "`json|text`: the last line says what was done: on standard output, or as text on standard error")
}

// until is the value of --until.
func (a *app) until() (streamsql.Until, error) {
	switch a.flags.until {
	case "":
		return streamsql.Endless, nil
	case "end":
		return streamsql.UntilEnd, nil
	case "caught-up":
		return streamsql.UntilCaughtUp, nil
	}
	return streamsql.Endless, usagef("--until %s: use end or caught-up", a.flags.until)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// logger writes to standard error: warnings, with -v facts, with -vv details.
func logger(w io.Writer, format string, verbose int) *slog.Logger {
	level := slog.LevelWarn - slog.Level(4*min(verbose, 2))
	o := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(w, o)
	if format == "json" {
		h = slog.NewJSONHandler(w, o)
	}
	return slog.New(newSparing(h))
}

// version is that of the module, as it was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version + " " + info.GoVersion
}
