package streamsql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format/infer"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/parser"
)

// inferTable are the options of INFER's own; those of formats may stand beside them.
var inferTable = []connectors.Option{
	{Name: "name", Doc: "name of the proposed stream or table; default: made of the topic's"},
	{Name: "samples", Type: connectors.IntOption, Default: "1000", Doc: "how many records to look at: of each partition the first and the last ones"},
	{Name: "timeout", Type: connectors.DurationOption, Default: "5s", Doc: "how long to read at most; then what was read must do"},
}

// infer is INFER FROM TOPIC: statements that read the topic, guessed from some of its records, a line each row.
func (e *Engine) infer(ctx context.Context, st *ast.Infer) (outcome, error) {
	o, formats, err := e.inferOptions(st)
	if err != nil {
		return outcome{}, err
	}
	s, err := e.sample(ctx, st, o)
	if err != nil {
		return outcome{}, err
	}
	opts := infer.Options{Name: o.Get("name"), Quote: parser.QuoteName, FormatOptions: maps.Clone(e.opts.Formats), Written: slices.Sorted(maps.Keys(formats))}
	if opts.FormatOptions == nil {
		opts.FormatOptions = map[string]string{}
	}
	maps.Copy(opts.FormatOptions, formats)
	p, err := infer.Propose(ctx, s, opts)
	switch {
	case errors.Is(err, infer.ErrNothing) && len(s.Runs) > 0:
		return outcome{}, ast.Errorf(st.Topic.Pos(), "the records of topic %s that were looked at have no value", s.Topic).WithHint("look at more of them: WITH (samples = 100000)")
	case err != nil:
		return outcome{}, ast.Errorf(st.Topic.Pos(), "topic %s: %v", s.Topic, err).WithHint("PRINT %s FROM BEGINNING LIMIT 10 shows records; where a schema registry is, WITH (registry.url = '…') says", parser.QuoteName(s.Topic))
	}
	var rows [][]string
	for line := range strings.Lines(p.SQL()) {
		rows = append(rows, []string{strings.TrimSuffix(line, "\n")})
	}
	return outcome{rows: texts([]string{"ddl"}, rows...)}, nil
}

// inferOptions are the statement's own options, and those of formats.
func (e *Engine) inferOptions(st *ast.Infer) (*connectors.Options, map[string]string, error) {
	formats := slices.Concat(formatTables()...)
	table := slices.Concat(inferTable, formats)
	own, of := map[string]string{}, map[string]string{}
	for _, o := range st.Options {
		if _, err := connectors.CheckOptions(table, nil, map[string]string{o.Name: o.Value}); err != nil {
			return nil, nil, ast.Errorf(o.Span, "%v", err)
		}
		if slices.ContainsFunc(formats, func(x connectors.Option) bool { return x.Name == o.Name }) {
			of[o.Name] = o.Value
		} else {
			own[o.Name] = o.Value
		}
	}
	o, err := connectors.CheckOptions(inferTable, nil, own)
	if err == nil && o.Int("samples") < 1 {
		err = ast.Errorf(st.Pos(), "samples = 0 is nothing to guess from").WithHint("leave it out for 1000")
	}
	return o, of, err
}

// sample reads the first and the last records of each partition.
func (e *Engine) sample(ctx context.Context, st *ast.Infer, o *connectors.Options) (infer.Sample, error) {
	name := st.Topic.Name
	infos, err := e.cluster.Topics(connectors.WithConfigs(ctx), name)
	if err != nil {
		return infer.Sample{}, err
	}
	info, ok := infos[name]
	if !ok {
		return infer.Sample{}, ast.Errorf(st.Topic.Pos(), "topic %s does not exist", name).WithHint("SHOW TOPICS lists them")
	}
	s := infer.Sample{Topic: name, Partitions: info.Partitions, Compacted: strings.Contains(info.Configs["cleanup.policy"], "compact")}
	ps := connectors.PartitionsOf(name, info.Partitions)
	starts, ends, err := connectors.Extent(ctx, e.cluster, ps...)
	if err != nil {
		return s, err
	}
	limit := time.Duration(o.Duration("timeout")) * time.Microsecond
	reading, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	half := max(1, o.Int("samples")/int64(2*len(ps)))
	for _, p := range ps {
		s.Total += ends[p] - starts[p]
		for _, part := range halves(starts[p], ends[p], half) {
			if err := e.run(reading, &s, p, part); err != nil {
				return s, err
			}
		}
	}
	if len(s.Runs) > 0 {
		return s, ctx.Err()
	}
	if reading.Err() != nil && ctx.Err() == nil {
		return s, ast.Errorf(st.Topic.Pos(), "nothing of topic %s could be read in %s", name, limit).WithHint("a transaction may be open at its beginning; WITH (timeout = '1m') waits longer")
	}
	return s, ast.Errorf(st.Topic.Pos(), "topic %s is empty: there is nothing to guess from", name).WithHint("declare its columns: CREATE STREAM … (id VARCHAR, …) WITH (topic = '%s')", name)
}

// halves are the ranges of the first and the last n offsets of [from, to), one when they meet.
func halves(from, to, n int64) [][2]int64 {
	if to-from <= 2*n {
		return [][2]int64{{from, to}}
	}
	return [][2]int64{{from, from + n}, {to - n, to}}
}

// run reads a range of a partition as a run of the sample; what was read when reading ends must do.
func (e *Engine) run(reading context.Context, s *infer.Sample, p connectors.Partition, part [2]int64) error {
	if part[0] >= part[1] || reading.Err() != nil {
		return nil
	}
	var records []connectors.Record
	err := e.cluster.Read(reading, p, part[0], part[1], func(rs []connectors.Record) error {
		records = append(records, rs...)
		return nil
	})
	if len(records) > 0 {
		s.Runs = append(s.Runs, records)
	}
	if err != nil && reading.Err() == nil {
		return fmt.Errorf("reading %s, partition %d: %w", p.Topic, p.Partition, err)
	}
	return nil
}
