// Package grammar tries random queries of a grammar over random data under random regimes, and compares with what SQLite answers: a
// second oracle beside tests/oracle, which reads neither the plan nor the engine's expressions. It also changes the examples at random
// and sees that nothing but an error with a place comes of it.
package grammar

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/streamsql-go/streamsql/connectors/format/json"
	_ "github.com/streamsql-go/streamsql/connectors/format/primitive"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/sqlite"
	"github.com/streamsql-go/streamsql/tests/story"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// TestAgainstSQLite tries GRAMMAR_RUNS (300) seeds from GRAMMAR_SEED (1) on; GRAMMAR_SHAPE keeps to one kind of query. A seed that is
// given alone runs once.
func TestAgainstSQLite(t *testing.T) {
	var came atomic.Int64
	runs := trial.Seeds(t, "GRAMMAR", 300, func(seed int64) string {
		n, why := try(seed, os.Getenv("GRAMMAR_SHAPE"))
		came.Add(int64(n))
		return why
	})
	if runs >= 100 && came.Load() < runs*5 {
		t.Errorf("%d rows came of %d queries: hardly anything was compared", came.Load(), runs)
	}
}

// try runs one seed: the number of rows that are right, and what is wrong.
func try(seed int64, only string) (int, string) {
	r := random{rand.New(rand.NewSource(seed))}
	shape := shapes[r.Intn(len(shapes))]
	for _, s := range shapes {
		if s.name == only {
			shape = s
		}
	}
	q := shape.make(r)
	g := r.regime()
	ddl := ""
	for _, s := range q.sources {
		ddl += s.ddl()
	}
	head := fmt.Sprintf("%s, regime %s\n%s%s;\n\n%s;\n", shape.name, g.Name, ddl, q.ours, q.theirs)
	want, err := q.expected()
	if err != nil {
		return 0, head + "SQLite: " + err.Error()
	}
	got, err := q.run(g, ddl)
	if err != nil {
		return 0, head + err.Error()
	}
	if d := sqlite.Difference(want, got); d != "" {
		return 0, head + d
	}
	return len(want), ""
}

// regime is a random one of those of stories, with a seed of its own.
func (r random) regime() story.Regime {
	all := slices.DeleteFunc(story.Regimes(r.Int63()), func(g story.Regime) bool { return g.Factor > 1 })
	g := oneOf(r, all...)
	if r.chance(30) {
		g.Commit = 100 * time.Millisecond
	}
	return g
}

// expected is SQLite's answer.
func (q query) expected() ([]string, error) {
	db, err := sqlite.Open()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for _, s := range q.sources {
		if err := s.load(db); err != nil {
			return nil, err
		}
	}
	return db.Rows(q.theirs)
}

// run is the engine's.
func (q query) run(g story.Regime, ddl string) ([]string, error) {
	ctx := context.Background()
	lab := story.NewLab(g, exec.UntilEnd)
	defer lab.Close()
	if err := lab.Exec(ctx, ddl); err != nil {
		return nil, err
	}
	for _, s := range q.sources {
		if _, err := lab.Cluster().Write(ctx, s.records...); err != nil {
			return nil, err
		}
	}
	if err := lab.Exec(ctx, q.ours); err != nil {
		return nil, err
	}
	lab.Touch()
	if err := lab.Drain(ctx); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, lab.Status())
	}
	read := lab.Rows
	if q.table {
		read = lab.Folded
	}
	rows, err := read("o")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range rows {
		out = append(out, sqlite.Row(r.Values)+r.Note)
	}
	slices.Sort(out)
	return out, nil
}
