package tests

import (
	"fmt"
	"strings"
)

// named gives a source another name.
func (s sourceSpec) named(name string) sourceSpec {
	s.name = name
	return s
}

// either is a stream or a table.
func (r random) either(name string) sourceSpec {
	if r.chance(50) {
		return r.table(r.chance(60)).named(name)
	}
	return r.stream(plainColumns, r.chance(30)).named(name)
}

func (r random) one(of ...string) string { return of[r.Intn(len(of))] }

// unionOf is SELECT … UNION ALL SELECT … over streams of different partition counts.
func (r random) unionOf() ([]sourceSpec, string) {
	from := []sourceSpec{r.stream(plainColumns, r.chance(30)), r.stream(plainColumns, r.chance(30)).named("u")}
	query := "SELECT id, v, g FROM s UNION ALL SELECT id, v * 2 AS v, g FROM u WHERE v > -20"
	if r.chance(30) {
		from = append(from, r.stream(plainColumns, false).named("x"))
		query += " UNION ALL SELECT g, 1, id FROM x"
	}
	return from, query
}

// aligned is a window that is not a session.
func (r random) aligned() string {
	if r.chance(50) {
		return r.window()
	}
	return r.overlap()
}

// ranked is a Top-N over rows that change, in a total order.
func (r random) ranked(from, order string) string {
	n := 1 + r.Intn(4)
	rank := r.one("ROW_NUMBER", "RANK", "DENSE_RANK")
	if r.chance(50) {
		return fmt.Sprintf("CREATE TABLE o AS SELECT id, g, v, %s() OVER (PARTITION BY g ORDER BY %s) AS nr FROM %s QUALIFY nr <= %d", rank, order, from, n)
	}
	if rank == "ROW_NUMBER" {
		n = 1 // of several, the number is a part of the key
	}
	return fmt.Sprintf("CREATE TABLE o AS SELECT id, g, v FROM %s QUALIFY %s() OVER (PARTITION BY g ORDER BY %s) <= %d", from, rank, order, n)
}

// corrected is a stream joined with a table whose rows come whenever they come: the query is given the join and the sources.
func (r random) corrected() (join string, sources []sourceSpec) {
	t := r.table(r.chance(60))
	t.delay, t.history = r.pick(900, 4000, 15000), r.pick(0, 0, 300, 3000)
	join = fmt.Sprintf("FROM s %s t WITHIN %dms CORRECT %dms ON s.id = t.id", r.join(), r.pick(0, 1000, 3000), r.pick(1, 700, 4000, 60000))
	return join, []sourceSpec{r.stream(plainColumns, r.chance(40)), t}
}

// relationalShapes are set operations, queries in queries, numbered rows, frames and predicates with a query inside.
var relationalShapes = []namedShape{
	{"union-all", func(r random) shape {
		from, query := r.unionOf()
		return shape{sources: from, query: "CREATE STREAM o AS " + query}
	}},
	{"union-count", func(r random) shape {
		from, query := r.unionOf()
		return shape{fixed: true, sources: from,
			query: "CREATE STREAM o AS SELECT id, COUNT(*) AS n, SUM(v) AS s, MAX(g) AS hi, window_start, window_end FROM (" + query + ") AS q " + r.aligned() + " GROUP BY id EMIT FINAL"}
	}},
	{"union-idle", func(r random) shape {
		from, query := r.unionOf()
		return shape{counts: true, idleKeys: []string{"id", "window_start"}, sources: from,
			query: "CREATE STREAM o AS SELECT id, COUNT(*) AS n, window_start FROM (" + query + ") AS q " + r.window() + " GROUP BY id EMIT FINAL"}
	}},
	{"union", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, false), r.stream(plainColumns, r.chance(30)).named("u")},
			query: "CREATE STREAM o AS SELECT id, g FROM s UNION SELECT id, g FROM u"}
	}},
	{"set-changes", func(r random) shape {
		a, b := r.either("a"), r.either("b")
		op := r.one("INTERSECT", "EXCEPT", "EXCEPT")
		if (a.table || b.table) && r.chance(30) {
			op = "UNION"
		}
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{a, b},
			query: "CREATE TABLE o AS SELECT id, g FROM a WHERE v > -20 " + op + " SELECT id, g FROM b WHERE v > 20"}
	}},
	{"nested-windows", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(40))},
			query: "CREATE STREAM o AS SELECT window_start, window_end, COUNT(*) AS n, MAX(c) AS most, SUM(s) AS s FROM (SELECT id, COUNT(*) AS c, SUM(v) AS s, window_start, window_end FROM s " +
				r.aligned() + " GROUP BY id) AS q GROUP BY window_start, window_end EMIT FINAL"}
	}},
	{"windows-of-windows", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(40))},
			query: "CREATE STREAM o AS SELECT g, COUNT(*) AS n, SUM(c) AS s, window_start, window_end FROM (SELECT id, g, COUNT(*) AS c FROM s " +
				r.aligned() + " GROUP BY id, g) AS q " + r.aligned() + " GROUP BY g EMIT FINAL"}
	}},
	{"aggregate-of-aggregate", func(r random) shape {
		from := r.either("s")
		having := r.one("", " HAVING COUNT(*) > 2", " HAVING MIN(v) < 0")
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{from},
			query: "CREATE TABLE o AS SELECT c, COUNT(*) AS n, SUM(s) AS s, MIN(s) AS lo, MAX(hi) AS hi FROM (SELECT id, g, COUNT(*) AS c, SUM(v) AS s, MAX(v) AS hi FROM s GROUP BY id, g" +
				having + ") AS q GROUP BY c"}
	}},
	{"aggregate-of-join", func(r random) shape {
		t, u := r.table(r.chance(70)), r.table(r.chance(70)).named("u")
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{t, u},
			query: "CREATE TABLE o AS SELECT COALESCE(t.g, '-') AS g, COUNT(*) AS n, SUM(u.v) AS s, MIN(t.v) AS lo FROM t " + r.outer() + " u ON t.id = u.id GROUP BY COALESCE(t.g, '-')"}
	}},
	{"window-of-pairs", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, false), r.stream(plainColumns, false).named("u")},
			query: fmt.Sprintf("CREATE STREAM o AS SELECT s.id, COUNT(*) AS n, SUM(u.v) AS s, window_start, window_end FROM s JOIN u WITHIN (%dms, %dms) GRACE %dms ON s.id = u.id %s GROUP BY s.id EMIT FINAL",
				r.pick(0, 200, 3000), r.pick(0, 500, 5000), r.pick(0, 300, 3000), r.aligned())}
	}},
	{"top-of-stream", func(r random) shape {
		q := fmt.Sprintf("SELECT id, g, v, ROW_NUMBER() OVER (PARTITION BY g ORDER BY %s) AS nr FROM s QUALIFY nr <= %d", r.one("v DESC", "v, id DESC", "id DESC"), 1+r.Intn(4))
		return shape{table: true, fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))}, query: "CREATE TABLE o AS " + q}
	}},
	{"top-of-table", func(r random) shape {
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.table(r.chance(60))}, query: r.ranked("t", r.one("v DESC, id", "v, id DESC", "id"))}
	}},
	{"top-of-aggregate", func(r random) shape {
		q := r.ranked("(SELECT id, g, SUM(v) AS v FROM s GROUP BY id, g) AS q", r.one("v DESC, id", "v, id DESC"))
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.either("s")}, query: q}
	}},
	{"count-of-top", func(r random) shape {
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.either("s")},
			query: fmt.Sprintf("CREATE TABLE o AS SELECT COALESCE(id, '-') AS id, COUNT(*) AS n, SUM(v) AS s FROM (SELECT id, g, v FROM s QUALIFY ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC, id) <= %d) AS q GROUP BY COALESCE(id, '-')", 1+r.Intn(3))}
	}},
	{"over-in-order", func(r random) shape {
		calls := []string{"LAG(v) OVER w AS a", "LAG(v, 3, -1) OVER w AS b", "SUM(v) OVER w AS c", "COUNT(*) OVER (w ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS d",
			"SUM(v) OVER (w RANGE BETWEEN 3s PRECEDING AND CURRENT ROW) AS e", "ROW_NUMBER() OVER w AS f", "RANK() OVER w AS h", "FIRST_VALUE(v) OVER w AS i",
			"MAX(v) OVER (w ROWS BETWEEN 4 PRECEDING AND 1 PRECEDING) AS j", "LAST_VALUE(g) OVER w AS k",
			"NTH_VALUE(v, 3) OVER w AS l", "NTH_VALUE(g, 2) OVER (w ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS m"}
		r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE STREAM o AS SELECT id, v, " + strings.Join(calls[:1+r.Intn(5)], ", ") + " FROM s WINDOW w AS (PARTITION BY " + r.one("id", "g") + " ORDER BY _timestamp)"}
	}},
	{"over-changing", func(r random) shape {
		calls := []string{"LAG(v) OVER w AS a", "LEAD(v, 2, -1) OVER w AS b", "SUM(v) OVER w AS c", "COUNT(*) OVER (w ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS d",
			"ROW_NUMBER() OVER w AS f", "MIN(v) OVER (PARTITION BY g ORDER BY v) AS h", "RANK() OVER (PARTITION BY g ORDER BY v DESC) AS i", "LAST_VALUE(v) OVER (w ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS k",
			"NTILE(3) OVER w AS l", "PERCENT_RANK() OVER (PARTITION BY g ORDER BY v) AS m", "CUME_DIST() OVER (PARTITION BY g ORDER BY v) AS n", "NTH_VALUE(id, 2) OVER w AS p"}
		r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.table(r.chance(60))},
			query: "CREATE TABLE o AS SELECT id, g, v, " + strings.Join(calls[:1+r.Intn(4)], ", ") + " FROM t WINDOW w AS (PARTITION BY g ORDER BY v DESC, id)"}
	}},
	{"over-of-groups", func(r random) shape {
		calls := []string{"RANK() OVER (ORDER BY SUM(v) DESC) AS a", "SUM(COUNT(*)) OVER () AS b", "LAG(SUM(v)) OVER (ORDER BY COUNT(*), id, g) AS c", "NTILE(2) OVER (ORDER BY MAX(v), id, g) AS d",
			"MAX(SUM(v)) OVER (PARTITION BY COUNT(*)) AS e", "CUME_DIST() OVER (ORDER BY MIN(v)) AS f"}
		r.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.either("s")},
			query: "CREATE TABLE o AS SELECT id, g, COUNT(*) AS n, " + strings.Join(calls[:1+r.Intn(3)], ", ") + " FROM s GROUP BY id, g" +
				r.one("", " HAVING SUM(v) > 0", " QUALIFY ROW_NUMBER() OVER (ORDER BY SUM(v) DESC, id, g) <= 3")}
	}},
	{"distinct-of-groups", func(r random) shape {
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.either("s")},
			query: "CREATE TABLE o AS SELECT DISTINCT COUNT(*) AS n, MAX(g) AS hi FROM s GROUP BY id" + r.one("", " HAVING MIN(v) < 10")}
	}},
	{"distinct-of-windows", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))},
			query: "CREATE STREAM o AS SELECT DISTINCT COUNT(*) AS n, " + r.one("window_start, window_end", "window_end") + " FROM s " + r.one(r.aligned(), r.session()) + " GROUP BY id EMIT FINAL"}
	}},
	{"unnest", func(r random) shape {
		join := r.one("CROSS JOIN UNNEST(tags) AS e(tag)", "LEFT JOIN UNNEST(tags) AS e(tag) ON TRUE")
		return shape{sources: []sourceSpec{r.stream(taggedColumns, r.chance(30))}, query: "CREATE STREAM o AS SELECT id, v, tag FROM s " + join + " WHERE tag IS NULL OR tag <> 'x1'"}
	}},
	{"unnest-count", func(r random) shape {
		return shape{table: true, fixed: true, sources: []sourceSpec{r.stream(taggedColumns, r.chance(30))},
			query: "CREATE TABLE o AS SELECT COALESCE(tag, '-') AS tag, COUNT(*) AS n, SUM(v) AS s FROM s LEFT JOIN UNNEST(tags) AS e(tag) ON TRUE GROUP BY COALESCE(tag, '-')"}
	}},
	{"in-versions", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, r.chance(40)), r.table(r.chance(60))},
			query: "CREATE STREAM o AS SELECT id, v FROM s WHERE id " + r.one("IN", "NOT IN") + " (SELECT id FROM t WHERE v > 10)"}
	}},
	{"exists-versions", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, r.chance(40)), r.table(r.chance(60))},
			query: "CREATE STREAM o AS SELECT id, v FROM s WHERE " + r.one("", "NOT ") + "EXISTS (SELECT 1 FROM t WHERE t.id = s.id AND t.v > s.v)"}
	}},
	{"corrected", func(r random) shape {
		join, sources := r.corrected()
		if r.chance(30) {
			sources[0].columns = ordersColumns
			join = strings.Replace(join, " t WITHIN", " t AS OF TIMESTAMP s.asof WITHIN", 1)
		}
		key := r.one("", "(id VARCHAR, v INT, tv INT, tg VARCHAR, PRIMARY KEY (v))")
		return shape{table: true, fixed: true, sources: sources,
			query: "CREATE TABLE o " + key + " AS SELECT s.id, s.v, t.v AS tv, t.g AS tg " + join + r.residual("s", "t") + r.one("", " WHERE t.v > 0", " WHERE s.v > 0")}
	}},
	{"corrected-count", func(r random) shape {
		join, sources := r.corrected()
		return shape{table: true, fixed: true, anyTime: true, sources: sources,
			query: "CREATE TABLE o AS SELECT COALESCE(t.g, '-') AS g, COUNT(*) AS n, SUM(s.v) AS s, MIN(t.v) AS lo, MAX(s.v) AS hi " + join + r.residual("s", "t") + " GROUP BY COALESCE(t.g, '-')"}
	}},
	{"corrected-top", func(r random) shape {
		join, sources := r.corrected()
		return shape{table: true, fixed: true, anyTime: true, sources: sources,
			query: fmt.Sprintf("CREATE TABLE o AS SELECT g, v, tv, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC, tv) AS nr FROM (SELECT COALESCE(t.g, '-') AS g, s.v, t.v AS tv %s) AS q QUALIFY nr <= %d", join, 1+r.Intn(3))}
	}},
	{"corrected-groups", func(r random) shape {
		join, sources := r.corrected()
		u := r.stream(plainColumns, r.chance(40)).named("u")
		u.prompt, u.delay, u.history = true, sources[1].delay, sources[1].history
		having := r.one("", " HAVING SUM(v) > 20")
		return shape{table: true, fixed: true, sources: []sourceSpec{sources[0], u},
			query: "CREATE TABLE o AS WITH t AS (SELECT id, COUNT(*) AS n, SUM(v) AS v, MAX(g) AS hi, LAST(v) AS l FROM u GROUP BY id" + having + ") SELECT s.id, s.v, t.n, t.v AS tv, t.hi, t.l " + join + r.residual("s", "t")}
	}},
	{"exists-tables", func(r random) shape {
		return shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.table(r.chance(60)), r.either("u")},
			query: "CREATE TABLE o AS SELECT id, g, v FROM t WHERE " + r.one("", "NOT ") + "EXISTS (SELECT 1 FROM u WHERE u." + r.one("g", "id") + " = t.g AND u.v > t.v + 20)"}
	}},
	{"exists-streams", func(r random) shape {
		return shape{fixed: true, anyTime: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30)), r.stream(plainColumns, r.chance(30)).named("u")},
			query: "CREATE STREAM o AS SELECT id, g, v FROM s WHERE EXISTS (SELECT 1 FROM u WHERE u.id = s.id AND u.v > s.v + 30)"}
	}},
}
