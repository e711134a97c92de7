package story

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format/schemas"
	"github.com/streamsql-go/streamsql/connectors/sim"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/storage"
)

// app is the application name of every test.
const app = "test"

// Start is where the clock of every test stands at first.
var start = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// world is what one test runs in.
type world struct {
	test      *test
	regime    Regime
	rng       *rand.Rand
	cluster   *sim.Cluster
	clock     *sim.Clock
	catalog   *catalog.Catalog
	cache     *storage.Cache
	queries   []*plan.Query
	instances []*instance
	robin     map[string]int32           // next partition of rows without key, by topic
	taken     map[string]map[string]bool // records that an assert took, by relation
	ended     map[int]bool               // queries whose bounded run was seen to be over, since programs were last started anew
	dirty     bool                       // something happened since the last drain
	crashes   int
}

func newWorld(t *test, g Regime) *world {
	w := &world{
		test:    t,
		regime:  g,
		rng:     rand.New(rand.NewSource(g.Seed)),
		cluster: sim.New(g.Seed, g.Schedule),
		clock:   sim.NewClock(start),
		catalog: catalog.New(),
		cache:   storage.NewCache(8<<20, 64),
		robin:   map[string]int32{},
		taken:   map[string]map[string]bool{},
		ended:   map[int]bool{},
	}
	for i := range g.instances() {
		w.instances = append(w.instances, newInstance(fmt.Sprintf("i%d", i)))
	}
	return w
}

func (w *world) close() {
	for _, i := range w.instances {
		i.abandon()
	}
	w.cache.Close()
}

// Names are those of all topics.
func (w *world) Names() []string {
	infos, err := w.cluster.Topics(context.Background())
	if err != nil {
		return nil
	}
	return slices.AppendSeq([]string{}, maps.Keys(infos))
}

// Partitions tells the planner what the cluster has.
func (w *world) Partitions(topic string) (int, bool) {
	info, err := w.cluster.Topics(context.Background(), topic)
	t, ok := info[topic]
	return int(t.Partitions), ok && err == nil
}

func (w *world) statement(ctx context.Context, st ast.Statement) error {
	switch st := st.(type) {
	case *ast.Insert:
		if st.Query == nil {
			return w.insert(ctx, st)
		}
	case *ast.Assert:
		return w.assert(ctx, st)
	case *ast.Harness:
		return w.harness(ctx, st)
	case *ast.Drop:
		for _, n := range st.Names {
			if err := w.catalog.Drop(n.Name); err != nil && !st.IfExists {
				return err
			}
		}
		return nil
	}
	return w.compile(ctx, st)
}

func (w *world) compile(ctx context.Context, st ast.Statement) error {
	c, err := planner.Compile(w.catalog, st, planner.Options{App: app, Topics: w, Schema: schemas.Columns(ctx, nil), DefaultPartitions: 1, File: w.test.file, Text: w.test.Text})
	if err != nil {
		return err
	}
	if create, ok := st.(*ast.Create); ok && c.Relation != nil && create.Kind != ast.View {
		if err := formats(create, c.Relation); err != nil {
			return err
		}
		if err := schemas.Check(ctx, create, c.Relation); err != nil {
			return err
		}
	}
	specs := c.Create
	if create, ok := st.(*ast.Create); ok && create.As == nil && c.Relation != nil {
		rel := *c.Relation
		rel.Partitions = max(rel.Partitions, 1) * w.regime.factor()
		c.Relation = &rel
		specs = []plan.Topic{{Name: rel.Topic, Partitions: rel.Partitions}}
		if rel.Many() {
			specs = nil
		}
		for _, t := range rel.Topics {
			specs = append(specs, plan.Topic{Name: t, Partitions: rel.Partitions})
		}
	}
	for _, t := range specs {
		err := w.cluster.Create(ctx, connectors.TopicSpec{Name: t.Name, Partitions: t.Partitions, Configs: map[string]string{"cleanup.policy": t.Cleanup}})
		if err != nil {
			return err
		}
	}
	if c.Relation != nil {
		w.catalog.Replace(c.Relation)
	}
	if _, adhoc := st.(*ast.SelectStatement); c.Query != nil && !adhoc {
		w.queries = append(w.queries, c.Query)
		w.dirty = true
	}
	return nil
}

func (w *world) relation(id ast.Ident) (*catalog.Relation, error) {
	rel, ok := w.catalog.Get(id.Name)
	if !ok {
		return nil, ast.Errorf(id.Span, "unknown stream or table %s", id.Name).
			WithHint("%s", spell.Hint(id.Name, "streams and tables", w.catalog.Now().Names()))
	}
	return rel, nil
}

func (w *world) insert(ctx context.Context, st *ast.Insert) error {
	rel, err := w.relation(st.Target)
	if err != nil {
		return err
	}
	n, _ := w.Partitions(rel.Topic)
	records, err := w.insertion(rel, st, int32(n))
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.Partition < 0 {
			r.Partition = w.robin[rel.Topic] % int32(n)
			w.robin[rel.Topic]++
		}
		if _, err := w.cluster.Write(ctx, r); err != nil {
			return err
		}
		w.dirty = true
		if w.regime.Arrival == Live && w.test.until == exec.Endless && w.rng.Intn(2) == 0 {
			if err := w.wander(ctx, 1+w.rng.Intn(6)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *world) harness(ctx context.Context, st *ast.Harness) error {
	if err := w.drain(ctx); err != nil {
		return err
	}
	switch st.Verb {
	case "RESTART":
		for _, i := range w.shuffled() {
			if err := i.stop(ctx); err != nil {
				return err
			}
		}
	case "CRASH":
		for _, i := range w.instances {
			i.crash(w.rng)
			if len(w.ended) > 0 { // the next run is begun by another member: the dead one's session time-out passes first
				w.cluster.Expire(i.group())
			}
		}
	case "ADVANCE":
		to, err := instant(st.To)
		if err != nil {
			return err
		}
		if to.Before(w.clock.Now()) {
			return ast.Errorf(st.To.Pos(), "the clock stands at %s already", w.clock.Now().Format("2006-01-02 15:04:05.000"))
		}
		return w.advance(ctx, to)
	}
	w.dirty, w.ended = true, map[int]bool{}
	return nil
}

func (w *world) assert(ctx context.Context, st *ast.Assert) error {
	rel, err := w.relation(st.Target)
	if err != nil {
		return err
	}
	if err := w.drain(ctx); err != nil {
		return err
	}
	counters := st.Form == "LATE" || st.Form == "ERRORS"
	if counters && w.test.until != exec.Endless && !w.whole() {
		return nil
	}
	switch st.Form {
	case "LATE":
		return assertCount("late rows", rel, st.Count, w.records(rel, lateRows))
	case "ERRORS":
		return assertCount("bad records", rel, st.Count, w.records(rel, badRecords))
	}
	rows, err := decodeRows(rel, w.cluster.Visible(rel.Topic))
	if err != nil {
		return err
	}
	e, err := newExpectation(rel, st)
	if err != nil {
		return err
	}
	if st.Form == "TABLE" {
		rows = fold(rows)
		pairs := e.match(rows)
		if len(rows) != len(e.rows) || contains(pairs, -1) {
			return fmt.Errorf("ASSERT TABLE %s: %d rows expected, %d there\n%s", rel.Name, len(e.rows), len(rows), e.diff(pairs, rows))
		}
		return nil
	}
	return w.assertValues(st, rel, e, rows)
}

func (w *world) assertValues(st *ast.Assert, rel *catalog.Relation, e *expectation, rows []*actualRow) error {
	taken := w.taken[rel.Name]
	if taken == nil {
		taken = map[string]bool{}
		w.taken[rel.Name] = taken
	}
	id := func(a *actualRow) string { return fmt.Sprintf("%d/%d", a.rec.Partition, a.rec.Offset) }
	var left []*actualRow
	for _, r := range rows {
		if !taken[id(r)] {
			left = append(left, r)
		}
	}
	if strings.HasPrefix(st.Form, "NO MORE") {
		if len(left) > 0 {
			return fmt.Errorf("ASSERT NO MORE VALUES %s: %d more\n%s", rel.Name, len(left), e.diff(nil, left))
		}
		return nil
	}
	pairs, form := e.match(left), "ASSERT VALUES"
	if st.InOrder {
		pairs, form = e.matchInOrder(left), "ASSERT VALUES IN ORDER"
	}
	if contains(pairs, -1) {
		return fmt.Errorf("%s %s: rows are missing\n%s", form, rel.Name, e.diff(pairs, left))
	}
	for _, g := range pairs {
		taken[id(left[g])] = true
	}
	return nil
}

func contains(pairs []int, x int) bool {
	for _, p := range pairs {
		if p == x {
			return true
		}
	}
	return false
}

func assertCount(what string, rel *catalog.Relation, want, got int64) error {
	if got != want {
		return fmt.Errorf("%s of %s: %d expected, %d counted", what, rel.Name, want, got)
	}
	return nil
}
