package exec

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// entry is one record of <app>.meta. The first record of a kind (of a run number) wins, whoever else wrote one.
type entry struct {
	Kind      string             `json:"kind"` // "start", "run", "finished", "reset"
	Query     string             `json:"query"`
	Run       int                `json:"run,omitempty"`
	Plan      string             `json:"plan,omitempty"` // fingerprint
	Positions map[string][]int64 `json:"positions,omitempty"`
	Ends      map[string][]int64 `json:"ends,omitempty"` // of the sources that declare one
	Declared  map[string]span    `json:"declared,omitempty"`
	IDs       map[string]string  `json:"ids,omitempty"` // of the source topics
	Task      string             `json:"task,omitempty"`
	// Target is, of a start, the topic whose readers the query tells how far event time has come in it; "": none.
	Target string `json:"target,omitempty"`
}

// ledger is where entries are kept, in the order in which they were written.
type ledger interface {
	read(ctx context.Context, visit func(value []byte) error) error
	write(ctx context.Context, value []byte) error
}

// topicLedger is the application's meta topic.
type topicLedger struct{ c Config }

func (l topicLedger) read(ctx context.Context, visit func([]byte) error) error {
	p := connectors.Partition{Topic: plan.MetaTopic(l.c.App)}
	ends, err := l.c.Cluster.Ends(ctx, p)
	if err != nil {
		return err
	}
	return l.c.Cluster.Read(ctx, p, 0, ends[p], func(rs []connectors.Record) error {
		for i := range rs {
			if err := visit(rs[i].Value); err != nil {
				return fmt.Errorf("%s at offset %d: %w", p.Topic, rs[i].Offset, err)
			}
		}
		return nil
	})
}

func (l topicLedger) write(ctx context.Context, value []byte) error {
	_, err := l.c.Cluster.Write(ctx, connectors.Record{Topic: plan.MetaTopic(l.c.App), Timestamp: l.c.now() / 1000, Value: value})
	return err
}

// memoryLedger is that of an ad-hoc query, of which nothing outlives the job.
type memoryLedger struct{ values [][]byte }

func (l *memoryLedger) read(_ context.Context, visit func([]byte) error) error {
	for _, v := range l.values {
		if err := visit(v); err != nil {
			return err
		}
	}
	return nil
}

func (l *memoryLedger) write(_ context.Context, value []byte) error {
	l.values = append(l.values, value)
	return nil
}

// adHoc says whether a query's rows go to its reader: then there is one instance of it, for once.
func adHoc(q *plan.Query) bool { return q.Sink.Target == nil }

// journal is the part of the meta topic about one query.
type journal struct {
	start *entry
	runs  map[int]*entry
	done  map[int]map[string]bool
	last  int
}

func newJournal() *journal {
	return &journal{runs: map[int]*entry{}, done: map[int]map[string]bool{}}
}

func readJournal(ctx context.Context, l ledger, query string) (*journal, error) {
	j := newJournal()
	return j, l.read(ctx, func(value []byte) error { return j.add(value, query) })
}

func (j *journal) add(value []byte, query string) error {
	var r entry
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
	case "reset":
		*j = *newJournal()
	}
	return nil
}

// renews says whether a start record is of other topics than an earlier one: they were deleted and created again.
func renews(old, news *entry) bool {
	for t, was := range old.IDs {
		if is, ok := news.IDs[t]; ok && is != was {
			return true
		}
	}
	return false
}

// grows says whether a start record continues another one with more partitions.
func grows(old, news *entry) bool {
	more := false
	for t, was := range old.Positions {
		is := news.Positions[t]
		if len(is) < len(was) {
			return false
		}
		more = more || len(is) > len(was)
	}
	return more || len(news.Positions) > len(old.Positions) // another topic of a relation with several
}

func (c Config) write(ctx context.Context, r entry) error {
	v, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.ledger.write(ctx, v)
}
