package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
)

// Read visits the committed records of [from, to) in order. While visit runs, the next ones are fetched and decoded. It
// waits for transactions that are open below to. *connectors.ErrOffsetGone says that the log no longer begins at from.
func (c *Cluster) Read(ctx context.Context, p connectors.Partition, from, to int64, visit func([]connectors.Record) error) error {
	if from >= to {
		return nil
	}
	f, err := c.fetcher(ctx, p, kgo.ReadCommitted())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	chunks := make(chan chunk)
	go func() {
		defer close(chunks)
		f.stream(ctx, from, to, chunks)
	}()
	defer func() { // the stream has ended when Read returns
		cancel()
		for range chunks {
		}
	}()
	for ch := range chunks {
		if ch.err != nil {
			return ch.err
		}
		if len(ch.records) > 0 {
			if err := visit(ch.records); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

type chunk struct {
	records []connectors.Record
	err     error
}

func (f *fetcher) stream(ctx context.Context, at, to int64, out chan<- chunk) {
	for at < to {
		got, err := f.at(ctx, at)
		ch := chunk{err: err}
		if err == nil {
			at = got.next
			ch.records = dataBelow(got.records, to)
		}
		select {
		case out <- ch:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// dataBelow are the records with data and an offset below to.
func dataBelow(in []*kgo.Record, to int64) []connectors.Record {
	out := make([]connectors.Record, 0, len(in))
	for _, r := range in {
		if r.Offset < to && !r.Attrs.IsControl() {
			out = append(out, fromClient(r))
		}
	}
	return out
}

// Skip returns to, if the log holds nothing in [from, to), as a read_uncommitted fetch shows it: batches that compaction
// emptied count as nothing, records of open transactions and control records count. Otherwise it returns from.
func (c *Cluster) Skip(ctx context.Context, p connectors.Partition, from, to int64) (int64, error) {
	f, err := c.fetcher(ctx, p, kgo.ReadUncommitted())
	if err != nil {
		return from, err
	}
	f.wait, f.bytes = 0, 1<<20
	for at := from; at < to; {
		got, err := f.at(ctx, at)
		if gone, ok := errors.AsType[*connectors.ErrOffsetGone](err); ok && gone.Start >= to {
			return to, nil // retention took all of it
		} else if ok {
			return from, nil // the session's own fetch reports it
		}
		if err != nil {
			return from, err
		}
		if len(got.records) > 0 && got.records[0].Offset < to {
			return from, nil
		}
		if len(got.records) > 0 {
			return to, nil
		}
		if got.next == at { // nothing at all from here to the end
			if got.end >= to {
				return to, nil
			}
			return from, nil
		}
		at = got.next
	}
	return to, nil
}
