// Package infer guesses from samples of a topic how its records are written, and proposes the CREATE statements that read
// them. What it guessed rather than saw, it says in comments. It decides nothing: the text is for a person to look over.
//
// Value formats: JSON objects, CSV and TSV, plain text, Kafka's primitive serialisations, and what a schema registry knows. A
// column takes the narrowest type that holds every value seen, with room to spare: BOOLEAN; INT, BIGINT, BIGINT UNSIGNED, DECIMAL,
// DOUBLE; DATE, TIME, TIMESTAMP for ISO 8601 text; VARCHAR for the rest; STRUCT, MAP and ARRAY of those; JSON where values are
// of several kinds. The key is declared where the Kafka key's bytes are those of columns in every sample.
package infer

import (
	"context"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Sample is what was read of a topic.
type Sample struct {
	Topic      string
	Partitions int32
	Total      int64 // records in the topic, about
	Compacted  bool
	// Runs are records of one partition each, in the order of their offsets without gaps.
	Runs [][]connectors.Record
}

// Options are the caller's part.
type Options struct {
	Name  string              // of the relation; "": made of the topic's
	Quote func(string) string // writes a name as the dialect needs it
	// FormatOptions are options of formats that say where a schema registry is, if there is one. Those in Written stand in the
	// proposed statements.
	FormatOptions map[string]string
	Written       []string
}

// ErrNothing is the error of a sample without a value that could be looked at.
var ErrNothing = errors.New("there is no record with a value to look at")

// Proposal is what was found.
type Proposal struct {
	sample  Sample
	opts    Options
	records []*connectors.Record // with a value
	nulls   int                  // records without

	format  string
	options map[string]string // of the format, beside those of opts
	columns []column
	heads   []column // those that are headers
	bad     int      // records that the proposal does not read

	key      *key  // nil: no record has a key
	repeated bool  // some keys come more than once
	guessed  []int // the primary key of a table whose key is not known

	times    []candidate
	disorder int64    // of the records' own timestamps, microseconds
	notes    []string // about the whole
}

// column is one proposed column.
type column struct {
	name string
	typ  types.Type
	note string
}

// Propose looks at samples, and asks a schema registry, until ctx ends, when they were written by way of one. An error says
// what no statement could be made of.
func Propose(ctx context.Context, s Sample, o Options) (*Proposal, error) {
	p := &Proposal{sample: s, opts: o}
	keys := map[string]bool{}
	for _, run := range s.Runs {
		for i := range run {
			r := &run[i]
			if r.Key != nil {
				p.repeated = p.repeated || keys[string(r.Key)]
				keys[string(r.Key)] = true
			}
			if r.Value == nil {
				p.nulls++
				continue
			}
			p.records = append(p.records, r)
		}
	}
	if len(p.records) == 0 {
		return nil, ErrNothing
	}
	if err := p.values(ctx); err != nil {
		return nil, err
	}
	if err := p.keys(ctx, len(keys)); err != nil {
		return nil, err
	}
	p.cloudEvents()
	if p.key == nil && p.format == changeEvents {
		p.primary()
	}
	p.findTimes(ctx)
	return p, nil
}

// note adds a remark about the whole.
func (p *Proposal) note(text string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(text, args...))
}
