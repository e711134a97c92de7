package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
)

// Visible are the committed records of a topic, by partition and offset; empty when there is no such topic.
func (c *Cluster) Visible(name string) []connectors.Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []connectors.Record
	t := c.topics[name]
	if t == nil {
		return nil
	}
	for _, p := range t.parts {
		for off := p.start; off < p.end(); off++ {
			e := &p.log[off]
			if !e.gone && !e.marker && (e.txn == nil || e.txn.state == committed) {
				out = append(out, e.rec)
			}
		}
	}
	return out
}

// Compact compacts a topic in place: offsets stay, a gap may be left at the end.
func (c *Cluster) Compact(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.topics[name]; t != nil {
		for _, p := range t.parts {
			p.compact()
		}
	}
}

// Grow adds empty partitions to a topic until it has n, as an administrator may.
func (c *Cluster) Grow(name string, n int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.topics[name]; t != nil {
		for i := int32(len(t.parts)); i < n; i++ {
			t.parts = append(t.parts, &partition{Partition: connectors.Partition{Topic: name, Partition: i}})
		}
	}
}

// Expire ends the memberships of an instance in all groups (ids that are the instance, or begin with it and a dot), as a session time-out does: its tasks go to the others, and a
// session of it that still lives finds itself Lost. Its open transactions are aborted.
func (c *Cluster) Expire(instance string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.groups {
		for _, m := range slices.Clone(g.members) {
			if m.id == instance || strings.HasPrefix(m.id, instance+".") {
				m.session.lose()
				c.fence(m.session)
			}
		}
	}
}

// ExpireDead ends the memberships of all sessions that are dead, as their session time-out does in the end.
func (c *Cluster) ExpireDead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range c.groups {
		for _, m := range slices.Clone(g.members) {
			if m.session.standing == out {
				g.leave(m)
				c.fence(m.session)
			}
		}
	}
}

// Rebalance asks for a rebalance of a group, with no member gone.
func (c *Cluster) Rebalance(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g, ok := c.groups[name]; ok {
		g.begin()
	}
}

// Transaction is an open transaction of a producer that is not the engine: what it appends is seen once it commits.
type Transaction struct {
	c *Cluster
	t *txn
}

// Begin opens a transaction.
func (c *Cluster) Begin() *Transaction { return &Transaction{c, newTxn()} }

// Append adds records to the transaction.
func (t *Transaction) Append(records ...connectors.Record) error {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.t.state != open {
		return fmt.Errorf("the transaction has ended")
	}
	for _, r := range records {
		p, err := t.c.part(connectors.Partition{Topic: r.Topic, Partition: r.Partition})
		if err != nil {
			return err
		}
		p.append(r, t.t)
	}
	return nil
}

// Commit makes the records visible.
func (t *Transaction) Commit() { t.end(committed) }

// Abort drops the records.
func (t *Transaction) Abort() { t.end(aborted) }

func (t *Transaction) end(o outcome) {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	t.t.finish(o)
}

// Groups are the names of the groups that have members or committed offsets.
func (c *Cluster) Groups() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for name, g := range c.groups {
		if len(g.members) > 0 || len(g.committed) > 0 {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
