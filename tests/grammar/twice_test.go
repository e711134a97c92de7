package grammar

import "fmt"

// twice is an aggregate that is read in two places: joined with itself, or with what is computed of it.
func (r random) twice() query {
	rel := oneOf(r, r.stamped, r.streamJoin)()
	by := []both{build("CONCAT('=', COALESCE(%s, ''))", "('=' || coalesce(%s, ''))", oneOf(r, rel.texts...))}
	cs, having, _ := r.grouped(rel.scope, by)
	cs = append(cs, same("COUNT(*) AS n"))
	c := build("SELECT %s FROM %s%s%s%s", "SELECT %s FROM %s%s%s%s", list(cs), rel.both, r.where(rel.scope), groupBy(by), having)
	over := oneOf(r,
		"SELECT x.g0 AS k, z.g0 AS l, x.n + z.n AS m FROM c x "+oneOf(r, "JOIN", "LEFT JOIN")+" c z ON x.n = z.n AND x.g0 < z.g0",
		"SELECT x.g0 AS k, x.n AS n, z.n * 2 AS m FROM c x JOIN c z ON x.g0 = z.g0 WHERE x.n > 1",
		"SELECT x.g0 AS k, x.n AS n, y.times FROM c x JOIN (SELECT n, COUNT(*) AS times FROM c GROUP BY n) y ON x.n = y.n",
		fmt.Sprintf("SELECT x.g0 AS k, x.n AS n FROM c x WHERE x.n IN (SELECT z.n FROM c z WHERE z.g0 <> '=%s%d')", oneOf(r, "k", "g"), r.Intn(4)),
	)
	return query{both: build("CREATE TABLE o AS WITH c AS (%s) "+over, "WITH c AS (%s) "+over, c), table: true, sources: rel.sources}
}
