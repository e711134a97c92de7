package tests

import (
	"fmt"
	"slices"
	"strings"
)

const (
	plainColumns  = "id VARCHAR, v INT, g VARCHAR"
	ordersColumns = "id VARCHAR, v INT, g VARCHAR, asof TIMESTAMP(3)"
	taggedColumns = "id VARCHAR, v INT, g VARCHAR, tags ARRAY<VARCHAR>"
)

// shape is a random query: its sources and statement. Its target is o.
type shape struct {
	sources []sourceSpec
	query   string
	faulty  bool // instances are killed, tasks move
	table   bool // the target is a table: compare what is left per key
	// What rows that were dropped behind idle partitions change (semantics S1): idleKeys are the columns of which only those
	// of the answer may come out, each at most as often; counts says that column n counts rows. Neither: they change nothing
	// but which rows there are; fixed: no row can be dropped, or what comes of it says nothing, so partitions do not go idle.
	idleKeys []string
	// anyTime: timestamps are free (semantics S2: aggregates over rows that change).
	anyTime bool
	counts  bool
	fixed   bool
	apart   string // the query as the oracle is given it, what is shared written twice; "": as it is
	final   bool   // what is shared is final rows
	// vias are the streams between the queries of a chain.
	vias []string
}

func (r random) stream(columns string, keyed bool) sourceSpec {
	return sourceSpec{name: "s", partitions: 1 + r.Int31n(4), disorder: r.pick(0, 300, 2000), columns: columns, keyed: keyed, rows: 20 + r.Intn(80)}
}

func (r random) table(keyed bool) sourceSpec {
	return sourceSpec{name: "t", table: true, partitions: 1 + r.Int31n(3), disorder: r.pick(0, 300, 2000), columns: plainColumns, keyed: keyed, rows: 10 + r.Intn(90)}
}

func (r random) window() string {
	return fmt.Sprintf("WINDOW TUMBLING(%dms) GRACE %dms", r.pick(1000, 3000, 10000), r.pick(0, 500, 5000))
}

// overlap is a window of which a row lies in several.
func (r random) overlap() string {
	advance, grace := r.pick(500, 1000, 3000), r.pick(0, 500, 5000)
	if r.chance(40) {
		return fmt.Sprintf("WINDOW CUMULATE(%dms, %dms) GRACE %dms", advance*r.pick(1, 2, 5), advance, grace)
	}
	return fmt.Sprintf("WINDOW HOPPING(%dms, %dms, OFFSET %dms) GRACE %dms", advance*r.pick(1, 2, 5, 17)+r.pick(0, 200), advance, r.pick(0, 300), grace)
}

func (r random) session() string {
	return fmt.Sprintf("WINDOW SESSION(%dms) GRACE %dms", r.pick(100, 400, 1500, 5000), r.pick(0, 0, 500, 5000))
}

func (r random) join() string {
	if r.chance(50) {
		return "LEFT JOIN"
	}
	return "JOIN"
}

// turned joins a table with a stream, in this order.
func (r random) turned() string {
	return [...]string{" JOIN", " RIGHT JOIN", " AS OF TIMESTAMP s.asof JOIN", " AS OF TIMESTAMP s.asof RIGHT JOIN"}[r.Intn(4)]
}

func (r random) outer() string {
	return [...]string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"}[r.Intn(4)]
}

func (r random) equals() string {
	if r.chance(30) {
		return "<=>"
	}
	return "="
}

func (r random) residual(a, b string) string {
	if r.chance(40) {
		return fmt.Sprintf(" AND %s.v < %s.v + 20", a, b)
	}
	return ""
}

// aggregateCalls are over v, g and id of random data.
var aggregateCalls = []string{
	"COUNT(*)", "COUNT(DISTINCT v)", "COUNT(DISTINCT g, id)", "SUM(v) FILTER (WHERE v > 0)", "SUM(DISTINCT v)", "AVG(v)", "MIN(v)", "MAX(g)", "MIN(id)",
	"STDDEV_SAMP(v)", "VAR_POP(v)", "BIT_AND(v)", "BIT_OR(v)", "BIT_XOR(v)", "FIRST(v)", "LAST(g)", "ANY_VALUE(v)", "MIN_BY(g, v)", "MAX_BY(v, g)",
	"GROUP_CONCAT(g)", "GROUP_CONCAT(DISTINCT g ORDER BY g DESC SEPARATOR '|')", "GROUP_CONCAT(v ORDER BY g)", "JSON_ARRAYAGG(v)", "ARRAY_AGG(id ORDER BY v DESC)",
	"COLLECT_SET(g)", "JSON_OBJECTAGG(g, v)", "TOPK(v, 3)", "TOPK(DISTINCT g, 2)", "APPROX_COUNT_DISTINCT(g)", "APPROX_PERCENTILE(v, 0.5)",
}

// aggregates are n calls with names.
func (r random) aggregates(n int) []string {
	var out []string
	for i, at := range r.Perm(len(aggregateCalls))[:n] {
		out = append(out, fmt.Sprintf("%s AS a%d", aggregateCalls[at], i))
	}
	return out
}

// more are up to three calls more.
func (r random) more() string {
	var out string
	for _, a := range r.aggregates(r.Intn(4)) {
		out += ", " + a
	}
	return out
}

// namedShape makes random queries of one kind.
type namedShape struct {
	name string
	make func(r random) shape
}

// shapes are the queries that are tried, by name.
var shapes = append([]namedShape{
	{"rows", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, false)}, query: "CREATE STREAM o AS SELECT id, v * 2 AS w, CONCAT(g, '!') AS x FROM s WHERE v > 0 OR id IS NULL"}
	}},
	{"distinct", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, r.chance(30))}, query: "CREATE STREAM o AS SELECT DISTINCT ON (id) id, v, g FROM s " + r.window()}
	}},
	{"distinct-final", func(r random) shape {
		return shape{idleKeys: []string{"id", "g"}, sources: []sourceSpec{r.stream(plainColumns, false)}, query: "CREATE STREAM o AS SELECT DISTINCT ON (id, g) id, v, g FROM s " + r.window() + " EMIT FINAL"}
	}},
	{"distinct-overlap", func(r random) shape {
		emit := ""
		if r.chance(50) {
			emit = " EMIT FINAL"
		}
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))}, query: "CREATE STREAM o AS SELECT DISTINCT ON (id) id, v, g, window_start, window_end FROM s " + r.overlap() + emit}
	}},
	{"distinct-session", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))}, query: "CREATE STREAM o AS SELECT DISTINCT ON (id) id, v, g, window_start, window_end FROM s " + r.session()}
	}},
	{"distinct-sliding", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf("CREATE STREAM o AS SELECT DISTINCT g, window_start, window_end FROM s WINDOW SLIDING(3s) GRACE %dms", r.pick(0, 500, 5000))}
	}},
	{"distinct-within", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, false)}, query: fmt.Sprintf("CREATE STREAM o AS SELECT DISTINCT ON (id) WITHIN %dms id, v, g FROM s", r.pick(500, 3000, 10000))}
	}},
	{"count-final", func(r random) shape {
		return shape{counts: true, idleKeys: []string{"id", "window_start"}, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE STREAM o AS SELECT id, COUNT(*) AS n, SUM(v) AS s, AVG(v) AS a, MIN(g) AS lo, MAX(g) AS hi, window_start FROM s " + r.window() + " GROUP BY id EMIT FINAL"}
	}},
	{"aggregates-final", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE STREAM o AS SELECT id, " + strings.Join(r.aggregates(6), ", ") + ", window_start FROM s " + r.window() + " GROUP BY id EMIT FINAL"}
	}},
	{"aggregates-changes", func(r random) shape {
		return shape{table: true, fixed: true, sources: []sourceSpec{r.stream(plainColumns, false)},
			query: "CREATE TABLE o AS SELECT g, " + strings.Join(r.aggregates(4), ", ") + " FROM s GROUP BY g"}
	}},
	{"aggregates-of-table", func(r random) shape {
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.table(r.chance(50))},
			query: "CREATE TABLE o AS SELECT g, " + strings.Join(r.aggregates(4), ", ") + " FROM t WHERE v > -20 GROUP BY g"}
	}},
	{"count-changes", func(r random) shape {
		return shape{table: true, counts: true, idleKeys: []string{"g", "window_start"}, sources: []sourceSpec{r.stream(plainColumns, false)},
			query: "CREATE TABLE o AS SELECT g, COUNT(v) AS n, window_start FROM s " + r.window() + " WHERE v > -10 GROUP BY g"}
	}},
	{"overlap-final", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE STREAM o AS SELECT id, COUNT(*) AS n, SUM(v) AS s, MAX(g) AS hi, window_start, window_end FROM s " + r.overlap() + " GROUP BY id EMIT FINAL"}
	}},
	{"overlap-changes", func(r random) shape {
		having := ""
		if r.chance(50) {
			having = " HAVING SUM(v) > 20"
		}
		return shape{fixed: true, table: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE TABLE o AS SELECT g, COUNT(*) AS n, SUM(v) AS s, MIN(id) AS lo, window_start, window_end FROM s " + r.overlap() + " GROUP BY g" + having}
	}},
	{"session-final", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE STREAM o AS SELECT id, COUNT(*) AS n, SUM(v) AS s, MAX(g) AS hi" + r.more() + ", window_start, window_end FROM s " + r.session() + " GROUP BY id EMIT FINAL"}
	}},
	{"session-changes", func(r random) shape {
		having := ""
		if r.chance(50) {
			having = " HAVING SUM(v) > 20"
		}
		return shape{fixed: true, table: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE TABLE o AS SELECT g, COUNT(*) AS n, SUM(v) AS s, MIN(id) AS lo" + r.more() + ", window_start, window_end FROM s " + r.session() + " GROUP BY g" + having}
	}},
	{"ttl-group", func(r random) shape {
		having := ""
		if r.chance(50) {
			having = " HAVING SUM(v) > 20"
		}
		return shape{fixed: true, table: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: fmt.Sprintf("CREATE TABLE o WITH (ttl = '%dms') AS SELECT COALESCE(id, '-') AS id, COUNT(*) AS n, SUM(v) AS s, MIN(g) AS lo FROM s GROUP BY COALESCE(id, '-')%s", r.pick(100, 400, 1500, 5000, 20000), having)}
	}},
	{"ttl-distinct", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: fmt.Sprintf("CREATE STREAM o WITH (ttl = '%dms') AS SELECT DISTINCT ON (id) id, v, g FROM s", r.pick(100, 400, 1500, 5000))}
	}},
	{"sliding", func(r random) shape {
		q := fmt.Sprintf("SELECT id, COUNT(*) AS n, SUM(v) AS s, MAX(g) AS hi%s, window_start, window_end FROM s WINDOW SLIDING(%dms) GRACE %dms GROUP BY id", r.more(), r.pick(300, 3000, 20000), r.pick(0, 0, 500, 5000))
		sh := shape{fixed: true, table: r.chance(50), sources: []sourceSpec{r.stream(plainColumns, r.chance(30))}, query: "CREATE STREAM o AS " + q + " EMIT FINAL"}
		if sh.table {
			sh.query = "CREATE TABLE o AS " + q + " HAVING SUM(v) > 20"
		}
		return sh
	}},
	{"having-changes", func(r random) shape {
		return shape{table: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: fmt.Sprintf("CREATE TABLE o AS SELECT id, SUM(v) AS s, COUNT(*) AS n FROM s GROUP BY id HAVING SUM(v) > %d EMIT CHANGES", 100+r.Intn(300))}
	}},
	{"join", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.v AS tv, t.g AS tg FROM s " + r.join() + " t ON s.id = t.id"}
	}},
	{"join-table-first", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(ordersColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.v AS tv, t.g AS tg FROM t" + r.turned() + " s ON s.id = t.id AND t.v > s.v"}
	}},
	{"join-in-place", func(r random) shape {
		s, t := r.stream(plainColumns, r.chance(70)), r.table(true)
		if r.chance(60) {
			t.partitions = s.partitions
		}
		return shape{sources: []sourceSpec{s, t}, query: "CREATE STREAM o AS SELECT s.id, s.v, t.v AS tv FROM s " + r.join() + " t ON s.id = t.id"}
	}},
	{"join-residual", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.v AS tv FROM s " + r.join() + " t ON s.id = t.id AND t.v > s.v WHERE s.v > -20"}
	}},
	{"join-filtered-table", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, false), r.table(true)},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.v AS tv FROM s JOIN t ON s.id = t.id WHERE t.v > 10"}
	}},
	{"join-as-of", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(ordersColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.v AS tv FROM s " + r.join() + " t AS OF TIMESTAMP s.asof ON s.id = t.id"}
	}},
	{"join-versions-of-groups", func(r random) shape {
		u := r.stream(plainColumns, r.chance(40))
		u.name, u.prompt = "u", true
		s := r.stream(ordersColumns, r.chance(40))
		having := ""
		if r.chance(30) {
			having = " HAVING SUM(v) > 20"
		}
		on := "s.id = q.id"
		if r.chance(30) {
			on += " AND q.n < s.v"
		}
		with := fmt.Sprintf(" WITHIN %dms", r.pick(1000, 1000, 5000))
		if r.chance(30) {
			with = " AS OF TIMESTAMP s.asof" + with
		}
		return shape{sources: []sourceSpec{s, u},
			query: "CREATE STREAM o AS WITH q AS (SELECT id, COUNT(*) AS n, SUM(v) * 2 AS t, MAX(g) AS hi, LAST(v) AS l FROM u WHERE v > -40 GROUP BY id" + having +
				") SELECT s.id, s.v, q.n, q.t, q.hi, q.l FROM s " + r.join() + " q" + with + " ON " + on}
	}},
	{"join-own-groups", func(r random) shape {
		s, key := r.stream(plainColumns, true), r.one("id", "g")
		s.prompt = true
		return shape{sources: []sourceSpec{s},
			query: "CREATE STREAM o AS SELECT s.id, s.v, q.n, q.lo FROM s " + r.join() + " (SELECT " + key + ", COUNT(*) AS n, MIN(v) AS lo FROM s GROUP BY " + key + ") q ON s." + key + " = q." + key}
	}},
	{"streams", func(r random) shape {
		s, u := r.stream(plainColumns, r.chance(50)), r.stream(plainColumns, false)
		if u.name = "u"; s.keyed { // both where they are, or both moved
			u.keyed, u.partitions = true, s.partitions
		}
		grace := ""
		if r.chance(60) {
			grace = fmt.Sprintf(" GRACE %dms", r.pick(0, 300, 3000, 10000))
		}
		return shape{fixed: true, sources: []sourceSpec{s, u},
			query: fmt.Sprintf("CREATE STREAM o AS SELECT s.id, s.v, u.v AS uv, u.g AS ug FROM s %s u WITHIN (%dms, %dms)%s ON s.id %s u.id%s",
				r.outer(), r.pick(0, 200, 3000), r.pick(0, 500, 5000), grace, r.equals(), r.residual("s", "u"))}
	}},
	{"tables", func(r random) shape {
		t, u := r.table(r.chance(70)), r.table(r.chance(70))
		u.name = "u"
		on := "t.id = u.id"
		if r.chance(50) {
			on = "t.g " + r.equals() + " u.g"
		}
		return shape{fixed: true, table: true, sources: []sourceSpec{t, u},
			query: "CREATE TABLE o AS SELECT t.id AS a, u.id AS b, t.v, u.v AS uv FROM t " + r.outer() + " u ON " + on + r.residual("t", "u")}
	}},
	{"join-count", func(r random) shape {
		return shape{counts: true, idleKeys: []string{"g", "window_start"}, sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT t.g, COUNT(*) AS n, SUM(s.v) AS s, window_start FROM s " + r.join() + " t ON s.id = t.id " + r.window() + " GROUP BY t.g EMIT FINAL"}
	}},
}, slices.Concat(relationalShapes, sharedShapes, broadcastShapes)...)
