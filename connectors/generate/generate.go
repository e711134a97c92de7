// Package generate is the connector 'generate': rows made up by rules, the same for the same seed.
//
// Each column has a rule, given as generate.<column> or chosen by its type:
//
//	sequence            the row's number from 1; sequence(n) from n. Integers, DECIMAL, DOUBLE, text
//	id(prefix,width)    prefix and the row's number from 1 in at least width digits: id(m-,12) is m-000000000001. Text
//	ref(prefix,n)       prefix and a number of 1…n: ref(c-,1000) refers to the rows of id(c-,1). Text
//	uniform(a,b)        a number of [a,b], evenly; DOUBLE: [a,b). Numbers
//	choice(x,y,…)       one of the values. Every scalar type
//	words(n)            n words. Text
//	time                the row's event time. TIMESTAMP, DATE, TIME; in integers milliseconds since the epoch
//
// After a rule may stand repeat(p) or repeat(p,n): p percent of the rows take over the value of one of the n (1000) rows
// before; and null(p): p percent are NULL. "repeat(10)" alone is the column's default rule with repeats.
//
// Without a rule: integers are uniform over 0…keys-1, text is ref(<column>-,keys), DOUBLE and DECIMAL uniform(0,100),
// BOOLEAN choice(false,true), times the event time, VARBINARY eight bytes, documents such values in objects and arrays.
//
// Row i (from 0) has the event time start + i × interval, less a random part of disorder; it is the record's timestamp.
// Without a start no row is ahead of the clock when it is written: of a number of rows the last one is at that moment, and
// the event times of endless rows end at the clock. What a row holds but for its times depends on the seed, its number, the
// columns and rules; with start and interval given, its times depend on nothing else either.
package generate

import (
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/pace"
	"github.com/streamsql-go/streamsql/connectors/random"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Table are the connector's options.
var Table = []connectors.Option{
	{Name: "generate.rows", Type: connectors.IntOption, Default: "0", Doc: "how many rows; 0: without end"},
	{Name: "generate.rate", Type: connectors.IntOption, Default: "0", Doc: "rows per second; 0: as fast as they are taken"},
	{Name: "generate.seed", Type: connectors.IntOption, Default: "1", Doc: "equal seeds make equal rows"},
	{Name: "generate.start", Type: connectors.TextOption, Doc: "event time of the first row: 'now', '2026-01-01T00:00:00Z', or milliseconds since the epoch; without it no row is ahead of the clock: generate.rows end now, endless rows follow the clock"},
	{Name: "generate.interval", Type: connectors.DurationOption, Doc: "event time from row to row; default: 1 / generate.rate, or else 1ms (endless rows: the clock). Rows from a generate.start on may run ahead of the clock; more than max_future ahead they are refused"},
	{Name: "generate.disorder", Type: connectors.DurationOption, Default: "0s", Doc: "rows are up to this much earlier in event time than their place says"},
	{Name: "generate.keys", Type: connectors.IntOption, Default: "1000", Doc: "how many different values an integer or text column without a rule has"},
	{Name: "generate.<column>", Type: connectors.TextOption, Default: "by type", Doc: "the column's rule: sequence, id(prefix,width), ref(prefix,n), uniform(a,b), choice(x,y,…), words(n), time; then repeat(percent[,n]), null(percent)"},
}

const defaultInterval = types.MicrosPerMilli

// Generator makes the rows of one relation. It belongs to one goroutine.
type Generator struct {
	rows    int64
	rate    int64
	times   pace.Times
	columns []column
}

type column struct {
	name string
	seed uint64
	rule rule
}

// New checks the options of a relation against its columns and makes its generator. Now is the start when none is given.
func New(cols []types.Column, given map[string]string, now time.Time) (*Generator, error) {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = c.Name
	}
	o, err := connectors.CheckOptions(Table, names, given)
	if err != nil {
		return nil, err
	}
	g := &Generator{rows: o.Int("generate.rows"), rate: o.Int("generate.rate")}
	if g.times, err = pace.NewTimes(pace.Spec{Options: o, Owner: "generate", Count: "generate.rows", Interval: defaultInterval}, now); err != nil {
		return nil, err
	}
	seed := uint64(o.Int("generate.seed"))
	keys := o.Int("generate.keys")
	if keys == 0 {
		return nil, fmt.Errorf("option 'generate.keys' must be at least 1")
	}
	for _, c := range cols {
		text := o.Get("generate." + c.Name)
		r, err := newRule(c, text, keys)
		if err != nil {
			return nil, fmt.Errorf("option 'generate.%s' = '%s': %w", c.Name, text, err)
		}
		g.columns = append(g.columns, column{c.Name, random.Seed(seed, strings.ToLower(c.Name)), r})
	}
	return g, nil
}

// EventTime is the event time of row n (from 0), in microseconds.
func (g *Generator) EventTime(n uint64) int64 { return g.times.At(n) }

// Append appends row n (from 0) to cols, one per column of the relation.
func (g *Generator) Append(cols []*vector.Vector, n uint64) {
	us := g.EventTime(n)
	for i := range g.columns {
		c := &g.columns[i]
		c.rule.append(cols[i], c.seed, n, us)
	}
}
