package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/streamsql-go/streamsql"
)

func (a *app) explainCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use: "explain file.sql", Short: "Show the plan of every query of a file",
		Long: `Show the plan of every query of a file: what runs where, what is shuffled and why, what state is kept and what bounds it.
With -b the cluster is asked for partition counts; without, those that the file does not say show as ?. Nothing is created
and nothing runs.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("explain: one file (- is standard input)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf(format, "text", "json"); err != nil {
				return usagef("--format %s: %v", format, err)
			}
			return a.explain(cmd.Context(), args, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "`text|json`; json is one object a line")
	return cmd
}

func (a *app) explain(ctx context.Context, paths []string, format string) error {
	scripts, err := a.read(paths)
	if err != nil {
		return err
	}
	if err := a.nameAfter(scripts); err != nil {
		return err
	}
	plans, errs, err := a.plans(ctx, scripts[0])
	if err != nil {
		return err
	}
	if len(errs) > 0 {
		return mistakes(errs)
	}
	for i, p := range plans {
		if format == "json" {
			text, err := json.Marshal(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%s\n", text)
			continue
		}
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprint(a.stdout, p.String())
	}
	if len(plans) == 0 {
		fmt.Fprintf(a.stderr, "%s has no query\n", scripts[0].name)
	}
	return nil
}

// plans plans offline, or with the brokers that were given.
func (a *app) plans(ctx context.Context, x script) ([]streamsql.Plan, []*streamsql.SQLError, error) {
	if len(a.config.options.Brokers) == 0 {
		plans, errs := streamsql.Explain(x.name, x.text, a.config.options.Name, a.config.define)
		return plans, errs, nil
	}
	s, err := a.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	plans, errs := s.Plans(ctx, x.name, x.text)
	return plans, errs, s.close()
}
