package oracle

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// folded is what of a row an aggregate sees.
type folded struct {
	args, order []types.Value
	row         Row
}

// arg is the n-th argument; COUNT(*) has none, and counts what is never NULL.
func (f folded) arg(n int) types.Value {
	if n >= len(f.args) {
		return types.NewInt(1)
	}
	return f.args[n]
}

// fold computes one aggregate over all rows of a group at once, by its definition in the MySQL manual and in docs/sql.md.
func (e *evaluation) fold(a *expr.Aggregate, cols []types.Column, rows []Row) (types.Value, error) {
	var all []folded
	for _, r := range rows {
		if a.Filter != nil {
			if v, ok := e.value(a.Filter, cols, r); !ok || !v.Bool() {
				continue
			}
		}
		f := folded{row: r}
		for _, x := range a.Arg {
			v, _ := e.value(x, cols, r)
			f.args = append(f.args, v)
		}
		for _, o := range a.OrderBy {
			v, _ := e.value(o.Expr, cols, r)
			f.order = append(f.order, v)
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, byTime)
	switch a.Func {
	case "ARRAY_AGG", "JSON_ARRAYAGG", "COLLECT_LIST", "COLLECT_SET", "GROUP_CONCAT", "JSON_OBJECTAGG", "TOPK":
		return list(a, all)
	case "ANY_VALUE":
		if len(all) == 0 {
			return types.Value{}, nil
		}
		return all[len(all)-1].arg(0), nil
	case "MIN_BY", "MAX_BY":
		return edgeBy(a.Func, all), nil
	}
	return number(a, values(a, all))
}

// byTime is the order of rows: event time, origin, and of what is equal in both the values.
func byTime(x, y folded) int {
	switch {
	case x.row.TS != y.row.TS:
		return compare(x.row.TS, y.row.TS)
	case x.row.origin.Compare(y.row.origin) != 0:
		return x.row.origin.Compare(y.row.origin)
	}
	return slices.CompareFunc(x.args, y.args, types.Compare)
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// values are the first arguments of rows without NULL, in order; with DISTINCT each once.
func values(a *expr.Aggregate, all []folded) []types.Value {
	var vs []types.Value
	seen := map[string]bool{}
	for _, f := range all {
		if slices.ContainsFunc(f.args, types.Value.IsNull) {
			continue
		}
		id := identity(f.args)
		if a.Distinct && seen[id] {
			continue
		}
		seen[id] = true
		vs = append(vs, f.arg(0))
	}
	if a.Func == "APPROX_COUNT_DISTINCT" {
		return vs[:min(len(seen), len(vs))] // few values are counted exactly
	}
	return vs
}

// edgeBy is the first argument of the row with the least or greatest second one.
func edgeBy(fn string, all []folded) types.Value {
	var best *folded
	for i := range all {
		f := &all[i]
		if f.arg(1).IsNull() {
			continue
		}
		if best == nil {
			best = f
			continue
		}
		if c := types.Compare(f.arg(1), best.arg(1)); fn == "MIN_BY" && c < 0 || fn == "MAX_BY" && c >= 0 {
			best = f
		}
	}
	if best == nil {
		return types.Value{}
	}
	return best.arg(0)
}

func number(a *expr.Aggregate, vs []types.Value) (types.Value, error) {
	switch a.Func {
	case "COUNT", "APPROX_COUNT_DISTINCT":
		return types.NewInt(int64(len(vs))), nil
	case "BIT_AND", "BIT_OR", "BIT_XOR":
		return bitwise(a.Func, vs), nil
	}
	if len(vs) == 0 {
		return types.Value{}, nil
	}
	switch a.Func {
	case "MIN", "MAX":
		best := vs[0]
		for _, v := range vs {
			if c := types.Compare(v, best); a.Func == "MIN" && c < 0 || a.Func == "MAX" && c > 0 {
				best = v
			}
		}
		return best, nil
	case "FIRST":
		return vs[0], nil
	case "LAST":
		return vs[len(vs)-1], nil
	case "SUM", "AVG":
		return total(a, vs)
	case "APPROX_PERCENTILE":
		return percentile(a, vs)
	case "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP":
		return spread(a.Func, vs)
	}
	return types.Value{}, fmt.Errorf("the oracle does not know %s", a.Func)
}

func bitwise(fn string, vs []types.Value) types.Value {
	var x uint64
	if fn == "BIT_AND" {
		x = ^x
	}
	for _, v := range vs {
		switch fn {
		case "BIT_AND":
			x &= uint64(v.I)
		case "BIT_OR":
			x |= uint64(v.I)
		default:
			x ^= uint64(v.I)
		}
	}
	return types.NewUint(x)
}

// percentile is exact: integers up to 256 are.
func percentile(a *expr.Aggregate, vs []types.Value) (types.Value, error) {
	p, ok := new(big.Rat).SetString(a.Arg[1].String())
	if !ok {
		return types.Value{}, fmt.Errorf("the oracle cannot read %s", a.Arg[1])
	}
	slices.SortFunc(vs, types.Compare)
	at := 0
	for at+1 < len(vs) && big.NewRat(int64(at+1), int64(len(vs))).Cmp(p) < 0 {
		at++
	}
	return types.NewDouble(vs[at].Float()), nil
}

func rat(v types.Value) (*big.Rat, error) {
	x := new(big.Rat)
	if v.Kind == types.Double {
		if x.SetFloat64(v.F) == nil {
			return nil, fmt.Errorf("the oracle does not add %v", v.F)
		}
	} else if _, ok := x.SetString(v.Text()); !ok {
		return nil, fmt.Errorf("the oracle cannot read %s", v.Text())
	}
	return x, nil
}

// spread adds the squares of the distances from the mean.
func spread(fn string, vs []types.Value) (types.Value, error) {
	by := len(vs)
	if fn == "STDDEV_SAMP" || fn == "VAR_SAMP" {
		by--
	}
	if by == 0 {
		return types.Value{}, nil
	}
	mean, squares := new(big.Rat), new(big.Rat)
	for _, v := range vs {
		x, err := rat(v)
		if err != nil {
			return types.Value{}, err
		}
		mean.Add(mean, x)
	}
	mean.Quo(mean, big.NewRat(int64(len(vs)), 1))
	for _, v := range vs {
		x, _ := rat(v)
		x.Sub(x, mean)
		squares.Add(squares, x.Mul(x, x))
	}
	squares.Quo(squares, big.NewRat(int64(by), 1))
	if fn[:3] != "STD" {
		f, _ := squares.Float64()
		return types.NewDouble(f), nil
	}
	root := new(big.Float).SetPrec(200).SetRat(squares)
	f, _ := root.Sqrt(root).Float64()
	return types.NewDouble(f), nil
}

// total adds exactly, as rationals, and rounds once.
func total(a *expr.Aggregate, vs []types.Value) (types.Value, error) {
	sum := new(big.Rat)
	for _, v := range vs {
		x, err := rat(v)
		if err != nil {
			return types.Value{}, err
		}
		sum.Add(sum, x)
	}
	double := a.Type().Kind == types.Double
	if a.Func == "AVG" && double {
		// The sum is rounded to a double, then the quotient.
		f, _ := sum.Float64()
		return types.NewDouble(f / float64(len(vs))), nil
	}
	if a.Func == "AVG" {
		sum.Quo(sum, big.NewRat(int64(len(vs)), 1))
	}
	if double {
		f, _ := sum.Float64()
		return types.NewDouble(f), nil
	}
	d, err := types.ParseDecimal(sum.FloatString(int(a.Type().Scale)), a.Type().Precision, a.Type().Scale)
	return types.NewDecimal(d, a.Type().Scale), err
}
