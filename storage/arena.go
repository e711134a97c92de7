package storage

// arena holds byte strings in chunks without pointers. A string is named by a reference: chunk number and offset / 4.
type arena struct {
	chunks [][]byte
	cur    int // the chunk being filled
	off    int
	mem    *int64 // the store's account
}

const (
	minChunk  = 128
	maxChunk  = 256 << 10 // what 16 bits of offset / 4 reach
	bigString = maxChunk / 4
	maxChunks = 1 << 16
)

// alloc makes room for n > 0 bytes.
func (a *arena) alloc(n int) (ref uint32, b []byte) {
	n = (n + 3) &^ 3
	if n > bigString { // a chunk of its own
		a.add(n)
		c := len(a.chunks) - 1
		if c == 0 {
			a.off = n
		}
		return uint32(c) << 16, a.chunks[c]
	}
	if len(a.chunks) == 0 || a.off+n > len(a.chunks[a.cur]) {
		a.add(max(n, min(minChunk<<min(len(a.chunks), 11), maxChunk)))
		a.cur, a.off = len(a.chunks)-1, 0
	}
	ref = uint32(a.cur)<<16 | uint32(a.off>>2)
	b = a.chunks[a.cur][a.off : a.off+n : a.off+n]
	a.off += n
	return ref, b
}

func (a *arena) add(n int) {
	a.chunks = append(a.chunks, make([]byte, n))
	*a.mem += int64(n)
}

// full says that alloc could run out of references: more than 4 GB.
func (a *arena) full() bool { return len(a.chunks) >= maxChunks-2 }

// at is the n bytes of ref.
func (a *arena) at(ref uint32, n int) []byte {
	off := int(ref&0xFFFF) << 2
	return a.chunks[ref>>16][off : off+n : off+n]
}

// from is the bytes from ref on.
func (a *arena) from(ref uint32) []byte { return a.chunks[ref>>16][int(ref&0xFFFF)<<2:] }

// drop gives a chunk back of which nothing is needed any more, when nothing will be added.
func (a *arena) drop(c uint32) {
	*a.mem -= int64(len(a.chunks[c]))
	a.chunks[c] = nil
}

// free gives all memory back to the account.
func (a *arena) free() {
	for _, c := range a.chunks {
		*a.mem -= int64(len(c))
	}
	a.chunks, a.cur, a.off = nil, 0, 0
}
