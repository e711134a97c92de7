package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) resetCommand() *cobra.Command {
	sure := false
	cmd := &cobra.Command{
		Use: "reset --name app query", Short: "Forget where a query is, so that it begins anew",
		Long: `Delete what a query that does not run keeps: its consumer group, its repartition and changelog topics, its state in this
instance's state directory. Without --yes it only says what would go. Its next start is a first one: it may have another
plan, and it reads its sources from where they start, so rows that are in the target already may come again. Targets, dead
letters and late records stay.`,
		Example: `  streamsql reset -b kafka-1:9092 --name dedup clicks_once
  streamsql reset -b kafka-1:9092 --name dedup clicks_once --yes`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("reset: which query? (the name of its target)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.config.options.Name == "" {
				return usagef("reset: of which application? give its --name (by default the base name of the file that it ran)")
			}
			act := a.remains
			if sure {
				act = a.reset
			}
			return act(cmd.Context(), args[0])
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "do it")
	return cmd
}

// remains says what reset would delete.
func (a *app) remains(ctx context.Context, query string) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	r, err := s.Remains(ctx, query)
	if err == nil {
		fmt.Fprintf(a.stdout, "group  %s\n", r.Group)
		for _, t := range r.Topics {
			fmt.Fprintf(a.stdout, "topic  %s\n", t)
		}
		fmt.Fprintf(a.stdout, "state  %s\n", r.StateDir)
		fmt.Fprintln(a.stderr, "nothing was deleted: --yes does it")
	}
	return s.end(err)
}

// reset deletes it.
func (a *app) reset(ctx context.Context, query string) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	r, err := s.Reset(ctx, query)
	if err == nil {
		fmt.Fprintf(a.stderr, "query %s was reset: deleted %s\n", query, strings.Join(append(append([]string{"group " + r.Group}, r.Topics...), r.StateDir), ", "))
	}
	return s.end(err)
}
