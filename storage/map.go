package storage

import "slices"

// Map is state keyed by a key; op.Map says what its methods do.
type Map struct {
	part
	changes bool
	order   []ordered
}

func newMap(s *shared, id []byte) *Map {
	m := &Map{part: newPart(s, slices.Clone(id))}
	m.complete = true
	return m
}

// Get returns the value, valid until the next call.
func (m *Map) Get(key []byte) ([]byte, bool, error) { return m.get(key) }

// Modify returns the value to be changed in place.
func (m *Map) Modify(key []byte) ([]byte, bool, error) {
	v, ok, err := m.modify(key)
	m.changes = m.changes || ok
	return v, ok, err
}

// Put sets the value of a key.
func (m *Map) Put(key, value []byte) error {
	m.changes = true
	return m.put(key, value)
}

// Delete removes a key.
func (m *Map) Delete(key []byte) error {
	m.changes = true
	return m.remove(key)
}

// Scan visits all entries in key order. The map must not be changed meanwhile.
func (m *Map) Scan(visit func(key, value []byte) error) error { return m.scan(visit) }

func (m *Map) dirty() bool { return m.changes }

func (m *Map) unflushed() int64 { return m.t.dirtied }

func (m *Map) log(r *emitter) error { return m.logRows(r) }

func (m *Map) commit(int64) {
	m.changes = false
	m.t.committed()
	m.tidy()
}

func (m *Map) flush(out writer) error { return m.part.flush(out, &m.order) }

// evict drops clean entries: what was not used since the last eviction, and of the rest as many as it takes.
func (m *Map) evict(limit int64) {
	if m.s.mem <= limit || m.t.n == 0 {
		return
	}
	own := m.t.bytes()
	stay := m.t.survivors(own, own-(m.s.mem-limit))
	m.t.rebuild(stay.keep, m.t.moveValue, m.t.pin(stay.keep))
	m.complete = false
	m.t.cool()
}

func (m *Map) applyRow(key, value []byte) error { return m.apply(key, value, value == nil) }

func (m *Map) load(limit int64) error { return m.loadAll(limit) }
