package expr

import (
	"fmt"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func benchBatch(n int) *vector.Batch {
	b := &vector.Batch{N: n}
	for _, c := range testColumns {
		v := vector.New(c.Typ, n)
		for i := range n {
			x := types.NewInt(int64(i%1000 + 1))
			switch c.Typ.Kind {
			case types.Varchar:
				x = types.NewString(fmt.Sprint(i % 1000))
			case types.Date:
				x = types.NewDate(int64(i))
			case types.JSON:
				x = types.NewJSON(`{"a":1,"b":["x","y"]}`)
			}
			x, err := types.Cast(x, c.Typ)
			if err != nil {
				panic(err)
			}
			v.Append(x)
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

func benchExpr(b *testing.B, sql string) {
	b.Helper()
	e, err := parse(sql, columnMap())
	if err != nil {
		b.Fatal(err)
	}
	benchBound(b, e)
}

func benchBound(b *testing.B, e Expr) {
	b.Helper()
	const n = 1024
	batch, ctx := benchBatch(n), &Ctx{}
	e.Eval(ctx, batch)
	if f := ctx.TakeFailed(); f != nil {
		b.Fatal(f)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		e.Eval(ctx, batch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

func BenchmarkFilterCompareConst(b *testing.B) {
	e, err := parse("i > 500", columnMap())
	if err != nil {
		b.Fatal(err)
	}
	const n = 1024
	batch, ctx, rows := benchBatch(n), &Ctx{}, make([]int32, 0, n)
	e.Eval(ctx, batch)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		rows = SelectTrue(e.Eval(ctx, batch), rows[:0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

func BenchmarkExpr(b *testing.B) {
	for _, sql := range []string{
		"i + j", "i * 3", "d + e", "d * 2", "d / e", "f * f", "i < j", "d > 1.5", "s = '77'", "b AND i > 5", "i IN (1, 2, 3)", "s IN ('1', '2')", "s LIKE '1%'", "s LIKE '%1_%'",
		"CAST(s AS BIGINT)", "CAST(s AS DECIMAL(10,2))", "CAST(i AS VARCHAR)", "CAST(i AS DECIMAL(20,2))", "CAST(d AS DOUBLE)", "CASE WHEN i > 500 THEN i ELSE j END", "CONCAT(s, '-', z)", "UPPER(s)", "js ->> '$.b[0]'", "YEAR(t)", "DATE_FORMAT(t, '%Y-%m-%d')",
	} {
		b.Run(sql, func(b *testing.B) { benchExpr(b, sql) })
	}
}

// TestNothingIsAllocatedPerBatch holds the hot expressions to it.
func TestNothingIsAllocatedPerBatch(t *testing.T) {
	batch := benchBatch(256)
	for _, sql := range []string{"i + j", "i * 3", "d + e", "d / e", "f * f", "i > 500", "s = '77'", "b AND i > 5", "i IN (1, 2, 3)", "s IN ('1', '2')", "s LIKE '1%'", "s LIKE '%1_%'", "CAST(s AS BIGINT)", "CAST(s AS DOUBLE)", "CAST(i AS VARCHAR)",
		"CAST(d AS DOUBLE)", "CASE WHEN i > 500 THEN i ELSE j END", "COALESCE(s, 'x')", "CONCAT(s, '-', z)", "UPPER(s)", "js ->> '$.b[0]'", "YEAR(t)", "t + INTERVAL 1 MONTH", "17"} {
		e, err := parse(sql, columnMap())
		if err != nil {
			t.Fatal(err)
		}
		ctx := &Ctx{}
		if n := testing.AllocsPerRun(20, func() { e.Eval(ctx, batch) }); n > 0 {
			t.Errorf("%s: %g allocations per batch", sql, n)
		}
	}
}

func BenchmarkRegexpReplace(b *testing.B) { benchExpr(b, "REGEXP_REPLACE(s, '[0-9]', 'x')") }
func BenchmarkRegexpLike(b *testing.B)    { benchExpr(b, "REGEXP_LIKE(s, '^[0-9]+$')") }
func BenchmarkConvertTZ(b *testing.B)     { benchExpr(b, "CONVERT_TZ(t, 'UTC', 'Europe/Berlin')") }
func BenchmarkElementAt(b *testing.B)     { benchExpr(b, "ELEMENT_AT(ELEMENT_AT(js, 'b'), 1)") }
func BenchmarkJSONSet(b *testing.B)       { benchExpr(b, "JSON_SET(js, '$.a', i)") }
func BenchmarkArraySort(b *testing.B)     { benchExpr(b, "ARRAY_SORT(ARRAY(i, j, 0))") }

// BenchmarkReduce is REDUCE(ARRAY(i, j, 7), 0, (acc, x) -> acc + x).
func BenchmarkReduce(b *testing.B) {
	cols := columnMap()
	array, err := NewCall("ARRAY", []Expr{cols["i"], cols["j"], Literal(types.NewInt(7))})
	if err != nil {
		b.Fatal(err)
	}
	sum := &Lambda{Params: []string{"acc", "x"}, Bind: func(p []Expr) (Expr, error) { return NewBinary("+", p[0], p[1]) }}
	e, err := NewCall("REDUCE", []Expr{array, Literal(types.NewInt(0)), sum})
	if err != nil {
		b.Fatal(err)
	}
	benchBound(b, e)
}
