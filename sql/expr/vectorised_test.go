package expr

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// testColumns are the columns of random batches.
var testColumns = []*Column{
	{0, "i", types.TBigInt}, {1, "j", types.TInt}, {2, "u", types.TUBigInt}, {3, "d", types.TDecimal(12, 2)}, {4, "e", types.TDecimal(20, 5)},
	{5, "f", types.TDouble}, {6, "s", types.TVarchar}, {7, "z", types.TVarchar}, {8, "b", types.TBoolean}, {9, "t", types.TTimestamp}, {10, "y", types.TDate}, {11, "js", types.TJSON},
}

func columnMap() map[string]*Column {
	m := map[string]*Column{}
	for _, c := range testColumns {
		m[c.Name] = c
	}
	return m
}

func drawValue(t *rapid.T, k types.Type) types.Value {
	if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
		return types.Value{}
	}
	n := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64Range(-1_000_000, 1_000_000), rapid.Int64()).Draw(t, "n")
	switch k.Kind {
	case types.Boolean:
		return types.NewBool(n > 0)
	case types.Int:
		if k.Bits == 32 {
			n = int64(int32(n))
		}
		return types.NewInt(n)
	case types.Uint:
		return types.NewUint(uint64(n))
	case types.Decimal:
		return types.NewDecimal(types.FromInt64(n%1_000_000_000_000), k.Scale)
	case types.Double:
		return types.NewDouble(float64(n) / 4)
	case types.Timestamp:
		return types.NewTimestamp(n % 4_000_000_000_000_000 / 1000 * 1000)
	case types.Date:
		return types.NewDate(n % 40_000)
	case types.JSON:
		return types.NewJSON(rapid.SampledFrom([]string{`{"a":1}`, `{"a":"x","b":[1,2]}`, `[]`, `null`, `"x"`}).Draw(t, "json"))
	}
	return types.NewString(rapid.SampledFrom([]string{"", "a", "ab", "abc", "b", "12", "-3.5", "x y", "é", "2024-02-29"}).Draw(t, "s"))
}

func drawBatch(t *rapid.T) *vector.Batch {
	b := &vector.Batch{N: rapid.IntRange(0, 12).Draw(t, "rows")}
	for _, c := range testColumns {
		v := vector.New(c.Typ, b.N)
		for range b.N {
			v.Append(drawValue(t, c.Typ))
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

var shapes = []string{
	"i + j", "i - 7", "7 * i", "i DIV j", "i % j", "i / j", "u + i", "u - u", "u % 3", "d + e", "d * e", "d - i", "d / e", "d DIV e", "d % e", "f + i", "f / d", "f * f", "f % 3", "f DIV 2", "-i", "-u", "-d", "-f",
	"i < j", "i = 3", "3 > i", "i <> u", "u >= 2", "d <= e", "d = 1.5", "f > d", "s = z", "s < 'b'", "s <=> z", "i <=> j", "t < y", "t >= '2024-01-01'", "y = '2024-02-29'", "b = TRUE",
	"b AND i > 0", "b OR s = 'a'", "b XOR i", "NOT b", "NOT i", "i IS NULL", "s IS NOT NULL", "b IS TRUE", "i IS FALSE", "js IS NULL", "b AND CAST(s AS BIGINT) > 1", "b OR CAST(s AS DOUBLE) > 1",
	"i BETWEEN j AND 10", "i IN (1, 2, NULL)", "i IN (1, 2, 3)", "s IN ('a', 'ab')", "d IN (1.00, 2)", "f IN (0.25, 1)", "i IN (j, 5)", "u IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)",
	"s LIKE 'a%'", "s LIKE '%b%'", "s LIKE '_'", "s LIKE z", "s LIKE CONCAT(z, '%')", "s REGEXP '^a'", "s REGEXP z",
	"CASE WHEN b THEN i WHEN i > 0 THEN d ELSE f END", "CASE s WHEN 'a' THEN 1 WHEN z THEN 2 END", "CASE WHEN b THEN CAST(s AS BIGINT) ELSE 0 END", "IF(b, s, z)", "COALESCE(s, z, 'n')", "COALESCE(i, d, 0)", "COALESCE(i, CAST(s AS BIGINT))", "NULLIF(i, j)", "IFNULL(i / j, 0)", "GREATEST(i, j, 0)", "LEAST(s, z)", "GREATEST(d, f)",
	"CAST(i AS TINYINT)", "CAST(i AS UBIGINT)", "CAST(u AS BIGINT)", "CAST(d AS BIGINT)", "CAST(f AS BIGINT)", "CAST(f AS DECIMAL(10,3))", "CAST(e AS DECIMAL(6,1))", "CAST(i AS DECIMAL(8,2))", "CAST(s AS BIGINT)", "CAST(s AS DOUBLE)", "CAST(s AS DECIMAL(5,1))", "CAST(s AS DATE)", "CAST(s AS TIMESTAMP)", "CAST(i AS VARCHAR)", "CAST(d AS VARCHAR(3))", "CAST(f AS VARCHAR)", "CAST(t AS VARCHAR)", "CAST(y AS TIMESTAMP)", "CAST(t AS DATE)", "CAST(s AS VARCHAR(1))", "CAST(i AS BOOLEAN)", "CAST(js AS VARCHAR)", "CAST(js AS BIGINT)", "CAST(s AS JSON)", "CAST(b AS DOUBLE)", "CAST(t AS BIGINT)",
	"js -> '$.a'", "js ->> '$.b[0]'", "JSON_LENGTH(js)", "JSON_ARRAY(i, s, b, d, js)", "CONCAT(s, i, d)", "CONCAT_WS('-', s, z)", "UPPER(s)", "SUBSTRING(s, 2)", "LPAD(s, 4, z)", "REPLACE(s, 'a', z)", "LOCATE(s, z)", "ROUND(d, 1)", "ROUND(i, -2)", "ROUND(f)", "FLOOR(e)", "ABS(i)", "SIGN(d)", "SQRT(f)",
	"JSON_SET(js, '$.c', i)", "JSON_REMOVE(js, '$.a')", "JSON_MERGE_PATCH(js, js)", "JSON_MERGE_PRESERVE(js, s)", "JSON_CONTAINS(js, '1', '$.a')", "JSON_OVERLAPS(js, JSON_ARRAY(i, s))", "JSON_SEARCH(js, 'all', z)", "JSON_DEPTH(js)", "JSON_MEMBEROF(s, js)",
	"UUID_V5('oid', s)", "XXHASH64(s)", "URL_PARAM(s, z)", "URL_HOST(s)", "INET_NTOA(i)", "IS_IPV4(s)", "URL_ENCODE(s)",
	"REGEXP_REPLACE(s, z, 'x')", "REGEXP_SUBSTR(s, '[a-z]+')", "SPLIT(s, z)", "ELT(i, s, z)", "INSERT(s, 1, j, z)", "FORMAT(d, 1)", "CONV(s, 16, 10)", "TRANSLATE(s, z, 'xy')", "CONVERT_TZ(t, 'UTC', 'Europe/Berlin')", "YEARWEEK(t, 3)", "DATE_TRUNC('MONTH', t)", "TIMEDIFF(t, y)", "ARRAY_SORT(ARRAY(i, j, 0))", "ARRAY_CONTAINS(ARRAY(s, z), 'a')", "ELEMENT_AT(ARRAY(s, z), j)", "MAP('a', i, s, j)", "ARRAY_EXCEPT(ARRAY(s, z), ARRAY(z))", "ELEMENT_AT(js, 'a')", "CARDINALITY(js)",
	"YEAR(t)", "t + INTERVAL 1 MONTH", "t - INTERVAL i SECOND", "y + INTERVAL j DAY", "DATEDIFF(t, y)", "TIMESTAMPDIFF('HOUR', y, t)", "DATE_FORMAT(t, '%Y-%m-%d')", "UNIX_TIMESTAMP(t)", "i & j", "i << 2", "~u",
}

// lambdaShapes are functions with lambdas, which the reader of this package does not read: they see columns and the lambda
// around them, and fail for some elements.
func lambdaShapes(t *testing.T, cols map[string]*Column) []Expr {
	t.Helper()
	call := func(name string, args ...Expr) Expr {
		e, err := NewCall(name, args)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	lambda := func(n int, body func(p []Expr) (Expr, error)) Expr {
		return &Lambda{Params: []string{"x", "y"}[:n], Bind: body}
	}
	ints, texts := call("ARRAY", cols["i"], cols["j"], Literal(types.NewInt(7))), call("SPLIT", cols["s"], Literal(types.NewString("")))
	plus := func(p []Expr) (Expr, error) { return NewBinary("+", p[0], p[len(p)-1]) }
	above := lambda(1, func(p []Expr) (Expr, error) { return NewBinary(">", p[0], cols["j"]) })
	return []Expr{
		call("TRANSFORM", ints, lambda(1, func(p []Expr) (Expr, error) { return NewBinary("+", p[0], cols["i"]) })),
		call("TRANSFORM", ints, lambda(2, plus)),
		call("TRANSFORM", texts, lambda(1, func(p []Expr) (Expr, error) { return NewCast(p[0], types.TInt) })),
		call("TRANSFORM", ints, lambda(1, func(p []Expr) (Expr, error) {
			return NewCall("TRANSFORM", []Expr{ints, lambda(1, func(q []Expr) (Expr, error) { return NewBinary("-", p[0], q[0]) })})
		})),
		call("FILTER", ints, above), call("ANY_MATCH", ints, above), call("ALL_MATCH", ints, above),
		call("REDUCE", ints, cols["d"], lambda(2, plus)),
		call("REDUCE", texts, cols["z"], lambda(2, func(p []Expr) (Expr, error) { return NewCall("CONCAT", p) }),
			lambda(1, func(p []Expr) (Expr, error) { return NewCall("CONCAT", []Expr{p[0], cols["s"]}) })),
	}
}

// TestRowsDoNotSeeEachOther: a batch gives, row by row, what each row gives alone, in values and in failures; the memory of
// earlier batches does not shine through.
func TestRowsDoNotSeeEachOther(t *testing.T) {
	cols := columnMap()
	now := func() time.Time { return time.Unix(0, 0) }
	all := lambdaShapes(t, cols)
	for _, shape := range shapes {
		e, err := parse(shape, cols)
		if err != nil {
			t.Errorf("%s: %v", shape, err)
			continue
		}
		all = append(all, e)
	}
	for _, e := range all {
		if r := Rewrite(e, func(x Expr) Expr { return x.WithInputs(x.Inputs()) }); r.String() != e.String() {
			t.Errorf("%s becomes %s when it is rebuilt", e, r)
		}
		ctx := &Ctx{Now: now}
		rapid.Check(t, func(t *rapid.T) { rowByRow(t, e, ctx) })
	}
}

// rowByRow evaluates e over a random batch, and each of its rows alone.
func rowByRow(t *rapid.T, e Expr, ctx *Ctx) {
	b := drawBatch(t)
	v := e.Eval(ctx, b)
	failed := ctx.TakeFailed()
	if v.Len() != b.N {
		t.Fatalf("%s: %d values for %d rows", e, v.Len(), b.N)
	}
	for i := range b.N {
		alone := &Ctx{Now: ctx.Now}
		w := e.Eval(alone, b.Select([]int32{int32(i)}))
		got, want := v.Value(i), w.Value(0)
		gotErr, wantErr := fmt.Sprint(failed[i]), fmt.Sprint(alone.TakeFailed()[0])
		if got != want || gotErr != wantErr {
			t.Fatalf("%s, row %d: %s (%s) in the batch, %s (%s) alone", e, i, got.Literal(), gotErr, want.Literal(), wantErr)
		}
		if failed[i] != nil && !v.IsNull(i) {
			t.Fatalf("%s, row %d failed and has the value %s", e, i, got.Literal())
		}
		if v.IsNull(i) && v.Type.Physical() == types.PhysInt && v.Ints[i] != 0 {
			t.Fatalf("%s, row %d: the slot of NULL holds %d", e, i, v.Ints[i])
		}
	}
}

// naiveLike is LIKE by its definition.
func naiveLike(s, p []rune) bool {
	switch {
	case len(p) == 0:
		return len(s) == 0
	case p[0] == '%':
		return naiveLike(s, p[1:]) || len(s) > 0 && naiveLike(s[1:], p)
	case p[0] == '\\' && len(p) > 1:
		return len(s) > 0 && s[0] == p[1] && naiveLike(s[1:], p[2:])
	}
	return len(s) > 0 && (p[0] == '_' || p[0] == s[0]) && naiveLike(s[1:], p[1:])
}

func TestLikeAgainstDefinition(t *testing.T) {
	alphabet := rapid.SampledFrom([]rune(`ab%_é\`))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SliceOfN(alphabet, 0, 8).Draw(t, "s")
		p := rapid.SliceOfN(alphabet, 0, 6).Draw(t, "p")
		if got, want := compileLike([]byte(string(p)), '\\').match([]byte(string(s))), naiveLike(s, p); got != want {
			t.Fatalf("%q LIKE %q: %v, want %v", string(s), string(p), got, want)
		}
	})
}
