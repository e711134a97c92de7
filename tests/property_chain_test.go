package tests

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// TestChainsAnswerAsOneQuery: random data under random schedules, through two or three queries of which each reads what the one before
// writes, give what the oracle computes for one query that does it all (semantics S7): the same rows, and the same rows late.
// PROPERTY_SEED, PROPERTY_RUNS and PROPERTY_SHAPE are those of TestOneAnswer.
func TestChainsAnswerAsOneQuery(t *testing.T) {
	trial.Seeds(t, "PROPERTY", 60, func(seed int64) string { return chainedAnswer(seed, os.Getenv("PROPERTY_SHAPE")) })
}

// chain is several queries, and one that does the same. The one moves rows where the chain has
// a topic: what it did in place would go by the time of one partition, and a stream in between has that of all.
type chain struct {
	shape
	one string
	// ends: it is compared at the end of a bounded run. Where rows stop coming, windows that are open hold the next query's, which the
	// oracle closes.
	ends bool
}

// late is how many rows of a source were late, wherever on the way it was found.
func (s shape) late(lab *story.Lab, source string) int64 {
	n := lab.Late(source)
	if source == s.sources[0].name {
		for _, v := range s.vias {
			n += lab.Late(v)
		}
	}
	return n
}

// between are the statements of a chain whose streams in between are vias, with partition counts of their own.
func (r random) between(sh shape, vias ...string) shape {
	var out []string
	for i, v := range vias {
		name := fmt.Sprintf("via%d", i)
		out = append(out, fmt.Sprintf("CREATE STREAM %s WITH (partitions = %d) AS %s", name, 1+r.Intn(4), v))
		sh.vias = append(sh.vias, name)
	}
	sh.query = strings.Join(append(out, sh.query), ";\n")
	return sh
}

const kept = "SELECT id, v, g FROM %s WHERE v > -20"

var chains = []struct {
	name string
	make func(r random) chain
}{
	{"window-over-rows", func(r random) chain {
		w := r.window()
		as := "CREATE STREAM o AS SELECT id, COUNT(*) AS n, SUM(v) AS s, MAX(g) AS hi, window_start FROM %s " + w + "%s GROUP BY id EMIT FINAL"
		return chain{r.between(shape{sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf(as, "via0", "")}, fmt.Sprintf(kept, "s")),
			fmt.Sprintf(as, "s", " WHERE v > -20"), false}
	}},
	{"three-queries", func(r random) chain {
		w := r.overlap()
		as := "CREATE STREAM o AS SELECT g, COUNT(*) AS n, SUM(v) AS s, MIN(id) AS lo, window_start, window_end FROM %s " + w + "%s GROUP BY g EMIT FINAL"
		return chain{r.between(shape{sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf(as, "via1", "")}, fmt.Sprintf(kept, "s"), "SELECT id, v, g FROM via0 WHERE v < 60"),
			fmt.Sprintf(as, "s", " WHERE v > -20 AND v < 60"), false}
	}},
	{"sessions", func(r random) chain {
		w := r.session()
		as := "CREATE STREAM o AS SELECT id, COUNT(*) AS n, SUM(v) AS s, window_start, window_end FROM %s " + w + "%s GROUP BY id EMIT FINAL"
		return chain{r.between(shape{sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf(as, "via0", "")}, fmt.Sprintf(kept, "s")),
			fmt.Sprintf(as, "s", " WHERE v > -20"), false}
	}},
	{"changes", func(r random) chain {
		w := r.window()
		as := "CREATE TABLE o AS SELECT g, COUNT(*) AS n, SUM(v) AS s, window_start FROM %s " + w + "%s GROUP BY g"
		return chain{r.between(shape{table: true, sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf(as, "via0", "")}, fmt.Sprintf(kept, "s")),
			fmt.Sprintf(as, "s", " WHERE v > -20"), false}
	}},
	{"window-over-distinct", func(r random) chain {
		first := "SELECT DISTINCT id, g FROM %s " + r.window()
		// One query finds a row late for either window where it reads it; with this grace none is late for the second alone.
		as := "CREATE STREAM o AS SELECT g, COUNT(*) AS n, window_start FROM %s WINDOW TUMBLING(20s) GRACE 5s GROUP BY g EMIT FINAL"
		return chain{r.between(shape{sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf(as, "via0")}, fmt.Sprintf(first+" EMIT FINAL", "s")),
			fmt.Sprintf(as, "("+fmt.Sprintf(first+" EMIT FINAL", "s")+") AS q"), true}
	}},
	{"window-over-window", func(r random) chain {
		first := fmt.Sprintf("SELECT id, MAX(g) AS g, SUM(v) AS v FROM s WINDOW TUMBLING(%dms) GRACE %dms GROUP BY id EMIT FINAL", r.pick(500, 1000), r.pick(0, 500, 3000))
		as := "CREATE STREAM o AS SELECT g, COUNT(*) AS n, SUM(v) AS s, window_start FROM %s WINDOW TUMBLING(%dms) GROUP BY g EMIT FINAL"
		size := r.pick(2000, 7000)
		return chain{r.between(shape{sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf(as, "via0", size)}, first),
			fmt.Sprintf(as, "("+first+") AS q", size), true}
	}},
	{"join-over-rows", func(r random) chain {
		as := "CREATE STREAM o AS SELECT s.id, s.v, t.v AS tv, t.g AS tg FROM %s AS s " + r.join() + " t ON s.id = t.id%s"
		return chain{r.between(shape{sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))}, query: fmt.Sprintf(as, "via0", "")}, fmt.Sprintf(kept, "s")),
			fmt.Sprintf(as, "s", " WHERE s.v > -20"), false}
	}},
	{"window-over-join", func(r random) chain {
		// An inner join drops rows before the window can find them late.
		join := "SELECT s.id, s.v, t.g FROM s LEFT JOIN t ON s.id = t.id"
		as := "CREATE STREAM o AS SELECT g, COUNT(*) AS n, SUM(v) AS s, window_start FROM %s " + r.window() + " GROUP BY g EMIT FINAL"
		return chain{r.between(shape{sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))}, query: fmt.Sprintf(as, "via0")}, join),
			fmt.Sprintf(as, "("+join+") AS q"), false}
	}},
}

func chainedAnswer(seed int64, only string) string {
	r := random{rand.New(rand.NewSource(seed))}
	pick := chains[r.Intn(len(chains))]
	for _, c := range chains {
		if c.name == only {
			pick = c
		}
	}
	c := pick.make(r)
	g := r.schedule()
	bounded := r.chance(30) || c.ends
	c.faulty = g.Kill+g.Crash+g.Move > 0
	until := exec.Endless
	if bounded {
		until = exec.UntilEnd
	}
	lab, single := story.NewLab(g, until), story.NewLab(story.Plain(), until)
	defer lab.Close()
	defer single.Close()
	sources := ""
	for _, s := range c.sources {
		sources += s.ddl()
	}
	type plain story.Regime
	head := fmt.Sprintf("chain %s, bounded %v, regime %+v\n%s%s;\n", pick.name, bounded, plain(g), sources, c.query)
	ctx := context.Background()
	if err := lab.Exec(ctx, sources+c.query+";"); err != nil {
		return head + err.Error()
	}
	if err := single.Exec(ctx, sources+c.one+";"); err != nil { // is only planned
		return head + err.Error()
	}
	was := gone{}
	if err := r.play(ctx, lab, c.shape, bounded, was, false); err != nil {
		return head + err.Error() + "\n" + lab.Status()
	}
	if err := compare(lab, single.Queries()[0], c.shape, bounded, was); err != nil {
		return head + err.Error()
	}
	return ""
}
