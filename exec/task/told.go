package task

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// told is the event time of a source partition that another query writes, as the tasks of that query tell it in a topic beside it
// (semantics S7). What they say holds once the rows they had written before were read, so news waits for the source's position.
type told struct {
	at      connectors.Partition
	next    int64 // the first record that was not read
	waiting []telling
	writers []wire.Writer
	known   map[wire.TaskID]wire.Info
	// generation is that of the news that holds: in the log those of a generation lie behind all of an older one.
	generation int32
	renewed    bool // the topic is another one than when the task's record was committed
}

type telling struct {
	at int64 // offset of its record
	wire.Telling
}

// mostTellings is how much news may wait before no more is fetched.
const mostTellings = 512

// position is what is committed: news that waits is read again after a restart.
func (x *told) position() int64 {
	if len(x.waiting) > 0 {
		return x.waiting[0].at
	}
	return x.next
}

// seek begins anew at an offset.
func (x *told) seek(at int64) { x.next, x.waiting = at, nil }

// records takes records of the topic.
func (x *told) records(f *connectors.Fetched) error {
	for i := range f.Records {
		r := &f.Records[i]
		if r.Offset < x.next {
			continue // already read
		}
		t, err := wire.ReadTelling(r.Value)
		if err != nil {
			return fmt.Errorf("%s/%d at offset %d: %w", f.Topic, f.Partition.Partition, r.Offset, err)
		}
		x.waiting = append(x.waiting, telling{r.Offset, t})
	}
	x.next = max(x.next, f.Next)
	return nil
}

// apply takes the news that holds where the source stands now.
func (x *told) apply(position int64) {
	n := 0
	for ; n < len(x.waiting) && x.waiting[n].Offset <= position; n++ {
		x.hear(&x.waiting[n].Telling)
	}
	x.waiting = slices.Delete(x.waiting, 0, n)
}

func (x *told) hear(t *wire.Telling) {
	x.writers = t.Writers
	for id, news := range t.Infos {
		x.generation = news.Generation
		if old, ok := x.known[id]; ok {
			news = old.Merge(news)
		}
		x.known[id] = news
	}
}

// each visits the tasks that write the partition, as they count now: an idle state of an older generation and a task never heard of
// hold time back, as within a query.
func (x *told) each(visit func(wire.TaskID, wire.Info)) {
	silent := wire.Info{W: types.Never, Strict: types.Never, Horizon: types.Never}
	if len(x.writers) == 0 {
		visit(self, silent)
	}
	for _, w := range x.writers {
		for p := range w.Partitions {
			id := wire.TaskID{Fragment: w.Fragment, Partition: p}
			i, ok := x.known[id]
			switch {
			case !ok:
				i = silent
			case i.State == wire.Idle && i.Generation < x.generation:
				i.State = wire.Active
			}
			visit(id, i)
		}
	}
}

// seenHeader is on the records of rows that were out of order in their own source: the watermark of its partition just before the
// row, as a number of microseconds. A query that reads them judges lateness by it, as one query over the source would (semantics S3).
const seenHeader = "streamsql.seen"

// seenOf is the watermark by which a row with these headers is judged. One that has none was in order.
func seenOf(hs []vector.Header, ts int64) int64 {
	for i := range hs {
		if hs[i].Key != seenHeader {
			continue
		}
		if seen, err := strconv.ParseInt(string(hs[i].Value), 10, 64); err == nil {
			return seen
		}
	}
	return ts - 1
}

// withSeen are the headers of the record of a row at ts with the watermark before it.
func withSeen(hs []vector.Header, seen, ts int64) []vector.Header {
	seen = wire.CutMark(seen)
	if seen < types.FloorDiv(ts, types.MicrosPerMilli)*types.MicrosPerMilli {
		return hs
	}
	return append(slices.Clip(hs), vector.Header{Key: seenHeader, Value: strconv.AppendInt(nil, seen, 10)})
}

// withoutSeen is a record as the rows of its query are: the header is not theirs.
func withoutSeen(r *connectors.Record) *connectors.Record {
	is := func(h vector.Header) bool { return h.Key == seenHeader }
	if !slices.ContainsFunc(r.Headers, is) {
		return r
	}
	c := *r
	c.Headers = slices.DeleteFunc(slices.Clone(r.Headers), is)
	return &c
}

// toldMeta is what a task's record keeps of it.
type toldMeta struct {
	Position   int64         `json:"p"`
	ID         string        `json:"id"` // of the topic
	Writers    []wire.Writer `json:"w,omitempty"`
	Known      []byte        `json:"k,omitempty"`
	Generation int32         `json:"g,omitempty"`
}

func (x *told) meta(id string) *toldMeta {
	return &toldMeta{x.position(), id, x.writers, wire.AppendTold(nil, x.known), x.generation}
}

// load goes back to a committed epoch. Positions in a topic that was created again since mean nothing, what was heard still holds.
func (x *told) load(m *toldMeta, id string) (err error) {
	if m == nil {
		return nil // of a version that was told nothing
	}
	if x.renewed = m.ID != id; !x.renewed {
		x.next = m.Position
	}
	x.writers, x.generation = m.Writers, m.Generation
	x.known, err = wire.ReadTold(m.Known)
	return err
}
