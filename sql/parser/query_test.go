package parser

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// one parses a text of one statement.
func one(t *testing.T, text string) ast.Statement {
	t.Helper()
	script, err := Parse("", text)
	if err != nil {
		t.Fatal(err)
	}
	if len(script.Statements) != 1 {
		t.Fatalf("%q: %d statements", text, len(script.Statements))
	}
	return script.Statements[0]
}

func selectOf(t *testing.T, text string) *ast.Select {
	t.Helper()
	return one(t, text).(*ast.SelectStatement).Query.(*ast.Select)
}

// expressions: what is written on the left is the tree on the right.
var expressions = []struct{ src, want string }{
	// precedence of https://dev.mysql.com/doc/refman/8.0/en/operator-precedence.html with PIPES_AS_CONCAT
	{"a + b * c", "(a + (b * c))"},
	{"(a + b) * c", "((a + b) * c)"},
	{"a || b || c", "((a || b) || c)"},
	{"-a || b", "((- a) || b)"},
	{"a OR b AND NOT c = d", "(a OR (b AND (NOT (c = d))))"},
	{"a != b", "(a <> b)"},
	{"a <=> NULL", `(a <=> null("NULL"))`},
	{"'a' ''", `str("a")`}, {"s. user .country", "s.user.country"},
	{"a && b XOR c", "((a AND b) XOR c)"},
	{"a << 1 | b >> 2 & c ^ ~d", `((a << int("1")) | ((b >> int("2")) & (c ^ (~ d))))`},
	{"a % 2 + MOD(a, 2) + a MOD (2) + a DIV 2", `((((a % int("2")) + Call{Name:MOD Args:[a, int("2")]}) + (a % int("2"))) + (a DIV int("2")))`},
	{"!a", "(NOT a)"},
	{"5--3", `(int("5") - (- int("3")))`},
	// literals keep their text
	{"123456789012345678901234567890", `int("123456789012345678901234567890")`},
	{"-9223372036854775808", `(- int("9223372036854775808"))`},
	{"1.50", `dec("1.50")`}, {".5", `dec(".5")`}, {"1e-3", `float("1e-3")`}, {"00012", `int("00012")`},
	{`'it''s' "say ""x""" 'a\n\'\%'`, `str("it'ssay \"x\"a\n'\\%")`},
	{"x'4142'", `hex("AB")`}, {"0x4a", `hex("J")`}, {"b'01000001'", `hex("A")`}, {"_binary 'é'", `hex("é")`}, {"N'x'", `str("x")`},
	{`'\0\b\r\t\Z\\\_\x'`, `str("\x00\b\r\t\x1a\\\\_x")`}, {`"a\"b'c"`, `str("a\"b'c")`},
	{"true", `bool("TRUE")`}, {"NULL", `null("NULL")`},
	{"DATE '2030-01-01'", `date("2030-01-01")`}, {"TIMESTAMP '2030-01-01 00:00:00'", `ts("2030-01-01 00:00:00")`}, {"TIME '10:00:00'", `time("10:00:00")`},
	// names
	{"a.b.c.d.e", "a.b.c.d.e"}, {"`a.b`.`c``d`", "a.b.c`d"}, {"t.group", "t.group"}, {"t.1a", "t.1a"}, {"timestamp", "timestamp"},
	{"größe", "größe"}, {"_key", "_key"}, {"user.country", "user.country"}, {"grace + qualify", "(grace + qualify)"},
	// JSON paths
	{"j->'$.a'", `(j -> str("$.a"))`}, {"s.user.j->>'$.a'", `(s.user.j ->> str("$.a"))`},
	{"JSON_UNQUOTE(JSON_EXTRACT(j, '$.a'))", `Call{Name:JSON_UNQUOTE Args:[Call{Name:JSON_EXTRACT Args:[j, str("$.a")]}]}`},
	// time
	{"ts - INTERVAL 5 SECOND", `(ts - interval("5")SECOND)`}, {"INTERVAL '10' SECONDS + ts", `(ts + interval("10")SECOND)`},
	{"ts + INTERVAL -1 DAY", `(ts + interval("-1")DAY)`}, {"ts + INTERVAL '1:30' MINUTE_SECOND", `(ts + interval("1:30")MINUTE_SECOND)`},
	{"ts - INTERVAL n MINUTE", `Call{Name:DATE_SUB Args:[ts, n, str("MINUTE")]}`},
	{"DATE_ADD(ts, INTERVAL 1 HOUR)", `Call{Name:DATE_ADD Args:[ts, interval("1")HOUR]}`},
	{"ADDDATE(ts, 3)", `Call{Name:ADDDATE Args:[ts, int("3")]}`},
	{"TIMESTAMPDIFF(SECOND, a, b)", `Call{Name:TIMESTAMPDIFF Args:[str("SECOND"), a, b]}`},
	{"EXTRACT(HOUR FROM ts)", `Call{Name:EXTRACT Args:[str("HOUR"), ts]}`},
	{"CURRENT_TIMESTAMP", `Call{Name:CURRENT_TIMESTAMP}`}, {"NOW(6)", `Call{Name:NOW Args:[int("6")]}`},
	// tests
	{"a IS NOT NULL", `IsNull{X:a Not:true}`}, {"(a) IS NOT TRUE", `IsTruth{X:a Truth:TRUE Not:true}`}, {"a IS UNKNOWN", `IsTruth{X:a Truth:UNKNOWN}`},
	{"a NOT BETWEEN 1 AND (2)", `Between{X:a Lo:int("1") Hi:int("2") Not:true}`},
	{"a IN (1, (2))", `In{X:a List:[int("1"), int("2")]}`}, {"(a, b) NOT IN ((1, 2))", `In{X:Row{Items:[a, b]} List:[Row{Items:[int("1"), int("2")]}] Not:true}`},
	{"a LIKE 'x!%' ESCAPE '!'", `Like{X:a Pattern:str("x!%") Escape:!}`}, {"a NOT LIKE b", `Like{X:a Pattern:b Escape:\ Not:true}`},
	{"a NOT REGEXP '^x'", `Like{X:a Pattern:str("^x") Not:true Regexp:true}`},
	{"CASE a WHEN 1 THEN 'x' ELSE (b) END", `Case{Operand:a Whens:[When{Cond:int("1") Then:str("x")}] Else:b}`},
	{"CASE WHEN a THEN b END", `Case{Whens:[When{Cond:a Then:b}]}`},
	// subscripts, constructors and lambdas
	{"a[1]", `Call{Name:ELEMENT_AT Args:[a, int("1")]}`}, {"-a[b + 1] * c", `((- Call{Name:ELEMENT_AT Args:[a, (b + int("1"))]}) * c)`},
	{"m['k'] || t.a.b[-1][2]", `(Call{Name:ELEMENT_AT Args:[m, str("k")]} || Call{Name:ELEMENT_AT Args:[Call{Name:ELEMENT_AT Args:[t.a.b, (- int("1"))]}, int("2")]})`},
	{"SPLIT(a, ',')[1] = (b)[2].c.d", `(Call{Name:ELEMENT_AT Args:[Call{Name:SPLIT Args:[a, str(",")]}, int("1")]} = Call{Name:ELEMENT_AT Args:[Call{Name:ELEMENT_AT Args:[Call{Name:ELEMENT_AT Args:[b, int("2")]}, str("c")]}, str("d")]})`},
	{"a[1] ->> '$.x'", `(Call{Name:ELEMENT_AT Args:[a, int("1")]} ->> str("$.x"))`}, {"CASE WHEN a[1] > 0 THEN b[2] END", `Case{Whens:[When{Cond:(Call{Name:ELEMENT_AT Args:[a, int("1")]} > int("0")) Then:Call{Name:ELEMENT_AT Args:[b, int("2")]}}]}`},
	{"ARRAY[1, b + 2][1]", `Call{Name:ELEMENT_AT Args:[Call{Name:ARRAY Args:[int("1"), (b + int("2"))]}, int("1")]}`}, {"ARRAY[]", `Call{Name:ARRAY}`}, {"ARRAY(1)", `Call{Name:ARRAY Args:[int("1")]}`},
	{"STRUCT(a AS x, b + 1 AS `y z`)", `Call{Name:STRUCT Args:[str("x"), a, str("y z"), (b + int("1"))]}`}, {"STRUCT('x', a)", `Call{Name:STRUCT Args:[str("x"), a]}`}, {"MAP('x', a)", `Call{Name:MAP Args:[str("x"), a]}`},
	{"FILTER(a, x -> x[1] > b)", `Call{Name:FILTER Args:[a, Lambda{Params:[x] Body:(Call{Name:ELEMENT_AT Args:[x, int("1")]} > b)}]}`}, {"TRANSFORM(a, x -> 'y')", `Call{Name:TRANSFORM Args:[a, Lambda{Params:[x] Body:str("y")}]}`},
	{"UPPER(a -> '$.x')", `Call{Name:UPPER Args:[(a -> str("$.x"))]}`},
	// calls
	{"COUNT(*)", `Call{Name:COUNT Star:true}`}, {"count(distinct a, b)", `Call{Name:COUNT Args:[a, b] Distinct:true}`}, {"SUM(ALL a)", `Call{Name:SUM Args:[a]}`},
	{"SUM(a) FILTER (WHERE b > 1)", `Call{Name:SUM Args:[a] Filter:(b > int("1"))}`},
	{"GROUP_CONCAT(DISTINCT a ORDER BY b DESC, c SEPARATOR ', ')", `Call{Name:GROUP_CONCAT Args:[a] Distinct:true OrderBy:[Order{Expr:b Desc:true}, Order{Expr:c}] Separator:, }`},
	{"COUNT(*) FILTER (WHERE a) OVER (PARTITION BY b ORDER BY c ROWS 3 PRECEDING)", `Call{Name:COUNT Star:true Filter:a Over:OverSpec{PartitionBy:[b] OrderBy:[Order{Expr:c}] Frame:Frame{Unit:ROWS From:FrameBound{Rows:3}}}}`},
	{"SUM(a) OVER (w ORDER BY c RANGE BETWEEN 1m30s PRECEDING AND UNBOUNDED FOLLOWING)", `Call{Name:SUM Args:[a] Over:OverSpec{Name:w OrderBy:[Order{Expr:c}] Frame:Frame{Unit:RANGE From:FrameBound{Duration:90000000us} To:FrameBound{Unbounded:true Following:true}}}}`},
	{"FIRST(a) OVER w", `Call{Name:FIRST Args:[a] Over:OverSpec{Name:w}}`}, {"LEFT(a, 2)", `Call{Name:LEFT Args:[a, int("2")]}`}, {"IF(a, b, c)", `Call{Name:IF Args:[a, b, c]}`},
	{"TRIM(LEADING 'x' FROM a)", `Call{Name:TRIM Args:[a, str("x"), str("LEADING")]}`}, {"SUBSTRING(a FROM 2 FOR 3)", `Call{Name:SUBSTRING Args:[a, int("2"), int("3")]}`},
	{"POSITION('a' IN b)", `Call{Name:POSITION Args:[str("a"), b]}`}, {"1 MEMBER OF (j)", `Call{Name:JSON_MEMBEROF Args:[int("1"), j]}`},
	{"CAST(a + 1 AS DECIMAL(10,2))", `Cast{X:(a + int("1")) Type:DECIMAL(10,2)}`}, {"CAST(a AS UNSIGNED)", `Cast{X:a Type:BIGINT UNSIGNED}`},
	{"CAST(a AS MAP<STRING, STRUCT<x INT, y ARRAY<BIGINT>>>)", `Cast{X:a Type:MAP<STRUCT<x INT, y ARRAY<BIGINT>>>}`},
	{"CONVERT(a, CHAR(3))", `Cast{X:a Type:VARCHAR(3)}`}, {"BINARY a", `Cast{X:a Type:VARBINARY}`},
	{"TRANSFORM(tags, x -> x + 1)", `Call{Name:TRANSFORM Args:[tags, Lambda{Params:[x] Body:(x + int("1"))}]}`},
	{"CONCAT(a, b) || c", `(Call{Name:CONCAT Args:[a, b]} || c)`},
	{"a = ANY (SELECT b FROM t)", `In{X:a Query:Select{Items:[Item{Expr:b}] From:TableRef{Name:t}}}`},
	{"NOT EXISTS (SELECT 1 FROM t)", `Exists{Query:Select{Items:[Item{Expr:int("1")}] From:TableRef{Name:t}} Not:true}`},
	{"(SELECT MAX(a) FROM t WINDOW TUMBLING(1s)) + 1", `(ScalarSubquery{Query:Select{Items:[Item{Expr:Call{Name:MAX Args:[a]}}] From:TableRef{Name:t} Window:Window{Size:1000000us}}} + int("1"))`},
}

func TestExpressions(t *testing.T) {
	for _, c := range expressions {
		if got := dump(selectOf(t, "SELECT "+c.src).Items[0].Expr); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestQueries: the part of the tree after FROM.
func TestQueries(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"s", "TableRef{Name:s}"}, {"s AS final", "TableRef{Name:s Alias:final}"}, {"s `full`", "TableRef{Name:s Alias:full}"},
		{"a FULL JOIN b ON x", "Join{Kind:FULL Left:TableRef{Name:a} Right:TableRef{Name:b} On:x}"},
		{"a LEFT OUTER JOIN b y USING (k)", "Join{Kind:LEFT Left:TableRef{Name:a} Right:TableRef{Name:b Alias:y} Using:[k]}"},
		{"a JOIN b WITHIN (5s, 10s) GRACE PERIOD 1 MINUTE ON x", "Join{Left:TableRef{Name:a} Right:TableRef{Name:b} On:x Within:5000000us WithinAfter:10000000us Grace:60000000us}"},
		{"a JOIN b WITHIN 1s CORRECT 10m ON x", "Join{Left:TableRef{Name:a} Right:TableRef{Name:b} On:x Within:1000000us Correct:600000000us}"},
		{"a JOIN b BROADCAST", "Join{Kind:CROSS Left:TableRef{Name:a} Right:TableRef{Name:b} Broadcast:true}"},
		{"a CROSS JOIN b ON x", "Join{Left:TableRef{Name:a} Right:TableRef{Name:b} On:x}"},
		{"a, b", "Join{Kind:CROSS Left:TableRef{Name:a} Right:TableRef{Name:b}}"},
		{"a JOIN (b JOIN c ON y) ON x", "Join{Left:TableRef{Name:a} Right:Join{Left:TableRef{Name:b} Right:TableRef{Name:c} On:y} On:x}"},
		{"a JOIN b AS x AS OF TIMESTAMP a.ts WITHIN 1s ON y", "Join{Left:TableRef{Name:a} Right:TableRef{Name:b Alias:x AsOf:AsOf{Expr:a.ts}} On:y Within:1000000us}"},
		{"a JOIN b FOR SYSTEM_TIME AS OF a.ts AS x ON y", "Join{Left:TableRef{Name:a} Right:TableRef{Name:b Alias:x AsOf:AsOf{Expr:a.ts}} On:y}"},
		{"a JOIN b AS OF LATEST x ON y", "Join{Left:TableRef{Name:a} Right:TableRef{Name:b Alias:x AsOf:AsOf{Latest:true}} On:y}"},
		{"((SELECT 1) UNION (SELECT 2)) q", `Subquery{Query:SetOp{Op:UNION Left:Select{Items:[Item{Expr:int("1")}]} Right:Select{Items:[Item{Expr:int("2")}]}} Alias:q}`},
	} {
		if got := dump(selectOf(t, "SELECT * FROM "+c.src).From); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestWindowPlaces: WINDOW may stand after FROM, after WHERE and after GROUP BY, and clauses go on after it.
func TestWindowPlaces(t *testing.T) {
	want := dump(selectOf(t, "SELECT a FROM s WINDOW HOPPING(10s, 5s) GRACE 1s WHERE b GROUP BY a HAVING c"))
	for _, src := range []string{
		"SELECT a FROM s WHERE b WINDOW HOPPING(10s, ADVANCE 5s) GRACE(1s) GROUP BY a HAVING c",
		"SELECT a FROM s WHERE b GROUP BY a WINDOW HOPPING(SIZE 10 SECONDS, ADVANCE BY 5 SECONDS, GRACE PERIOD 1 SECOND) HAVING c",
		"SELECT a FROM s WHERE b GROUP BY a HAVING c WINDOW HOPPING(INTERVAL '10' SECOND, INTERVAL 5 SECOND) GRACE PERIOD 1000 MILLISECONDS",
	} {
		if got := dump(selectOf(t, src)); got != want {
			t.Errorf("%s\n got %s\nwant %s", src, got, want)
		}
	}
	if s := selectOf(t, "SELECT DISTINCT message_id WINDOW TUMBLING(10s)"); s.From != nil || s.Window == nil || s.Distinct == nil {
		t.Errorf("without FROM: %s", dump(s))
	}
}

func TestDurations(t *testing.T) {
	for src, want := range map[string]int64{
		"500ms": 5e5, "10s": 1e7, "1m30s": 9e7, "2h": 72e8, "1d": 864e8, "1w": 6048e8, "7us": 7, "10 SECONDS": 1e7, "1 DAY": 864e8,
		"INTERVAL '10' SECOND": 1e7, "INTERVAL 5 MINUTE": 3e8, "+3s": 3e6, "1D": 864e8, "106751991 days": 106751991 * 864e8,
	} {
		d := selectOf(t, "SELECT 1 FROM s WINDOW TUMBLING("+src+")").Window.Size
		if d.Micros != want {
			t.Errorf("%s is %d, want %d", src, d.Micros, want)
		}
	}
	for src, want := range map[string]int64{
		"1 MONTH": 1, "2 quarters": 6, "1 YEAR": 12, "INTERVAL 3 MONTH": 3, "INTERVAL '1' YEAR": 12, "+2 MONTHS": 2,
	} {
		d := selectOf(t, "SELECT 1 FROM s WINDOW TUMBLING("+src+")").Window.Size
		if d.Months != want || d.Micros != 0 {
			t.Errorf("%s is %d months, want %d", src, d.Months, want)
		}
	}
}

func TestSetOperations(t *testing.T) {
	q := one(t, "SELECT a FROM s UNION ALL SELECT b FROM t INTERSECT SELECT c FROM u ORDER BY 1 LIMIT 3 EMIT FINAL").(*ast.SelectStatement).Query
	want := `SetOp{Op:UNION All:true Left:Select{Items:[Item{Expr:a}] From:TableRef{Name:s}} Right:SetOp{Op:INTERSECT ` +
		`Left:Select{Items:[Item{Expr:b}] From:TableRef{Name:t}} Right:Select{Items:[Item{Expr:c}] From:TableRef{Name:u}}} OrderBy:[Order{Expr:int("1")}] Limit:3 Emit:2}`
	if got := dump(q); got != want {
		t.Errorf("got %s", got)
	}
	s := selectOf(t, "WITH x (a) AS (SELECT 1) SELECT * FROM x LIMIT 2 OFFSET 1")
	if len(s.With) != 1 || s.With[0].Name.Name != "x" || *s.Limit != 2 || *s.Offset != 1 {
		t.Errorf("got %s", dump(s))
	}
	if s = selectOf(t, "SELECT 1 FROM s LIMIT 1, 2"); *s.Limit != 2 || *s.Offset != 1 {
		t.Errorf("LIMIT offset, count: %s", dump(s))
	}
}

func TestSelectList(t *testing.T) {
	s := selectOf(t, "SELECT DISTINCT ON (a, b) WITHIN 10s *, t.*, a AS `x y`, b z, COUNT(*) 'n', c AS final, 1 + 2 FROM s")
	want := `[Item{Star:true}, Item{Star:true Table:t}, Item{Expr:a Alias:x y}, Item{Expr:b Alias:z}, Item{Expr:Call{Name:COUNT Star:true} Alias:n}, Item{Expr:c Alias:final}, Item{Expr:(int("1") + int("2"))}]`
	if got := dump(s.Items); got != want {
		t.Errorf("got %s", got)
	}
	if got := dump(s.Distinct); got != "Distinct{On:[a, b] Within:10000000us}" {
		t.Errorf("got %s", got)
	}
	if s = selectOf(t, "SELECT DISTINCT within FROM s"); dump(s.Items) != "[Item{Expr:within}]" {
		t.Errorf("a column named within: %s", dump(s))
	}
}

// TestLargeInsert: values of many rows go to the expression parser at once.
func TestLargeInsert(t *testing.T) {
	var b strings.Builder
	b.WriteString("INSERT INTO s VALUES (0, 'x')")
	for range 2000 {
		b.WriteString(", (-1, 'y')")
	}
	ins := one(t, b.String()).(*ast.Insert)
	if len(ins.Rows) != 2001 || dump(ins.Rows[2000]) != `[(- int("1")), str("y")]` {
		t.Errorf("%d rows, last %s", len(ins.Rows), dump(ins.Rows[len(ins.Rows)-1]))
	}
}
