package storage

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sort"
	"testing"
	"time"

	"math/rand/v2"

	"github.com/streamsql-go/streamsql/sql/types"
)

// model is what the states should hold: naive and without memory of how it came about.
type model struct {
	windows map[int64]map[string]string
	kv      map[string]string
	sorted  map[string]map[string]string
	table   map[string][]types.Version
	queue   []types.Item
	meta    string
	horizon int64 // no as-of instant below is asked for
}

func newModel() *model {
	return &model{windows: map[int64]map[string]string{}, kv: map[string]string{}, sorted: map[string]map[string]string{}, table: map[string][]types.Version{}}
}

func (m *model) clone() *model {
	c := newModel()
	for s, w := range m.windows {
		c.windows[s] = maps.Clone(w)
	}
	c.kv = maps.Clone(m.kv)
	for g, w := range m.sorted {
		c.sorted[g] = maps.Clone(w)
	}
	for k, v := range m.table {
		c.table[k] = slices.Clone(v)
	}
	c.queue, c.meta, c.horizon = slices.Clone(m.queue), m.meta, m.horizon
	return c
}

func before(aTS int64, a types.Origin, bTS int64, b types.Origin) bool {
	return aTS < bTS || aTS == bTS && a.Compare(b) < 0
}

func (m *model) putVersion(key string, v types.Version) (older bool) {
	kept := m.table[key][:0:0]
	for _, x := range m.table[key] {
		if x.TS != v.TS || x.Origin != v.Origin {
			kept = append(kept, x)
		}
		older = older || before(v.TS, v.Origin, x.TS, x.Origin)
	}
	m.table[key] = append(kept, v)
	return older
}

func (m *model) asOf(key string, at int64) (string, bool) {
	var best *types.Version
	for i := range m.table[key] {
		v := &m.table[key][i]
		if v.TS <= at && v.Visible < at && (best == nil || before(best.TS, best.Origin, v.TS, v.Origin)) {
			best = v
		}
	}
	if best == nil || best.Deleted {
		return "", false
	}
	return string(best.Row), true
}

// during is when what an instant sees of a key holds.
func (m *model) during(key string, at int64) (from, until int64) {
	from, until = types.Never, types.Forever
	var best *types.Version
	for i := range m.table[key] {
		v := &m.table[key][i]
		if v.TS <= at && v.Visible < at && (best == nil || before(best.TS, best.Origin, v.TS, v.Origin)) {
			best, from = v, max(v.TS, v.Visible+1)
		}
	}
	for _, v := range m.table[key] {
		if best == nil || before(best.TS, best.Origin, v.TS, v.Origin) {
			until = min(until, max(v.TS, v.Visible+1))
		}
	}
	return from, until
}

func (m *model) newest(key string) (best types.Version, ok bool) {
	for _, v := range m.table[key] {
		if !ok || before(best.TS, best.Origin, v.TS, v.Origin) {
			best, ok = v, true
		}
	}
	return best, ok
}

// until is the first instant that sees a version newer than v.
func (m *model) until(key string, v types.Version) int64 {
	at := types.Forever
	for _, x := range m.table[key] {
		if before(v.TS, v.Origin, x.TS, x.Origin) {
			at = min(at, max(x.TS, x.Visible+1))
		}
	}
	return at
}

func (m *model) push(it types.Item) {
	i := sort.Search(len(m.queue), func(i int) bool { return before(it.TS, it.Origin, m.queue[i].TS, m.queue[i].Origin) })
	m.queue = slices.Insert(m.queue, i, it)
}

// record is a record of a simulated changelog.
type record struct {
	offset     int64
	key, value []byte
}

// changelog is a topic partition: offsets go on, compaction and trimming remove records.
type changelog struct {
	records []record
	start   int64
	end     int64
}

func (c *changelog) append(key, value []byte) {
	clone := func(b []byte) []byte {
		if b == nil {
			return nil
		}
		return append([]byte{}, b...)
	}
	c.records = append(c.records, record{c.end, clone(key), clone(value)})
	c.end++
}

// compact keeps the last record of each key; the removal of tombstones waits for delete.retention.ms.
func (c *changelog) compact() {
	last := map[string]int64{}
	for _, r := range c.records {
		last[string(r.key)] = r.offset
	}
	c.records = slices.DeleteFunc(c.records, func(r record) bool { return last[string(r.key)] != r.offset })
}

func (c *changelog) trim(to int64) {
	c.start = max(c.start, to)
	c.records = slices.DeleteFunc(c.records, func(r record) bool { return r.offset < to })
}

// rig drives a store and the model with the same operations.
type rig struct {
	t     *testing.T
	rng   *rand.Rand
	o     Options
	s     *Store
	now   time.Time
	logs  map[string]*changelog
	open  *model // with the open epoch
	done  *model // as of the last commit
	epoch int
	off   int64
	only  func() // the step to do; nil: any
}

var rigSpecs = [][]Spec{
	{{"w", WindowsKind}, {"m", MapKind}, {"v", VersionsKind}, {"q", QueueKind}, {"s", SortedKind}},
	{{"s", SortedKind}, {"m", MapKind}, {"q", QueueKind}, {"w", WindowsKind}, {"v", VersionsKind}},
}

func newRig(t *testing.T, seed uint64, fs *FS) *rig {
	r := &rig{t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: time.UnixMicro(1e15), logs: map[string]*changelog{}, open: newModel(), done: newModel()}
	r.o = Options{Dir: "state/0", FS: fs, Logger: slog.Default(), Fingerprint: "f", Specs: rigSpecs[seed%2], Now: func() time.Time { return r.now }}
	r.o.Budget = []int64{1, 20 << 10, 64 << 20}[r.rng.IntN(3)]
	r.o.FlushBytes = []int64{1, 4 << 10, 1 << 40}[r.rng.IntN(3)]
	for _, s := range r.o.Specs {
		r.logs[s.Name] = &changelog{}
	}
	r.start()
	return r
}

func (r *rig) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// start opens the store and replays the changelogs; the state is then that of the last commit.
func (r *rig) start() {
	r.t.Helper()
	var err error
	r.s, err = Open(r.o)
	r.check(err)
	starts, ids, ends := map[string]int64{}, map[string]string{}, map[string]int64{}
	for name, l := range r.logs {
		starts[name], ids[name], ends[name] = l.start, "id-"+name, l.end
	}
	if r.s.Stale(ids, starts, 0) {
		r.check(r.s.Discard())
		r.check(r.o.FS.Wipe(r.o.Dir))
		r.s, err = Open(r.o)
		r.check(err)
	}
	for _, spec := range r.rng.Perm(len(r.o.Specs)) {
		name := r.o.Specs[spec].Name
		from := r.s.Position(name)
		for _, rec := range r.logs[name].records {
			if rec.offset >= from {
				r.check(r.s.Apply(name, rec.key, rec.value, rec.offset))
			}
		}
	}
	r.check(r.s.Restored(ends))
	r.open = r.done.clone()
	r.compare()
}

func (r *rig) key() []byte {
	return []byte(fmt.Sprintf("key-%d", r.rng.IntN(60)))
}

func (r *rig) value() []byte {
	return bytes.Repeat([]byte{byte('a' + r.rng.IntN(26))}, r.rng.IntN(40))
}

func (r *rig) ts() int64 { return r.open.horizon + int64(r.rng.IntN(40)) }

func (r *rig) origin() types.Origin {
	r.off++
	return types.Origin{Source: int32(r.rng.IntN(2)), Partition: int32(r.rng.IntN(3)), Offset: r.off}
}

func (r *rig) step() {
	if r.only != nil {
		r.only()
		return
	}
	switch r.rng.IntN(5) {
	case 0:
		r.stepWindows()
	case 1:
		r.stepMap()
	case 2:
		r.stepVersions()
	case 3:
		r.stepQueue()
	case 4:
		r.stepSorted()
	}
}

func (r *rig) stepWindows() {
	w, m := r.s.Windows("w"), r.open.windows
	start, key := int64(r.rng.IntN(6)-2)*10, r.key()
	old, had := m[start][string(key)]
	if m[start] == nil && r.rng.IntN(3) > 0 {
		m[start] = map[string]string{}
	} else if m[start] == nil {
		if _, ok, err := w.Get(start, key); ok || err != nil {
			r.t.Fatal("a window that is not open has a key", err)
		}
		return
	}
	switch r.rng.IntN(12) {
	case 0:
		r.check(w.Drop(start))
		delete(m, start)
	case 1, 2, 3, 4:
		added, err := w.Add(start, key)
		r.check(err)
		if added == had {
			r.t.Fatalf("Add(%d, %s) is %v, had %v", start, key, added, had)
		}
		if !had {
			m[start][string(key)] = ""
		}
	case 5, 6, 7:
		v := r.value()
		r.check(w.Put(start, key, v))
		m[start][string(key)] = string(v)
	default:
		v, ok, err := w.Modify(start, key)
		r.check(err)
		if ok != had || string(v) != old {
			r.t.Fatalf("Modify(%d, %s) is %q %v, want %q %v", start, key, v, ok, old, had)
		}
		if ok && len(v) > 0 {
			v[0]++
			m[start][string(key)] = string(v)
		}
	}
	if len(m[start]) == 0 {
		delete(m, start)
	}
}

func (r *rig) stepMap() {
	s, m, key := r.s.Map("m"), r.open.kv, r.key()
	old, had := m[string(key)]
	switch r.rng.IntN(4) {
	case 0:
		r.check(s.Delete(key))
		delete(m, string(key))
	case 1:
		v := r.value()
		r.check(s.Put(key, v))
		m[string(key)] = string(v)
	case 2:
		v, ok, err := s.Modify(key)
		r.check(err)
		if ok != had || string(v) != old {
			r.t.Fatalf("Modify(%s) is %q %v, want %q %v", key, v, ok, old, had)
		}
		if ok && len(v) > 0 {
			v[len(v)-1]++
			m[string(key)] = string(v)
		}
	case 3:
		v, ok, err := s.Get(key)
		r.check(err)
		if ok != had || string(v) != old {
			r.t.Fatalf("Get(%s) is %q %v, want %q %v", key, v, ok, old, had)
		}
	}
}

func (r *rig) stepVersions() {
	s, key := r.s.Versions("v"), r.key()
	switch r.rng.IntN(8) {
	case 0:
		r.open.horizon += int64(r.rng.IntN(20))
		r.check(s.Expire(r.open.horizon))
	case 1, 2, 3, 4:
		v := types.Version{TS: r.ts() - 5, Origin: r.origin(), Visible: types.Never, Deleted: r.rng.IntN(5) == 0, Row: r.value()}
		if r.rng.IntN(6) == 0 {
			v.Visible = v.TS + int64(r.rng.IntN(30))
		}
		if old := r.open.table[string(key)]; len(old) > 0 && r.rng.IntN(4) == 0 { // the same version again
			v.TS, v.Origin, v.Visible = old[0].TS, old[0].Origin, old[0].Visible
		}
		until, err := s.Until(key, v)
		r.check(err)
		// Of what no instant above the horizon tells apart, some may be gone.
		if want := r.open.until(string(key), v); max(until, r.open.horizon) != max(want, r.open.horizon) {
			r.t.Fatalf("Until(%s, %d) is %d, want %d; versions %v", key, v.TS, until, want, r.open.table[string(key)])
		}
		older, err := s.Put(key, v)
		r.check(err)
		want := r.open.putVersion(string(key), v)
		if older && !want {
			r.t.Fatalf("Put(%s, %d) says that there is a newer version", key, v.TS)
		}
	case 5:
		r.during(key, r.ts())
	case 6:
		r.newest(key)
	default:
		r.asOf(key, r.ts())
	}
}

func (r *rig) asOf(key []byte, at int64) {
	r.t.Helper()
	row, ok, err := r.s.Versions("v").AsOf(key, at)
	r.check(err)
	want, has := r.open.asOf(string(key), at)
	if ok != has || string(row) != want {
		r.t.Fatalf("AsOf(%s, %d) is %q %v, want %q %v; versions %v", key, at, row, ok, want, has, r.open.table[string(key)])
	}
}

func (r *rig) during(key []byte, at int64) {
	r.t.Helper()
	v, err := r.s.Versions("v").During(key, at)
	r.check(err)
	want, has := r.open.asOf(string(key), at)
	from, until := r.open.during(string(key), at)
	if v.OK != has || string(v.Row) != want || v.From != from || v.Until != until {
		r.t.Fatalf("During(%s, %d) is %+v, want %q %v from %d until %d; versions %v", key, at, v, want, has, from, until, r.open.table[string(key)])
	}
}

func (r *rig) newest(key []byte) {
	r.t.Helper()
	v, ok, err := r.s.Versions("v").Newest(key)
	r.check(err)
	want, has := r.open.newest(string(key))
	if ok != has || v.TS != want.TS || v.Origin != want.Origin || ok && v.Visible != want.Visible || v.Deleted != want.Deleted || string(v.Row) != string(want.Row) {
		r.t.Fatalf("Newest(%s) is %+v %v, want %+v %v", key, v, ok, want, has)
	}
}

func (r *rig) stepQueue() {
	q := r.s.Queue("q")
	if r.rng.IntN(3) > 0 {
		it := types.Item{TS: r.ts(), Origin: r.origin(), Row: r.value()}
		n := 1 + r.rng.IntN(2) // two rows of one origin
		for range n {
			r.check(q.Push(it))
			r.open.push(it)
		}
		return
	}
	stop, i := r.rng.IntN(20), 0
	var kept []types.Item
	r.check(q.Ascend(func(it types.Item) (bool, bool, error) {
		want := r.open.queue[i]
		if it.TS != want.TS || it.Origin != want.Origin || !bytes.Equal(it.Row, want.Row) {
			r.t.Fatalf("item %d is %v, want %v", i, it, want)
		}
		remove := r.rng.IntN(3) > 0
		if !remove {
			kept = append(kept, want)
		}
		i++
		return remove, i > stop, nil
	}))
	r.open.queue = append(kept, r.open.queue[i:]...)
}

// compare checks all that can be read.
func (r *rig) compare() {
	r.t.Helper()
	if got := string(r.s.Meta()); got != r.done.meta {
		r.t.Fatalf("meta is %q, want %q", got, r.done.meta)
	}
	starts := slices.Sorted(maps.Keys(r.open.windows))
	if got := r.s.Windows("w").Starts(); !slices.Equal(got, starts) {
		r.t.Fatalf("windows %v, want %v", got, starts)
	}
	for _, start := range starts {
		r.compareScan(func(v func(k, v []byte) error) error { return r.s.Windows("w").Scan(start, v) }, r.open.windows[start])
	}
	r.compareScan(r.s.Map("m").Scan, r.open.kv)
	r.compareSorted()
	for i := range 60 {
		for at := r.open.horizon; at < r.open.horizon+45; at += 3 {
			r.asOf(fmt.Appendf(nil, "key-%d", i), at)
		}
	}
	q, i := r.s.Queue("q"), 0
	if q.Len() != len(r.open.queue) {
		r.t.Fatalf("%d items wait, want %d", q.Len(), len(r.open.queue))
	}
	r.check(q.Ascend(func(it types.Item) (bool, bool, error) {
		if want := r.open.queue[i]; it.TS != want.TS || it.Origin != want.Origin || !bytes.Equal(it.Row, want.Row) {
			r.t.Fatalf("item %d is %v, want %v", i, it, want)
		}
		i++
		return false, false, nil
	}))
	if first, ok := q.First(); ok != (i > 0) || ok && first != r.open.queue[0].TS {
		r.t.Fatalf("First is %d %v", first, ok)
	}
}

func (r *rig) compareScan(scan func(func(k, v []byte) error) error, want map[string]string) {
	r.t.Helper()
	var keys []string
	r.check(scan(func(k, v []byte) error {
		if w, ok := want[string(k)]; !ok || w != string(v) {
			r.t.Fatalf("%s is %q, want %q %v", k, v, w, ok)
		}
		keys = append(keys, string(k))
		return nil
	}))
	if !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
		r.t.Fatalf("keys %v, want %v", keys, want)
	}
}

// commit ends the epoch: the transaction is committed, and then, unless the process crashes in between, the store.
func (r *rig) commit(crash bool) {
	r.epoch++
	meta := fmt.Sprintf("epoch %d", r.epoch)
	type sent struct {
		name       string
		key, value []byte
	}
	var out []sent
	r.check(r.s.Changes([]byte(meta), func(name string, key, value []byte) error {
		out = append(out, sent{name, key, value})
		return nil
	}))
	seen := map[string]bool{}
	ends := map[string]int64{}
	for _, x := range out {
		if x.key != nil && seen[x.name+string(x.key)] && x.value != nil && r.s.named(x.name).Kind != VersionsKind {
			r.t.Fatalf("%s of %s is logged twice", x.key, x.name)
		}
		seen[x.name+string(x.key)] = true
		r.logs[x.name].append(x.key, x.value)
		ends[x.name] = r.logs[x.name].end
	}
	for name := range ends {
		r.logs[name].end++ // the transaction's marker
	}
	r.open.meta = meta
	r.done = r.open.clone()
	if !crash {
		r.check(r.s.Commit([]byte(meta), ends))
		if r.s.Dirty() {
			r.t.Fatal("dirty after Commit")
		}
	}
}

func (r *rig) upkeep() {
	r.now = r.now.Add(time.Duration(r.rng.IntN(20)) * time.Second)
	for _, s := range r.o.Specs {
		if s.Kind.Compacted() {
			r.logs[s.Name].compact()
			if _, ok := r.s.Trim(s.Name); ok {
				r.t.Fatal("a compacted changelog is to be trimmed")
			}
		} else if to, ok := r.s.Trim(s.Name); ok {
			r.logs[s.Name].trim(to)
		}
	}
}

func (r *rig) run(epochs int) {
	for range epochs {
		for range r.rng.IntN(60) {
			r.step()
		}
		switch r.rng.IntN(12) {
		case 0: // abort
			r.check(r.s.Discard())
			r.start()
		case 1: // crash after the transaction, the file system stays
			r.commit(true)
			r.check(r.s.Discard())
			r.start()
		case 2, 3:
			r.commit(r.rng.IntN(3) == 0)
			percent := r.rng.IntN(101)
			crashed := r.o.FS.CrashClone(percent, r.rng.Uint64())
			r.check(r.s.Discard())
			r.o.FS = crashed
			r.start()
		case 4:
			r.commit(false)
			r.check(r.s.Close())
			r.start()
		case 5:
			r.commit(false)
			r.check(r.s.Flush())
		case 6:
			r.upkeep()
			r.commit(false)
		case 7:
			r.compare()
			r.commit(false)
		case 8: // the local state is lost
			r.commit(false)
			r.check(r.s.Discard())
			r.check(r.o.FS.Wipe(r.o.Dir))
			r.start()
		default:
			r.commit(false)
		}
	}
	r.check(r.s.Discard())
	if r.s.mem < 0 {
		r.t.Fatal("negative memory")
	}
}

func TestStatesEqualTheModel(t *testing.T) {
	seeds := 150
	if testing.Short() {
		seeds = 20
	}
	for seed := range seeds {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { newRig(t, uint64(seed), NewCrashable()).run(60) }) {
			return
		}
	}
}
