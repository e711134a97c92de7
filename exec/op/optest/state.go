// Package optest holds naive in-memory stand-ins for what operators work on, for tests of operators. Values are handed
// out in buffers that are spoilt by the next call, so that an operator that keeps one too long fails its test.
package optest

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/exec/op"
)

// lent is a value handed out until the next call.
type lent struct {
	buf []byte
	// modified takes the lent bytes back.
	modified func(value []byte)
}

// settle ends the loan.
func (l *lent) settle() {
	if l.modified != nil {
		l.modified(slices.Clone(l.buf))
		l.modified = nil
	}
	for i := range l.buf {
		l.buf[i] = 0xDB
	}
}

func (l *lent) lend(value []byte) []byte {
	l.buf = append(l.buf[:0], value...)
	return l.buf[:len(l.buf):len(l.buf)]
}

// Windows is op.Windows over maps. The zero value is ready.
type Windows struct {
	m map[int64]map[string][]byte
	lent
	starts []int64
}

var _ op.Windows = (*Windows)(nil)

func (w *Windows) window(start int64) map[string][]byte {
	if w.m == nil {
		w.m = map[int64]map[string][]byte{}
	}
	if w.m[start] == nil {
		w.m[start] = map[string][]byte{}
	}
	return w.m[start]
}

// Add implements op.Windows.
func (w *Windows) Add(start int64, key []byte) (bool, error) {
	w.settle()
	if _, ok := w.m[start][string(key)]; ok {
		return false, nil
	}
	w.window(start)[string(key)] = nil
	return true, nil
}

// Get implements op.Windows.
func (w *Windows) Get(start int64, key []byte) ([]byte, bool, error) {
	w.settle()
	v, ok := w.m[start][string(key)]
	if !ok {
		return nil, false, nil
	}
	return w.lend(v), true, nil
}

// Modify implements op.Windows.
func (w *Windows) Modify(start int64, key []byte) ([]byte, bool, error) {
	v, ok, err := w.Get(start, key)
	if ok {
		k := string(key)
		w.modified = func(value []byte) { w.m[start][k] = value }
	}
	return v, ok, err
}

// Put implements op.Windows.
func (w *Windows) Put(start int64, key, value []byte) error {
	value = slices.Clone(value) // before settling: it may be what was lent
	w.settle()
	w.window(start)[string(key)] = value
	return nil
}

// Starts implements op.Windows.
func (w *Windows) Starts() []int64 {
	w.settle()
	w.starts = w.starts[:0]
	for s := range w.m {
		w.starts = append(w.starts, s)
	}
	slices.Sort(w.starts)
	return w.starts
}

// Scan implements op.Windows.
func (w *Windows) Scan(start int64, visit func(key, value []byte) error) error {
	w.settle()
	return scan(&w.lent, w.m[start], visit)
}

func scan(l *lent, m map[string][]byte, visit func(key, value []byte) error) error {
	for _, k := range sorted(m) {
		if err := visit([]byte(k), l.lend(m[k])); err != nil {
			return err
		}
		l.settle()
	}
	return nil
}

func sorted(m map[string][]byte) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.SortFunc(ks, strings.Compare)
	return ks
}

// Drop implements op.Windows.
func (w *Windows) Drop(start int64) error {
	w.settle()
	delete(w.m, start)
	return nil
}

// Map is op.Map over a map. The zero value is ready.
type Map struct {
	m map[string][]byte
	lent
}

var _ op.Map = (*Map)(nil)

// Get implements op.Map.
func (m *Map) Get(key []byte) ([]byte, bool, error) {
	m.settle()
	v, ok := m.m[string(key)]
	if !ok {
		return nil, false, nil
	}
	return m.lend(v), true, nil
}

// Modify implements op.Map.
func (m *Map) Modify(key []byte) ([]byte, bool, error) {
	v, ok, err := m.Get(key)
	if ok {
		k := string(key)
		m.modified = func(value []byte) { m.m[k] = value }
	}
	return v, ok, err
}

// Put implements op.Map.
func (m *Map) Put(key, value []byte) error {
	value = slices.Clone(value)
	m.settle()
	if m.m == nil {
		m.m = map[string][]byte{}
	}
	m.m[string(key)] = value
	return nil
}

// Delete implements op.Map.
func (m *Map) Delete(key []byte) error {
	m.settle()
	delete(m.m, string(key))
	return nil
}

// Scan implements op.Map.
func (m *Map) Scan(visit func(key, value []byte) error) error {
	m.settle()
	return scan(&m.lent, m.m, visit)
}
