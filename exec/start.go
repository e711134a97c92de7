package exec

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// samePlan refuses a changed plan. The count of a source that only feeds shuffles is not in the plan; one that has grown and
// changed it was read in place.
func samePlan(start *entry, q *plan.Query, counts map[string]int32) error {
	if start.Plan == q.Fingerprint {
		return nil
	}
	for _, s := range q.Sources {
		if was, ok := start.Positions[s.Topic]; ok && int(counts[s.Topic]) > len(was) {
			return stateByPartition(s.Topic, len(was), int(counts[s.Topic]))
		}
	}
	return &PlanError{q.Name, start.Plan, q.Fingerprint}
}

func stateByPartition(topic string, was, is int) error {
	return fmt.Errorf("topic %s has grown from %d to %d partitions, and the query keeps state by them, or needs the rows of a key in one of them: start it under a new name", topic, was, is)
}

// grown says whether a source has more partitions than when the query was begun.
func grown(start *entry, q *plan.Query, counts map[string]int32) bool {
	for _, s := range q.Sources {
		if int(counts[s.Topic]) > len(start.Positions[s.Topic]) {
			return true
		}
	}
	return false
}

// recreated says whether a source was deleted and created again that may lose records, and has no fewer partitions.
func recreated(start *entry, q *plan.Query, counts map[string]int32, ids map[string]string) bool {
	for _, s := range q.Sources {
		if s.ContinueOnLoss && start.IDs[s.Topic] != ids[s.Topic] && int(counts[s.Topic]) >= len(start.Positions[s.Topic]) {
			return true
		}
	}
	return false
}

// writeStart resolves the sources' start once; partitions that came later, and those of a topic that was created again, begin
// at their beginning.
func writeStart(ctx context.Context, c Config, q *plan.Query, old *entry, counts map[string]int32, ids map[string]string) error {
	r := entry{Kind: "start", Query: q.Name, Plan: q.Fingerprint, Positions: map[string][]int64{}, IDs: map[string]string{}}
	begins := map[string]string{}
	for _, s := range q.Sources {
		if r.Positions[s.Topic] != nil {
			if first := begins[s.Topic]; first != s.Start {
				return fmt.Errorf("two relations over topic %s begin at '%s' and at '%s': a query reads a topic once; declare the same start", s.Topic, cmp.Or(first, "earliest"), cmp.Or(s.Start, "earliest"))
			}
			continue // two relations over one topic
		}
		ps := all(s.Topic, counts[s.Topic])
		begin := s.Start
		begins[s.Topic] = begin
		if old != nil {
			begin = "earliest" // what a source grew is read from its beginning
		}
		at, err := resolve(ctx, c, begin, ps)
		if err != nil {
			return fmt.Errorf("start of %s: %w", s.Name, err)
		}
		var was []int64
		if old != nil {
			was = old.Positions[s.Topic]
			if len(ps) > len(was) && !onlyShuffles(q, s.Topic) {
				return stateByPartition(s.Topic, len(was), len(ps))
			}
		}
		if old != nil && old.IDs[s.Topic] != ids[s.Topic] {
			c.Logger.Warn("a topic was deleted and created again; going on with what is there", "query", q.Name, "topic", s.Topic)
			was = nil
		}
		for i, p := range ps {
			if i < len(was) {
				at[p] = was[i]
			}
			r.Positions[s.Topic] = append(r.Positions[s.Topic], at[p])
		}
		r.IDs[s.Topic] = ids[s.Topic]
	}
	return c.write(ctx, r)
}

// onlyShuffles says whether a source's fragments keep no state and do not rely on where the source's producers put a key.
func onlyShuffles(q *plan.Query, topic string) bool {
	for _, f := range q.Fragments {
		for _, in := range f.Inputs {
			if s, ok := in.Node.(*plan.Scan); ok && s.Relation.Topic == topic && (len(f.States) > 0 || s.KeyCheck) {
				return false
			}
		}
	}
	return true
}

// resolve turns the start option into offsets: earliest, latest, -n (the last n records of each partition), an instant.
func resolve(ctx context.Context, c Config, start string, ps []connectors.Partition) (map[connectors.Partition]int64, error) {
	switch strings.ToLower(start) {
	case "", "earliest":
		return c.Cluster.Starts(ctx, ps...)
	case "latest":
		return c.Cluster.Ends(ctx, ps...)
	}
	if millis, err := strconv.ParseInt(start, 10, 64); err == nil && millis >= 0 {
		return c.Cluster.OffsetsAt(ctx, millis, ps...)
	}
	if strings.HasPrefix(start, "-") {
		n, err := strconv.ParseInt(start[1:], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("start='%s': use earliest, latest, an instant, or -n for the last n records of each partition", start)
		}
		starts, err := c.Cluster.Starts(ctx, ps...)
		if err != nil {
			return nil, err
		}
		ends, err := c.Cluster.Ends(ctx, ps...)
		for p := range ends {
			ends[p] = max(starts[p], ends[p]-n)
		}
		return ends, err
	}
	micros, err := types.ParseTimestamp(start)
	if err != nil {
		return nil, fmt.Errorf("start='%s': use earliest, latest, an instant such as '2026-01-01 00:00:00', or -n for the last n records of each partition", start)
	}
	return c.Cluster.OffsetsAt(ctx, micros/1000, ps...)
}

// PlanError refuses a query that runs another plan than the one its state and topics were made by.
type PlanError struct{ Query, Was, Is string }

// Error says what to do.
func (e *PlanError) Error() string {
	return fmt.Sprintf("query %s was begun with another plan (%.12s, now %.12s): its state and internal topics do not fit. Give the new one another name (--name, or another target) to run side by side, or reset it: streamsql reset (Engine.Reset)", e.Query, e.Was, e.Is)
}

// fits refuses a changed plan and a topic that was created again.
func fits(start *entry, c Config, q *plan.Query, counts map[string]int32, ids map[string]string) error {
	if err := samePlan(start, q, counts); err != nil {
		return err
	}
	for _, s := range q.Sources {
		if was, is := start.IDs[s.Topic], ids[s.Topic]; was != is && !s.ContinueOnLoss {
			return fmt.Errorf("topic %s was deleted and created again since the query began: its offsets mean other records now. Start the query under a new name, or declare on_data_loss='continue' to go on with what is there", s.Topic)
		}
		if n := len(start.Positions[s.Topic]); n > int(counts[s.Topic]) {
			return fmt.Errorf("topic %s has %d partitions, the query began with %d: it was created again with fewer. Start the query under a new name", s.Topic, counts[s.Topic], n)
		}
	}
	return nil
}
