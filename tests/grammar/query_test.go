package grammar

import (
	"fmt"
	"slices"
	"strings"
)

// query is a random query: what the engine runs, and what SQLite answers to.
type query struct {
	both
	table   bool // the target is one
	sources []*source
}

// relation is what stands in FROM. In SQLite it also has ts, part, off and wm, the watermark that lateness is judged by, each under
// its full name here.
type relation struct {
	both
	scope
	ts, part, off, wm string
	sources           []*source
}

func columns(alias string) scope {
	return scope{ints: []both{same("%s.v", alias)}, texts: []both{same("%s.id", alias), same("%s.g", alias)}}
}

func (s scope) and(o scope) scope {
	return scope{append(append([]both{}, s.ints...), o.ints...), append(append([]both{}, s.texts...), o.texts...)}
}

func (r random) stream(name string) relation {
	return relation{same("%s", name), columns(name), name + ".ts", name + ".part", name + ".off", name + ".wm", []*source{r.source(name, false)}}
}

// stamped is a relation for operators in event time: one whose rows have a time and a watermark.
func (r random) stamped() relation {
	switch r.Intn(4) {
	case 0:
		return r.tableJoin()
	case 1:
		return r.union()
	default:
		return r.stream("s")
	}
}

// union is two streams, one after the other.
func (r random) union() relation {
	s, u := r.stream("s"), r.stream("u")
	return relation{
		both{"(SELECT id, v, g FROM s UNION ALL SELECT id, v, g FROM u) x", "(SELECT * FROM s UNION ALL SELECT * FROM u) x"},
		columns("x"), "x.ts", "x.part", "x.off", "x.wm", append(s.sources, u.sources...),
	}
}

// tableJoin is a stream with a table's rows as they were. A version that came when its own partition had passed it by more than the
// slack is seen only by rows after that mark (semantics S5).
func (r random) tableJoin() relation {
	s, t := r.stream("s"), r.source("t", true)
	within := r.pick(0, 1000, 1000, 4000)
	kind, clause := oneOf(r, "JOIN", "LEFT JOIN"), fmt.Sprintf(" WITHIN %dms", within)
	if within == 1000 {
		clause = oneOf(r, "", clause) // the default
	}
	sc := s.scope.and(columns("t"))
	residual := both{}
	if r.chance(30) {
		residual = build(" AND %s", " AND %s", r.condition(sc, 1))
	}
	slack := max(t.disorder, within)
	version := fmt.Sprintf(`(SELECT x.pos FROM t x WHERE x.id = s.id AND x.ts <= s.ts AND (x.wm IS NULL OR x.ts >= x.wm + %[1]d - %[2]d OR s.ts >= x.wm + %[1]d - %[2]d)
    ORDER BY x.ts DESC, x.part DESC, x.off DESC LIMIT 1)`, t.disorder, slack)
	s.both = both{
		fmt.Sprintf("s %s t%s ON s.id = t.id%s", kind, clause, residual.ours),
		fmt.Sprintf("s %s t ON t.gone = 0 AND t.pos = %s%s", kind, version, residual.theirs),
	}
	s.scope, s.sources = sc, append(s.sources, t)
	return s
}

// streamJoin is two streams, of rows near each other in time. A row that its own partition's watermark has passed by the grace is late (semantics S3).
func (r random) streamJoin() relation {
	s, u := r.stream("s"), r.stream("u")
	if r.chance(20) {
		u = relation{same("u"), columns("u"), "u.ts", "u.part", "u.off", "u.wm", nil} // with itself
	}
	kind := oneOf(r, "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
	before, after, grace := r.pick(0, 100, 2000), r.pick(0, 500, 3000), r.pick(0, 0, 700)
	within := fmt.Sprintf("WITHIN (%dms, %dms)", before, after)
	if before == after {
		within = oneOf(r, within, fmt.Sprintf("WITHIN %dms", after))
	}
	sc := s.scope.and(u.scope)
	on := build("s.id = u.id", "s.id = u.id")
	if r.chance(30) {
		on = build("%s AND %s", "%s AND %s", on, r.condition(sc, 1))
	}
	other := "u"
	if u.sources == nil {
		other = "s"
	}
	late := fmt.Sprintf("(SELECT * FROM %%s WHERE wm IS NULL OR wm <= ts + %d)", grace)
	s.both = both{
		fmt.Sprintf("s %s %s u %s GRACE %dms ON %s", kind, other, within, grace, on.ours),
		fmt.Sprintf(late+" s %s "+late+" u ON u.ts BETWEEN s.ts - %d AND s.ts + %d AND %s", "s", kind, other, before, after, on.theirs),
	}
	s.scope, s.sources = sc, append(s.sources, u.sources...)
	return s
}

// where is a WHERE or nothing; in SQLite it also has the conditions more.
func (r random) where(s scope, more ...string) both {
	w := both{}
	if r.chance(60) {
		c := r.condition(s, 2)
		w.ours = " WHERE " + c.ours
		more = append(more, c.theirs)
	}
	if len(more) > 0 {
		w.theirs = " WHERE " + strings.Join(more, " AND ")
	}
	return w
}

// columnsOf draws some named columns.
func (r random) columnsOf(s scope) both {
	var cs []both
	for i := range 1 + r.Intn(4) {
		x := r.number(s, 3)
		if r.chance(40) {
			x = r.text(s, 3)
		}
		cs = append(cs, build("%s AS c"+fmt.Sprint(i), "%s", x))
	}
	return list(cs)
}

// rows is a projection of what a filter leaves.
func (r random) rows() query {
	rel := oneOf(r, r.stamped, r.streamJoin)()
	w := r.where(rel.scope)
	return query{both: build("CREATE STREAM o AS SELECT %s FROM %s%s", "SELECT %s FROM %s%s", r.columnsOf(rel.scope), rel.both, w), sources: rel.sources}
}

// window is a tumbling or hopping one: its clause, the FROM of SQLite with one row per window of a row, and the condition that the window
// was not closed yet by the row's own partition.
func (r random) window(rel relation) (clause string, from both, open, start string) {
	size, grace := r.pick(1000, 3000, 10_000), r.pick(0, 0, 500, 5000)
	advance, clause := size, fmt.Sprintf(" WINDOW TUMBLING(%dms) GRACE %dms", size, grace)
	if r.chance(40) {
		advance = r.pick(500, 700, 1000)
		clause = fmt.Sprintf(" WINDOW HOPPING(%dms, %dms) GRACE %dms", size, advance, grace)
	}
	var steps []string
	for k := 0; k*advance < size; k++ {
		steps = append(steps, fmt.Sprintf("(%d)", k))
	}
	start = fmt.Sprintf("(%s / %d - k.column1) * %d", rel.ts, advance, advance)
	from = both{rel.ours, fmt.Sprintf("%s JOIN (VALUES %s) k ON %s + %d > %s", rel.theirs, strings.Join(steps, ", "), start, size, rel.ts)}
	open = fmt.Sprintf("(%s IS NULL OR %s < %s + %d)", rel.wm, rel.wm, start, size+grace)
	return clause, from, open, start
}

const millis = "strftime('%%Y-%%m-%%d %%H:%%M:%%S', (%[1]s) / 1000, 'unixepoch') || printf('.%%03d', (%[1]s) %% 1000)"

// groups draws the expressions to group by, all different, none for one group of all rows. A number by itself would be a position.
func (r random) groups(s scope, least int) []both {
	var by []both
	for range least + r.Intn(3-least) {
		x := oneOf(r, oneOf(r, s.texts...), r.number(s, 1), r.text(s, 1))
		for !strings.Contains(x.ours, ".") {
			x = r.number(s, 1)
		}
		if !slices.ContainsFunc(by, func(b both) bool { return b.theirs == x.theirs }) {
			by = append(by, x)
		}
	}
	return by
}

// grouped draws a select list of the groups and some aggregates, and a HAVING; result are the aggregates' columns under the alias y.
func (r random) grouped(s scope, by []both) (list []both, having both, result scope) {
	for i, g := range by {
		list = append(list, build("%s AS g"+fmt.Sprint(i), "%s AS g"+fmt.Sprint(i), g))
	}
	for i := range 1 + r.Intn(3) {
		x, text := r.aggregate(s)
		list = append(list, build("%s AS a"+fmt.Sprint(i), "%s AS a"+fmt.Sprint(i), x))
		switch {
		case text:
			result.texts = append(result.texts, same("y.a%d", i))
		case !strings.HasPrefix(x.ours, "AVG"): // a decimal, which is text in SQLite
			result.ints = append(result.ints, same("y.a%d", i))
		}
	}
	if r.chance(25) {
		having = build(" HAVING COUNT(%s) > %s", " HAVING COUNT(%s) > %s", r.number(s, 0), same("%d", r.Intn(3)))
	}
	return list, having, result
}

func groupBy(by []both) both {
	if len(by) == 0 {
		return both{}
	}
	return build(" GROUP BY %s", " GROUP BY %s", list(by))
}

// windowed is an aggregate of windows, final or folded from changes.
func (r random) windowed() query {
	rel := r.stamped()
	clause, from, open, start := r.window(rel)
	by := r.groups(rel.scope, 0)
	cs, having, _ := r.grouped(rel.scope, by)
	w := r.where(rel.scope, open)
	cs = append(cs, both{"window_start", fmt.Sprintf(millis, start)})
	target, emit := "STREAM", "FINAL"
	if r.chance(40) {
		target, emit = "TABLE", "CHANGES"
	}
	ours, theirs := list(cs), groupBy(append(by, both{"", start}))
	return query{
		both: both{
			fmt.Sprintf("CREATE %s o AS SELECT %s FROM %s%s%s%s%s EMIT %s", target, ours.ours, from.ours, clause, w.ours, groupBy(by).ours, having.ours, emit),
			fmt.Sprintf("SELECT %s FROM %s%s%s%s", ours.theirs, from.theirs, w.theirs, theirs.theirs, having.theirs),
		},
		table: target == "TABLE", sources: rel.sources,
	}
}

// running is an aggregate over all time, or one over that: what changes below is taken back above.
func (r random) running() query {
	rel := oneOf(r, r.stamped, r.streamJoin)()
	by := r.groups(rel.scope, 1)
	if len(by) == 1 { // the one column is the Kafka key as it is, and a compacted topic takes no null key
		by[0] = build("CONCAT('=', COALESCE(%s, ''))", "('=' || coalesce(%s, ''))", oneOf(r, rel.texts...))
	}
	cs, having, result := r.grouped(rel.scope, by)
	q := build("SELECT %s FROM %s%s%s%s", "SELECT %s FROM %s%s%s%s", list(cs), rel.both, r.where(rel.scope), groupBy(by), having)
	if r.chance(50) {
		group := both{"CONCAT('=', COALESCE(CONCAT(y.g0, ''), ''))", "('=' || coalesce(y.g0, ''))"}
		over := []both{build("%s AS h", "%s AS h", group), same("COUNT(*) AS n"), same("COUNT(y.a0) AS m")}
		for i, c := range result.ints {
			over = append(over, build("%s(%s) AS i"+fmt.Sprint(i), "%s(%s) AS i"+fmt.Sprint(i), same("%s", oneOf(r, "SUM", "MIN", "MAX")), c))
		}
		for i, c := range result.texts {
			over = append(over, build("%s(%s) AS t"+fmt.Sprint(i), "%s(%s) AS t"+fmt.Sprint(i), same("%s", oneOf(r, "MIN", "MAX")), c))
		}
		q = build("SELECT %s FROM (%s) y GROUP BY %s", "SELECT %s FROM (%s) y GROUP BY %s", list(over), q, group)
	}
	return query{both: build("CREATE TABLE o AS %s", "%s", q), table: true, sources: rel.sources}
}

// first is the earliest row of each key and window.
func (r random) first() query {
	rel := r.stream("s")
	size, grace := r.pick(1000, 3000), r.pick(0, 500)
	key := oneOf(r, same("s.id"), same("s.g"), same("s.id, s.g"))
	w := r.where(rel.scope, fmt.Sprintf("(s.wm IS NULL OR s.wm < s.ts / %d * %d + %d)", size, size, size+grace))
	cols := same("s.id, s.v, s.g")
	return query{both: both{
		fmt.Sprintf("CREATE STREAM o AS SELECT DISTINCT ON (%s) %s FROM s WINDOW TUMBLING(%dms) GRACE %dms%s EMIT FINAL", key.ours, cols.ours, size, grace, w.ours),
		fmt.Sprintf("SELECT id, v, g FROM (SELECT s.*, ROW_NUMBER() OVER (PARTITION BY %s, s.ts / %d ORDER BY s.ts, s.part, s.off) AS n FROM s%s) WHERE n = 1", key.theirs, size, w.theirs),
	}, sources: rel.sources}
}

// top is the first rows of each partition, equal ones in the order of time and place.
func (r random) top() query {
	rel := r.stream("s")
	n, by, order := 1+r.Intn(3), oneOf(r, "s.id", "s.g", "s.id, s.g"), oneOf(r, "s.v", "s.v DESC", "s.g, s.v DESC", "s.v % 5, s.id DESC")
	if n == 1 { // the partition alone is the key of a row, and a table has no row whose key is NULL
		by = "s.id, s.g"
	}
	w := r.where(rel.scope)
	return query{both: both{
		fmt.Sprintf("CREATE TABLE o AS SELECT s.id, s.g, s.v, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s) AS place FROM s%s QUALIFY place <= %d", by, order, w.ours, n),
		fmt.Sprintf("SELECT * FROM (SELECT s.id, s.g, s.v, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s, s.ts, s.part, s.off) AS place FROM s%s) WHERE place <= %d", by, order, w.theirs, n),
	}, table: true, sources: rel.sources}
}

// sets is two streams as sets.
func (r random) sets() query {
	s, u := r.stream("s"), r.stream("u")
	op := oneOf(r, "UNION", "INTERSECT", "EXCEPT")
	ws, wu := r.where(s.scope), r.where(u.scope)
	text := build("SELECT s.id, s.g FROM s%s "+op+" SELECT u.id, u.g FROM u%s", "SELECT s.id, s.g FROM s%s "+op+" SELECT u.id, u.g FROM u%s", ws, wu)
	kind := "TABLE"
	if op == "UNION" {
		kind = "STREAM"
	}
	return query{both: build("CREATE "+kind+" o AS %s", "%s", text), table: kind == "TABLE", sources: append(s.sources, u.sources...)}
}

// shapes are the kinds of queries.
var shapes = []struct {
	name string
	make func(random) query
}{
	{"rows", random.rows}, {"windowed", random.windowed}, {"running", random.running}, {"first", random.first}, {"top", random.top}, {"sets", random.sets}, {"twice", random.twice},
}
