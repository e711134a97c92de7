// Package latest keeps the newest record of each key of table partitions, for queries that ask what tables hold now: the second one reads only what was
// written since the first. What is kept is bounded by bytes; a partition that does not fit is read anew each time.
package latest

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
)

// Tables are partitions of tables with their newest records. They are safe for concurrent use.
type Tables struct {
	cluster connectors.Cluster
	now     func() time.Time
	budget  int64

	mu    sync.Mutex
	used  int64
	parts map[connectors.Partition]*list.Element // of *partition
	order *list.List                             // the one used last is at the front
}

// New keeps at most budget bytes; 0 keeps nothing.
func New(cluster connectors.Cluster, budget int64, now func() time.Time) *Tables {
	return &Tables{cluster: cluster, now: now, budget: budget, parts: map[connectors.Partition]*list.Element{}, order: list.New()}
}

// Request is what is asked of one partition: what it held when its end was at End.
type Request struct {
	connectors.Partition
	ID         string // of the topic: another one after it was created again
	Start, End int64
	// Keys are the keys that are wanted, nil: all.
	Keys [][]byte
}

// stale is how long a partition may go without being read: broker and compaction may then have forgotten deletions, a day after they were written by default.
const stale = time.Hour

// Visit shows the newest record of each key that is wanted, in the order of offsets; one without a value is not shown. The records are valid during
// the call. Records of a partition that is not kept are shown as they are read, the older ones of a key too, and deletions.
func (t *Tables) Visit(ctx context.Context, r Request, visit func([]connectors.Record) error) error {
	if p := t.part(r); p != nil {
		if err := t.refresh(ctx, p, r); err != nil {
			return err
		}
		p.RLock()
		if p.fits {
			defer p.RUnlock()
			return p.visit(r, visit)
		}
		p.RUnlock()
	}
	wanted := map[string]bool{}
	for _, k := range r.Keys {
		wanted[string(k)] = true
	}
	return t.cluster.Read(ctx, r.Partition, r.Start, r.End, func(rs []connectors.Record) error {
		if r.Keys == nil {
			return visit(rs)
		}
		var some []connectors.Record
		for _, x := range rs {
			if wanted[string(x.Key)] {
				some = append(some, x)
			}
		}
		if len(some) == 0 {
			return nil
		}
		return visit(some)
	})
}

// part is the partition as it is kept, made anew where what is kept means nothing any more; nil: nothing is kept.
func (t *Tables) part(r Request) *partition {
	if t.budget <= 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.parts[r.Partition]; e != nil {
		if p := e.Value.(*partition); p.id == r.ID {
			t.order.MoveToFront(e)
			return p
		}
		t.drop(e)
	}
	p := newPartition(r)
	t.parts[r.Partition] = t.order.PushFront(p)
	return p
}

// drop forgets a partition; whoever is reading it goes on with it.
func (t *Tables) drop(e *list.Element) {
	p := e.Value.(*partition)
	t.used -= p.counted
	p.counted = 0
	t.order.Remove(e)
	delete(t.parts, p.at)
}

// refresh reads what is new below r.End.
func (t *Tables) refresh(ctx context.Context, p *partition, r Request) error {
	p.Lock()
	defer p.Unlock()
	if !p.fits {
		return nil
	}
	now := t.now()
	if p.next < r.Start || p.next > 0 && now.Sub(p.read) > stale {
		p.clear()
	}
	err := t.cluster.Read(ctx, p.at, max(p.next, r.Start), r.End, func(rs []connectors.Record) error {
		for i := range rs {
			p.apply(&rs[i])
		}
		if !t.room(p) {
			p.clear()
			p.fits = false
			t.room(p)
			return errFull
		}
		return nil
	})
	switch {
	case err == errFull:
		return nil
	case err == nil:
		p.next = max(p.next, r.End)
		p.read = now
	}
	return err
}

// room counts what a partition takes now, and makes room by forgetting those that were not used for longest; false: there is none.
func (t *Tables) room(p *partition) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.parts[p.at]
	if e == nil || e.Value != p { // it was forgotten meanwhile
		return p.bytes() <= t.budget
	}
	t.used += p.bytes() - p.counted
	p.counted = p.bytes()
	for t.used > t.budget {
		last := t.order.Back()
		if last == e {
			last = last.Prev()
		}
		if last == nil {
			return false
		}
		t.drop(last)
	}
	return true
}
