package storage

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// groupFilters makes Pebble's filters of the keys of Sorted states tell groups: the part of such a key that a filter knows
// is the state's two bytes and the group (keys.AppendBytes), of other keys it is all. The order is that of bytes either way,
// so the name of the comparer stays.
func groupFilters(o *pebble.Options, specs []Spec) {
	var grouped [256]bool
	some := false
	for i, s := range specs {
		grouped[i] = s.Kind == SortedKind
		some = some || grouped[i]
	}
	if !some {
		return
	}
	c := *pebble.DefaultComparer
	c.Split = func(key []byte) int {
		if len(key) > 2 && key[0] == stateID && grouped[key[1]] {
			return groupEnd(key)
		}
		return len(key)
	}
	o.Comparer = &c
	// Keys of one group are no versions of a row: their values stay beside them.
	o.Experimental.SpanPolicyFunc = func([]byte) (pebble.SpanPolicy, []byte, error) {
		return pebble.SpanPolicy{DisableValueSeparationBySuffix: true}, nil, nil
	}
}

// groupEnd is where the group of a key ends: at the first two zero bytes, for others have been escaped. A key that Pebble has
// shortened may have no end.
func groupEnd(key []byte) int {
	if i := bytes.Index(key[2:], groupEndMark); i >= 0 {
		return 2 + i + len(groupEndMark)
	}
	return len(key)
}

var groupEndMark = []byte{0, 0}

// has says whether a key begins with prefix, which is all that a filter knows of it.
func (d *disk) has(prefix []byte) (ok bool, err error) {
	defer d.recovered(&err)
	if err := d.health.err(); err != nil {
		return false, err
	}
	if err := d.begin(&d.point); err != nil {
		return false, err
	}
	return d.point.SeekPrefixGE(prefix), d.wrap(d.point.Error())
}

// entry reads a key of a Sorted state, of which the filters know the group. It does not look beyond the key: there may lie any
// number of keys that were deleted, which Pebble would step over one by one. The value is valid until the next call.
func (d *disk) entry(key []byte) (value []byte, ok bool, err error) {
	defer d.recovered(&err)
	if err := d.health.err(); err != nil {
		return nil, false, err
	}
	if err := d.begin(&d.single); err != nil {
		return nil, false, err
	}
	d.behind = append(append(d.behind[:0], key...), 0)
	d.single.SetBounds(key, d.behind)
	if !d.single.SeekPrefixGE(key) {
		return nil, false, d.wrap(d.single.Error())
	}
	value, err = d.single.ValueAndErr()
	return value, err == nil, d.wrap(err)
}

// groupCursor walks over the keys of one group of a state, up or down, and does not look beyond its range either.
type groupCursor struct {
	d        *disk
	id       []byte // of the state
	it       *pebble.Iterator
	low, end []byte // bounds of the iterator
}

func (d *disk) groupCursor(id []byte) *groupCursor {
	c := &groupCursor{d: d, id: id}
	d.group = append(d.group, c)
	return c
}

func (c *groupCursor) forget() {
	if c.it != nil {
		c.it.Close()
		c.it = nil
	}
}

// seek returns the first entry of a group going in a direction, of those with from <= key < to (nil: no bound). Keys are
// returned without the state's id, and like values valid until the next call.
func (c *groupCursor) seek(dir direction, group, from, to []byte) (key, value []byte, ok bool, err error) {
	defer c.d.recovered(&err)
	if err := c.d.health.err(); err != nil {
		return nil, nil, false, err
	}
	if err := c.d.begin(&c.it); err != nil {
		return nil, nil, false, err
	}
	c.low = append(append(append(c.low[:0], c.id...), group...), from...)
	c.end = append(append(append(c.end[:0], c.id...), group...), to...)
	if to == nil {
		c.end[len(c.end)-1]++ // its last byte is 0: the end of the group
	}
	if bytes.Compare(c.low, c.end) >= 0 {
		return nil, nil, false, nil
	}
	c.it.SetBounds(c.low, c.end)
	if dir == up {
		return c.entry(c.it.SeekPrefixGE(c.low))
	}
	return c.entry(c.it.SeekLT(c.end))
}

// next returns the next entry.
func (c *groupCursor) next(dir direction) (key, value []byte, ok bool, err error) {
	defer c.d.recovered(&err)
	if dir == up {
		return c.entry(c.it.Next())
	}
	return c.entry(c.it.Prev())
}

func (c *groupCursor) entry(ok bool) (key, value []byte, _ bool, err error) {
	if !ok {
		return nil, nil, false, c.d.wrap(c.it.Error())
	}
	value, err = c.it.ValueAndErr()
	return c.it.Key()[len(c.id):], value, err == nil, c.d.wrap(err)
}
