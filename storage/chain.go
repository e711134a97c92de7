package storage

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// The versions of a key are a chain of nodes in the table's arena, the newest first. A node is: next (reference + 1, 0 ends
// the chain), flags | row length << 5, ts, origin (varints), visible when limited, row.
const (
	nodeDeleted uint32 = 1 << iota // the version deletes the row
	nodeLimited                    // it has a visible instant
	nodeGone                       // removed; it stays in memory until the epoch has been logged
	nodeLogged                     // the changelog may have it

	nodeFlagBits = 5
	nodeHeader   = 16
	maxRow       = 1<<27 - 1
)

// node is a version's bytes in the arena.
type node []byte

func (n node) next() uint32        { return binary.LittleEndian.Uint32(n) }
func (n node) setNext(next uint32) { binary.LittleEndian.PutUint32(n, next) }
func (n node) meta() uint32        { return binary.LittleEndian.Uint32(n[4:]) }
func (n node) is(flag uint32) bool { return n.meta()&flag != 0 }
func (n node) mark(flag uint32)    { binary.LittleEndian.PutUint32(n[4:], n.meta()|flag) }
func (n node) ts() int64           { return int64(binary.LittleEndian.Uint64(n[8:])) }

// visible is the instant up to which the version is hidden.
func (n node) visible() int64 {
	if !n.is(nodeLimited) {
		return types.Never
	}
	return n.version().Visible
}

// version reads the node. The row is not copied.
func (n node) version() types.Version {
	r := vector.Reader{Rest: n[nodeHeader:]}
	v := types.Version{TS: n.ts(), Origin: r.Origin(), Visible: types.Never, Deleted: n.is(nodeDeleted)}
	if n.is(nodeLimited) {
		v.Visible = int64(binary.LittleEndian.Uint64(r.Rest))
		r.Rest = r.Rest[8:]
	}
	l := n.meta() >> nodeFlagBits
	v.Row = r.Rest[:l:l]
	return v
}

// size is the node's length.
func (n node) size() int {
	r := vector.Reader{Rest: n[nodeHeader:]}
	r.Origin()
	at := len(n) - len(r.Rest)
	if n.is(nodeLimited) {
		at += 8
	}
	return at + int(n.meta()>>nodeFlagBits)
}

// newNode puts a version into the arena.
func (t *table) newNode(v types.Version, flags uint32) (ref uint32, n node) {
	var origin [3 * binary.MaxVarintLen64]byte
	o := vector.AppendOrigin(origin[:0], v.Origin)
	size := nodeHeader + len(o) + len(v.Row)
	if v.Deleted {
		flags |= nodeDeleted
	}
	if v.Visible != types.Never {
		flags |= nodeLimited
		size += 8
	}
	ref, n = t.arena.alloc(size)
	n.setNext(0)
	binary.LittleEndian.PutUint32(n[4:], flags|uint32(len(v.Row))<<nodeFlagBits)
	binary.LittleEndian.PutUint64(n[8:], uint64(v.TS))
	at := nodeHeader + copy(n[nodeHeader:], o)
	if flags&nodeLimited != 0 {
		binary.LittleEndian.PutUint64(n[at:], uint64(v.Visible))
		at += 8
	}
	copy(n[at:], v.Row)
	return ref, n
}

// node is the node of a chain's reference, which is not 0.
func (t *table) node(ref uint32) node { return t.arena.from(ref - 1) }

// The form of a version outside memory: flags, visible when limited, row. A chain on disk is, per version, ts, origin and
// that form with its length, the newest first.
func appendVersion(dst []byte, v types.Version) []byte {
	flags := byte(0)
	if v.Deleted {
		flags |= byte(nodeDeleted)
	}
	if v.Visible != types.Never {
		flags |= byte(nodeLimited)
	}
	dst = append(dst, flags)
	if v.Visible != types.Never {
		dst = binary.AppendVarint(dst, v.Visible)
	}
	return append(dst, v.Row...)
}

func readVersion(b []byte, v *types.Version) error {
	r := vector.Reader{Rest: b}
	flags := uint32(r.Byte())
	v.Deleted, v.Visible = flags&nodeDeleted != 0, types.Never
	if flags&nodeLimited != 0 {
		v.Visible = r.Varint()
	}
	v.Row = r.Rest
	if r.Err() != nil {
		return errRecord
	}
	return nil
}

// place is the order of versions and items: ts and origin in 24 bytes that order as they do.
const placeSize = 24

func appendPlace(dst []byte, ts int64, o types.Origin) []byte {
	dst = keys.AppendTime(dst, ts)
	dst = binary.BigEndian.AppendUint32(dst, uint32(o.Source)^1<<31)
	dst = binary.BigEndian.AppendUint32(dst, uint32(o.Partition)^1<<31)
	return keys.AppendTime(dst, o.Offset)
}

func readPlace(b []byte) (ts int64, o types.Origin) {
	o.Source = int32(binary.BigEndian.Uint32(b[8:]) ^ 1<<31)
	o.Partition = int32(binary.BigEndian.Uint32(b[12:]) ^ 1<<31)
	o.Offset = keys.Time(b[16:])
	return keys.Time(b), o
}
