package storage

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Groups whose bytes begin each other and hold what the form escapes; "many" grows large.
var rigGroups = []string{"", "\x00", "\x00\x00", "\x00\xff", "a", "a\x00", "a\x00\x01", "a\xff", "b", "many", "many", "many"}

func (m *model) put(group, key, value string) {
	if m.sorted[group] == nil {
		m.sorted[group] = map[string]string{}
	}
	m.sorted[group][key] = value
}

func (m *model) remove(group, key string) {
	if delete(m.sorted[group], key); len(m.sorted[group]) == 0 {
		delete(m.sorted, group)
	}
}

// sortedKey is one of a few keys, or of four hundred in the large group.
func (r *rig) sortedKey(group string) string {
	if group == "many" {
		return fmt.Sprintf("%05d", r.rng.IntN(400))
	}
	return []string{"", "\x00", "\x00\x00", "k", "k\x00", "k1", "k2", "k\xff", "l", "longer than eight bytes 1", "longer than eight bytes 2", "m"}[r.rng.IntN(12)]
}

func (r *rig) stepSorted() {
	s, m := r.s.Sorted("s"), r.open
	group := rigGroups[r.rng.IntN(len(rigGroups))]
	key := r.sortedKey(group)
	old, had := m.sorted[group][key]
	check := func(what string, v []byte, ok bool, err error) {
		r.t.Helper()
		r.check(err)
		if ok != had || string(v) != old {
			r.t.Fatalf("%s(%q, %q) is %q %v, want %q %v", what, group, key, v, ok, old, had)
		}
	}
	switch r.rng.IntN(12) {
	case 0, 1:
		r.check(s.Delete([]byte(group), []byte(key)))
		m.remove(group, key)
	case 2, 3, 4:
		v := r.value()
		r.check(s.Put([]byte(group), []byte(key), v))
		m.put(group, key, string(v))
	case 5:
		v, ok, err := s.Modify([]byte(group), []byte(key))
		check("Modify", v, ok, err)
		if ok && len(v) > 0 {
			v[len(v)-1]++
			m.put(group, key, string(v))
		}
	case 6:
		v, ok, err := s.Get([]byte(group), []byte(key))
		check("Get", v, ok, err)
	case 7:
		from := r.rng.IntN(400)
		for i := from; i < min(400, from+r.rng.IntN(300)); i++ {
			k, v := fmt.Sprintf("%05d", i), r.value()
			r.check(s.Put([]byte("many"), []byte(k), v))
			m.put("many", k, string(v))
		}
	case 8:
		from := r.rng.IntN(400)
		for i := from; i < min(400, from+r.rng.IntN(400)); i++ {
			r.check(s.Delete([]byte("many"), fmt.Appendf(nil, "%05d", i)))
			m.remove("many", fmt.Sprintf("%05d", i))
		}
	default:
		r.walk(group, r.rng.IntN(3) == 0)
	}
}

// bound is a key of the group or none.
func (r *rig) bound(group string) []byte {
	if r.rng.IntN(3) == 0 {
		return nil
	}
	return []byte(r.sortedKey(group))
}

// walk visits a range in a random direction and compares each entry with the model's next, while it changes the state.
func (r *rig) walk(group string, change bool) {
	s, m := r.s.Sorted("s"), r.open
	from, to := r.bound(group), r.bound(group)
	do, down := s.Ascend, r.rng.IntN(2) == 0
	if down {
		do = s.Descend
	}
	last, began, left := "", false, 1+r.rng.IntN(50)
	next := func() (best string, ok bool) {
		for k := range m.sorted[group] {
			if k < string(from) || to != nil && k >= string(to) || began && (!down && k <= last || down && k >= last) {
				continue
			}
			if !ok || !down && k < best || down && k > best {
				best, ok = k, true
			}
		}
		return best, ok
	}
	what := fmt.Sprintf("%q from %q to %q down %v", group, from, to, down)
	stopped := false
	r.check(do([]byte(group), from, to, func(key, value []byte) (bool, error) {
		want, ok := next()
		if !ok || string(key) != want || string(value) != m.sorted[group][want] {
			r.t.Fatalf("%s: visits %q=%q after %q, want %q=%q %v", what, key, value, last, want, m.sorted[group][want], ok)
		}
		last, began = want, true
		for change && r.rng.IntN(3) > 0 {
			r.changeWithin(group, want)
		}
		left--
		stopped = left == 0
		return stopped, nil
	}))
	if k, ok := next(); ok && !stopped {
		r.t.Fatalf("%s: ends after %q, want %q", what, last, k)
	}
}

// changeWithin is what a visit may do.
func (r *rig) changeWithin(group, key string) {
	s, m := r.s.Sorted("s"), r.open
	if r.rng.IntN(2) == 0 {
		key = r.sortedKey(group)
	}
	if r.rng.IntN(4) == 0 {
		group = rigGroups[r.rng.IntN(len(rigGroups))]
	}
	switch r.rng.IntN(4) {
	case 0:
		r.check(s.Delete([]byte(group), []byte(key)))
		m.remove(group, key)
	case 1:
		v := r.value()
		r.check(s.Put([]byte(group), []byte(key), v))
		m.put(group, key, string(v))
	case 2:
		v, ok, err := s.Modify([]byte(group), []byte(key))
		r.check(err)
		if ok && len(v) > 0 {
			v[0]++
			m.put(group, key, string(v))
		}
	case 3:
		v, _, err := s.Get([]byte(group), []byte(key))
		r.check(err)
		if string(v) != m.sorted[group][key] {
			r.t.Fatalf("Get(%q, %q) within a visit is %q, want %q", group, key, v, m.sorted[group][key])
		}
	}
}

func (r *rig) compareSorted() {
	r.t.Helper()
	type kv struct{ group, key, value string }
	var got, want []kv
	r.check(r.s.Sorted("s").Scan(func(group, key, value []byte) error {
		got = append(got, kv{string(group), string(key), string(value)})
		return nil
	}))
	for _, g := range slices.Sorted(maps.Keys(r.open.sorted)) {
		for _, k := range slices.Sorted(maps.Keys(r.open.sorted[g])) {
			want = append(want, kv{g, k, r.open.sorted[g][k]})
		}
	}
	if !slices.Equal(got, want) {
		r.t.Fatalf("scan is %q, want %q", got, want)
	}
	for _, g := range rigGroups {
		if r.rng.IntN(3) == 0 {
			r.walk(g, false)
		}
	}
}

// TestSortedEqualsTheModel gives Sorted more steps than TestStatesEqualTheModel does.
func TestSortedEqualsTheModel(t *testing.T) {
	seeds := 12
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := newRig(t, uint64(seed), NewCrashable())
			r.only = r.stepSorted
			r.run(60)
		}) {
			return
		}
	}
}
