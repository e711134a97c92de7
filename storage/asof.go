package storage

import "github.com/streamsql-go/streamsql/sql/types"

// AsOf returns the row of key valid at an instant; valid until the next call.
func (t *Versions) AsOf(key []byte, at int64) (row []byte, ok bool, err error) {
	n, ok, err := t.stored(key)
	if err != nil || !ok {
		return nil, false, err
	}
	x, _ := t.validAt(n, at)
	if x == nil || x.is(nodeDeleted) {
		return nil, false, nil
	}
	return x.version().Row, true, nil
}

// During is AsOf, with the instants at which the same holds.
func (t *Versions) During(key []byte, at int64) (types.Validity, error) {
	v := types.Validity{From: types.Never, Until: types.Forever}
	n, ok, err := t.stored(key)
	if err != nil || !ok {
		return v, err
	}
	x, until := t.validAt(n, at)
	if v.Until = until; x == nil {
		return v, nil
	}
	if v.From = seenFrom(x); !x.is(nodeDeleted) {
		v.Row, v.OK = x.version().Row, true
	}
	return v, nil
}

// Until is the first instant that sees a version of key newer than v; types.Forever when there is none.
func (t *Versions) Until(key []byte, v types.Version) (int64, error) {
	until := types.Forever
	n, ok, err := t.stored(key)
	if err != nil || !ok || t.t.entry(n).vlen == 0 {
		return until, err
	}
	e := t.t.entry(n)
	e.meta |= hot
	for next := e.val; next != 0; {
		x := t.t.node(next)
		if x.ts() < v.TS || x.ts() == v.TS && x.version().Origin.Compare(v.Origin) <= 0 {
			break
		}
		until = min(until, seenFrom(x))
		next = x.next()
	}
	return until, nil
}

// Newest returns the version of key with the largest (ts, origin), which may be a deletion; valid until the next call.
func (t *Versions) Newest(key []byte) (v types.Version, ok bool, err error) {
	n, ok, err := t.stored(key)
	if err != nil || !ok {
		return v, false, err
	}
	e := t.t.entry(n)
	e.meta |= hot
	if e.vlen == 0 {
		return v, false, nil
	}
	return t.t.node(e.val).version(), true, nil
}

// stored finds key's entry, in memory or on disk; ok false when there is none.
func (t *Versions) stored(key []byte) (n uint32, ok bool, err error) {
	h := hash32(key)
	if n, ok = t.t.find(key, h); ok || t.complete {
		return n, ok, nil
	}
	chain, ok, err := t.s.disk.get(t.diskKey(key))
	if err != nil || !ok {
		return 0, false, err
	}
	n, err = t.loadChain(key, h, chain)
	return n, err == nil, err
}

// validAt is the version of entry n that an instant sees, nil when there is none, and the first later instant that sees a
// newer one.
func (t *Versions) validAt(n uint32, at int64) (x node, until int64) {
	e := t.t.entry(n)
	e.meta |= hot
	until = types.Forever
	if e.vlen == 0 {
		return nil, until
	}
	for next := e.val; next != 0; {
		x := t.t.node(next)
		from := seenFrom(x)
		if from <= at {
			return x, until
		}
		until = min(until, from)
		next = x.next()
	}
	return nil, until
}

// seenFrom is the first instant that sees x.
func seenFrom(x node) int64 {
	if x.is(nodeLimited) {
		return max(x.ts(), x.visible()+1)
	}
	return x.ts()
}
