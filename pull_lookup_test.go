package streamsql_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors"
)

// counting is a cluster that counts the records that are read of each partition outside of groups.
type counting struct {
	connectors.Cluster
	sync.Mutex
	reads map[string]int // by topic/partition
}

func (c *counting) Read(ctx context.Context, p connectors.Partition, from, to int64, visit func([]connectors.Record) error) error {
	c.Lock()
	c.reads[fmt.Sprintf("%s/%d", p.Topic, p.Partition)] += 0
	c.Unlock()
	return c.Cluster.Read(ctx, p, from, to, func(rs []connectors.Record) error {
		c.Lock()
		c.reads[fmt.Sprintf("%s/%d", p.Topic, p.Partition)] += len(rs)
		c.Unlock()
		return visit(rs)
	})
}

// of is what was read of a topic since it was asked last, by partition, in the order of partitions.
func (c *counting) of(topic string) []int {
	c.Lock()
	defer c.Unlock()
	var names []string
	for n := range c.reads {
		if strings.HasPrefix(n, topic+"/") {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var out []int
	for _, n := range names {
		out = append(out, c.reads[n])
		delete(c.reads, n)
	}
	return out
}

// pulling is an engine whose table totals (id, total) has the keys k0 to k19 in 4 partitions, with its cluster.
func pulling(t *testing.T, memory int64) (*lab, *counting) {
	t.Helper()
	broker := open(t, streamsql.Options{})
	c := &counting{Cluster: broker.cluster(), reads: map[string]int{}}
	l := open(t, streamsql.Options{Cluster: c, StateDir: t.TempDir(), PullMemory: memory})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 4);" +
		"CREATE TABLE totals AS SELECT id, SUM(n) AS total FROM s GROUP BY id HAVING SUM(n) <> 99")
	var rows []string
	for i := range 20 {
		rows = append(rows, fmt.Sprintf("('k%d', %d)", i, i))
	}
	l.exec("INSERT INTO s VALUES " + strings.Join(rows, ", "))
	l.eventually("all keys are there", func() bool { return len(l.pull("SELECT id FROM totals")) == 20 })
	c.of("totals")
	return l, c
}

// TestPullLookup: a key is looked for where it lies only, several where they lie; the second time only news are read; the answer is always that of the whole table.
func TestPullLookup(t *testing.T) {
	for name, memory := range map[string]int64{"kept": 0, "read anew": -1, "too large to keep": 1} {
		t.Run(name, func(t *testing.T) {
			l, c := pulling(t, memory)
			parts := func(sql string, want []string, most int) {
				t.Helper()
				if got := l.pull(sql); !slices.Equal(got, want) {
					t.Errorf("%s: %q, want %q", sql, got, want)
				}
				if read := c.of("totals"); memory != 0 && (len(read) > most || len(read) == 0 && most > 0) || memory == 0 && slices.Max(append(read, 0)) > 0 {
					t.Errorf("%s: read %d", sql, read)
				}
			}
			parts("SELECT total FROM totals WHERE id = 'k7'", []string{"7"}, 1)
			parts("SELECT total FROM totals WHERE 'k7' = id AND total > 7", nil, 1)
			parts("SELECT total FROM totals WHERE id IN ('k7') AND id = 'k8'", nil, 1)
			parts("SELECT total + 1 AS x FROM totals WHERE id IN ('k3', 'k7', 'none', 'k3', NULL) ORDER BY x DESC LIMIT 1", []string{"8"}, 3)
			parts("SELECT total FROM totals WHERE id = 'none'", nil, 1)
			parts("SELECT id FROM totals WHERE id LIKE 'k1_' AND total > 17 ORDER BY id", []string{"k18", "k19"}, 4)
			parts("SELECT id FROM totals WHERE id = 'k3' OR total = 4 ORDER BY id", []string{"k3", "k4"}, 4)
			parts("SELECT id FROM totals WHERE id = NULL", nil, 4)
			parts("SELECT id, total FROM totals ORDER BY total DESC LIMIT 2 OFFSET 1", []string{"k18 18", "k17 17"}, 4)
			if memory == 0 {
				l.exec("INSERT INTO s VALUES ('k7', 100), ('k8', 91)") // k8 comes to 99 and goes
				l.eventually("k8 is gone", func() bool { return len(l.pull("SELECT id FROM totals WHERE id = 'k8'")) == 0 })
				l.eventually("k7 is new", func() bool { return slices.Equal(l.pull("SELECT total FROM totals WHERE id = 'k7'"), []string{"107"}) })
				read := 0
				for _, n := range c.of("totals") {
					read += n
				}
				if read != 2 {
					t.Errorf("%d records were read for two news", read)
				}
				if got := l.pull("SELECT id FROM totals WHERE total > 17 ORDER BY id"); !slices.Equal(got, []string{"k18", "k19", "k7"}) {
					t.Errorf("%q", got)
				}
			}
			got := l.pull("SELECT COUNT(*) AS n FROM totals") // has state of its own, and goes by way of a job
			if !slices.Equal(got, []string{map[bool]string{true: "19", false: "20"}[memory == 0]}) {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestPullLookupKeys: typed keys of one column and of several are found by the bytes that they are written in.
func TestPullLookupKeys(t *testing.T) {
	broker := open(t, streamsql.Options{})
	c := &counting{Cluster: broker.cluster(), reads: map[string]int{}}
	l := open(t, streamsql.Options{Cluster: c, StateDir: t.TempDir(), PullMemory: -1})
	l.exec("CREATE STREAM s (id BIGINT, d DECIMAL(10,2), at TIMESTAMP(3), f DOUBLE, b BOOLEAN, v VARCHAR) WITH (topic = 's', partitions = 1);" +
		"INSERT INTO s (id, d, at, f, b, v) VALUES (-1, 1.50, TIMESTAMP '2030-01-01 00:00:00', -0.0, TRUE, 'ä'), (2, 1, TIMESTAMP '2030-01-01 00:00:01.5', 1e100, FALSE, ''), (NULL, NULL, NULL, NULL, NULL, NULL);")
	for i, c2 := range []struct {
		key    string
		where  []string
		others []string // whose partition is not known
	}{
		{"id", []string{"id = -1", "id IN (-1, 5)"}, []string{"id = -1.0", "id + 0 = -1", "id < 0"}},
		{"d", []string{"d = 1.5", "d = 1.50"}, []string{"d = 1.5e0", "d > 1 AND d < 2"}},
		{"at", []string{"at = TIMESTAMP '2030-01-01 00:00:00'", "at = '2030-01-01'", "at IN ('2030-01-01 00:00:00')"}, []string{"YEAR(at) = 2030 AND SECOND(at) = 0"}},
		{"f", []string{"f = 0", "f = -0.0"}, []string{"f < 1"}},
		{"b", []string{"b = TRUE", "b = 1"}, []string{"b", "b IS TRUE"}},
		{"v", []string{"v = 'ä'", "v = CONCAT('', 'ä')"}, []string{"v = 'ä' OR v = 'ö'"}},
		{"id, v", []string{"id = -1 AND v = 'ä'", "id IN (-1, 3) AND v IN ('ä', 'x')"}, []string{"id = -1", "v = 'ä'"}},
	} {
		table := fmt.Sprintf("t%d", i)
		l.exec(fmt.Sprintf("CREATE TABLE %s WITH (partitions = 16) AS SELECT %s, COUNT(*) AS n FROM s WHERE id IS NOT NULL GROUP BY %s", table, c2.key, c2.key))
		l.eventually(table, func() bool { return len(l.pull("SELECT n FROM "+table)) == 2 })
		c.of(table)
		for k, where := range slices.Concat(c2.where, c2.others) {
			if got := l.pull("SELECT n FROM " + table + " WHERE " + where); !slices.Equal(got, []string{"1"}) {
				t.Errorf("%s: %q", where, got)
			}
			read := c.of(table)
			if looks := k < len(c2.where); looks && len(read) > 4 || !looks && len(read) != 16 {
				t.Errorf("%s: %d of 16 partitions were read", where, len(read))
			}
		}
	}
}
