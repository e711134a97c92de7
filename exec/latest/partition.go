package latest

import (
	"bytes"
	"errors"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
)

// partition is the newest records of one partition, packed: a record takes its bytes and about 60 more.
type partition struct {
	at connectors.Partition
	id string // of the topic

	sync.RWMutex
	fits   bool
	next   int64     // the offset that is read next
	read   time.Time // when it was read to its end last
	seed   maphash.Seed
	rows   []packed         // in the order of offsets
	byHash map[uint64]int32 // by the hash of a key the last of the rows that have it

	data [][]byte // blocks of keys and values
	size int64    // of the blocks
	gone int64    // of the blocks: bytes of rows that are no more
	dead int      // rows that are no more

	counted int64 // of Tables.mu: its share of Tables.used
}

// packed is a record: its key, then its value, in a block.
type packed struct {
	offset, timestamp int64
	block, from       uint32
	key, value        int32 // lengths; key below 0: the row is no more
	same              int32 // the row before it whose key has the same hash, -1: none
}

// blockSize is how much memory is taken at once.
const blockSize = 64 << 10

// rowBytes is about what a row takes beside its bytes: itself, and its place by hash.
const rowBytes = 40 + 24

var errFull = errors.New("the partition does not fit")

func newPartition(r Request) *partition {
	p := &partition{at: r.Partition, id: r.ID, seed: maphash.MakeSeed(), fits: true}
	p.clear()
	return p
}

func (p *partition) clear() {
	p.rows, p.data, p.byHash = nil, nil, map[uint64]int32{}
	p.size, p.gone, p.dead, p.next = 0, 0, 0, 0
}

func (p *partition) bytes() int64 { return p.size + int64(len(p.rows))*rowBytes }

// bytes are key and value.
func (r *packed) bytes(data [][]byte) (key, value []byte) {
	b := data[r.block][r.from:]
	return b[:r.key:r.key], b[r.key : r.key+r.value : r.key+r.value]
}

// find is the row of a key, -1: there is none.
func (p *partition) find(hash uint64, key []byte) int32 {
	at, ok := p.byHash[hash]
	if !ok {
		return -1
	}
	for ; at >= 0; at = p.rows[at].same {
		if r := &p.rows[at]; r.key >= 0 {
			if k, _ := r.bytes(p.data); bytes.Equal(k, key) {
				return at
			}
		}
	}
	return -1
}

// apply takes a record: it replaces the one of its key, or takes it away. One without a key is no row of a table.
func (p *partition) apply(r *connectors.Record) {
	if p.next = r.Offset + 1; r.Key == nil {
		return
	}
	hash := maphash.Bytes(p.seed, r.Key)
	if old := p.find(hash, r.Key); old >= 0 {
		x := &p.rows[old]
		p.gone += int64(x.key + x.value)
		p.dead++
		x.key = -1
	}
	if r.Value != nil {
		p.add(hash, packed{offset: r.Offset, timestamp: r.Timestamp}, r.Key, r.Value)
	}
	if p.dead > 1024 && p.dead > len(p.rows)/2 || p.gone > blockSize && p.gone > p.size/2 {
		p.pack()
	}
}

func (p *partition) add(hash uint64, r packed, key, value []byte) {
	n := len(key) + len(value)
	if k := len(p.data) - 1; k < 0 || len(p.data[k])+n > cap(p.data[k]) {
		p.data = append(p.data, make([]byte, 0, max(blockSize, n)))
		p.size += int64(max(blockSize, n))
	}
	k := len(p.data) - 1
	r.block, r.from, r.key, r.value, r.same = uint32(k), uint32(len(p.data[k])), int32(len(key)), int32(len(value)), -1
	p.data[k] = append(append(p.data[k], key...), value...)
	if last, ok := p.byHash[hash]; ok {
		r.same = last
	}
	p.byHash[hash] = int32(len(p.rows))
	p.rows = append(p.rows, r)
}

// pack leaves out what is no more.
func (p *partition) pack() {
	rows, data, next := p.rows, p.data, p.next
	p.clear()
	p.next = next
	for i := range rows {
		if r := &rows[i]; r.key >= 0 {
			key, value := r.bytes(data)
			p.add(maphash.Bytes(p.seed, key), packed{offset: r.offset, timestamp: r.timestamp}, key, value)
		}
	}
}

// visitRows is how many records are shown at once.
const visitRows = 2048

func (p *partition) visit(r Request, visit func([]connectors.Record) error) error {
	var out []connectors.Record
	if r.Keys != nil {
		for _, k := range r.Keys {
			if at := p.find(maphash.Bytes(p.seed, k), k); at >= 0 {
				out = append(out, p.record(at))
			}
		}
		if len(out) == 0 {
			return nil
		}
		slices.SortFunc(out, func(a, b connectors.Record) int { return int(a.Offset - b.Offset) })
		return visit(out)
	}
	for i := range p.rows {
		if p.rows[i].key >= 0 {
			out = append(out, p.record(int32(i)))
		}
		if len(out) == visitRows || i == len(p.rows)-1 && len(out) > 0 {
			if err := visit(out); err != nil {
				return err
			}
			out = out[:0]
		}
	}
	return nil
}

func (p *partition) record(at int32) connectors.Record {
	r := &p.rows[at]
	key, value := r.bytes(p.data)
	return connectors.Record{Topic: p.at.Topic, Partition: p.at.Partition, Offset: r.offset, Timestamp: r.timestamp, Key: key, Value: value}
}
