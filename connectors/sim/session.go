package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
)

// standing of a session in its group.
type standing uint8

const (
	outside standing = iota // not joined yet, or again after it was lost
	inside
	lost // to be told at the next poll
	out  // for good: closed, replaced, or of unknown outcome
)

// session implements connectors.Session.
type session struct {
	c        *Cluster
	o        connectors.SessionOptions
	g        *group
	id       string
	standing standing
	why      error // of out
	m        *member
	position map[connectors.Partition]int64
	anchor   map[connectors.Partition]int64 // where a rewind goes without a committed offset
	paused   map[connectors.Partition]bool
	stalls   stalls
	epoch    bool // something was polled or produced since the last commit or abort

	producer *producer
	version  int // the producer's, when this session took it over; 0: not yet
	txn      *txn
	kept     []lent
	failure  error // of a produce
}

// Open makes a session; it joins at its first poll.
func (c *Cluster) Open(_ context.Context, o connectors.SessionOptions) (connectors.Session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.Group == "" || o.TransactionalID == "" {
		return nil, errors.New("a session needs a group and a transactional id")
	}
	for _, u := range o.Units {
		for _, t := range u.Topics {
			have, ok := c.topics[t]
			if !ok || int32(len(have.parts)) != o.Partitions[t] {
				return nil, fmt.Errorf("topic %s: does not exist with %d partitions", t, o.Partitions[t])
			}
		}
	}
	s := &session{c: c, o: o, g: c.group(o.Group), id: o.InstanceID, paused: map[connectors.Partition]bool{}}
	if s.id == "" {
		c.members++
		s.id = "member-" + strconv.Itoa(c.members)
	}
	s.drop()
	return s, nil
}

// drop forgets the assignment.
func (s *session) drop() {
	s.position = map[connectors.Partition]int64{}
	s.anchor = map[connectors.Partition]int64{}
	s.stalls = stalls{}
}

// lose ends the membership; the session may join again.
func (s *session) lose() {
	s.g.leave(s.m)
	s.m, s.standing = nil, lost
}

// replaced is called when another session took the member's place.
func (s *session) replaced() {
	s.m, s.standing = nil, out
	s.why = fmt.Errorf("instance %s: another session took its place: %w", s.id, connectors.ErrFenced)
	s.c.fence(s)
}

// Poll fetches. While a rebalance is in progress it fetches only within an open epoch.
func (s *session) Poll(ctx context.Context, limit int) (connectors.Poll, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if ctx.Err() != nil {
		return connectors.Poll{}, nil
	}
	switch s.standing {
	case out:
		return connectors.Poll{}, s.why
	case lost:
		s.abandon()
		s.drop()
		s.standing, s.version = outside, 0
		return connectors.Poll{Lost: true}, nil
	case outside:
		m, err := s.g.join(s.id, s)
		if err != nil {
			return connectors.Poll{}, err
		}
		s.m, s.standing = m, inside
	}
	var p connectors.Poll
	if s.g.rebalancing {
		if !s.epoch {
			s.m.ready = true
			s.g.settle()
		} else {
			p.Wanted = true
		}
	}
	p.Generation = s.m.generation
	switch {
	case !s.m.told:
		p.Wanted = s.epoch
		if !s.epoch && !s.g.rebalancing {
			s.take(&p)
		}
		return p, nil
	case s.g.rebalancing && (!s.epoch || s.c.dice.Intn(2) == 0):
		return p, nil
	}
	return p, s.fetch(&p, limit)
}

// take tells the session its assignment.
func (s *session) take(p *connectors.Poll) {
	s.m.told = true
	s.drop()
	p.Rebalanced, p.Generation = true, s.m.generation
	for _, a := range s.m.assigned {
		at := s.g.at(a)
		p.Assignment = append(p.Assignment, connectors.Assigned{Partition: a, Committed: at})
		start, ok := s.o.Starts[a]
		if !ok {
			if x, err := s.c.part(a); err == nil {
				start = x.start
			}
		}
		s.anchor[a] = start
		s.rewind(a)
	}
}

func (s *session) rewind(p connectors.Partition) {
	s.position[p] = s.anchor[p]
	if at := s.g.at(p); at.At >= 0 {
		s.position[p] = at.At
	}
}

func (s *session) fetch(p *connectors.Poll, limit int) error {
	d := &s.c.dice
	s.stalls.next(d, s.m.assigned)
	budget := d.budget(limit)
	for _, a := range d.permuted(s.m.assigned) {
		if s.paused[a] || s.stalls.holds(a) {
			continue
		}
		x, err := s.c.part(a)
		if err != nil {
			return err
		}
		n := 0
		if budget > 0 {
			n = d.share(budget)
		}
		recs, next, err := x.fetch(s.position[a], n)
		if err != nil {
			return err
		}
		if next == s.position[a] {
			continue
		}
		budget -= len(recs)
		s.position[a] = next
		s.epoch = true
		p.Fetched = append(p.Fetched, connectors.Fetched{Partition: a, Records: recs, Next: next, End: x.end()})
	}
	return nil
}

// Seek moves a position.
func (s *session) Seek(p connectors.Partition, offset int64) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if _, ok := s.position[p]; ok {
		s.position[p], s.anchor[p] = offset, offset
	}
}

// Pause stops fetching, through aborts and rebalances too, until Resume.
func (s *session) Pause(ps ...connectors.Partition) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	for _, p := range ps {
		s.paused[p] = true
	}
}

// Resume fetches again.
func (s *session) Resume(ps ...connectors.Partition) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	for _, p := range ps {
		delete(s.paused, p)
	}
}

// Close ends the session. Once ctx has ended there is no time to tell the brokers anything: as after kill -9, an open
// transaction stays open until its id is taken over or it times out, and the membership stays.
func (s *session) Close(ctx context.Context, how connectors.Closing) error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if ctx.Err() != nil {
		s.standing, s.why = out, errors.New("the session is closed")
		return nil
	}
	s.abandon()
	if s.m != nil && how == connectors.Leave {
		s.g.leave(s.m)
	}
	s.m = nil
	s.standing, s.why = out, errors.New("the session is closed")
	return nil
}

// owns says whether offsets of p may be committed by this session.
func (s *session) owns(p connectors.Partition) bool { return slices.Contains(s.m.assigned, p) }
