package optest

import (
	"cmp"
	"slices"

	"github.com/streamsql-go/streamsql/exec/op"
)

// Sorted is op.Sorted over maps. The zero value is ready.
type Sorted struct {
	m map[string]map[string][]byte
	lent
	visiting bool
}

var _ op.Sorted = (*Sorted)(nil)

// Get implements op.Sorted.
func (s *Sorted) Get(group, key []byte) ([]byte, bool, error) {
	s.settle()
	v, ok := s.m[string(group)][string(key)]
	if !ok {
		return nil, false, nil
	}
	return s.lend(v), true, nil
}

// Modify implements op.Sorted.
func (s *Sorted) Modify(group, key []byte) ([]byte, bool, error) {
	v, ok, err := s.Get(group, key)
	if ok {
		g, k := string(group), string(key)
		s.modified = func(value []byte) { s.m[g][k] = value }
	}
	return v, ok, err
}

// Put implements op.Sorted.
func (s *Sorted) Put(group, key, value []byte) error {
	value = slices.Clone(value) // before settling: it may be what was lent
	s.settle()
	if s.m == nil {
		s.m = map[string]map[string][]byte{}
	}
	if s.m[string(group)] == nil {
		s.m[string(group)] = map[string][]byte{}
	}
	s.m[string(group)][string(key)] = value
	return nil
}

// Delete implements op.Sorted.
func (s *Sorted) Delete(group, key []byte) error {
	s.settle()
	delete(s.m[string(group)], string(key))
	if len(s.m[string(group)]) == 0 {
		delete(s.m, string(group))
	}
	return nil
}

// Ascend implements op.Sorted.
func (s *Sorted) Ascend(group, from, to []byte, visit func(key, value []byte) (bool, error)) error {
	return s.walk(group, from, to, cmp.Compare[string], visit)
}

// Descend implements op.Sorted.
func (s *Sorted) Descend(group, from, to []byte, visit func(key, value []byte) (bool, error)) error {
	return s.walk(group, from, to, func(a, b string) int { return cmp.Compare(b, a) }, visit)
}

// walk looks for the next key after each visit, which may have changed the group.
func (s *Sorted) walk(group, from, to []byte, compare func(a, b string) int, visit func(key, value []byte) (bool, error)) error {
	if s.visiting {
		panic("a visit within a visit of the same state")
	}
	s.visiting = true
	defer func() { s.visiting = false }()
	var last *string
	for {
		var next *string
		for k := range s.m[string(group)] {
			if k < string(from) || to != nil && k >= string(to) || last != nil && compare(k, *last) <= 0 {
				continue
			}
			if next == nil || compare(k, *next) < 0 {
				next = &k
			}
		}
		if next == nil {
			s.settle()
			return nil
		}
		last = next
		s.settle()
		if stop, err := visit([]byte(*next), s.lend(s.m[string(group)][*next])); stop || err != nil {
			return err
		}
	}
}

// Scan implements op.Sorted.
func (s *Sorted) Scan(visit func(group, key, value []byte) error) error {
	s.settle()
	groups := make([]string, 0, len(s.m))
	for g := range s.m {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	for _, g := range groups {
		if err := scan(&s.lent, s.m[g], func(key, value []byte) error { return visit([]byte(g), key, value) }); err != nil {
			return err
		}
	}
	return nil
}
