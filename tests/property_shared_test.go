package tests

import "fmt"

// twice is a query that reads one aggregate in two places: body says how, over the names of the two. The oracle is given it written
// twice, with the groups in another order, so that it computes each by itself.
func twice(sh shape, create, of, from, body string) shape {
	as := "SELECT id, g, COUNT(*) AS n, SUM(v) AS s" + of + " FROM " + from + " GROUP BY %s"
	if sh.final {
		as += " EMIT FINAL"
	}
	first, second := fmt.Sprintf(as, "id, g"), fmt.Sprintf(as, "g, id")
	sh.query = create + " AS WITH c AS (" + first + ") " + fmt.Sprintf(body, "c", "c")
	sh.apart = create + " AS WITH c AS (" + first + "), d AS (" + second + ") " + fmt.Sprintf(body, "c", "d")
	return sh
}

// sharedShapes read a sub-plan twice: in the partitions where its rows are, moved to others, beside other rows, through more operators.
var sharedShapes = []namedShape{
	{"shared-self", func(r random) shape {
		on := r.one("a.id = b.id AND a.g = b.g", "a.n = b.n AND a.id <= b.id", "a.g = b.g AND a.s < b.s")
		kind := r.one("JOIN", "LEFT JOIN")
		return twice(shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.either("s")}}, "CREATE TABLE o", "", "s WHERE v > -20",
			"SELECT a.id AS aid, a.g AS ag, b.id AS bid, b.g AS bg, a.n + b.s AS x FROM %s a "+kind+" %s b ON "+on)
	}},
	{"shared-back", func(r random) shape {
		return twice(shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.either("s")}}, "CREATE TABLE o", "", "s",
			"SELECT a.id, a.g, a.n, b.most FROM %s a JOIN (SELECT id, MAX(n) AS most FROM %s GROUP BY id) AS b ON a.id = b.id WHERE a.n >= b.most - 1")
	}},
	{"shared-in", func(r random) shape {
		return twice(shape{table: true, fixed: true, anyTime: true, sources: []sourceSpec{r.either("s")}}, "CREATE TABLE o", ", MAX(v) AS hi", "s",
			"SELECT id, g, n, hi FROM %s WHERE g "+r.one("IN", "NOT IN")+" (SELECT id FROM %s WHERE n > 1 AND id IS NOT NULL)")
	}},
	{"shared-union", func(r random) shape {
		return twice(shape{fixed: true, final: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))}}, "CREATE STREAM o", ", window_start AS st", "s "+r.aligned(),
			"SELECT id, g, n, st FROM %s WHERE n > 1 UNION ALL SELECT g, id, s, st FROM %s WHERE n < 4")
	}},
	{"shared-most", func(r random) shape {
		size := r.pick(1000, 4000)
		return twice(shape{fixed: true, final: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30))}}, "CREATE STREAM o", ", window_start AS st",
			fmt.Sprintf("s WINDOW TUMBLING(%dms) GRACE %dms", size, r.pick(0, 500, 3000)),
			fmt.Sprintf("SELECT a.id, a.g, a.n, a.st FROM %%s a JOIN (SELECT st, MAX(n) AS most FROM %%s WINDOW TUMBLING(%dms) GROUP BY st EMIT FINAL) AS b WITHIN 0s ON a.st = b.st AND a.n = b.most", size))
	}},
	{"shared-beside", func(r random) shape {
		return twice(shape{fixed: true, final: true, sources: []sourceSpec{r.stream(plainColumns, r.chance(30)), r.table(r.chance(50))}}, "CREATE STREAM o", ", window_start AS st", "s "+r.window(),
			"SELECT a.id, t.g, a.n, a.st FROM %s a "+r.join()+" t ON a.id = t.id UNION ALL SELECT id, g, n, st FROM %s")
	}},
	{"shared-shuffle", func(r random) shape {
		s := r.stream(plainColumns, false)
		s.partitions++ // in one partition nothing moves
		return shape{fixed: true, sources: []sourceSpec{s},
			query: fmt.Sprintf("CREATE STREAM o AS SELECT a.id, a.v, b.v AS bv FROM s a JOIN s b WITHIN (%dms, %dms) ON a.id = b.id AND a.v < b.v", r.pick(0, 200, 3000), r.pick(0, 500, 5000))}
	}},
}
