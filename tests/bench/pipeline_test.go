// Package bench measures operators through the real storage, and with run.sh whole processes against a real broker.
package bench

import (
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	_ "github.com/streamsql-go/streamsql/connectors/format/json"
	_ "github.com/streamsql-go/streamsql/connectors/format/primitive"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage"
)

// partitions of every topic: with one, nothing would be shuffled.
const partitions = 2

// compile plans the last statement of a script.
func compile(b *testing.B, text string) *plan.Query {
	b.Helper()
	script, err := parser.Parse("bench.sql", text)
	if err != nil {
		b.Fatal(err)
	}
	cat := catalog.New()
	var q *plan.Query
	for _, st := range script.Statements {
		c, err := planner.Compile(cat, st, planner.Options{App: "bench", DefaultPartitions: partitions, Topics: everywhere{}, File: "bench.sql", Text: text})
		if err != nil {
			b.Fatal(err)
		}
		if c.Relation != nil {
			cat.Replace(c.Relation)
		}
		q = c.Query
	}
	return q
}

// everywhere is a cluster that has every topic.
type everywhere struct{}

func (everywhere) Partitions(string) (int, bool) { return partitions, true }

func (everywhere) Names() []string { return nil }

// pipeline is all tasks of a query, over storage on the disk, without a broker: what a fragment sends to a shuffle is packed
// as for the repartition topic, and handed to the next one.
type pipeline struct {
	b       *testing.B
	query   *plan.Query
	tasks   [][]*task.Task
	ends    map[string]int64 // of changelogs
	writers map[connectors.Partition]*wire.RowWriter
	packed  map[connectors.Partition][]connectors.Record
	next    map[connectors.Partition]int64
	out     int
	bytes   int64
	logged  int64
	budget  int64 // of a task's state in memory, bytes
}

func newPipeline(b *testing.B, text string) *pipeline { return newPipelineWithin(b, 128<<20, text) }

// newPipelineWithin gives each task's state a budget of memory.
func newPipelineWithin(b *testing.B, budget int64, text string) *pipeline {
	b.Helper()
	p := &pipeline{
		b: b, budget: budget, query: compile(b, text), ends: map[string]int64{}, writers: map[connectors.Partition]*wire.RowWriter{},
		packed: map[connectors.Partition][]connectors.Record{}, next: map[connectors.Partition]int64{},
	}
	cache := storage.NewCache(32<<20, 512)
	b.Cleanup(cache.Close)
	dir := b.TempDir()
	for _, f := range p.query.Fragments {
		var ts []*task.Task
		for part := range f.Partitions {
			ts = append(ts, p.task(f, part, filepath.Join(dir, strconv.Itoa(f.ID)+"-"+strconv.Itoa(part)), cache))
		}
		p.tasks = append(p.tasks, ts)
	}
	return p
}

var kinds = map[plan.StateKind]storage.Kind{
	plan.WindowState: storage.WindowsKind, plan.MapState: storage.MapKind, plan.VersionState: storage.VersionsKind, plan.QueueState: storage.QueueKind, plan.SortedState: storage.SortedKind,
}

func (p *pipeline) task(f *plan.Fragment, part int, dir string, cache *storage.Cache) *task.Task {
	p.b.Helper()
	now := time.Now
	cfg := task.Config{
		App: "bench", Query: p.query, Fragment: f, Partition: part, Outlet: p, Now: func() int64 { return now().UnixMicro() },
		Logger: slog.New(slog.DiscardHandler), BufferRows: 500_000, SinkPartitions: partitions,
		DeadLetters: func(int) (string, int32) { return "", 0 }, LateTopic: func(int) (string, int32) { return "", 0 },
	}
	if len(f.States) > 0 {
		o := storage.Options{Dir: dir, Cache: cache, Budget: p.budget, Now: now, Fingerprint: p.query.Fingerprint}
		for _, s := range f.States {
			o.Specs = append(o.Specs, storage.Spec{Name: s.Name, Kind: kinds[s.Kind]})
		}
		store, err := storage.Open(o)
		if err != nil {
			p.b.Fatal(err)
		}
		cfg.Store = store
	}
	starts := map[connectors.Partition]int64{}
	for _, s := range p.query.Sources {
		starts[connectors.Partition{Topic: s.Topic, Partition: int32(part)}] = 0
	}
	t, err := task.New(p.b.Context(), cfg, nil, starts)
	if err != nil {
		p.b.Fatal(err)
	}
	p.b.Cleanup(func() { _ = t.Close() })
	return t
}

// Shuffle implements task.Outlet.
func (p *pipeline) Shuffle(s *plan.Shuffle, partition int32, b *vector.Batch, rows []int32) error {
	at := connectors.Partition{Topic: s.Topic("bench", p.query.Name), Partition: partition}
	w := p.writers[at]
	if w == nil {
		w = wire.NewRowWriter(task.Layout(s))
		p.writers[at] = w
	}
	for _, i := range rows {
		if w.Append(b, int(i)); w.Len() >= 256<<10 {
			p.pack(at, w)
		}
	}
	return nil
}

func (p *pipeline) pack(at connectors.Partition, w *wire.RowWriter) {
	p.packed[at] = append(p.packed[at], connectors.Record{Topic: at.Topic, Partition: at.Partition, Offset: p.next[at], Value: w.Take()})
	p.next[at]++
}

// Produce implements task.Outlet.
func (p *pipeline) Produce(r *connectors.Record) {
	p.out++
	p.bytes += int64(len(r.Value))
}

// Rows implements task.Outlet.
func (p *pipeline) Rows(b *vector.Batch) { p.out += b.N }

// feed hands records of a source to its tasks. Keyed says the partition of record i.
func (p *pipeline) feed(fragment int, topic string, parts [partitions][]connectors.Record) {
	for part, records := range parts {
		at := connectors.Partition{Topic: topic, Partition: int32(part)}
		for i := range records {
			records[i].Topic, records[i].Partition, records[i].Offset = topic, int32(part), p.next[at]
			p.next[at]++
		}
		p.must(p.tasks[fragment][part].Process(p.b.Context(), &connectors.Fetched{Partition: at, Records: records, Next: p.next[at]}))
	}
	p.flush()
}

// flush packs the rest of a fragment's rows.
func (p *pipeline) flush() {
	for at, w := range p.writers {
		if w.Len() > 0 {
			p.pack(at, w)
		}
	}
}

// receive hands a fragment what was packed for it, with the time of the tasks before it, and commits.
func (p *pipeline) receive(fragment int) {
	for _, in := range p.query.Fragments[fragment].Inputs {
		r, ok := in.Node.(*plan.Receive)
		if !ok {
			continue
		}
		topic := r.Shuffle.Topic("bench", p.query.Name)
		for part, t := range p.tasks[fragment] {
			at := connectors.Partition{Topic: topic, Partition: int32(part)}
			p.must(t.Process(p.b.Context(), &connectors.Fetched{Partition: at, Records: p.packed[at], Next: p.next[at]}))
			p.packed[at] = p.packed[at][:0]
			for _, up := range p.tasks {
				for _, u := range up {
					if u.Feeds(r.Shuffle) {
						t.Hear(r.Shuffle, u.ID, u.Info(r.Shuffle))
					}
				}
			}
		}
	}
	p.commit(fragment)
}

// commit ends an epoch of a fragment's tasks, without a broker.
func (p *pipeline) commit(fragment int) {
	for _, t := range p.tasks[fragment] {
		p.must(t.Tick())
		meta, err := t.Meta()
		p.must(err)
		if store := t.State(); store != nil {
			p.must(store.Changes(meta, func(name string, key, value []byte) error {
				p.ends[name]++
				p.logged += int64(len(key) + len(value))
				return nil
			}))
			ends := map[string]int64{}
			for _, s := range p.query.Fragments[fragment].States {
				ends[s.Name] = p.ends[s.Name]
			}
			p.must(store.Commit(meta, ends))
		}
		t.Committed()
	}
}

func (p *pipeline) must(err error) {
	if err != nil {
		p.b.Fatal(err)
	}
}

// fragmentOf is the fragment that reads a source.
func (p *pipeline) fragmentOf(source string) int {
	for _, f := range p.query.Fragments {
		for _, in := range f.Inputs {
			if s, ok := in.Node.(*plan.Scan); ok && s.Relation.Name == source {
				return f.ID
			}
		}
	}
	p.b.Fatalf("nothing reads %s", source)
	return -1
}
