package storage

import "bytes"

// shared is what the states of a store have in common.
type shared struct {
	disk *disk
	mem  int64 // bytes of memory in use
}

// part is a table of plain values over the keys of Pebble with a prefix.
type part struct {
	s        *shared
	t        table
	prefix   []byte
	complete bool   // every live entry is in t: a miss needs no read
	buf      []byte // a key of Pebble
}

func newPart(s *shared, prefix []byte) part {
	return part{s: s, t: newTable(&s.mem), prefix: prefix}
}

func (p *part) diskKey(key []byte) []byte {
	p.buf = append(append(p.buf[:0], p.prefix...), key...)
	return p.buf
}

// lookup finds key's entry, reading it into memory when it is on disk only. It returns nil when nothing is known of key.
func (p *part) lookup(key []byte, h uint32) (uint32, *entry, error) {
	if n, ok := p.t.find(key, h); ok {
		return n, p.t.entry(n), nil
	}
	if p.complete {
		return 0, nil, nil
	}
	value, ok, err := p.s.disk.get(p.diskKey(key))
	if err != nil || !ok {
		return 0, nil, err
	}
	n, err := p.load(key, h, value)
	if err != nil {
		return 0, nil, err
	}
	return n, p.t.entry(n), nil
}

// load inserts what the disk has.
func (p *part) load(key []byte, h uint32, value []byte) (uint32, error) {
	n, err := p.t.insert(key, h, wasLive|onDisk)
	if err == nil {
		p.t.set(p.t.entry(n), value)
	}
	return n, err
}

func (p *part) get(key []byte) ([]byte, bool, error) {
	_, e, err := p.lookup(key, hash32(key))
	if err != nil || e == nil {
		return nil, false, err
	}
	e.meta |= hot
	if e.meta&live == 0 {
		return nil, false, nil
	}
	return p.t.value(e), true, nil
}

func (p *part) modify(key []byte) ([]byte, bool, error) {
	n, e, err := p.lookup(key, hash32(key))
	if err != nil || e == nil || e.meta&live == 0 {
		return nil, false, err
	}
	p.t.touch(n, e)
	return p.t.value(e), true, nil
}

// add puts key without a value if it is absent.
func (p *part) add(key []byte) (bool, error) {
	h := hash32(key)
	n, e, err := p.lookup(key, h)
	if err != nil {
		return false, err
	}
	if e == nil {
		if n, err = p.t.insert(key, h, 0); err != nil {
			return false, err
		}
		e = p.t.entry(n)
	} else if e.meta&live != 0 {
		e.meta |= hot
		return false, nil
	}
	p.t.set(e, nil)
	p.t.touch(n, e)
	return true, nil
}

// slot finds or makes key's entry for a blind write: what the disk has of a key not in memory is not asked.
func (p *part) slot(key []byte) (uint32, *entry, error) {
	if p.t.arena.full() {
		return 0, nil, errTableFull
	}
	h := hash32(key)
	n, ok := p.t.find(key, h)
	if !ok {
		unknown := wasLive | onDisk
		if p.complete {
			unknown = 0
		}
		var err error
		if n, err = p.t.insert(key, h, unknown); err != nil {
			return 0, nil, err
		}
	}
	return n, p.t.entry(n), nil
}

func (p *part) put(key, value []byte) error {
	n, e, err := p.slot(key)
	if err != nil {
		return err
	}
	p.t.set(e, value)
	p.t.touch(n, e)
	return nil
}

func (p *part) remove(key []byte) error {
	if p.complete {
		if n, ok := p.t.find(key, hash32(key)); !ok || p.t.entry(n).meta&live == 0 {
			return nil
		}
	}
	n, e, err := p.slot(key)
	if err != nil {
		return err
	}
	p.t.unset(e)
	p.t.touch(n, e)
	return nil
}

// apply replays a committed change; remove says that the key goes.
func (p *part) apply(key, value []byte, remove bool) error {
	_, e, err := p.slot(key)
	if err != nil {
		return err
	}
	if remove {
		p.t.unset(e)
		e.meta &^= wasLive
	} else {
		p.t.set(e, value)
		e.meta |= wasLive
	}
	p.t.soil(e)
	return nil
}

// scan visits all entries in key order.
func (p *part) scan(visit func(key, value []byte) error) error {
	if p.complete {
		for _, o := range p.t.sorted(live, nil) {
			e := p.t.entry(o.n)
			if err := visit(p.t.key(e), p.t.value(e)); err != nil {
				return err
			}
		}
		return nil
	}
	c, err := p.s.disk.cursor(p.prefix)
	if err != nil {
		return err
	}
	defer c.close()
	return p.merge(c, p.t.sorted(^uint32(maxKey), nil), visit)
}

// merge visits what c and the table have, the table hiding the disk.
func (p *part) merge(c *cursor, mem []ordered, visit func(key, value []byte) error) error {
	k, v, ok, err := c.next()
	for err == nil && (ok || len(mem) > 0) {
		order := 1
		if ok && len(mem) > 0 {
			order = bytes.Compare(k[len(p.prefix):], p.t.key(p.t.entry(mem[0].n)))
		} else if ok {
			order = -1
		}
		if order < 0 {
			err = visit(k[len(p.prefix):], v)
		} else {
			if e := p.t.entry(mem[0].n); e.meta&live != 0 {
				err = visit(p.t.key(e), p.t.value(e))
			}
			mem = mem[1:]
		}
		if order <= 0 && err == nil {
			k, v, ok, err = c.next()
		}
	}
	return err
}

// logRows emits a record for each key that changed in this epoch.
func (p *part) logRows(r *emitter) error {
	for _, n := range p.t.touched {
		e := p.t.entry(n)
		var err error
		switch {
		case e.meta&live != 0:
			err = r.row(p.t.value(e), false, p.t.key(e))
		case e.meta&wasLive != 0:
			err = r.row(nil, true, p.t.key(e))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flush writes what is dirty, in key order.
func (p *part) flush(w writer, scratch *[]ordered) error {
	*scratch = p.t.sorted(dirty, *scratch)
	for _, o := range *scratch {
		e := p.t.entry(o.n)
		var err error
		switch {
		case e.meta&live != 0:
			err = w.set(p.diskKey(p.t.key(e)), p.t.value(e))
			e.meta |= onDisk
		case e.meta&onDisk != 0:
			err = w.remove(p.diskKey(p.t.key(e)))
			e.meta &^= onDisk
		}
		if err != nil {
			return err
		}
		e.meta &^= dirty
	}
	p.t.dirtied, p.t.stuck, *scratch = 0, 0, reuse(*scratch)
	return nil
}

// tidy rebuilds the table when much of it is waste.
func (p *part) tidy() {
	if p.t.wasteful() {
		p.t.rebuild(current, p.t.moveValue, p.t.pin(current))
	}
}

// current are the entries that a table without waste has.
func current(_ uint32, e *entry) bool { return e.meta&live != 0 || needed(e) }

// loadFirst reads up to n entries of a part of which nothing is in memory, and says whether that is all.
func (p *part) loadFirst(n int) (all bool, err error) {
	c, err := p.s.disk.cursor(p.prefix)
	if err != nil {
		return false, err
	}
	defer c.close()
	for ; n >= 0; n-- {
		k, v, ok, err := c.next()
		if err != nil {
			return false, err
		}
		if !ok {
			p.complete = true
			return true, nil
		}
		key := k[len(p.prefix):]
		if _, err := p.load(key, hash32(key), v); err != nil {
			return false, err
		}
	}
	return false, nil
}

// loadAll reads the part into memory until the store uses more than limit, and says whether it is all there.
func (p *part) loadAll(limit int64) (err error) {
	c, err := p.s.disk.cursor(p.prefix)
	if err != nil {
		return err
	}
	defer c.close()
	p.complete = false
	for p.s.mem <= limit {
		k, v, ok, err := c.next()
		if err != nil {
			return err
		}
		if !ok {
			p.complete = true
			return nil
		}
		key := k[len(p.prefix):]
		if _, err := p.load(key, hash32(key), v); err != nil {
			return err
		}
	}
	return nil
}
