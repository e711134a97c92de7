package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
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

// writeStart resolves where the sources begin and end, once; partitions that came later, and those of a topic that was created
// again, begin at their beginning. Those of a source with an end that came later have no part in it.
func writeStart(ctx context.Context, c Config, q *plan.Query, old *entry, counts map[string]int32, ids map[string]string) error {
	r := entry{Kind: "start", Query: q.Name, Plan: q.Fingerprint, Positions: map[string][]int64{}, Ends: map[string][]int64{}, IDs: map[string]string{}, Declared: map[string]span{}}
	if _, tells := q.Watermarks(); tells {
		r.Target = q.Sink.Topic()
	}
	for _, s := range q.Sources {
		declared := span{s.Start, s.End}
		if r.Positions[s.Topic] != nil {
			if first := r.Declared[s.Topic]; first != declared {
				return fmt.Errorf("two relations over topic %s read it %s and %s: a query reads a topic once; declare the same start and end", s.Topic, first, declared)
			}
			continue // two relations over one topic
		}
		r.Declared[s.Topic], r.IDs[s.Topic] = declared, ids[s.Topic]
		ps := connectors.PartitionsOf(s.Topic, counts[s.Topic])
		from, to, err := c.place(ctx, s, ps, old != nil)
		if err != nil {
			return err
		}
		var was, ended []int64
		if old != nil {
			was, ended = old.Positions[s.Topic], old.Ends[s.Topic]
			if len(ps) > len(was) && !onlyShuffles(q, s.Topic) {
				return stateByPartition(s.Topic, len(was), len(ps))
			}
		}
		if old != nil && old.IDs[s.Topic] != ids[s.Topic] {
			c.Logger.Warn("a topic was deleted and created again; going on with what is there", "query", q.Name, "topic", s.Topic)
			was, ended = nil, nil
		}
		r.Positions[s.Topic] = continued(was, from, ps)
		if s.End != "" {
			r.Ends[s.Topic] = continued(ended, to, ps)
		}
	}
	return c.write(ctx, r)
}

// continued are the offsets of a topic's partitions: as they were, and new ones for those that came later.
func continued(was []int64, now map[connectors.Partition]int64, ps []connectors.Partition) []int64 {
	out := make([]int64, len(ps))
	for i, p := range ps {
		out[i] = now[p]
		if i < len(was) {
			out[i] = was[i]
		}
	}
	return out
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
	if err := missing(start, c, q); err != nil {
		return err
	}
	for _, s := range q.Sources {
		if was, is := start.IDs[s.Topic], ids[s.Topic]; was != is && !s.ContinueOnLoss {
			return fmt.Errorf("topic %s was deleted and created again since the query began: its offsets mean other records now. Start the query under a new name, or declare on_data_loss='continue' to go on with what is there", s.Topic)
		}
		if was, is := start.Declared[s.Topic], (span{s.Start, s.End}); was.End != is.End && start.Declared != nil {
			return fmt.Errorf("source %s was read %s when the query began, and is declared %s now: start the query under a new name, or reset it", s.Name, was, is)
		} else if was.Start != is.Start && start.Declared != nil {
			c.Logger.Info("the query goes on where it stands; another start has no effect on one that has begun", "query", q.Name, "source", s.Name, "was", was, "is", is)
		}
		if n := len(start.Positions[s.Topic]); n > int(counts[s.Topic]) {
			return fmt.Errorf("topic %s has %d partitions, the query began with %d: it was created again with fewer. Start the query under a new name", s.Topic, counts[s.Topic], n)
		}
	}
	return nil
}

// missing refuses to go on without a topic that was one of those of a relation with several, unless it may lose records.
func missing(start *entry, c Config, q *plan.Query) error {
	for topic := range start.Positions {
		if slices.ContainsFunc(q.Sources, func(s *catalog.Relation) bool { return s.Topic == topic }) {
			continue
		}
		if !slices.ContainsFunc(q.Sources, func(s *catalog.Relation) bool { return s.Part != 0 && s.ContinueOnLoss }) {
			return fmt.Errorf("topic %s was read when the query began, and is not among its sources now: it was deleted, or is not named any more. Start the query under a new name, or declare on_data_loss='continue' to go on without it", topic)
		}
		c.Logger.Warn("a topic that was read is gone; going on without it", "query", q.Name, "topic", topic)
	}
	return nil
}
