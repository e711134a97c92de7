package op

import "github.com/streamsql-go/streamsql/sql/vector"

// Withheld is rows that wait until the watermark reaches them; then they are given back in (ts, origin) order.
type Withheld struct {
	queue    Queue
	counters *Counters
	read     RowReader
	row      []byte
}

// NewWithheld keeps rows in a queue. Those that come when the watermark is past them already are counted in counters.
func NewWithheld(queue Queue, counters *Counters) *Withheld {
	return &Withheld{queue: queue, counters: counters}
}

// Keep puts the rows of b in the queue, but for those that the watermark has passed.
func (w *Withheld) Keep(b *vector.Batch, mark int64) error {
	for i := range b.N {
		if b.Time[i] <= mark {
			w.counters.LateAfterIdle++
			continue
		}
		it := Item{TS: b.Time[i]}
		if b.Origin != nil {
			it.Origin = b.Origin[i]
		}
		w.row = AppendRow(w.row[:0], b, i)
		it.Row = w.row
		if err := w.queue.Push(it); err != nil {
			return err
		}
	}
	return nil
}

// Take moves reached rows into out: about ChunkRows, those of one instant together. more says that others are left.
func (w *Withheld) Take(out *vector.Batch, mark int64) (more bool, err error) {
	err = w.queue.Ascend(func(it Item) (remove, stop bool, err error) {
		if it.TS > mark {
			return false, true, nil
		}
		if n := out.N; n >= ChunkRows && out.Time[n-1] != it.TS {
			more = true
			return false, true, nil
		}
		return true, false, w.read.Append(out, it.Row)
	})
	return more, err
}

// Below holds m below the earliest row that waits.
func (w *Withheld) Below(m Marks) Marks {
	if first, ok := w.queue.First(); ok {
		return m.Below(first)
	}
	return m
}

// Due is the event time of the earliest row.
func (w *Withheld) Due() (int64, bool) { return w.queue.First() }

// Holds says whether a row waits.
func (w *Withheld) Holds() bool { return w.queue.Len() > 0 }
