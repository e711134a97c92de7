package sim

import (
	"maps"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
)

// group is a consumer group. A rebalance begins when a member comes or goes, waits until every member has polled without
// an open epoch, and then hands out all tasks anew in the next generation.
type group struct {
	dice        *dice
	generation  int32
	rebalancing bool
	members     []*member // sorted by id
	committed   map[connectors.Partition]connectors.Offset
}

type member struct {
	id         string
	session    *session
	ready      bool // gave its consent to the rebalance in progress
	generation int32
	assigned   []connectors.Partition
	told       bool // the session has seen this assignment
}

func (c *Cluster) group(name string) *group {
	g, ok := c.groups[name]
	if !ok {
		g = &group{dice: &c.dice, committed: map[connectors.Partition]connectors.Offset{}}
		c.groups[name] = g
	}
	return g
}

func (g *group) find(id string) *member {
	for _, m := range g.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// join adds a member, or puts its new session in the place of an old one.
func (g *group) join(id string, s *session) (*member, error) {
	m := g.find(id)
	for _, o := range g.members {
		switch {
		case o == m:
		case o.session.o.Fingerprint != s.o.Fingerprint:
			return nil, connectors.ErrFingerprint
		case o.session.o.Exclusive || s.o.Exclusive:
			return nil, connectors.ErrExclusive
		}
	}
	if m == nil {
		m = &member{id: id, session: s, ready: true}
		g.members = append(g.members, m)
		slices.SortFunc(g.members, func(a, b *member) int { return strings.Compare(a.id, b.id) })
		g.begin()
		m.ready = true
		return m, nil
	}
	// A static member that comes back keeps its assignment; nobody else notices. The same generation goes on.
	m.session.replaced()
	m.session, m.told, m.ready = s, false, true
	return m, nil
}

// leave removes a member.
func (g *group) leave(m *member) {
	if i := slices.Index(g.members, m); i >= 0 {
		g.members = slices.Delete(g.members, i, i+1)
		g.begin()
	}
}

// begin starts a rebalance; one in progress starts over.
func (g *group) begin() {
	g.rebalancing = true
	for _, m := range g.members {
		m.ready = false
	}
}

// settle ends the rebalance once all members are ready and no epoch is open.
func (g *group) settle() {
	if !g.rebalancing || len(g.members) == 0 {
		return
	}
	for _, m := range g.members {
		if !m.ready || m.session.epoch {
			return
		}
	}
	g.rebalancing = false
	g.generation++
	tasks := unitTasks(g.members[0].session.o)
	for _, m := range g.members {
		m.assigned, m.generation, m.told = nil, g.generation, false
	}
	scatter := g.dice.hit(g.dice.s.Scatter)
	for i, t := range tasks {
		to := i * len(g.members) / len(tasks)
		if scatter {
			to = g.dice.Intn(len(g.members))
		}
		g.members[to].assigned = append(g.members[to].assigned, t...)
	}
}

// unitTasks are the partitions that go together, by unit and partition number.
func unitTasks(o connectors.SessionOptions) [][]connectors.Partition {
	var out [][]connectors.Partition
	for _, u := range o.Units {
		n := int32(0)
		for _, t := range u.Topics {
			n = max(n, o.Partitions[t])
		}
		for p := range n {
			var task []connectors.Partition
			for _, t := range u.Topics {
				if p < o.Partitions[t] {
					task = append(task, connectors.Partition{Topic: t, Partition: p})
				}
			}
			out = append(out, task)
		}
	}
	return out
}

// commit stores offsets.
func (g *group) commit(offsets map[connectors.Partition]connectors.Offset) {
	maps.Copy(g.committed, offsets)
}

// at is a committed offset, At -1 when there is none.
func (g *group) at(p connectors.Partition) connectors.Offset {
	if o, ok := g.committed[p]; ok {
		return o
	}
	return connectors.Offset{At: -1}
}
