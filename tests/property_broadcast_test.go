package tests

// matches is a condition between s and t that a row of s may fulfil with many rows of t.
func (r random) matches() string {
	return r.one("s.g = t.g", "s.g = t.g AND t.v > s.v", "s.v BETWEEN t.v - 10 AND t.v + 10", "s.id <> t.id AND s.v > t.v", "s.g <=> t.g AND s.id < t.id",
		"s.id = t.id OR s.g = t.g", "s.id = t.id", "s.g = t.g AND s.id = t.id", "CONCAT('g', t.v % 4) = s.g", "t.g = 'g1'")
}

// broadcastShapes join every row of a stream with all rows of a table that fulfil a condition.
var broadcastShapes = []namedShape{
	{"broadcast", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, r.chance(30)), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.id AS tid, t.v AS tv, t.g AS tg FROM s " + r.join() + " t BROADCAST ON " + r.matches()}
	}},
	{"broadcast-as-of", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(ordersColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.id AS tid, t.v AS tv FROM s " + r.join() + " t AS OF TIMESTAMP s.asof BROADCAST ON " + r.matches()}
	}},
	{"broadcast-cross", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.id AS tid, t.v AS tv FROM s" + r.one(", t BROADCAST", " CROSS JOIN t BROADCAST") + r.one("", " WHERE "+r.matches(), " WHERE t.v > 0 AND s.v > t.v")}
	}},
	{"broadcast-count", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT t.id, COUNT(*) AS n, SUM(s.v) AS s, window_start FROM s " + r.join() + " t BROADCAST ON " + r.matches() + " " + r.window() + " GROUP BY t.id EMIT FINAL"}
	}},
	{"broadcast-distinct", func(r random) shape {
		return shape{fixed: true, sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))},
			query: "CREATE STREAM o AS SELECT DISTINCT ON (s.id, t.id) s.id, t.id AS tid, t.g AS tg, s.v FROM s " + r.join() + " t BROADCAST ON " + r.matches() + " " + r.window() + " EMIT FINAL"}
	}},
	{"broadcast-top", func(r random) shape {
		return shape{table: true, fixed: true, sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50))},
			query: "CREATE TABLE o AS SELECT s.g, t.id, s.v, t.v AS tv, ROW_NUMBER() OVER (PARTITION BY s.g ORDER BY t.v DESC, t.id) AS nr FROM s JOIN t BROADCAST ON " + r.matches() + " QUALIFY nr <= 3"}
	}},
	{"broadcast-union", func(r random) shape {
		from, q := r.unionOf()
		return shape{fixed: true, sources: append(from, r.table(r.chance(50))),
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.id AS tid, t.v AS tv FROM (" + q + ") AS s " + r.join() + " t BROADCAST ON " + r.matches()}
	}},
	{"broadcast-groups", func(r random) shape {
		u := r.stream(plainColumns, r.chance(40)).named("u")
		u.prompt = true
		return shape{sources: []sourceSpec{r.stream(plainColumns, r.chance(30)), u},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.id AS tid, t.n FROM s " + r.join() + " (SELECT id, COUNT(*) AS n, MAX(g) AS g, SUM(v) AS v FROM u WHERE id IS NOT NULL GROUP BY id) AS t BROADCAST ON " +
				r.one("s.g = t.g", "s.v < t.v AND s.id <> t.id", "s.v % 5 = t.n", "s.g = t.g AND s.v < t.v")}
	}},
	{"broadcast-total", func(r random) shape {
		u := r.stream(plainColumns, r.chance(40)).named("u")
		u.prompt = true
		return shape{sources: []sourceSpec{r.stream(plainColumns, r.chance(30)), u},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.n FROM s " + r.join() + " (SELECT COUNT(*) AS n, MAX(v) AS v FROM u) AS t BROADCAST ON s.v " + r.one("<", "=", ">") + " t.v"}
	}},
	{"broadcast-exists", func(r random) shape {
		where := r.one("", "NOT ") + "EXISTS (SELECT 1 FROM t WHERE " + r.matches() + ")"
		if r.chance(50) {
			where = "s.g " + r.one("", "NOT ") + "IN (SELECT t.g FROM t WHERE t.g IS NOT NULL AND t.v > " + r.one("0", "s.v", "-100") + ")"
		}
		return shape{sources: []sourceSpec{r.stream(plainColumns, r.chance(40)), r.table(r.chance(60))}, query: "CREATE STREAM o AS SELECT id, v FROM s WHERE " + where}
	}},
	{"broadcast-twice", func(r random) shape {
		return shape{sources: []sourceSpec{r.stream(plainColumns, false), r.table(r.chance(50)), r.table(r.chance(50)).named("u")},
			query: "CREATE STREAM o AS SELECT s.id, s.v, t.id AS tid, u.id AS uid, u.v AS uv FROM s " + r.join() + " t BROADCAST ON " + r.matches() + " " + r.join() + " u " +
				r.one("ON s.id = u.id", "ON t.id = u.id", "BROADCAST ON t.g = u.g", "BROADCAST ON s.v BETWEEN u.v - 5 AND u.v + 5")}
	}},
}
