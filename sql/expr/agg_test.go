package expr

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func column(t types.Type) *Column { return &Column{Index: 0, Name: "v", Typ: t} }

// fold aggregates rows of one column.
func fold(t testing.TB, aggs []*Aggregate, v *vector.Vector, rows []int) ([]string, error) {
	t.Helper()
	s := StatesOf(aggs, Appends)
	var in AggregateInputs
	in.Eval(&Ctx{}, aggs, &vector.Batch{N: v.Len(), Cols: []*vector.Vector{v}})
	state := s.Init(nil)
	for _, i := range rows {
		state = s.Update(state, &in, i)
	}
	return results(t, aggs, s, s.Merge(s.Init(nil), state))
}

func results(t testing.TB, aggs []*Aggregate, s States, state []byte) ([]string, error) {
	outs := make([]*vector.Vector, len(aggs))
	for i, a := range aggs {
		outs[i] = vector.New(a.Type(), 1)
	}
	err, broken := s.Results(state, make([]Set, len(aggs)), outs)
	if broken != nil {
		t.Fatal(broken)
	}
	text := make([]string, len(outs))
	for i, o := range outs {
		if o.Len() != 1 {
			t.Fatalf("%s: %d results", aggs[i], o.Len())
		}
		text[i] = o.Value(0).Text()
	}
	return text, err
}

func aggregates(t testing.TB, x Expr, names ...string) []*Aggregate {
	t.Helper()
	var out []*Aggregate
	for _, name := range names {
		a := Aggregate{Func: name, Arg: []Expr{x}}
		if name == "COUNT(*)" {
			a = Aggregate{Func: "COUNT"}
		}
		b, err := NewAggregate(a)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func TestAggregateValues(t *testing.T) {
	null := types.Value{}
	names := []string{"COUNT(*)", "COUNT", "SUM", "AVG", "MIN", "MAX"}
	for _, c := range []struct {
		typ    types.Type
		values []types.Value
		want   string
	}{
		{types.TInt, []types.Value{types.NewInt(1), types.NewInt(2), null, types.NewInt(2)}, "4 3 5 1.6667 1 2"},
		{types.TInt, []types.Value{types.NewInt(1500000000), types.NewInt(1500000000), types.NewInt(1500000000)}, "3 3 4500000000 1500000000.0000 1500000000 1500000000"},
		{types.TBigInt, []types.Value{types.NewInt(math.MaxInt64), types.NewInt(1), types.NewInt(1)}, "3 3 9223372036854775809 3074457345618258603.0000 1 9223372036854775807"},
		{types.TBigInt, []types.Value{null, null}, "2 0 NULL NULL NULL NULL"},
		{types.TBigInt, nil, "0 0 NULL NULL NULL NULL"},
		{types.TUBigInt, []types.Value{types.NewUint(math.MaxUint64), types.NewUint(1)}, "2 2 18446744073709551616 9223372036854775808.0000 1 18446744073709551615"},
		{types.TDecimal(10, 2), []types.Value{types.NewDecimal(types.FromInt64(10), 2), types.NewDecimal(types.FromInt64(20), 2)}, "2 2 0.30 0.150000 0.10 0.20"},
		{types.TDecimal(10, 2), []types.Value{types.NewDecimal(types.FromInt64(-1), 2), types.NewDecimal(types.FromInt64(-2), 2)}, "2 2 -0.03 -0.015000 -0.02 -0.01"},
		{types.TDouble, []types.Value{types.NewDouble(1e16), types.NewDouble(1), types.NewDouble(-1e16)}, "3 3 1 0.3333333333333333 -1e16 1e16"},
		{types.TDouble, []types.Value{types.NewDouble(1e308), types.NewDouble(1e308), types.NewDouble(-1e308)}, "3 3 1e308 3.333333333333333e307 -1e308 1e308"},
	} {
		v := vector.FromValues(c.typ, c.values...)
		got, err := fold(t, aggregates(t, column(c.typ), names...), v, all(v.Len()))
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v; want %s", c.typ, got, err, c.want)
		}
	}
	text := vector.FromValues(types.TVarchar, types.NewString("b"), types.NewString("abc"), null, types.NewString("B"), types.NewString("bb"))
	got, err := fold(t, aggregates(t, column(types.TVarchar), "MIN", "COUNT", "MAX"), text, all(5))
	if err != nil || !slices.Equal(got, []string{"B", "4", "bb"}) {
		t.Errorf("text: %v, %v", got, err)
	}
}

func TestAggregateTypes(t *testing.T) {
	for typ, want := range map[string][3]string{
		"INT": {"DECIMAL(38,0)", "DECIMAL(14,4)", "INT"}, "BIGINT": {"DECIMAL(38,0)", "DECIMAL(23,4)", "BIGINT"}, "DECIMAL(10,2)": {"DECIMAL(38,2)", "DECIMAL(14,6)", "DECIMAL(10,2)"}, "DOUBLE": {"DOUBLE", "DOUBLE", "DOUBLE"},
	} {
		x := column(map[string]types.Type{"INT": types.TInt, "BIGINT": types.TBigInt, "DECIMAL(10,2)": types.TDecimal(10, 2), "DOUBLE": types.TDouble}[typ])
		for i, a := range aggregates(t, x, "SUM", "AVG", "MAX") {
			if got := a.Type().String(); got != want[i] {
				t.Errorf("%s of %s is %s, want %s", a.Func, typ, got, want[i])
			}
		}
	}
}

func TestAggregateRefusals(t *testing.T) {
	num, text, doc := column(types.TInt), column(types.TVarchar), column(types.TJSON)
	by, sep := []AggregateOrder{{Expr: num}}, ";"
	for _, c := range []struct {
		a    Aggregate
		want string
	}{
		{Aggregate{Func: "SUM", Arg: []Expr{text}}, "SUM: v is VARCHAR, not a number"},
		{Aggregate{Func: "SUM"}, "SUM takes 1 argument, not 0"},
		{Aggregate{Func: "MIN", Arg: []Expr{doc}}, "has no order"},
		{Aggregate{Func: "MAX_BY", Arg: []Expr{num, doc}}, "has no order"},
		{Aggregate{Func: "MAX_BY", Arg: []Expr{num}}, "MAX_BY takes 2 arguments, not 1; use MAX_BY(x, y)"},
		{Aggregate{Func: "TOPK", Arg: []Expr{doc, Literal(types.NewInt(3))}}, "has no order"},
		{Aggregate{Func: "TOPK", Arg: []Expr{num, num}}, "a number from 1 to 1000, not v"},
		{Aggregate{Func: "TOPK", Arg: []Expr{num, Literal(types.NewInt(0))}}, "a number from 1 to 1000, not 0"},
		{Aggregate{Func: "APPROX_PERCENTILE", Arg: []Expr{num, Literal(types.NewInt(95))}}, "a number from 0 to 1 (0.99), not 95"},
		{Aggregate{Func: "APPROX_PERCENTILE", Arg: []Expr{text, Literal(types.NewInt(1))}}, "not a number"},
		{Aggregate{Func: "APPROX_COUNT_DISTINCT", Arg: []Expr{doc}}, "has no order"},
		{Aggregate{Func: "COUNT", Distinct: true, Arg: []Expr{doc}}, "COUNT(DISTINCT …): v is JSON"},
		{Aggregate{Func: "COUNT", Distinct: true}, "COUNT(DISTINCT …) needs an argument"},
		{Aggregate{Func: "FIRST", Distinct: true, Arg: []Expr{num}}, "leave DISTINCT out"},
		{Aggregate{Func: "SUM", OrderBy: by, Arg: []Expr{num}}, "SUM does not depend on the order of rows"},
		{Aggregate{Func: "ARRAY_AGG", Separator: &sep, Arg: []Expr{num}}, "SEPARATOR belongs to GROUP_CONCAT"},
		{Aggregate{Func: "GROUP_CONCAT", Distinct: true, OrderBy: by, Arg: []Expr{&Column{Index: 1, Name: "w", Typ: types.TInt}}}, "order by w"},
		{Aggregate{Func: "ARRAY_AGG", OrderBy: []AggregateOrder{{Expr: doc}}, Arg: []Expr{num}}, "ORDER BY v is JSON"},
		{Aggregate{Func: "BIT_OR", Arg: []Expr{text}}, "not a number"},
		{Aggregate{Func: "SUMM", Arg: []Expr{num}}, "did you mean SUM?"},
		{Aggregate{Func: "COUNT", Filter: doc}, "FILTER: "},
	} {
		if _, err := NewAggregate(c.a); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.a.Func, err, c.want)
		}
	}
}

func TestSumOutOfRange(t *testing.T) {
	big38 := types.NewDecimal(must128("99999999999999999999999999999999999999"), 0)
	typ := types.TDecimal(38, 0)
	v := vector.FromValues(typ, big38, big38, types.NewDecimal(types.FromInt64(-1), 0))
	got, err := fold(t, aggregates(t, column(typ), "COUNT", "SUM", "MAX"), v, all(3))
	if err == nil || got[1] != "NULL" || got[0] != "3" || got[2] != "99999999999999999999999999999999999999" {
		t.Errorf("%v, %v", got, err)
	}
	minus, _ := big38.D.Neg()
	v = vector.FromValues(typ, big38, big38, types.NewDecimal(minus, 0)) // passes the range on its way, not in the end
	if got, err = fold(t, aggregates(t, column(typ), "SUM"), v, all(3)); err != nil || got[0] != "99999999999999999999999999999999999999" {
		t.Errorf("%v, %v", got, err)
	}
}

func must128(s string) types.Int128 {
	d, _, err := types.ParseNumber(s)
	if err != nil {
		panic(err)
	}
	return d
}

// TestSumOfDoublesIsExact: any order, any split into merged parts gives the exact sum, rounded once.
func TestSumOfDoublesIsExact(t *testing.T) {
	aggs := aggregates(t, column(types.TDouble), "SUM", "COUNT", "MIN")
	s := StatesOf(aggs, Appends)
	gen := rapid.Custom(func(t *rapid.T) float64 {
		f := math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "f"), rapid.IntRange(-1074, 1023).Draw(t, "exp"))
		if rapid.Bool().Draw(t, "near") {
			f = math.Ldexp(float64(rapid.IntRange(-3, 3).Draw(t, "i")), rapid.IntRange(50, 110).Draw(t, "e"))
		}
		return f
	})
	rapid.Check(t, func(rt *rapid.T) {
		fs := rapid.SliceOfN(gen, 1, 30).Draw(rt, "values")
		exact := new(big.Float).SetPrec(4000)
		for _, f := range fs {
			exact.Add(exact, new(big.Float).SetPrec(4000).SetFloat64(f))
		}
		want, _ := exact.Float64()
		v := vector.New(types.TDouble, len(fs))
		for _, i := range rapid.Permutation(all(len(fs))).Draw(rt, "order") {
			v.AppendFloat(fs[i])
		}
		var in AggregateInputs
		in.Eval(&Ctx{}, aggs, &vector.Batch{N: v.Len(), Cols: []*vector.Vector{v}})
		cut := rapid.IntRange(0, len(fs)).Draw(rt, "cut")
		a, b := s.Init(nil), s.Init(nil)
		for i := range fs {
			if i < cut {
				a = s.Update(a, &in, i)
			} else {
				b = s.Update(b, &in, i)
			}
		}
		got, err := results(t, aggs, s, s.Merge(a, b))
		if math.IsInf(want, 0) {
			if err == nil {
				rt.Fatalf("%v: the sum is out of range, got %s", fs, got[0])
			}
			return
		}
		if err != nil || got[0] != types.NewDouble(want+0).Text() {
			rt.Fatalf("%v: %s, %v; want %s", fs, got[0], err, types.NewDouble(want).Text())
		}
	})
}

func TestPermutationsOfCancellation(t *testing.T) {
	values := []float64{1e16, 1, -1e16}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		v := vector.New(types.TDouble, 3)
		for _, i := range order {
			v.AppendFloat(values[i])
		}
		if got, err := fold(t, aggregates(t, column(types.TDouble), "SUM"), v, all(3)); err != nil || got[0] != "1" {
			t.Errorf("%v: %v, %v", order, got, err)
		}
	}
}

func TestFilter(t *testing.T) {
	cols := map[string]*Column{"v": column(types.TVarchar)}
	filter := must(parse("v LIKE '1%'", cols))
	arg := must(parse("CAST(v AS BIGINT)", cols)) // fails where the filter is not true, and must not count
	a, err := NewAggregate(Aggregate{Func: "SUM", Arg: []Expr{arg}, Filter: filter})
	if err != nil {
		t.Fatal(err)
	}
	v := vector.FromValues(types.TVarchar, types.NewString("12"), types.NewString("x"), types.NewString("13"), types.Value{})
	ctx := &Ctx{}
	var in AggregateInputs
	in.Eval(ctx, []*Aggregate{a}, &vector.Batch{N: 4, Cols: []*vector.Vector{v}})
	if f := ctx.TakeFailed(); f != nil {
		t.Errorf("rows outside the filter failed: %v", f)
	}
	s := StatesOf([]*Aggregate{a}, Appends)
	state := s.Init(nil)
	for i := range 4 {
		state = s.Update(state, &in, i)
	}
	if got, err := results(t, []*Aggregate{a}, s, state); err != nil || got[0] != "25" {
		t.Errorf("%v, %v", got, err)
	}
	if a.String() != "SUM(CAST(v AS BIGINT)) FILTER (WHERE (v LIKE '1%'))" {
		t.Error(a)
	}
}

func BenchmarkStatesUpdate(b *testing.B) {
	for _, typ := range []types.Type{types.TBigInt, types.TDecimal(12, 2), types.TDouble} {
		b.Run(typ.String(), func(b *testing.B) {
			aggs := aggregates(b, column(typ), "COUNT(*)", "SUM", "MAX")
			s := StatesOf(aggs, Appends)
			v := vector.New(typ, 1024)
			for i := range 1024 {
				x, err := types.Cast(types.NewDouble(float64(i)*1.37), typ)
				if err != nil {
					b.Fatal(err)
				}
				v.Append(x)
			}
			var in AggregateInputs
			in.Eval(&Ctx{}, aggs, &vector.Batch{N: 1024, Cols: []*vector.Vector{v}})
			state := s.Init(nil)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				state = s.Update(state, &in, i&1023)
			}
		})
	}
}
