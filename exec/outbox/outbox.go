// Package outbox brings the records of an outbox to their target. A query whose target is not a topic writes into one of the cluster, the
// outbox, in its own transaction; here a member of a consumer group reads it and delivers. So an operator never waits for a
// receiver, a crash loses nothing, and every record has a number that stays: its partition and offset.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/pace"
)

// Topic is the outbox of a relation, and the group that delivers it.
func Topic(app, relation string) string { return app + "." + relation + ".outbox" }

// RejectedTopic keeps the records that the target of a relation refuses.
func RejectedTopic(app, relation string) string { return app + "." + relation + ".rejected" }

// Config says what is delivered. All fields but the last are required.
type Config struct {
	App, Relation string
	Cluster       connectors.Cluster
	InstanceID    string // names this instance for ever
	Clock         pace.Clock
	Logger        *slog.Logger
	Sink          endpoint.Sink
	// Hurry says that somebody waits until everything is in its place: the sink need not keep what it has for later. Nil: nobody does.
	Hurry func() bool
}

// pollRecords is how many records are fetched at a time; mostWaiting how many of a partition may wait for a target that is away.
const (
	pollRecords = 2000
	mostWaiting = 10_000
	settleEvery = 100 * time.Millisecond
	trimEvery   = 10 * time.Second
)

// courier is a membership of the group.
type courier struct {
	Config
	topic   string
	session connectors.Session
	parts   map[int32]*part
	settled time.Time // when it was last looked at what is settled
	trimmed time.Time
	wanted  bool // a rebalance waits
}

// part is an assigned partition.
type part struct {
	waiting   []connectors.Record
	next      int64 // where fetching stands
	last      int64 // behind the last record that was delivered
	committed int64
	due       time.Time // not before that it is tried again
	paused    bool
	failing   error // what the last try said
}

// Run delivers until ctx ends; then what was taken is settled and committed. Brokers that are away are waited for. Other errors are the sink's, or
// say that the group runs something else.
func Run(ctx context.Context, cfg Config) error {
	for {
		err := session(ctx, cfg)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil || !passes(err) {
			return err
		}
		cfg.Logger.Warn("the delivery lost its place in the group; joining again", "relation", cfg.Relation, "cause", err)
		if cfg.Clock.Sleep(ctx, time.Second) != nil {
			return nil
		}
	}
}

func passes(err error) bool {
	for _, e := range []error{connectors.ErrFenced, connectors.ErrUnreachable, connectors.ErrUnknownOutcome, connectors.ErrAborted} {
		if errors.Is(err, e) {
			return !errors.Is(err, connectors.ErrRefused)
		}
	}
	return false
}

// session is one membership of the group.
func session(ctx context.Context, cfg Config) error {
	c := &courier{Config: cfg, topic: Topic(cfg.App, cfg.Relation), parts: map[int32]*part{}}
	infos, err := cfg.Cluster.Topics(ctx, c.topic)
	if err != nil {
		return err
	}
	n := infos[c.topic].Partitions
	if n == 0 {
		return fmt.Errorf("topic %s does not exist", c.topic)
	}
	ps := make([]connectors.Partition, n)
	for i := range ps {
		ps[i] = connectors.Partition{Topic: c.topic, Partition: int32(i)}
	}
	starts, err := cfg.Cluster.Starts(ctx, ps...)
	if err != nil {
		return err
	}
	c.session, err = cfg.Cluster.Open(ctx, connectors.SessionOptions{
		Group: c.topic, TransactionalID: c.topic + "." + cfg.InstanceID, InstanceID: cfg.InstanceID + ".outbox", Fingerprint: "outbox",
		Units: []connectors.Unit{{Topics: []string{c.topic}}}, Partitions: map[string]int32{c.topic: n}, Starts: starts,
	})
	if err != nil {
		return err
	}
	err = c.loop(ctx)
	return errors.Join(err, c.end(ctx, err))
}

// leaveTimeout bounds what is done when the delivery ends.
const leaveTimeout = 10 * time.Second

// end settles what was taken, unless that failed, and leaves the group.
func (c *courier) end(ctx context.Context, failed error) error {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	var err error
	how := connectors.Leave
	if failed != nil && ctx.Err() == nil && passes(failed) {
		how = connectors.Keep
	} else {
		err = c.settle(last, true)
	}
	for p := range c.parts {
		c.Sink.Leave(p)
	}
	return errors.Join(err, c.session.Close(last, how))
}

func (c *courier) loop(ctx context.Context) error {
	if err := c.session.Fence(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, c.patience())
		p, err := c.session.Poll(wait, pollRecords)
		cancel()
		if err != nil {
			return err
		}
		if err := c.take(ctx, p); err != nil {
			return err
		}
		if err := c.deliver(ctx); err != nil {
			return err
		}
		if now := c.Clock.Now(); c.wanted || now.Sub(c.settled) >= settleEvery {
			c.settled = now
			if err := c.settle(ctx, c.Hurry != nil && c.Hurry()); err != nil {
				return err
			}
			c.trim(ctx, now)
		}
	}
	return nil
}

// patience is how long a poll may wait: until something is to be tried again, or settled.
func (c *courier) patience() time.Duration {
	wait := time.Second
	now := c.Clock.Now()
	for _, p := range c.parts {
		if len(p.waiting) > 0 {
			wait = min(wait, p.due.Sub(now))
		}
		if p.last > p.committed || p.next > p.committed {
			wait = min(wait, settleEvery)
		}
	}
	return max(wait, time.Millisecond)
}

// take notes what a poll brought.
func (c *courier) take(ctx context.Context, p connectors.Poll) error {
	if p.Lost {
		c.leave()
	}
	if p.Rebalanced {
		if err := c.assign(ctx, p.Assignment); err != nil {
			return err
		}
	}
	c.wanted = c.wanted || p.Wanted
	for _, f := range p.Fetched {
		x := c.parts[f.Partition.Partition]
		if x == nil {
			continue
		}
		x.waiting = append(x.waiting, f.Records...)
		x.next = max(x.next, f.Next)
	}
	return nil
}

func (c *courier) leave() {
	for p := range c.parts {
		c.Sink.Leave(p)
	}
	c.parts = map[int32]*part{}
}

// assign begins the partitions of an assignment anew: those that stay too, from where they are committed.
func (c *courier) assign(ctx context.Context, as []connectors.Assigned) error {
	c.leave()
	for _, a := range as {
		at, err := c.Sink.Begin(ctx, a.Partition.Partition, a.Committed.At)
		if err != nil {
			return err
		}
		if at != a.Committed.At {
			start, err := c.Cluster.Starts(ctx, a.Partition)
			if err != nil {
				return err
			}
			at = max(at, start[a.Partition])
			c.session.Seek(a.Partition, at)
		}
		c.session.Resume(a.Partition)
		c.parts[a.Partition.Partition] = &part{next: at, last: at, committed: a.Committed.At}
	}
	return nil
}
