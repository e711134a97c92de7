package storage

import "errors"

// A packed changelog record is a version byte and entries, each a kind byte and its fields. Within a record, puts belong
// to the window opened last.
const (
	packedVersion = 1

	entryWindow byte = iota // start: puts that follow are of this window
	entryDrop               // start: the window is gone
	entryPut                // key, value
	entryPush               // item
	entryPop                // item's place
	entryMeta               // the task's meta record
)

const packedSize = 256 << 10 // a record is sent when it has reached this

var errRecord = errors.New("corrupt changelog record")

// Compacted changelogs: the meta record's key, and what precedes every other key.
const (
	compactedMeta  = "\x00meta"
	compactedEntry = 0x01
)

// emitter hands changelog records to the task. All bytes handed out stay as they are until the next Commit.
type emitter struct {
	name string
	emit func(name string, key, value []byte) error
	buf  []byte   // the packed record being filled
	free [][]byte // buffers for packed records
	used [][]byte
	text arena // keys and values of compacted records
	mem  int64
}

// reset takes back the buffers of the last epoch.
func (r *emitter) reset() {
	r.free = append(r.free, r.used...)
	clear(r.used)
	r.used = r.used[:0]
	if len(r.free) > 8 {
		clear(r.free[8:])
		r.free = r.free[:8]
	}
	r.mem = 0
	r.text = arena{mem: &r.mem}
}

// begin makes room for n more bytes of an entry and says whether a new record was begun.
func (r *emitter) begin(n int) (fresh bool, err error) {
	if len(r.buf) > 1 && len(r.buf)+n > packedSize {
		if err := r.flush(); err != nil {
			return false, err
		}
	}
	if r.buf != nil {
		return false, nil
	}
	if k := len(r.free); k > 0 {
		r.buf, r.free = r.free[k-1][:0], r.free[:k-1]
	}
	r.buf = append(r.buf, packedVersion)
	return true, nil
}

// flush sends the record being filled.
func (r *emitter) flush() error {
	if len(r.buf) == 0 {
		return nil
	}
	b := r.buf
	r.buf = nil
	if cap(b) <= 2*packedSize {
		r.used = append(r.used, b)
	}
	return r.emit(r.name, nil, b)
}

// row sends a compacted record; value nil removes the key.
func (r *emitter) row(value []byte, removed bool, key ...[]byte) error {
	n := 1
	for _, k := range key {
		n += len(k)
	}
	_, b := r.text.alloc(n)
	k := append(b[:0], compactedEntry)
	for _, part := range key {
		k = append(k, part...)
	}
	if removed {
		return r.emit(r.name, k, nil)
	}
	v := []byte{}
	if len(value) > 0 {
		_, b := r.text.alloc(len(value))
		v = append(b[:0], value...)
	}
	return r.emit(r.name, k, v)
}
