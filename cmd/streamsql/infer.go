package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) inferCommand() *cobra.Command {
	name, samples := "", int64(0)
	cmd := &cobra.Command{
		Use: "infer topic", Short: "Propose the CREATE statement that reads a topic",
		Long: `Look at some of a topic's records and write the CREATE statement that reads them: format, columns, key, partitioner, disorder. What
was guessed rather than seen is in comments. Look it over, then run it. INFER FROM TOPIC in SQL does the same.`,
		Example: `  streamsql infer -b kafka-1:9092 orders > orders.sql`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("infer: which topic?")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(a.config.options.Brokers) == 0 && a.config.options.DataDir == "" {
				return usagef("infer: on which cluster? give -b host:port (or --data-dir of a broker in this process)")
			}
			var with []string
			if name != "" {
				with = append(with, "name = "+literal(name))
			}
			if samples > 0 {
				with = append(with, fmt.Sprintf("samples = %d", samples))
			}
			return a.infer(cmd.Context(), args[0], with)
		},
	}
	cmd.Flags().StringVar(&name, "as", "", "`name` of the stream or table; default: made of the topic's")
	cmd.Flags().Int64Var(&samples, "samples", 0, "how many records to look at; default: 1000")
	return cmd
}

// literal is a string of the dialect.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// infer writes the proposed statements, whatever the format of rows is.
func (a *app) infer(ctx context.Context, topic string, with []string) error {
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	sql := "INFER FROM TOPIC " + literal(topic)
	if len(with) > 0 {
		sql += " WITH (" + strings.Join(with, ", ") + ")"
	}
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return s.end(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			return s.end(err)
		}
		fmt.Fprintln(a.stdout, row.Values[0].S)
	}
	return s.end(nil)
}
