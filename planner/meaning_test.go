package planner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/planner/distribute"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

func outputs(q *plan.Query) []string {
	var out []string
	for _, c := range q.Sink.P.Schema.Columns {
		out = append(out, c.Name)
	}
	return out
}

// TestNames: an output column is named as the query spells it, a star as the declaration does (cases C05, C42, C52).
func TestNames(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT ID, N FROM s", "ID N"},
		{"SELECT S.iD, n AS Total FROM s", "iD Total"},
		{"SELECT user.Country, user.id AS uid FROM s", "Country uid"},
		{"SELECT s.*, t.v AS tv FROM s2 AS s JOIN t ON s.id = t.id", "id v tv"},
		{"SELECT * FROM k JOIN (SELECT id AS sid, n FROM s) AS x ON k.id = x.sid", "id v sid n"},
		{"SELECT * FROM k RIGHT JOIN (SELECT n, id FROM s) AS x USING (id)", "id v n"},
		{"SELECT * FROM (SELECT a, b FROM t2) AS q JOIN (SELECT id AS kid, v AS kv FROM k) AS k ON q.a = kv JOIN (SELECT id, n FROM s) AS x ON x.id = kid AND q.b = x.id", "a b kid kv id n"},
		{"SELECT x.*, k.v FROM k JOIN (SELECT n, id FROM s) AS x USING (id)", "n id v"},
		{"SELECT * FROM s2 JOIN k USING (id) WHERE k.v = 1 AND id = 'a'", ""},
		{"SELECT SUBSTRING(id,  1, 2), COUNT(*) FROM s GROUP BY 1", "SUBSTRING(id, 1, 2) COUNT(*)"},
		{"SELECT _key, _Offset, HEADER('trace') AS tr FROM s", "_key _Offset tr"},
		{"SELECT j.a, s.j.b.c AS q FROM s WHERE j.x IS NOT NULL", "a q"},
		{"SELECT WINDOWSTART, window_end, COUNT(*) AS c FROM s WINDOW TUMBLING(1s)", "WINDOWSTART window_end c"},
		{"SELECT DISTINCT id, window_start FROM s WINDOW TUMBLING(1s)", "id window_start"},
	} {
		if c.want == "" {
			_, err := run(t, prelude+c.sql+";", nil)
			if err == nil || !strings.Contains(err.Error(), "two columns are named v") {
				t.Errorf("%s: %v", c.sql, err)
			}
			continue
		}
		q := mustRun(t, prelude+c.sql+";", nil)
		if got := strings.Join(outputs(q), " "); got != c.want {
			t.Errorf("%s: columns %s, want %s", c.sql, got, c.want)
		}
	}
}

// TestStreamAfterTables: a stream that stands after several tables is joined with them one after the other, each once its primary key is known.
func TestStreamAfterTables(t *testing.T) {
	const first = "SELECT s.n, k.v, t.name FROM s JOIN k ON s.id = k.id JOIN t ON t.v = k.v AND t.id = k.id"
	for _, c := range []struct{ last, first string }{
		{"SELECT s.n, k.v, t.name FROM k JOIN t ON t.v = k.v AND t.id = k.id JOIN s ON s.id = k.id", first},
		{"SELECT s.n, k.v, t.name FROM t JOIN k ON t.v = k.v AND t.id = k.id JOIN s ON s.id = k.id", first},
		{"SELECT s.n, k.v, t2.b FROM t2 JOIN k ON t2.a = k.v JOIN s WITHIN 3s ON s.id = k.id AND t2.b = CONCAT(s.id, 'x') AND s.n > 1",
			"SELECT s.n, k.v, t2.b FROM s JOIN k WITHIN 3s ON s.id = k.id AND s.n > 1 JOIN t2 WITHIN 3s ON t2.a = k.v AND t2.b = CONCAT(s.id, 'x')"},
		{"SELECT x.n, k.v, k2.v AS w FROM k JOIN k AS k2 ON k.id = k2.id JOIN s2 AS y ON y.id = k.id JOIN s AS x WITHIN 1s ON x.id = y.id",
			"SELECT x.n, k.v, k2.v AS w FROM s2 AS y JOIN k ON y.id = k.id JOIN k AS k2 ON k.id = k2.id JOIN s AS x WITHIN 1s ON x.id = y.id"},
		{"SELECT n, a, name FROM t JOIN t2 ON t.id = b JOIN view_of_s ON a = n AND b = who", "SELECT n, a, name FROM view_of_s JOIN t2 ON a = n AND b = who JOIN t ON t.id = b"},
	} {
		got, want := mustRun(t, prelude+c.last+";", nil), mustRun(t, prelude+c.first+";", nil)
		if a, b := got.Explain("app").String(), want.Explain("app").String(); a != b {
			t.Errorf("%s\n%s\nwant that of %s\n%s", c.last, a, c.first, b)
		}
	}
}

// TestGroupBy: an expression, its alias and its position group in the same way, in one shuffle by the value.
func TestGroupBy(t *testing.T) {
	var first string
	for _, by := range []string{"SUBSTRING(id,1,2)", "p", "P", "1", "substring(ID, 1, 2)", "s.p2"} {
		sql := "SELECT SUBSTRING(id,1,2) AS p, COUNT(*) AS c, CONCAT(SUBSTRING(id,1,2), '-') AS q FROM s WINDOW TUMBLING(10s) GROUP BY " + by
		c, err := run(t, prelude+sql+";", nil)
		if by == "s.p2" {
			if err == nil {
				t.Error("s.p2 is not a column")
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", by, err)
		}
		if first == "" {
			first = c.Query.Canonical
		}
		if c.Query.Canonical != first {
			t.Errorf("%s groups as\n%s\nnot as\n%s", by, c.Query.Canonical, first)
		}
		if len(c.Query.Shuffles) != 1 || len(c.Query.Shuffles[0].Key.Exprs) != 1 {
			t.Errorf("%s: %v", by, c.Query.Shuffles)
		}
	}
}

// TestKeys: what the record's key is made of (semantics S7).
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		sql  string
		mode plan.SinkKey
		key  string
		pk   []int
	}{
		{"CREATE STREAM x AS SELECT id FROM s", plan.KeyFromInput, "", nil},
		{"CREATE STREAM x AS SELECT DISTINCT id FROM s WINDOW TUMBLING(1s)", plan.KeyFromInput, "", nil},
		{"CREATE TABLE x AS SELECT n, id, COUNT(*) AS c FROM s GROUP BY id, n", plan.KeyFromColumn, "id n", []int{1, 0}},
		{"CREATE TABLE x AS SELECT COUNT(*) AS c, window_start, id FROM s WINDOW TUMBLING(1s) GROUP BY id", plan.KeyFromColumn, "id window_start", []int{2, 1}},
		{"CREATE STREAM x AS SELECT COUNT(*) AS c FROM s WINDOW TUMBLING(1s) GROUP BY id EMIT FINAL", plan.KeyFromColumn, "id window_start", nil},
		{"CREATE TABLE x AS SELECT v, id FROM k WHERE v > 1", plan.KeyFromColumn, "id", []int{1}},
		{"INSERT INTO keyed SELECT id, n FROM s", plan.KeyFromColumn, "a", nil},
		{"INSERT INTO kt SELECT id, COUNT(*) FROM s GROUP BY id", plan.KeyFromColumn, "a", nil},
		{"INSERT INTO target SELECT id, n FROM s", plan.KeyFromInput, "", nil},
		{"INSERT INTO target (a, _timestamp) SELECT id, ts FROM s", plan.KeyFromInput, "", nil},
		{"INSERT INTO target (a, _key) SELECT id, NULL FROM s", plan.KeyWritten, "", nil},
		{"INSERT INTO target (a, _key) SELECT id, id FROM s WINDOW TUMBLING(1s) GROUP BY id EMIT FINAL", plan.KeyWritten, "", nil},
	} {
		got, err := run(t, prelude+c.sql+";", nil)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		s := got.Query.Sink
		var key []string
		for _, k := range s.Key {
			key = append(key, s.Input.Props().Schema.Columns[k].Name)
		}
		if s.KeyMode != c.mode || strings.Join(key, " ") != c.key {
			t.Errorf("%s: mode %d key %v", c.sql, s.KeyMode, key)
		}
		if got.Relation != nil && !slices.Equal(got.Relation.PrimaryKey, c.pk) {
			t.Errorf("%s: primary key %v, want %v", c.sql, got.Relation.PrimaryKey, c.pk)
		}
	}
}

// TestForward: the value's bytes go on unchanged for * over one source of the target's format, and for nothing else.
func TestForward(t *testing.T) {
	for sql, want := range map[string]bool{
		"CREATE STREAM x AS SELECT * FROM s":                                                 true,
		"CREATE STREAM x AS SELECT * FROM s WHERE n > 1":                                     true,
		"CREATE STREAM x AS SELECT DISTINCT ON (id) * FROM s WINDOW TUMBLING(1s)":            true,
		"CREATE STREAM x AS SELECT DISTINCT ON (id) * FROM s WINDOW TUMBLING(1s) EMIT FINAL": true,
		"CREATE TABLE x AS SELECT * FROM k":                                                  true,
		"CREATE STREAM x WITH (format='raw') AS SELECT * FROM s":                             false,
		"CREATE STREAM x AS SELECT id, v FROM s2":                                            false,
		"CREATE STREAM x AS SELECT *, 1 AS one FROM s":                                       false,
		"CREATE STREAM x AS SELECT s2.* FROM s2 JOIN t ON s2.id = t.id":                      false,
	} {
		q := mustRun(t, prelude+sql+";", nil)
		if q.Sink.Forward != want {
			t.Errorf("%s: forward %v", sql, q.Sink.Forward)
		}
		carries := false
		plan.Walk(q.Root, func(n plan.Node) {
			if s, ok := n.(*plan.Scan); ok {
				carries = s.Carry&plan.CarryValue != 0
			}
		})
		if carries != want {
			t.Errorf("%s: the value travels: %v", sql, carries)
		}
	}
}

// TestSecondDistribution: distributing what is distributed changes nothing.
func TestSecondDistribution(t *testing.T) {
	topics := counts{"s": 3, "t": 2, "k": 3, "t2": 4, "s2": 1}
	count := func(r *catalog.Relation) int { return topics[r.Topic] }
	for _, sql := range []string{
		"CREATE STREAM x AS SELECT DISTINCT ON (id) * FROM s WINDOW TUMBLING(1s)",
		"CREATE STREAM x AS SELECT s.id, k.v, t.name FROM s LEFT JOIN k ON s.id = k.id JOIN t AS OF TIMESTAMP s.ts ON s.id = t.id AND s.n < t.v WHERE t.name <> 'x'",
		"CREATE TABLE x AS SELECT s.n, COUNT(*) AS c FROM s JOIN t2 ON s.n = t2.a AND t2.b = s.id WINDOW TUMBLING(1s) GROUP BY s.n",
		"CREATE TABLE x AS SELECT * FROM k",
		"SELECT COUNT(*) FROM s",
		"SELECT s2.id FROM s2 JOIN t AS OF LATEST ON s2.id = t.id",
	} {
		q := mustRun(t, prelude+sql+";", topics)
		again, _, err := distribute.Distribute(q.Root.(*plan.Sink), count, nil)
		if err != nil {
			t.Fatal(err)
		}
		fs, _ := distribute.Cut(again, count)
		if got := plan.CanonicalText(fs); got != q.Canonical {
			t.Errorf("%s:\n%s\nagain\n%s", sql, q.Canonical, got)
		}
		second := plan.Query{Name: q.Name, Root: again, Fragments: fs, SinkTopic: q.SinkTopic, Shuffles: q.Shuffles, Sources: q.Sources, Warnings: q.Warnings, Limit: q.Limit}
		second.Sink = second.Result()
		first := q.Explain("app")
		first.Fingerprint = ""
		if a, b := first.String(), second.Explain("app").String(); a != b {
			t.Errorf("%s:\n%s\nagain\n%s", sql, a, b)
		}
	}
}

// TestFingerprint: what state depends on changes it, what comes after the last state does not.
func TestFingerprint(t *testing.T) {
	base := "CREATE STREAM x AS SELECT DISTINCT id, n FROM s WINDOW TUMBLING(10s)"
	print := func(sql string) string { return mustRun(t, prelude+sql+";", counts{"s": 3}).Fingerprint }
	want := print(base)
	for sql, same := range map[string]bool{
		"CREATE STREAM x AS SELECT DISTINCT id AS other, n FROM s WINDOW TUMBLING(10s)":        true,
		"CREATE STREAM x AS SELECT DISTINCT ON (id, n) n + 1 AS q FROM s WINDOW TUMBLING(10s)": true,
		"CREATE STREAM x AS SELECT DISTINCT id, n FROM s WINDOW TUMBLING(11s)":                 false,
		"CREATE STREAM x AS SELECT DISTINCT id, m FROM s WINDOW TUMBLING(10s)":                 false,
		"CREATE STREAM x AS SELECT DISTINCT id, n FROM s WHERE n > 1 WINDOW TUMBLING(10s)":     false,
		"CREATE STREAM x AS SELECT DISTINCT id, n FROM s WINDOW TUMBLING(10s) EMIT FINAL":      false,
		"CREATE STREAM x AS SELECT DISTINCT n, id FROM s WINDOW TUMBLING(10s)":                 false,
		"CREATE STREAM x AS SELECT DISTINCT id, n FROM s WINDOW TUMBLING(10s) GRACE 1s":        true,
	} {
		if got := print(sql) == want; got != same {
			t.Errorf("%s: same fingerprint %v, want %v", sql, got, same)
		}
	}
	if got := mustRun(t, prelude+base+";", counts{"s": 4}).Fingerprint; got == want {
		t.Error("another partition count has the same fingerprint")
	}
}

// TestLimit: LIMIT belongs to a query that is typed by itself.
func TestLimit(t *testing.T) {
	for sql, want := range map[string]int64{"SELECT id FROM s": -1, "SELECT id FROM s LIMIT 5": 5, "SELECT id FROM s LIMIT 0": 0} {
		if got := mustRun(t, prelude+sql+";", nil).Limit; got != want {
			t.Errorf("%s: limit %d, want %d", sql, got, want)
		}
	}
}

// TestUnits: fragments that read one topic move together.
func TestUnits(t *testing.T) {
	q := mustRun(t, prelude+"CREATE STREAM x AS SELECT s.id, a.v AS av, b.v AS bv FROM s JOIN k a ON s.id = a.id JOIN k b ON user.country = b.id;", counts{"s": 3, "k": 3})
	byTopic := map[string]int{}
	for _, f := range q.Fragments {
		for _, in := range f.Inputs {
			s, ok := in.Node.(*plan.Scan)
			if !ok {
				continue
			}
			if u, seen := byTopic[s.Relation.Topic]; seen && u != f.Unit {
				t.Errorf("topic %s is read by units %d and %d", s.Relation.Topic, u, f.Unit)
			}
			byTopic[s.Relation.Topic] = f.Unit
		}
	}
	if len(byTopic) != 2 || byTopic["s"] == byTopic["k"] {
		t.Errorf("units by topic: %v", byTopic)
	}
}

// TestExpressions: every kind of expression of the dialect is bound.
func TestExpressions(t *testing.T) {
	for _, e := range []string{
		"id LIKE 'a%'", "id NOT LIKE 'a!%' ESCAPE '!'", "id REGEXP '^a'", "n BETWEEN 1 AND 3", "n NOT BETWEEN m AND 3", "id IN ('a', 'b')", "n NOT IN (1, 2)",
		"n IS NULL", "n IS NOT NULL", "n > 1 IS TRUE", "n > 1 IS NOT FALSE", "(n > 1) IS UNKNOWN", "NOT n", "n = 1 XOR m = 2", "n <=> NULL",
		"CASE n WHEN 1 THEN 'a' ELSE 'b' END = 'a'", "CASE WHEN n = 1 THEN TRUE END", "-n = ~m", "n + m * 2 - d / 3 > n DIV 2 % 2", "n & 1 | 2 ^ 3 << 1 >> 1",
		"id || 'x' = 'ax'", "ts > TIMESTAMP '2030-01-01 00:00:00'", "ts + INTERVAL 5 SECOND > ts - INTERVAL '1' DAY", "DATE(ts) = DATE '2030-01-01'",
		"CAST(id AS BIGINT) = m", "CAST(n AS VARCHAR) = id", "COALESCE(id, 'x') = UPPER(id)", "j->>'$.a' = id", "user.country = id", "ts < NOW()", "n = 1.5", "n = 1e3",
	} {
		if _, err := run(t, prelude+"SELECT id FROM s WHERE "+e+";", nil); err != nil {
			t.Errorf("%v", err)
		}
	}
}
