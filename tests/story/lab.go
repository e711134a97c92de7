package story

import (
	"context"
	"fmt"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/sim"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Lab is a world for tests written in Go: the same cluster, clock, instances and faults as a story has.
type Lab struct {
	w *world
}

// LabRow is a record that a relation's topic holds.
type LabRow struct {
	connectors.Record
	Values []types.Value // of the relation's columns
	Note   string        // "removed" for a null value, or why the record cannot be read
}

// NewLab is a lab under a regime; until is how its queries end.
func NewLab(g Regime, until exec.Until) *Lab {
	return &Lab{newWorld(&test{file: "lab", until: until}, g)}
}

// Exec runs statements.
func (l *Lab) Exec(ctx context.Context, text string) error {
	script, err := parser.Parse("lab", text)
	if err != nil {
		return err
	}
	l.w.test.Text = text
	for _, st := range script.Statements {
		if err := l.w.statement(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

// Again stops all instances in order and runs statements anew, as a program does that is started again: queries are planned
// with the cluster as it is now, and go on where they were. Memberships of instances that died have run out by then.
func (l *Lab) Again(ctx context.Context, text string) error {
	for _, i := range l.w.instances {
		if err := i.stop(ctx); err != nil {
			return err
		}
		i.jobs, i.rest = nil, 0
		l.w.cluster.Expire(i.group())
	}
	l.w.catalog, l.w.queries, l.w.ended = catalog.New(), nil, map[int]bool{}
	return l.Exec(ctx, text)
}

// Crash ends all instances as kill -9 does; they come back with the next round.
func (l *Lab) Crash() {
	for _, i := range l.w.instances {
		i.crash(l.w.rng)
	}
	l.w.ended = map[int]bool{}
	l.w.dirty = true
}

// CrashOne ends one instance so; it comes back with the next round.
func (l *Lab) CrashOne(instance int) {
	l.w.instances[instance].crash(l.w.rng)
	l.w.dirty = true
}

// Hold keeps an instance from doing anything for so many rounds: a process that is slow to get going.
func (l *Lab) Hold(instance, rounds int) { l.w.instances[instance].rest = rounds }

// Quiet runs until nothing moves, while the clock stands: at the end without faults, since a stall may follow another.
func (l *Lab) Quiet(ctx context.Context) error {
	if err := l.w.quiet(ctx); err != nil {
		return err
	}
	g := l.w.regime
	l.w.calm()
	err := l.w.quiet(ctx)
	l.w.regime = g
	l.w.cluster.SetSchedule(g.Schedule)
	return err
}

// Stats are the figures of a query on its first instance that runs it.
func (l *Lab) Stats(query int) exec.Stats {
	for _, i := range l.w.instances {
		if query < len(i.jobs) && i.jobs[query] != nil {
			return i.jobs[query].Stats()
		}
	}
	return exec.Stats{}
}

// Over says whether a query has ended by itself on an instance.
func (l *Lab) Over(query int) bool { return l.w.over(query) }

// Group is the consumer group of a query.
func (l *Lab) Group(query string) string { return plan.Group(l.w.config(l.w.instances[0]).App, query) }

// Cluster is the lab's cluster. After writing to it call Touch.
func (l *Lab) Cluster() *sim.Cluster { return l.w.cluster }

// Touch says that there is something new to drain.
func (l *Lab) Touch() { l.w.dirty = true }

// Now is where the clock stands.
func (l *Lab) Now() time.Time { return l.w.clock.Now() }

// Queries are the queries that run.
func (l *Lab) Queries() []*plan.Query { return l.w.queries }

// Pass moves the clock and runs some rounds, whether or not anything is left to do.
func (l *Lab) Pass(ctx context.Context, d time.Duration, rounds int) error {
	l.w.clock.Advance(d)
	return l.w.wander(ctx, rounds)
}

// Drain runs until nothing is left to do; Advance moves the clock in steps and drains at each.
func (l *Lab) Drain(ctx context.Context) error { return l.w.drain(ctx) }

// Advance moves the clock by d in steps, draining at each.
func (l *Lab) Advance(ctx context.Context, d, step time.Duration) error {
	for end := l.w.clock.Now().Add(d); l.w.clock.Now().Before(end); {
		l.w.clock.Advance(step)
		if err := l.w.quiet(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Calm ends all faults from now on.
func (l *Lab) Calm() { l.w.calm() }

// Rows are the committed records of a relation; folded: the last of each key.
func (l *Lab) Rows(name string) ([]LabRow, error) { return l.rows(name, nil) }

// Folded are the rows that are left when each key keeps its last record.
func (l *Lab) Folded(name string) ([]LabRow, error) { return l.rows(name, fold) }

func (l *Lab) rows(name string, narrow func([]*actualRow) []*actualRow) ([]LabRow, error) {
	rel, err := l.w.relation(ast.Ident{Name: name})
	if err != nil {
		return nil, err
	}
	rows, err := decodeRows(rel, l.w.cluster.Visible(rel.Topic))
	if narrow != nil {
		rows = narrow(rows)
	}
	var out []LabRow
	for _, r := range rows {
		out = append(out, LabRow{r.rec, r.values, r.note})
	}
	return out, err
}

// Whole says whether every instance runs every query.
func (l *Lab) Whole() bool { return l.w.whole() }

// Late is how many rows of a source were late.
func (l *Lab) Late(name string) int64 { return l.counted(name, lateRows) }

// Bad is how many records of a source were refused.
func (l *Lab) Bad(name string) int64 { return l.counted(name, badRecords) }

// Idle is how many rows were dropped because their partition had been declared idle.
func (l *Lab) Idle() int64 {
	var n int64
	for _, i := range l.w.instances {
		for _, j := range i.jobs {
			if j != nil {
				n += j.Stats().LateAfterIdle
			}
		}
	}
	return n
}

func (l *Lab) counted(name string, of func(exec.Stats) map[string]int64) int64 {
	rel, err := l.w.relation(ast.Ident{Name: name})
	if err != nil {
		return -1
	}
	return l.w.records(rel, of)
}

// Close ends the lab as a crash would.
func (l *Lab) Close() { l.w.close() }

// Status describes every job in a line, for failures.
func (l *Lab) Status() string {
	out := fmt.Sprintf("clock %s", l.w.clock.Now().Format("15:04:05.000"))
	for _, i := range l.w.instances {
		for n, j := range i.jobs {
			if j != nil {
				type plain exec.Stats
				out += fmt.Sprintf("\n%s %s: %+v", i.id, l.w.queries[n].Name, plain(j.Stats()))
			}
		}
	}
	return out
}
