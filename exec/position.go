package exec

import (
	"cmp"
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

// span is what a source declares of where it is read, as it is written.
type span struct {
	Start string `json:"start,omitempty"`
	End   string `json:"end,omitempty"`
}

// String is the span in a sentence.
func (s span) String() string {
	out := "from '" + cmp.Or(s.Start, "earliest") + "'"
	if s.End != "" {
		out += " to '" + s.End + "'"
	}
	return out
}

type offsets = map[connectors.Partition]int64

// place finds out where the partitions of a source begin and, when it has an end, where they end. later: the query has begun
// before, so that what is new of the source is read from its beginning, or has no part in it when there is an end.
func (c Config) place(ctx context.Context, s *catalog.Relation, ps []connectors.Partition, later bool) (from, to offsets, err error) {
	begin := cmp.Or(s.Start, "earliest")
	if later {
		begin = "earliest"
	}
	if from, err = c.resolve(ctx, begin, ps); err != nil {
		return nil, nil, fmt.Errorf("start of %s: %w", s.Name, err)
	}
	if !later {
		if err := c.within(ctx, s, from); err != nil {
			return nil, nil, fmt.Errorf("start of %s: %w", s.Name, err)
		}
	}
	if s.End == "" || later {
		return from, from, nil
	}
	if err := c.known(s.End); err != nil {
		return nil, nil, fmt.Errorf("end of %s: %w", s.Name, err)
	}
	if to, err = c.resolve(ctx, s.End, ps); err != nil {
		return nil, nil, fmt.Errorf("end of %s: %w", s.Name, err)
	}
	for p, end := range to {
		to[p] = max(end, from[p])
	}
	return from, to, nil
}

// known refuses an end at an instant that is still to come: which records lie before it is not known yet.
func (c Config) known(end string) error {
	p, err := catalog.ParsePosition(end)
	if err == nil && p.Kind == catalog.AtInstant && p.N > c.now() {
		return fmt.Errorf("'%s' is still to come (it is %s): its place in the topic is not known yet; use an instant that has passed, or an offset", end, types.NewTimestamp(c.now()).Text())
	}
	return err
}

// resolve turns a position into an offset of each partition.
func (c Config) resolve(ctx context.Context, text string, ps []connectors.Partition) (offsets, error) {
	p, err := catalog.ParsePosition(text)
	if err != nil {
		return nil, err
	}
	switch p.Kind {
	case catalog.Latest:
		return c.Cluster.Ends(ctx, ps...)
	case catalog.AtOffset:
		return atOffsets(p, ps)
	case catalog.AtInstant:
		return c.Cluster.OffsetsAt(ctx, millis(p.N), ps...)
	case catalog.Ago:
		return c.Cluster.OffsetsAt(ctx, max(0, millis(c.now()-p.N)), ps...)
	case catalog.Back:
		return c.back(ctx, p.N, ps)
	case catalog.OfGroup:
		return c.ofGroup(ctx, p.Group, ps)
	}
	return c.Cluster.Starts(ctx, ps...)
}

// millis is the first millisecond at or after an instant: the timestamps of records have no more.
func millis(us int64) int64 { return -types.FloorDiv(-us, types.MicrosPerMilli) }

// atOffsets are offsets as they were written: one for all partitions, or one for each.
func atOffsets(p catalog.Position, ps []connectors.Partition) (offsets, error) {
	out := offsets{}
	for _, at := range ps {
		out[at] = p.N
		if p.Offsets == nil {
			continue
		}
		n, ok := p.Offsets[at.Partition]
		if !ok {
			return nil, fmt.Errorf("no offset is said for %s/%d: say one for each of its %d partitions", at.Topic, at.Partition, len(ps))
		}
		out[at] = n
	}
	for i := range p.Offsets {
		if int(i) >= len(ps) {
			return nil, fmt.Errorf("topic %s has %d partitions, counted from 0: there is no %d", ps[0].Topic, len(ps), i)
		}
	}
	return out, nil
}

// back is n records before the ends, counting the offsets that transactions and compaction leave empty.
func (c Config) back(ctx context.Context, n int64, ps []connectors.Partition) (offsets, error) {
	starts, ends, err := connectors.Extent(ctx, c.Cluster, ps...)
	for p := range ends {
		ends[p] = max(starts[p], ends[p]-n)
	}
	return ends, err
}

// ofGroup is what another consumer group has committed. A partition of which it has read nothing begins at its beginning.
func (c Config) ofGroup(ctx context.Context, group string, ps []connectors.Partition) (offsets, error) {
	committed, err := c.Cluster.Committed(ctx, group)
	if err != nil {
		return nil, err
	}
	out, err := c.Cluster.Starts(ctx, ps...)
	if err != nil {
		return nil, err
	}
	found := false
	for _, p := range ps {
		if o, ok := committed[p]; ok && o.At >= 0 {
			out[p], found = o.At, true
		}
	}
	if !found {
		return nil, fmt.Errorf("consumer group %s has committed nothing of topic %s: is its name right? Groups that keep their offsets elsewhere cannot be followed: use 'offset:0=…,1=…'", group, ps[0].Topic)
	}
	return out, nil
}

// within refuses a beginning that the topic does not have: behind its end, or where records are gone already, unless the source may lose
// some.
func (c Config) within(ctx context.Context, s *catalog.Relation, from offsets) error {
	p, err := catalog.ParsePosition(cmp.Or(s.Start, "earliest"))
	if err != nil || p.Kind != catalog.AtOffset && p.Kind != catalog.OfGroup {
		return err // the cluster itself said where
	}
	ps := connectors.PartitionsOf(s.Topic, int32(len(from)))
	starts, ends, err := connectors.Extent(ctx, c.Cluster, ps...)
	if err != nil {
		return err
	}
	for _, at := range ps {
		switch {
		case from[at] > ends[at]:
			return fmt.Errorf("%s/%d ends at offset %d, before %d", at.Topic, at.Partition, ends[at], from[at])
		case from[at] >= starts[at]:
		case !s.ContinueOnLoss:
			return fmt.Errorf("the records of %s/%d from offset %d on are gone: it begins at %d; declare on_data_loss = 'continue' to begin there", at.Topic, at.Partition, from[at], starts[at])
		default:
			c.Logger.Warn("records are gone before they were read; beginning with what is there", "topic", at.Topic, "partition", at.Partition, "wanted", from[at], "first", starts[at])
			from[at] = starts[at]
		}
	}
	return nil
}
