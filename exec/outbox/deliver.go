package outbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// deliver gives what waits to the sink. A partition that failed waits until it is due, and is not fetched while much of it waits.
func (c *courier) deliver(ctx context.Context) error {
	for p, x := range c.parts {
		if len(x.waiting) > 0 && !c.Clock.Now().Before(x.due) {
			if err := c.try(ctx, p, x); err != nil {
				return err
			}
		}
		if full := len(x.waiting) >= mostWaiting || x.failing != nil; full != x.paused {
			x.paused = full
			at := connectors.Partition{Topic: c.topic, Partition: p}
			if full {
				c.session.Pause(at)
			} else {
				c.session.Resume(at)
			}
		}
	}
	return nil
}

// try delivers what waits of a partition. Records that the target refuses are dealt with, and those behind them tried.
func (c *courier) try(ctx context.Context, p int32, x *part) error {
	for len(x.waiting) > 0 {
		err := c.Sink.Deliver(ctx, p, x.waiting)
		var later *endpoint.Retry
		var refused *endpoint.Rejected
		switch {
		case err == nil:
			if x.failing != nil {
				c.Logger.Info("the target takes records again", "relation", c.Relation, "partition", p)
			}
			x.last, x.failing = x.waiting[len(x.waiting)-1].Offset+1, nil
			x.waiting = nil
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &later):
			if x.failing == nil {
				c.Logger.Warn("the target cannot take records now; they wait in the outbox", "relation", c.Relation, "partition", p, "error", err)
			}
			x.failing, x.due = err, c.Clock.Now().Add(later.After)
			return nil
		case errors.As(err, &refused) && refused.Policy != endpoint.Fail:
			c.refused(refused)
			last := refused.Records[len(refused.Records)-1].Offset
			for len(x.waiting) > 0 && x.waiting[0].Offset <= last {
				x.waiting = x.waiting[1:]
			}
			x.last = last + 1
		default:
			return err
		}
	}
	return nil
}

// refused shows records that the target will never take, and keeps their bytes if that is wanted, in the transaction in which they count as
// delivered.
func (c *courier) refused(r *endpoint.Rejected) {
	for i := range r.Records {
		rec := &r.Records[i]
		c.Logger.Warn("the target refuses a record", "relation", c.Relation, "partition", rec.Partition, "offset", rec.Offset, "error", r.Err)
		if r.Policy != endpoint.DeadLetter {
			continue
		}
		out := connectors.Record{Topic: RejectedTopic(c.App, c.Relation), Timestamp: rec.Timestamp, Key: rec.Key, Value: rec.Value}
		out.Headers = append(append([]vector.Header{}, rec.Headers...),
			vector.Header{Key: "streamsql.error", Value: []byte(r.Err.Error())},
			vector.Header{Key: "streamsql.partition", Value: strconv.AppendInt(nil, int64(rec.Partition), 10)},
			vector.Header{Key: "streamsql.offset", Value: strconv.AppendInt(nil, rec.Offset, 10)},
		)
		c.session.Produce(&out)
	}
}

// settle commits how far the target has come.
func (c *courier) settle(ctx context.Context, all bool) error {
	safe, err := c.Sink.Settle(ctx, all)
	if err != nil {
		return fmt.Errorf("target of %s: %w", c.Relation, err)
	}
	offsets := map[connectors.Partition]connectors.Offset{}
	for p, x := range c.parts {
		at := max(safe[p], x.committed)
		if len(x.waiting) == 0 && safe[p] >= x.last {
			at = x.next // nothing but ends of transactions lies between
		}
		if at > x.committed {
			offsets[connectors.Partition{Topic: c.topic, Partition: p}] = connectors.Offset{At: at}
		}
	}
	if len(offsets) == 0 && !c.wanted {
		return nil
	}
	if _, err := c.session.Commit(ctx, offsets); err != nil {
		return err
	}
	c.wanted = false
	for p, o := range offsets {
		c.parts[p.Partition].committed = o.At
	}
	return nil
}

// trim deletes what was delivered: nobody else reads an outbox.
func (c *courier) trim(ctx context.Context, now time.Time) {
	if now.Sub(c.trimmed) < trimEvery {
		return
	}
	c.trimmed = now
	before := map[connectors.Partition]int64{}
	for p, x := range c.parts {
		if x.committed > 0 {
			before[connectors.Partition{Topic: c.topic, Partition: p}] = x.committed
		}
	}
	if len(before) == 0 {
		return
	}
	if err := c.Cluster.DeleteBefore(ctx, before); err != nil && ctx.Err() == nil {
		c.Logger.Debug("the outbox could not be trimmed and will grow: allow Delete on it", "relation", c.Relation, "error", err)
	}
}
