package rig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// Judge compares output records with the right answer, one at a time, in any order.
type Judge struct {
	// Want is how many rows are right; Rows how many have come.
	Want, Rows int
	// Wrong and Repeated count rows that must not be there, and rows that came more than once.
	Wrong, Repeated int
	problem         string // the first
	seen            []bool // by place in the right answer
	place           func(Record) (int, error)
	name            func(place int) string
}

func newJudge(want int, place func(Record) (int, error), name func(int) string) *Judge {
	return &Judge{Want: want, seen: make([]bool, want), place: place, name: name}
}

// Take judges one record.
func (j *Judge) Take(r Record) {
	j.Rows++
	p, err := j.place(r)
	switch {
	case err != nil:
		j.Wrong++
		j.note(fmt.Sprintf("%s: %v: %s", r, err, r.Value))
	case j.seen[p]:
		j.Repeated++
		j.note(fmt.Sprintf("%s repeats %s: %s", r, j.name(p), r.Value))
	default:
		j.seen[p] = true
	}
}

func (j *Judge) note(s string) {
	if j.problem == "" {
		j.problem = s
	}
}

// Missing is how many right rows have not come.
func (j *Judge) Missing() int { return j.Want - (j.Rows - j.Wrong - j.Repeated) }

// Err says what is not right, nil when everything is.
func (j *Judge) Err() error {
	if j.Missing() == 0 && j.Wrong == 0 && j.Repeated == 0 {
		return nil
	}
	if j.problem == "" {
		for p, ok := range j.seen {
			if !ok {
				j.problem = "the first missing one is " + j.name(p)
				break
			}
		}
	}
	return fmt.Errorf("%d rows where %d are right: %d missing, %d wrong, %d repeated; %s", j.Rows, j.Want, j.Missing(), j.Wrong, j.Repeated, j.problem)
}

type dedupKey struct{ id, window int32 }

// Dedup judges SELECT DISTINCT ON (message_id) * … WINDOW TUMBLING(10s): each id once per window, as one of the records that
// had it, unchanged with its key and time (which one is free: semantics S1).
func Dedup(ms []Message) *Judge {
	places := make(map[dedupKey]int32, len(ms))
	var first []int32
	for i, m := range ms {
		k := dedupKey{m.ID, int32(Window(i))}
		if _, ok := places[k]; !ok {
			places[k] = int32(len(first))
			first = append(first, int32(i))
		}
	}
	return newJudge(len(first), func(r Record) (int, error) {
		var row struct {
			Seq int `json:"seq"`
		}
		if err := json.Unmarshal(r.Value, &row); err != nil {
			return 0, err
		}
		if row.Seq < 0 || row.Seq >= len(ms) {
			return 0, fmt.Errorf("no such record")
		}
		m := ms[row.Seq]
		if was := m.Record("", row.Seq); !bytes.Equal(was.Value, r.Value) || !bytes.Equal(was.Key, r.Key) || !was.Time.Equal(r.Time) {
			return 0, fmt.Errorf("it was %s, key %s, at %s; now key %s, at %s", was.Value, was.Key, was.Time, r.Key, r.Time.UTC())
		}
		return int(places[dedupKey{m.ID, int32(Window(row.Seq))}]), nil
	}, func(p int) string {
		return fmt.Sprintf("%s in window %d", ms[first[p]].MessageID(), Window(int(first[p])))
	})
}

// Filter judges SELECT message_id, user_id, amount, seq … WHERE kind <> 'noop'.
func Filter(ms []Message) *Judge {
	places := make([]int32, len(ms))
	var rows []int32
	for i, m := range ms {
		places[i] = -1
		if m.KindName() != "noop" {
			places[i] = int32(len(rows))
			rows = append(rows, int32(i))
		}
	}
	return newJudge(len(rows), func(r Record) (int, error) {
		var row struct {
			ID     string      `json:"message_id"`
			User   int32       `json:"user_id"`
			Amount json.Number `json:"amount"`
			Seq    int         `json:"seq"`
		}
		if err := json.Unmarshal(r.Value, &row); err != nil {
			return 0, err
		}
		if row.Seq < 0 || row.Seq >= len(ms) || places[row.Seq] < 0 {
			return 0, fmt.Errorf("it should be filtered")
		}
		m := ms[row.Seq]
		if row.ID != m.MessageID() || row.User != m.User || cents(row.Amount) != int64(m.Cents) || !r.Time.Equal(At(row.Seq)) {
			return 0, fmt.Errorf("want %s", m.Record("", row.Seq).Value)
		}
		return int(places[row.Seq]), nil
	}, func(p int) string { return fmt.Sprintf("seq %d", rows[p]) })
}

// cents reads 12.3, 12.30 or "12.30".
func cents(n json.Number) int64 {
	f, err := n.Float64()
	if err != nil {
		return -1
	}
	return int64(math.Round(f * 100))
}

type countKey struct{ user, window int32 }

// Count judges SELECT user_id, window_start, COUNT(*) AS n, SUM(amount) AS total … GROUP BY user_id EMIT FINAL.
func Count(ms []Message) *Judge {
	type sum struct{ n, cents int64 }
	places := map[countKey]int32{}
	var keys []countKey
	var sums []sum
	for i, m := range ms {
		k := countKey{m.User, int32(Window(i))}
		p, ok := places[k]
		if !ok {
			p = int32(len(keys))
			places[k] = p
			keys, sums = append(keys, k), append(sums, sum{})
		}
		sums[p].n++
		sums[p].cents += int64(m.Cents)
	}
	return newJudge(len(keys), func(r Record) (int, error) {
		var row struct {
			User  int32       `json:"user_id"`
			N     int64       `json:"n"`
			Total json.Number `json:"total"`
		}
		if err := json.Unmarshal(r.Value, &row); err != nil {
			return 0, err
		}
		window := int32(r.Time.Sub(Base) / (10 * time.Second))
		p, ok := places[countKey{row.User, window}]
		if !ok {
			return 0, fmt.Errorf("user %d has no row in window %d", row.User, window)
		}
		if s := sums[p]; s.n != row.N || s.cents != cents(row.Total) {
			return 0, fmt.Errorf("want n %d and total %d.%02d", s.n, s.cents/100, s.cents%100)
		}
		if end := Base.Add(time.Duration(window+1)*10*time.Second - time.Millisecond); !r.Time.Equal(end) {
			return 0, fmt.Errorf("its time is %s, want %s", r.Time.UTC(), end)
		}
		return int(p), nil
	}, func(p int) string { return fmt.Sprintf("user %d in window %d", keys[p].user, keys[p].window) })
}

// Join judges SELECT o.op_id, o.kind, c.owner, c.region FROM operations … WHERE o.kind <> 'noop': version is which version of
// its context the operation at place seq has to meet.
func Join(ops []Operation, version func(seq int) Context) *Judge {
	places := make([]int32, len(ops))
	var rows []int32
	for i, o := range ops {
		places[i] = -1
		if o.KindName() != "noop" {
			places[i] = int32(len(rows))
			rows = append(rows, int32(i))
		}
	}
	return newJudge(len(rows), func(r Record) (int, error) {
		var row struct {
			Op     string `json:"op_id"`
			Kind   string `json:"kind"`
			Owner  string `json:"owner"`
			Region string `json:"region"`
		}
		if err := json.Unmarshal(r.Value, &row); err != nil {
			return 0, err
		}
		var seq int
		if _, err := fmt.Sscanf(strings.TrimPrefix(row.Op, "o-"), "%010d", &seq); err != nil || seq < 0 || seq >= len(ops) || places[seq] < 0 {
			return 0, fmt.Errorf("there is no such operation")
		}
		c := version(seq)
		if row.Kind != ops[seq].KindName() || row.Owner != c.Owner() || row.Region != c.Region() {
			return 0, fmt.Errorf("want kind %s, owner %s, region %s", ops[seq].KindName(), c.Owner(), c.Region())
		}
		return int(places[seq]), nil
	}, func(p int) string { return fmt.Sprintf("operation %d of context %d", rows[p], ops[rows[p]].Context) })
}
