package optest

import (
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Versions is op.Versions over sorted lists. The zero value is ready.
type Versions struct {
	m map[string][]op.Version
	lent
	horizon int64
}

var _ op.Versions = (*Versions)(nil)

// Put implements op.Versions.
func (v *Versions) Put(key []byte, x op.Version) (bool, error) {
	v.settle()
	if v.m == nil {
		v.m = map[string][]op.Version{}
	}
	x.Row = slices.Clone(x.Row)
	vs := append(v.m[string(key)], x)
	slices.SortStableFunc(vs, compareVersions)
	v.m[string(key)] = vs
	return compareVersions(vs[len(vs)-1], x) > 0, nil
}

func compareVersions(a, b op.Version) int {
	return cmp.Or(cmp.Compare(a.TS, b.TS), a.Origin.Compare(b.Origin))
}

// AsOf implements op.Versions.
func (v *Versions) AsOf(key []byte, at int64) ([]byte, bool, error) {
	x, err := v.During(key, at)
	return x.Row, x.OK, err
}

// During implements op.Versions.
func (v *Versions) During(key []byte, at int64) (op.Validity, error) {
	v.settle()
	x := op.Validity{From: types.Never, Until: types.Forever}
	vs := v.m[string(key)]
	for i := len(vs) - 1; i >= 0; i-- {
		from := vs[i].SeenFrom()
		if from > at {
			x.Until = min(x.Until, from)
			continue
		}
		if x.From = from; !vs[i].Deleted {
			x.Row, x.OK = v.lend(vs[i].Row), true
		}
		break
	}
	return x, nil
}

// Newest implements op.Versions.
func (v *Versions) Newest(key []byte) (op.Version, bool, error) {
	v.settle()
	vs := v.m[string(key)]
	if len(vs) == 0 {
		return op.Version{}, false, nil
	}
	x := vs[len(vs)-1]
	x.Row = v.lend(x.Row)
	return x, true, nil
}

// Until implements op.Versions.
func (v *Versions) Until(key []byte, x op.Version) (int64, error) {
	v.settle()
	until := types.Forever
	for _, newer := range v.m[string(key)] {
		if compareVersions(newer, x) > 0 {
			until = min(until, max(newer.TS, newer.Visible+1))
		}
	}
	return until, nil
}

// Expire implements op.Versions: as much as is allowed.
func (v *Versions) Expire(horizon int64) error {
	v.settle()
	v.horizon = horizon
	for k, vs := range v.m {
		for i := len(vs) - 1; i > 0; i-- {
			if vs[i].TS <= horizon && vs[i].Visible <= horizon {
				v.m[k] = slices.Delete(vs, 0, i)
				break
			}
		}
	}
	return nil
}

// Len is the number of versions of all keys.
func (v *Versions) Len() int {
	n := 0
	for _, vs := range v.m {
		n += len(vs)
	}
	return n
}

// Queue is op.Queue over a sorted list. The zero value is ready.
type Queue struct {
	items []op.Item
	lent
}

var _ op.Queue = (*Queue)(nil)

// Push implements op.Queue.
func (q *Queue) Push(it op.Item) error {
	q.settle()
	it.Row = slices.Clone(it.Row)
	at, _ := slices.BinarySearchFunc(q.items, it, compareItems)
	q.items = slices.Insert(q.items, at, it)
	return nil
}

func compareItems(a, b op.Item) int {
	return cmp.Or(cmp.Compare(a.TS, b.TS), a.Origin.Compare(b.Origin))
}

// Ascend implements op.Queue.
func (q *Queue) Ascend(visit func(it op.Item) (remove, stop bool, err error)) error {
	q.settle()
	kept := q.items[:0:0]
	for i, it := range q.items {
		row := it.Row
		it.Row = q.lend(row)
		remove, stop, err := visit(it)
		q.settle()
		if it.Row = row; !remove {
			kept = append(kept, it)
		}
		if stop || err != nil {
			q.items = append(kept, q.items[i+1:]...)
			return err
		}
	}
	q.items = kept
	return nil
}

// Restore sets the arrival of all items, as after a restart.
func (q *Queue) Restore(arrival int64) {
	for i := range q.items {
		q.items[i].Arrival = arrival
	}
}

// Len implements op.Queue.
func (q *Queue) Len() int { return len(q.items) }

// Bytes implements op.Queue.
func (q *Queue) Bytes() int64 {
	n := 0
	for _, it := range q.items {
		n += len(it.Row)
	}
	return int64(n)
}

// First implements op.Queue.
func (q *Queue) First() (int64, bool) {
	if len(q.items) == 0 {
		return 0, false
	}
	return q.items[0].TS, true
}

// Releases is a table whose progress the test sets.
type Releases struct {
	Upto   int64 // as-of instants <= Upto are released by the table's watermark
	Proven int64 // arrivals <= Proven are released by a caught-up proof
	Clock  int64
}

// NewReleases releases nothing yet.
func NewReleases() *Releases { return &Releases{Upto: types.Never, Proven: types.Never} }

// Released implements op.Releases.
func (r *Releases) Released(asOf, arrival int64) bool { return asOf <= r.Upto || arrival <= r.Proven }

// Arrival implements op.Releases.
func (r *Releases) Arrival() int64 { return r.Clock }

// Passed implements op.Releases.
func (r *Releases) Passed() int64 { return r.Upto }
