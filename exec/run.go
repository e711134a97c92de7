package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// run is what an application's meta topic says about a query: where its sources were begun, and the bounded run under way.
type run struct {
	number         int // 0: endless
	starts         map[connectors.Partition]int64
	ends           map[connectors.Partition]int64 // nil: endless
	counts         map[string]int32
	ids            map[string]string
	sinkPartitions int32
	finished       map[string]bool // tasks whose end was written down
	checked        int64
}

// record is one entry of <app>.meta. The first record of a kind (of a run number) wins, whoever else wrote one.
type record struct {
	Kind      string             `json:"kind"` // "start", "run", "finished"
	Query     string             `json:"query"`
	Run       int                `json:"run,omitempty"`
	Plan      string             `json:"plan,omitempty"` // fingerprint
	Positions map[string][]int64 `json:"positions,omitempty"`
	IDs       map[string]string  `json:"ids,omitempty"` // of the source topics
	Task      string             `json:"task,omitempty"`
}

func metaPartition(app string) connectors.Partition {
	return connectors.Partition{Topic: app + ".meta", Partition: 0}
}

// journal is the part of the meta topic about one query.
type journal struct {
	start *record
	runs  map[int]*record
	done  map[int]map[string]bool
	last  int
}

func readJournal(ctx context.Context, c connectors.Cluster, app, query string) (*journal, error) {
	j := &journal{runs: map[int]*record{}, done: map[int]map[string]bool{}}
	p := metaPartition(app)
	ends, err := c.Ends(ctx, p)
	if err != nil {
		return nil, err
	}
	return j, c.Read(ctx, p, 0, ends[p], func(rs []connectors.Record) error {
		for i := range rs {
			if err := j.add(rs[i].Value, query); err != nil {
				return fmt.Errorf("%s at offset %d: %w", p.Topic, rs[i].Offset, err)
			}
		}
		return nil
	})
}

func (j *journal) add(value []byte, query string) error {
	var r record
	if err := json.Unmarshal(value, &r); err != nil {
		return err
	}
	if r.Query != query {
		return nil
	}
	switch r.Kind {
	case "start":
		if j.start == nil || grows(j.start, &r) || renews(j.start, &r) {
			j.start = &r
		}
	case "run":
		if j.runs[r.Run] == nil {
			j.runs[r.Run] = &r
		}
		j.last = max(j.last, r.Run)
	case "finished":
		if j.done[r.Run] == nil {
			j.done[r.Run] = map[string]bool{}
		}
		j.done[r.Run][r.Task] = true
	}
	return nil
}

// renews says whether a start record is of other topics than an earlier one: they were deleted and created again.
func renews(old, news *record) bool {
	for t, was := range old.IDs {
		if is, ok := news.IDs[t]; ok && is != was {
			return true
		}
	}
	return false
}

// grows says whether a start record continues another one with more partitions.
func grows(old, news *record) bool {
	more := false
	for t, was := range old.Positions {
		is := news.Positions[t]
		if len(is) < len(was) {
			return false
		}
		more = more || len(is) > len(was)
	}
	return more
}

func (c Config) write(ctx context.Context, r record) error {
	v, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = c.Cluster.Write(ctx, connectors.Record{Topic: c.App + ".meta", Timestamp: c.now() / 1000, Value: v})
	return err
}

// openRun reads or writes where the query starts and, for a bounded one, where its run ends (semantics S8).
func openRun(ctx context.Context, c Config, q *plan.Query, counts map[string]int32, ids map[string]string) (*run, error) {
	jn, err := readJournal(ctx, c.Cluster, c.App, q.Name)
	if err != nil {
		return nil, err
	}
	if jn.start != nil {
		if err := samePlan(jn.start, q, counts); err != nil {
			return nil, err
		}
	}
	if jn.start == nil || grown(jn.start, q, counts) || recreated(jn.start, q, counts, ids) {
		if err := writeStart(ctx, c, q, jn.start, counts, ids); err != nil {
			return nil, err
		}
		if jn, err = readJournal(ctx, c.Cluster, c.App, q.Name); err != nil {
			return nil, err
		}
	}
	if err := fits(jn.start, c, q, counts, ids); err != nil {
		return nil, err
	}
	r := &run{starts: partitions(jn.start.Positions), counts: counts, ids: ids, finished: map[string]bool{}}
	if t := q.Sink.Topic(); t != "" {
		r.sinkPartitions = counts[t]
	}
	if c.Until == Endless {
		return r, nil
	}
	if jn.last == 0 || complete(jn.done[jn.last], q, partitions(jn.runs[jn.last].Positions)) {
		if err := writeRun(ctx, c, q, jn.last+1, counts); err != nil {
			return nil, err
		}
		if jn, err = readJournal(ctx, c.Cluster, c.App, q.Name); err != nil {
			return nil, err
		}
	}
	r.number, r.ends = jn.last, partitions(jn.runs[jn.last].Positions)
	return r, nil
}

// complete says whether every task of a run with these ends has finished. A task of a partition that a source has grown
// since has no part in it.
func complete(done map[string]bool, q *plan.Query, ends map[connectors.Partition]int64) bool {
	for _, f := range q.Fragments {
		for p := range f.Partitions {
			if !done[(wire.TaskID{Fragment: f.ID, Partition: p}).String()] && !came(f, p, ends) {
				return false
			}
		}
	}
	return true
}

// came says whether all that a task reads are source partitions that came after the run began.
func came(f *plan.Fragment, p int, ends map[connectors.Partition]int64) bool {
	for _, in := range f.Inputs {
		s, source := in.Node.(*plan.Scan)
		if !source {
			return false
		}
		if _, there := ends[connectors.Partition{Topic: s.Relation.Topic, Partition: int32(p)}]; there {
			return false
		}
	}
	return true
}

// samePlan refuses a changed plan. The count of a source that only feeds shuffles is not in the plan; one that has grown and
// changed it was read in place.
func samePlan(start *record, q *plan.Query, counts map[string]int32) error {
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
func grown(start *record, q *plan.Query, counts map[string]int32) bool {
	for _, s := range q.Sources {
		if int(counts[s.Topic]) > len(start.Positions[s.Topic]) {
			return true
		}
	}
	return false
}

// recreated says whether a source was deleted and created again that may lose records, and has no fewer partitions.
func recreated(start *record, q *plan.Query, counts map[string]int32, ids map[string]string) bool {
	for _, s := range q.Sources {
		if s.ContinueOnLoss && start.IDs[s.Topic] != ids[s.Topic] && int(counts[s.Topic]) >= len(start.Positions[s.Topic]) {
			return true
		}
	}
	return false
}

func partitions(m map[string][]int64) map[connectors.Partition]int64 {
	out := map[connectors.Partition]int64{}
	for t, at := range m {
		for p, o := range at {
			out[connectors.Partition{Topic: t, Partition: int32(p)}] = o
		}
	}
	return out
}

func writeRun(ctx context.Context, c Config, q *plan.Query, number int, counts map[string]int32) error {
	r := record{Kind: "run", Query: q.Name, Run: number, Positions: map[string][]int64{}}
	for _, s := range q.Sources {
		if r.Positions[s.Topic] != nil {
			continue // two relations over one topic
		}
		ps := all(s.Topic, counts[s.Topic])
		ends, err := c.Cluster.Ends(ctx, ps...)
		if err != nil {
			return err
		}
		for _, p := range ps {
			r.Positions[s.Topic] = append(r.Positions[s.Topic], ends[p])
		}
	}
	return c.write(ctx, r)
}

// writeStart resolves the sources' start once; partitions that came later, and those of a topic that was created again, begin
// at their beginning.
func writeStart(ctx context.Context, c Config, q *plan.Query, old *record, counts map[string]int32, ids map[string]string) error {
	r := record{Kind: "start", Query: q.Name, Plan: q.Fingerprint, Positions: map[string][]int64{}, IDs: map[string]string{}}
	for _, s := range q.Sources {
		if r.Positions[s.Topic] != nil {
			continue // two relations over one topic: where the first begins, both do
		}
		ps := all(s.Topic, counts[s.Topic])
		begin := s.Start
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

func all(topic string, n int32) []connectors.Partition {
	out := make([]connectors.Partition, n)
	for i := range out {
		out[i] = connectors.Partition{Topic: topic, Partition: int32(i)}
	}
	return out
}

// resolve turns the start option into offsets: earliest, latest, -n (the last n records of each partition), an instant.
func resolve(ctx context.Context, c Config, start string, ps []connectors.Partition) (map[connectors.Partition]int64, error) {
	switch strings.ToLower(start) {
	case "", "earliest":
		return c.Cluster.Starts(ctx, ps...)
	case "latest":
		return c.Cluster.Ends(ctx, ps...)
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
	return fmt.Sprintf("query %s was begun with another plan (%.12s, now %.12s): its state and internal topics do not fit. Give the new one another name (--name, or another target) to run side by side, or reset it", e.Query, e.Was, e.Is)
}

// fits refuses a changed plan and a topic that was created again.
func fits(start *record, c Config, q *plan.Query, counts map[string]int32, ids map[string]string) error {
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

// checkEvery is how often an instance looks whether the others have finished a bounded run.
const checkEvery = 100 * time.Millisecond

// checkDone writes down which tasks have finished, and finds out whether all tasks of the query have.
func (j *Job) checkDone(ctx context.Context, due bool) error {
	if j.run.number == 0 || !due { // an instance without a task waits for the others
		return nil
	}
	for _, t := range j.tasks {
		if !t.Finished() || t.Dirty() {
			continue
		}
		if id := t.ID.String(); !j.run.finished[id] {
			if err := j.cfg.write(ctx, record{Kind: "finished", Query: j.query.Name, Run: j.run.number, Task: id}); err != nil {
				return err
			}
			j.run.finished[id] = true
		}
	}
	if j.cfg.now()-j.run.checked < checkEvery.Microseconds() {
		return nil
	}
	j.run.checked = j.cfg.now()
	if complete(j.run.finished, j.query, j.run.ends) {
		j.done = true
		return nil
	}
	jn, err := readJournal(ctx, j.cfg.Cluster, j.cfg.App, j.query.Name)
	if err != nil {
		return err
	}
	j.done = complete(jn.done[j.run.number], j.query, j.run.ends)
	return nil
}
