// Package nexmark runs the 24 queries of the Nexmark benchmark, as they are under examples, and compares what comes out with
// what SQLite answers to plain SQL (answers/) over all events at once.
package nexmark

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
	_ "github.com/streamsql-go/streamsql/connectors/format/json"
	_ "github.com/streamsql-go/streamsql/connectors/format/primitive"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/sqlite"
	"github.com/streamsql-go/streamsql/tests/story"
)

const queries = 24

// number is an environment variable, or its default.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// start is where the events of a query begin.
func start(query int) string {
	if query == 14 {
		return morning
	}
	return evening
}

// stage is a world with its oracle.
type stage struct {
	world  world
	oracle *sqlite.DB
}

// stages makes each world once, for all subtests of a test.
type stages struct {
	t    *testing.T
	made map[string]stage
}

func (s stages) get(events int, start string, keyed bool) stage {
	s.t.Helper()
	name := fmt.Sprint(events, start, keyed)
	if _, ok := s.made[name]; !ok {
		w := makeWorld(s.t, events, start, keyed)
		s.made[name] = stage{w, newOracle(s.t, w)}
	}
	return s.made[name]
}

// TestQueries: each query equals the oracle under the plain regime over NEXMARK_EVENTS (100,000; in short tests 10,000) events, and
// under the others over NEXMARK_REGIME_EVENTS (10,000; in short tests 2,000; 100,000 take some minutes), or 2,000 where every poll brings a few
// only. NEXMARK_QUERY keeps to one query, NEXMARK_SEED changes the schedules.
func TestQueries(t *testing.T) {
	events, fewer, few := 100_000, 10_000, 2000
	if testing.Short() {
		events, fewer = 10_000, few
	}
	events, fewer = number(t, "NEXMARK_EVENTS", events), number(t, "NEXMARK_REGIME_EVENTS", fewer)
	only := number(t, "NEXMARK_QUERY", -1)
	made := stages{t, map[string]stage{}}
	for q := range queries {
		if only >= 0 && q != only {
			continue
		}
		t.Run(fmt.Sprint("q", q), func(t *testing.T) {
			for i, g := range story.Regimes(int64(number(t, "NEXMARK_SEED", 1))) {
				if g.Factor > 1 {
					continue // of the partitions, which the records' keys decide
				}
				n, keyed := fewer, i%2 == 0
				switch {
				case g.Name == "plain":
					n = events
				case g.Schedule.Poll > 0:
					n = min(fewer, few)
				}
				// It is the chance of each record, and an epoch here may write a thousand: hardly any would ever succeed.
				g.Schedule.ProduceFailure = min(g.Schedule.ProduceFailure, 1/float64(n))
				t.Run(g.Name, func(t *testing.T) {
					s := made.get(n, start(q), keyed)
					if d := sqlite.Difference(answer(t, s.oracle, q), run(t, g, q, s.world, keyed)); d != "" {
						t.Error(d)
					}
				})
			}
		})
	}
}

func answerFile(q int) string { return fmt.Sprintf("answers/q%d.sql", q) }

func query(t testing.TB, q int) string { return file(t, fmt.Sprintf("%sq%d.sql", examples, q)) }

// run is the answer of the engine: the rows of the target, folded by key where it is a table.
func run(t *testing.T, g story.Regime, q int, w world, keyed bool) []string {
	t.Helper()
	ctx := context.Background()
	lab := story.NewLab(g, exec.UntilEnd)
	defer lab.Close()
	sources, statement := ddl(t, keyed), query(t, q)
	if err := lab.Exec(ctx, sources); err != nil {
		t.Fatal(err)
	}
	for _, rs := range w {
		if _, err := lab.Cluster().Write(ctx, rs...); err != nil {
			t.Fatal(err)
		}
	}
	if err := lab.Exec(ctx, statement); err != nil {
		t.Fatal(err)
	}
	lab.Touch()
	if err := lab.Drain(ctx); err != nil {
		t.Fatalf("%v\n%s", err, lab.Status())
	}
	for _, s := range []string{"person", "auction", "bid", "people", "auctions", "arriving_bid", "side_input"} {
		if late, bad := lab.Late(s), lab.Bad(s); late > 0 || bad > 0 {
			t.Errorf("%d late and %d bad records of %s, where there are none", late, bad, s)
		}
	}
	rows := lab.Rows
	if strings.Contains(statement, "CREATE TABLE") {
		rows = lab.Folded
	}
	got, err := rows(fmt.Sprint("q", q))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range got {
		out = append(out, sqlite.Row(r.Values)+r.Note)
	}
	slices.Sort(out)
	return out
}

// TestMadeUpSources: the example as its first lines say to run it, without a cluster, is right, too.
func TestMadeUpSources(t *testing.T) {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Close()
	l, err := eng.Load(ctx, "nexmark.sql", file(t, examples+"sources.sql")+query(t, 3), streamsql.UntilEnd)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range l.Queries {
		if err := q.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := eng.QueryUntil(ctx, "SELECT * FROM q3", streamsql.UntilEnd)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, sqlite.Row(r.Values))
	}
	slices.Sort(got)
	s := stages{t, map[string]stage{}}.get(100_000, evening, true)
	if d := sqlite.Difference(answer(t, s.oracle, 3), got); d != "" {
		t.Error(d)
	}
}
