package tests

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/sim"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/tests/oracle"
	"github.com/streamsql-go/streamsql/tests/story"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// TestOneAnswer: random data, random queries and random schedules of polls, aborts, crashes, moves and stalls give what
// the oracle computes from all the data at once (promise P1). PROPERTY_SEED runs one seed again, PROPERTY_RUNS changes how
// many are tried, PROPERTY_SHAPE keeps to one kind of query.
func TestOneAnswer(t *testing.T) {
	trial.Seeds(t, "PROPERTY", 150, func(seed int64) string { return oneAnswer(seed, os.Getenv("PROPERTY_SHAPE")) })
}

// schedule is a random regime.
func (r random) schedule() story.Regime {
	g := story.Regime{Name: "random", Seed: r.Int63(), Instances: 1 + r.Intn(3)}
	g.Schedule.Poll = [...]int{0, 1, 7, sim.RandomPoll, sim.RandomPoll}[r.Intn(5)]
	if r.chance(50) {
		g.Schedule.Stall, g.Schedule.StallPolls = 0.2, 10
	}
	if r.chance(50) {
		g.Schedule.Abort, g.Schedule.Unknown, g.Schedule.ProduceFailure = 0.15, 0.02, 0.01
	}
	if r.chance(50) {
		g.Crash, g.Kill = 0.05, 0.01
	}
	if g.Instances > 1 && r.chance(50) {
		g.Move, g.Schedule.Scatter = 0.02, 0.5
	}
	if r.chance(50) {
		g.Commit = 100 * time.Millisecond
	}
	if r.chance(25) {
		g.Memory, g.BufferRows = 64<<10, 3
	}
	if g.Instances == 1 && r.chance(40) {
		g.Shuffle = exec.ShuffleLocal
	}
	return g
}

func oneAnswer(seed int64, only string) string {
	r := random{rand.New(rand.NewSource(seed))}
	pick := shapes[r.Intn(len(shapes))]
	for _, s := range shapes {
		if s.name == only {
			pick = s
		}
	}
	sh := pick.make(r)
	if !sh.fixed && r.chance(25) {
		for i := range sh.sources {
			sh.sources[i].idle = r.pick(400, 1500, 5000)
		}
	}
	g := r.schedule()
	bounded := r.chance(30)
	sh.faulty = g.Kill+g.Crash+g.Move > 0
	until := exec.Endless
	if bounded {
		until = exec.UntilEnd
	}
	lab := story.NewLab(g, until)
	defer lab.Close()
	sources := ""
	for _, s := range sh.sources {
		sources += s.ddl()
	}
	ddl := sources + sh.query + ";\n"
	type plain story.Regime
	head := fmt.Sprintf("shape %s, bounded %v, regime %+v\n%s", pick.name, bounded, plain(g), ddl)
	ctx := context.Background()
	if err := lab.Exec(ctx, ddl); err != nil {
		return head + err.Error()
	}
	asked := lab
	if sh.apart != "" { // is only planned
		asked = story.NewLab(story.Plain(), until)
		defer asked.Close()
		if err := asked.Exec(ctx, sources+sh.apart+";"); err != nil {
			return head + err.Error()
		}
	}
	was := gone{}
	if err := r.play(ctx, lab, sh, bounded, was, g.Commit == 0 && r.chance(30)); err != nil {
		return head + err.Error() + "\n" + lab.Status()
	}
	if err := compare(lab, asked.Queries()[0], sh, bounded, was); err != nil {
		return head + err.Error()
	}
	return ""
}

// gone are the records of a table's topic that the query had read when compaction took them, by topic.
type gone map[string][]connectors.Record

// compact compacts the topics of tables, once all they hold has been read and committed, so that the answer stays what it is.
func (g gone) compact(ctx context.Context, lab *story.Lab, sh shape) error {
	if err := lab.Quiet(ctx); err != nil || !lab.Whole() { // some tasks are nobody's: what they had to read may be unread
		return err
	}
	for _, s := range sh.sources {
		if s.table {
			g[s.name] = g.records(lab, s.name)
			lab.Cluster().Compact(s.name)
		}
	}
	return nil
}

// records are all records that a topic ever had, in order.
func (g gone) records(lab *story.Lab, topic string) []connectors.Record {
	out := append([]connectors.Record{}, g[topic]...)
	have := map[[2]int64]bool{}
	for _, r := range out {
		have[[2]int64{int64(r.Partition), r.Offset}] = true
	}
	for _, r := range lab.Cluster().Visible(topic) {
		if !have[[2]int64{int64(r.Partition), r.Offset}] {
			out = append(out, r)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		return a.Partition < b.Partition || a.Partition == b.Partition && a.Offset < b.Offset
	})
	return out
}

// play writes the data, at its time or as a backlog, and runs the query until nothing moves any more. Now and then it has the
// topics of tables compacted.
func (r random) play(ctx context.Context, lab *story.Lab, sh shape, bounded bool, was gone, compacts bool) error {
	span := r.pick(5000, 20000, 35000)
	var events []event
	txn := 0
	for _, s := range sh.sources {
		events = append(events, r.data(s, span, &txn)...)
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].at < events[j].at })
	backlog := bounded || r.chance(40)
	open := map[int]*sim.Transaction{}
	now := int64(0)
	for _, e := range events {
		for !backlog && now < e.at {
			step := min(e.at-now, 1+r.Int63n(400))
			now += step
			if err := lab.Pass(ctx, time.Duration(step)*time.Millisecond, r.Intn(4)); err != nil {
				return err
			}
		}
		if err := apply(ctx, lab.Cluster(), open, e); err != nil {
			return err
		}
		if compacts && !backlog && r.chance(5) {
			if err := was.compact(ctx, lab, sh); err != nil {
				return err
			}
		}
	}
	lab.Touch()
	if bounded {
		return lab.Drain(ctx)
	}
	if err := lab.Pass(ctx, 0, r.Intn(200)); err != nil {
		return err
	}
	if r.chance(70) {
		lab.Calm()
	}
	if err := lab.Drain(ctx); err != nil {
		return err
	}
	lab.Calm() // idle timers begin anew after every fault
	return lab.Advance(ctx, 70*time.Second, 500*time.Millisecond)
}

func apply(ctx context.Context, c *sim.Cluster, open map[int]*sim.Transaction, e event) error {
	if e.txn == 0 {
		_, err := c.Write(ctx, e.rec)
		return err
	}
	t := open[e.txn]
	if t == nil {
		t = c.Begin()
		open[e.txn] = t
	}
	switch {
	case !e.ends:
		return t.Append(e.rec)
	case e.fate:
		t.Commit()
	default:
		t.Abort()
	}
	return nil
}

// compare compares what the lab's queries wrote with the answer to q.
func compare(lab *story.Lab, q *plan.Query, sh shape, ended bool, was gone) error {
	in := oracle.Input{Records: map[string][]connectors.Record{}, Ended: ended, Now: lab.Now()}
	for _, s := range sh.sources {
		in.Records[s.name] = was.records(lab, s.name)
	}
	want, err := oracle.Evaluate(q, in)
	if err != nil {
		return err
	}
	read := lab.Rows
	if sh.table {
		read = lab.Folded
	}
	got, err := read("o")
	if err != nil {
		return err
	}
	if sh.anyTime {
		timeless(want, got)
	}
	dropped := lab.Idle()
	if dropped > 0 && sh.sources[0].idle == 0 {
		return fmt.Errorf("%d rows were dropped behind idle partitions, of which there was none", dropped)
	}
	if sh.apart != "" { // the oracle found them as often as it has read the source
		for _, s := range sh.sources {
			n := scans(q, s.name)
			want.Late[s.name] /= n
			want.Bad[s.name] /= n
		}
	}
	var problems []string
	for _, s := range sh.sources {
		if ended && sh.faulty || !lab.Whole() {
			break // some tasks are with an instance that had no part in the end of the run: killed, or in the middle of a rebalance
		}
		if have := sh.late(lab, s.name); have != want.Late[s.name] {
			problems = append(problems, fmt.Sprintf("late rows of %s: want %d, counted %d", s.name, want.Late[s.name], have))
		}
		if have := lab.Bad(s.name); have != want.Bad[s.name] {
			problems = append(problems, fmt.Sprintf("bad records of %s: want %d, counted %d", s.name, want.Bad[s.name], have))
		}
	}
	if dropped > 0 || sh.sources[0].idle > 0 && !lab.Whole() {
		problems = append(problems, less(sh, want, got, dropped, lab.Whole())...)
	} else {
		problems = append(problems, differences(want, got)...)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s\n%s", strings.Join(problems, "\n"), lab.Status())
	}
	return nil
}

// scans is how often a query reads a source.
func scans(q *plan.Query, source string) int64 {
	n := int64(0)
	plan.Walk(q.Root, func(x plan.Node) {
		if s, ok := x.(*plan.Scan); ok && s.Relation.Name == source {
			n++
		}
	})
	return n
}

// timeless makes all timestamps equal.
func timeless(want *oracle.Answer, got []story.LabRow) {
	for i := range got {
		got[i].Timestamp = 0
	}
	for _, it := range want.Items {
		for i := range it.Any {
			it.Any[i].TS = 0
		}
	}
}

func show(vs []types.Value, ms int64) string {
	var b strings.Builder
	for _, v := range vs {
		b.WriteString(v.Text() + ", ")
	}
	return fmt.Sprintf("%s@%d", b.String(), ms-epochMillis)
}

// differences pairs the items of the answer with rows, each at most once. Rows that show alike are interchangeable, so the
// pairing is found over what they show.
func differences(want *oracle.Answer, got []story.LabRow) []string {
	have := map[string]int{}
	for _, g := range got {
		have[show(g.Values, g.Timestamp)]++
	}
	// Items with fewer choices go first; a choice that several items share is only taken by augmenting.
	taken := map[string][]int{}
	choices := make([][]string, len(want.Items))
	for i, it := range want.Items {
		seen := map[string]bool{}
		for _, r := range it.Any {
			s := show(r.Values, types.FloorDiv(r.TS, 1000))
			if !seen[s] {
				seen[s] = true
				choices[i] = append(choices[i], s)
			}
		}
	}
	var place func(i int, seen map[string]bool) bool
	place = func(i int, seen map[string]bool) bool {
		for _, s := range choices[i] {
			if seen[s] || have[s] == 0 {
				continue
			}
			seen[s] = true
			if len(taken[s]) < have[s] {
				taken[s] = append(taken[s], i)
				return true
			}
			for k, j := range taken[s] {
				if place(j, seen) {
					taken[s][k] = i
					return true
				}
			}
		}
		return false
	}
	var out []string
	for i := range want.Items {
		if !place(i, map[string]bool{}) {
			out = append(out, "missing: "+strings.Join(choices[i], " | "))
		}
	}
	for s, n := range have {
		if extra := n - len(taken[s]); extra > 0 {
			out = append(out, fmt.Sprintf("extra: %s (%d times)", s, extra))
		}
	}
	sort.Strings(out)
	if len(out) > 12 {
		out = append(out[:12], fmt.Sprintf("… and %d more", len(out)-12))
	}
	return out
}
