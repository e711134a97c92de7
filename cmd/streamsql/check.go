package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/streamsql-go/streamsql"
)

func (a *app) checkCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use: "check file.sql…", Short: "Find the mistakes in files, all at once, without running anything",
		Long: `Read and plan the statements of files without a cluster, and print every mistake with its place. The exit code is 3 when
there is one. Each file stands by itself. - is standard input.`,
		Args: needsFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf(format, "text", "json"); err != nil {
				return usagef("--format %s: %v", format, err)
			}
			return a.check(args, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "`text|json`; json is one object a line")
	return cmd
}

func needsFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s: which file? (- is standard input)", cmd.Name())
	}
	return nil
}

// mistake is the form of --format json.
type mistake struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Unsupported names a feature of the dialect that does not run.
	Unsupported string `json:"unsupported,omitempty"`
}

func (a *app) check(paths []string, format string) error {
	scripts, err := a.read(paths)
	if err != nil {
		return err
	}
	var all mistakes
	for _, s := range scripts {
		all = append(all, streamsql.Check(s.name, s.text, a.config.define)...)
	}
	if len(all) == 0 {
		return nil
	}
	for _, e := range all {
		if format == "text" {
			fmt.Fprintln(a.stdout, e.Error())
			continue
		}
		line, column := e.Place()
		text, err := json.Marshal(mistake{e.File, line, column, e.Msg, e.Hint, e.Unsupported})
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s\n", text)
	}
	return failure{exitSQL}
}
