package join

import (
	"bytes"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// index finds the rows of a broadcast table by the columns that are compared for equality; where none are, all rows are of
// one group. It names the primary keys that have a version of that group; which version an instant sees is asked of the
// versions.
//
//	group of an entry:  the compared columns (storage/keys)
//	key:                the primary key
//	value:              the first instant that sees no version of the group any more (8, keys.AppendTime); types.Forever:
//	                    the newest version is one
//
// A version's row is its group (with the length), then vector.AppendRow. One with a NULL where = compares is of no group.
type index struct {
	state    op.Sorted
	versions op.Versions
	keys     matchKeys
	compared int            // how many columns
	leaving  minHeap[entry] // by value; one whose value has changed since is not meant any more
	seen     validRows

	at, was group
	row     []byte
	value   [8]byte
}

type entry struct{ group, primary string }

// group is what a version is found by; some false: by nothing.
type group struct {
	key  []byte
	some bool
}

// leftPerExpire bounds what one expire forgets.
const leftPerExpire = 1000

func newIndex(c *StreamTableConfig, env op.Env) (*index, error) {
	x := &index{state: c.Index, versions: c.Versions, keys: newMatchKeys(env, c.TableKeys, c.NullSafe), compared: len(c.TableKeys), seen: newValidRows(c.Table)}
	err := x.state.Scan(func(group, primary, value []byte) error {
		if len(value) != 8 {
			return op.ErrRow
		}
		if until := keys.Time(value); until != types.Forever {
			x.leaving.push(until, entry{string(group), string(primary)})
		}
		return nil
	})
	return x, err
}

// eval computes the groups of a batch of the table. Deletions need none.
func (x *index) eval(b *vector.Batch) (err error) {
	x.keys.cols = x.keys.exprs.Eval(b)
	x.keys.bad, err = x.keys.exprs.Failed(b, b.Deleted)
	return err
}

// put adds row i of the batch as a version of a primary key.
func (x *index) put(primary []byte, v op.Version, b *vector.Batch, i int) (older bool, err error) {
	x.at.key, x.at.some = x.at.key[:0], !v.Deleted && !x.keys.null(i)
	if x.at.some {
		x.at.key = x.keys.append(x.at.key, i)
	}
	if !v.Deleted {
		x.row = vector.AppendRow(vector.AppendBytes(x.row[:0], x.at.key), b.Cols, i)
		v.Row = x.row
	}
	newest, known, err := x.versions.Newest(primary)
	if err != nil {
		return false, err
	}
	if x.was.some = known && !newest.Deleted; x.was.some {
		r := vector.Reader{Rest: newest.Row}
		x.was.key = append(x.was.key[:0], r.Bytes()...)
		x.was.some = x.compared == 0 || len(x.was.key) > 0
	}
	x.seen.known = false
	if older, err = x.versions.Put(primary, v); err != nil {
		return older, err
	}
	same := x.at.some == x.was.some && (!x.at.some || bytes.Equal(x.at.key, x.was.key))
	switch {
	case older && same:
		return older, nil
	case older:
		return older, x.enter(x.at, primary, newest.SeenFrom())
	case !same:
		if err := x.enter(x.was, primary, v.SeenFrom()); err != nil {
			return older, err
		}
	}
	return older, x.enter(x.at, primary, types.Forever)
}

// enter says until when a group has a version of a primary key.
func (x *index) enter(g group, primary []byte, until int64) error {
	if !g.some {
		return nil
	}
	keys.AppendTime(x.value[:0], until)
	if until < types.Forever {
		x.leaving.push(until, entry{string(g.key), string(primary)})
	} else if old, ok, err := x.state.Get(g.key, primary); err != nil || ok && bytes.Equal(old, x.value[:]) {
		return err
	}
	return x.state.Put(g.key, primary, x.value[:])
}

// expire forgets what no instant >= horizon can see, a little at each call.
func (x *index) expire(horizon int64) error {
	for range leftPerExpire {
		if len(x.leaving) == 0 || x.leaving[0].key > horizon {
			return nil
		}
		until, e := x.leaving[0].key, x.leaving[0].item
		x.leaving.pop()
		group, primary := []byte(e.group), []byte(e.primary)
		value, ok, err := x.state.Get(group, primary)
		if err != nil {
			return err
		}
		if !ok || keys.Time(value) != until {
			continue
		}
		if err := x.state.Delete(group, primary); err != nil {
			return err
		}
	}
	return nil
}

// validRows are the rows of a group that an instant sees, in the order of their primary keys.
type validRows struct {
	known       bool // nothing was put since they were read
	group       []byte
	from, until int64 // every instant from <= x < until sees them
	cols        []*vector.Vector
	n           int
}

func newValidRows(table []types.Type) validRows {
	r := validRows{cols: make([]*vector.Vector, len(table))}
	for i, t := range table {
		r.cols[i] = vector.New(t, 0)
	}
	return r
}

// validAt are the rows of a group that an instant sees; valid until the next call.
func (x *index) validAt(group []byte, at int64) (*validRows, error) {
	r := &x.seen
	if r.known && r.from <= at && (at < r.until || r.until == types.Forever) && bytes.Equal(r.group, group) {
		return r, nil
	}
	r.known, r.group, r.from, r.until, r.n = false, append(r.group[:0], group...), types.Never, types.Forever, 0
	for _, c := range r.cols {
		c.Reset()
	}
	err := x.state.Ascend(r.group, nil, nil, func(primary, _ []byte) (stop bool, err error) {
		v, err := x.versions.During(primary, at)
		if err != nil {
			return true, err
		}
		r.from, r.until = max(r.from, v.From), min(r.until, v.Until)
		return false, r.take(v)
	})
	r.known = err == nil
	return r, err
}

// take adds the row of a version if it is of the group.
func (r *validRows) take(v op.Validity) error {
	if !v.OK {
		return nil
	}
	in := vector.Reader{Rest: v.Row}
	group := in.Bytes()
	if in.Err() != nil {
		return op.ErrRow
	}
	if !bytes.Equal(group, r.group) {
		return nil
	}
	in.Row(r.cols)
	if in.Err() != nil || len(in.Rest) > 0 {
		return op.ErrRow
	}
	r.n++
	return nil
}
