// Package sim is a broker cluster in memory for tests: topics, transactions, consumer groups and their faults, all decided
// by one seed. Nothing in it blocks, starts a goroutine or reads the machine's clock, so that a test can run the whole
// engine step by step, thousands of times a minute, and repeat any run.
package sim

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/streamsql-go/streamsql/connectors"
)

type topic struct {
	id      string
	configs map[string]string
	parts   []*partition
}

// Cluster is a simulated cluster. It implements connectors.Cluster.
type Cluster struct {
	mu        sync.Mutex
	dice      dice
	topics    map[string]*topic
	groups    map[string]*group
	producers map[string]*producer // by transactional id
	created   int
	members   int
}

var _ connectors.Cluster = (*Cluster)(nil)

// New is an empty cluster whose choices follow seed.
func New(seed int64, s Schedule) *Cluster {
	return &Cluster{
		dice:      dice{Rand: rand.New(rand.NewSource(seed)), s: s},
		topics:    map[string]*topic{},
		groups:    map[string]*group{},
		producers: map[string]*producer{},
	}
}

// SetSchedule changes what happens by chance from now on.
func (c *Cluster) SetSchedule(s Schedule) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dice.s = s
}

// Topics describes topics.
func (c *Cluster) Topics(_ context.Context, names ...string) (map[string]connectors.TopicInfo, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(names) == 0 {
		names = slices.Collect(maps.Keys(c.topics))
	}
	out := map[string]connectors.TopicInfo{}
	for _, n := range names {
		if t, ok := c.topics[n]; ok {
			out[n] = connectors.TopicInfo{ID: t.id, Partitions: int32(len(t.parts)), Configs: maps.Clone(t.configs)}
		}
	}
	return out, nil
}

// Create makes topics.
func (c *Cluster) Create(_ context.Context, specs ...connectors.TopicSpec) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range specs {
		if _, ok := c.topics[s.Name]; ok {
			continue
		}
		if s.Partitions <= 0 || s.Name == "" {
			return fmt.Errorf("topic %q: cannot have %d partitions", s.Name, s.Partitions)
		}
		c.created++
		t := &topic{id: "topic-" + strconv.Itoa(c.created), configs: maps.Clone(s.Configs)}
		for i := range s.Partitions {
			t.parts = append(t.parts, &partition{Partition: connectors.Partition{Topic: s.Name, Partition: i}})
		}
		c.topics[s.Name] = t
	}
	return nil
}

// Delete removes topics, and the offsets that groups committed for them.
func (c *Cluster) Delete(_ context.Context, names ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range names {
		delete(c.topics, n)
		for _, g := range c.groups {
			maps.DeleteFunc(g.committed, func(p connectors.Partition, _ connectors.Offset) bool { return p.Topic == n })
		}
	}
	return nil
}

func (c *Cluster) part(p connectors.Partition) (*partition, error) {
	t, ok := c.topics[p.Topic]
	if !ok {
		return nil, fmt.Errorf("topic %s does not exist", p.Topic)
	}
	if p.Partition < 0 || int(p.Partition) >= len(t.parts) {
		return nil, fmt.Errorf("topic %s has no partition %d", p.Topic, p.Partition)
	}
	return t.parts[p.Partition], nil
}

// place is where a record goes. A compacted topic takes none without a key, as a broker does (INVALID_RECORD).
func (c *Cluster) place(r *connectors.Record) (*partition, error) {
	p, err := c.part(connectors.Partition{Topic: r.Topic, Partition: r.Partition})
	if err == nil && r.Key == nil && strings.Contains(c.topics[r.Topic].configs["cleanup.policy"], "compact") {
		return nil, fmt.Errorf("%w: INVALID_RECORD: compacted topic %s cannot accept a message without key", connectors.ErrRefused, r.Topic)
	}
	return p, err
}

func (c *Cluster) offsets(ps []connectors.Partition, of func(*partition) int64) (map[connectors.Partition]int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[connectors.Partition]int64, len(ps))
	for _, p := range ps {
		x, err := c.part(p)
		if err != nil {
			return nil, err
		}
		out[p] = of(x)
	}
	return out, nil
}

// Starts are the log start offsets.
func (c *Cluster) Starts(_ context.Context, ps ...connectors.Partition) (map[connectors.Partition]int64, error) {
	return c.offsets(ps, func(p *partition) int64 { return p.start })
}

// Ends are the read_uncommitted ends.
func (c *Cluster) Ends(_ context.Context, ps ...connectors.Partition) (map[connectors.Partition]int64, error) {
	return c.offsets(ps, (*partition).end)
}

// OffsetsAt are the first offsets at or after an instant.
func (c *Cluster) OffsetsAt(_ context.Context, millis int64, ps ...connectors.Partition) (map[connectors.Partition]int64, error) {
	return c.offsets(ps, func(p *partition) int64 {
		for off := p.start; off < p.end(); off++ {
			if e := &p.log[off]; !e.marker && !e.gone && e.rec.Timestamp >= millis {
				return off
			}
		}
		return p.end()
	})
}

// Committed are a group's offsets.
func (c *Cluster) Committed(_ context.Context, name string) (map[connectors.Partition]connectors.Offset, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[connectors.Partition]connectors.Offset{}
	if g, ok := c.groups[name]; ok {
		maps.Copy(out, g.committed)
	}
	return out, nil
}

// DeleteGroup forgets a group without members.
func (c *Cluster) DeleteGroup(_ context.Context, name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g, ok := c.groups[name]; ok && len(g.members) > 0 {
		return fmt.Errorf("group %s has members: stop them first", name)
	}
	delete(c.groups, name)
	return nil
}

// Skip passes a gap.
func (c *Cluster) Skip(_ context.Context, p connectors.Partition, from, to int64) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, err := c.part(p)
	if err != nil {
		return from, err
	}
	if x.empty(from, to) {
		return to, nil
	}
	return from, nil
}

// Read visits committed records. A transaction that is open below to is aborted first, as the broker does when it times
// out: waiting for it would take no more than time.
func (c *Cluster) Read(_ context.Context, p connectors.Partition, from, to int64, visit func([]connectors.Record) error) error {
	recs, err := c.read(p, from, to)
	for len(recs) > 0 && err == nil {
		n := min(len(recs), 3)
		err = visit(recs[:n:n])
		recs = recs[n:]
	}
	return err
}

func (c *Cluster) read(p connectors.Partition, from, to int64) ([]connectors.Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, err := c.part(p)
	if err != nil {
		return nil, err
	}
	if from < x.start && from < to {
		return nil, &connectors.ErrOffsetGone{Partition: p, Wanted: from, Start: x.start, End: x.end()}
	}
	var recs []connectors.Record
	for off := from; off < min(to, x.end()); off++ {
		e := &x.log[off]
		if e.txn != nil && e.txn.state == open {
			c.timeOut(e.txn)
		}
		if !e.gone && !e.marker && (e.txn == nil || e.txn.state == committed) {
			recs = append(recs, e.rec)
		}
	}
	return recs, nil
}

// Write appends records outside transactions.
func (c *Cluster) Write(_ context.Context, records ...connectors.Record) ([]int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	offs := make([]int64, 0, len(records))
	for _, r := range records {
		p, err := c.place(&r)
		if err != nil {
			return offs, err
		}
		offs = append(offs, p.append(r, nil))
	}
	return offs, nil
}

// DeleteBefore trims logs.
func (c *Cluster) DeleteBefore(_ context.Context, before map[connectors.Partition]int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, at := range before {
		x, err := c.part(p)
		if err != nil {
			return err
		}
		x.start = max(x.start, min(at, x.end()))
	}
	return nil
}

// Close does nothing.
func (c *Cluster) Close() error { return nil }
