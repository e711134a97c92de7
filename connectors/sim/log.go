package sim

import "github.com/streamsql-go/streamsql/connectors"

type outcome uint8

const (
	open outcome = iota
	committed
	aborted
)

// txn is one transaction: its entries and markers point to it.
type txn struct {
	state   outcome
	touched []*partition // in order of first use
	last    map[*partition]int64
}

type entry struct {
	rec    connectors.Record
	txn    *txn // nil: outside a transaction
	marker bool
	gone   bool // removed by compaction; its offset stays
}

// partition is a log; the offset of an entry is its index.
type partition struct {
	connectors.Partition
	start int64
	log   []entry
}

func (p *partition) end() int64 { return int64(len(p.log)) }

// append adds a record at the end and returns its offset.
func (p *partition) append(r connectors.Record, t *txn) int64 {
	r.Topic, r.Partition, r.Offset = p.Topic, p.Partition.Partition, p.end()
	p.log = append(p.log, entry{rec: r, txn: t})
	if t != nil {
		if _, ok := t.last[p]; !ok {
			t.touched = append(t.touched, p)
		}
		t.last[p] = r.Offset
	}
	return r.Offset
}

func newTxn() *txn { return &txn{last: map[*partition]int64{}} }

// finish ends an open transaction and writes its markers. They occupy offsets.
func (t *txn) finish(o outcome) {
	if t.state != open {
		return
	}
	t.state = o
	for _, p := range t.touched {
		p.log = append(p.log, entry{txn: t, marker: true, rec: connectors.Record{Offset: p.end()}})
	}
}

// fetch reads up to n committed records from pos. next is the position after what was read: it passes markers, aborted
// records and gaps that something follows, and stops at an open transaction. A gap at the end of the log is not passed,
// as for a client that is sent no batch.
func (p *partition) fetch(pos int64, n int) (recs []connectors.Record, next int64, err error) {
	if pos < p.start || pos > p.end() {
		return nil, pos, &connectors.ErrOffsetGone{Partition: p.Partition, Wanted: pos, Start: p.start, End: p.end()}
	}
	next = pos
	for off := pos; off < p.end() && len(recs) < n; off++ {
		e := &p.log[off]
		if e.gone {
			continue
		}
		if e.txn != nil && e.txn.state == open {
			break
		}
		next = off + 1
		if !e.marker && (e.txn == nil || e.txn.state == committed) {
			recs = append(recs, e.rec)
		}
	}
	return recs, next, nil
}

// empty says whether nothing, committed or not, is left in [from, to).
func (p *partition) empty(from, to int64) bool {
	for off := max(from, p.start); off < min(to, p.end()); off++ {
		if !p.log[off].gone {
			return false
		}
	}
	return true
}

// compact keeps the last committed record of each key below the first open transaction, and no aborted records. The
// markers of the transactions go with them.
func (p *partition) compact() {
	stable := p.end()
	last := map[string]int64{}
	for off := p.start; off < p.end(); off++ {
		e := &p.log[off]
		if e.txn != nil && e.txn.state == open {
			stable = off
			break
		}
		if !e.gone && !e.marker && (e.txn == nil || e.txn.state == committed) {
			last[string(e.rec.Key)] = off
		}
	}
	for off := p.start; off < stable; off++ {
		e := &p.log[off]
		live := !e.marker && (e.txn == nil || e.txn.state == committed) && last[string(e.rec.Key)] == off
		e.gone = e.gone || !live
	}
}
