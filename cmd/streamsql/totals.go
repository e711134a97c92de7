package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"
)

// totals are what a run did.
type totals struct {
	now     func() time.Time
	started time.Time
	queries []*streamsql.Query
	loaded  []*streamsql.Query // those that are waited for
	adhoc   bool               // there is a SELECT among them
}

func newTotals(now func() time.Time) *totals { return &totals{now: now, started: now()} }

// figures is the line of --stats json.
type figures struct {
	In        int64   `json:"in"`
	Out       int64   `json:"out"`
	Late      int64   `json:"late"`
	Bad       int64   `json:"bad"`
	LateTable int64   `json:"late_table"`
	Lost      int64   `json:"lost"`
	Aborts    int64   `json:"aborts"`
	Wall      float64 `json:"wall_seconds"`
	CPU       float64 `json:"cpu_seconds"`
	PeakRSS   int64   `json:"peak_rss_bytes"`
}

func (t *totals) figures() figures {
	f := figures{Wall: t.now().Sub(t.started).Seconds()}
	for _, q := range t.queries {
		s := q.Stats()
		f.In += s.In
		f.Out += s.Out
		f.Late += s.Late + s.LateAfterIdle
		f.Bad += s.Bad + s.BadExpr
		f.LateTable += s.LateTable
		f.Lost += s.Lost
		f.Aborts += s.Aborts
	}
	f.CPU, f.PeakRSS = usage()
	return f
}

// statsFormat checks --stats.
func (a *app) statsFormat() error {
	switch a.flags.stats {
	case "", "json", "text":
		return nil
	}
	return usagef("--stats %s: use json or text", a.flags.stats)
}

// printStats prints the last line: with --stats json to standard output, else to standard error when a person may want it.
func (a *app) printStats(t *totals) error {
	f := t.figures()
	if a.flags.stats == "json" {
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.stdout, "%s\n", line)
		return err
	}
	if a.flags.stats == "text" || len(t.queries) > 0 && (t.adhoc || a.flags.until != "") {
		fmt.Fprintln(a.stderr, f)
	}
	return nil
}

// String is one line for people.
func (f figures) String() string {
	parts := []string{render.Grouped(f.In) + " in", render.Grouped(f.Out) + " out"}
	if f.Late > 0 {
		parts = append(parts, render.Grouped(f.Late)+" late")
	}
	if f.Bad > 0 {
		parts = append(parts, render.Grouped(f.Bad)+" bad")
	}
	if f.LateTable > 0 {
		parts = append(parts, render.Grouped(f.LateTable)+" late for the rows they match")
	}
	if f.Lost > 0 {
		parts = append(parts, render.Grouped(f.Lost)+" lost")
	}
	parts = append(parts, fmt.Sprintf("%.2f s", f.Wall))
	if f.Wall > 0 && f.In > 0 {
		parts = append(parts, render.Grouped(int64(float64(f.In)/f.Wall))+" records/s")
	}
	return strings.Join(parts, " · ")
}
