package expr

import (
	"slices"
	"strings"
	"sync"
)

// AggregateFunction describes one aggregate: a row of SHOW FUNCTIONS, and how calls of it are bound.
type AggregateFunction struct {
	Name      string
	Signature string
	Doc       string
	// Example is a call over four rows: n = 1, 2, 2, NULL and s = 'a', 'b', 'b', NULL, one millisecond after the other.
	Example string
	Result  string // its value as text

	min, max int // number of arguments; max < 0: any
	distinct distinctness
	ordered  bool // takes ORDER BY
	timed    bool // depends on event time and origin, unless DISTINCT
	bulky    bool // a state may be much larger than a row
	bind     func(a *Aggregate) error
}

// distinctness is what DISTINCT does to an aggregate.
type distinctness uint8

const (
	wrapped distinctness = iota // each value is folded in once
	without                     // nothing: the result is the same
	own                         // the aggregate sees to it itself
	refused
)

// AggregateFunctions is the list of all aggregates by name.
func AggregateFunctions() []AggregateFunction { return slices.Clone(aggregateFunctions()) }

var aggregateFunctions = sync.OnceValue(func() []AggregateFunction {
	all := slices.Concat(numberAggregates(), spreadAggregates(), bitAggregates(), rowAggregates(), listAggregates(), approximateAggregates())
	slices.SortFunc(all, func(a, b AggregateFunction) int { return strings.Compare(a.Name, b.Name) })
	return all
})

func lookupAggregate(name string) (*AggregateFunction, bool) {
	all := aggregateFunctions()
	i, ok := slices.BinarySearchFunc(all, name, func(f AggregateFunction, n string) int { return strings.Compare(f.Name, n) })
	if !ok {
		return nil, false
	}
	return &all[i], true
}

// AggregateNames are the names that are aggregates, in order.
func AggregateNames() []string {
	var names []string
	for _, f := range aggregateFunctions() {
		names = append(names, f.Name)
	}
	return names
}

// IsAggregate says whether an upper-case name is an aggregate.
func IsAggregate(name string) bool {
	_, ok := lookupAggregate(name)
	return ok
}

func numberAggregates() []AggregateFunction {
	return []AggregateFunction{
		{Name: "COUNT", Signature: "COUNT(*), COUNT(x), COUNT(DISTINCT x, …) -> BIGINT", Doc: "The number of rows; of rows in which x is not NULL; of different values without a NULL among them.",
			Example: "COUNT(DISTINCT n, s)", Result: "2", min: 0, max: -1, bind: bindCount},
		{Name: "SUM", Signature: "SUM([DISTINCT] x) -> DECIMAL(38,s) or DOUBLE", Doc: "The sum, exact and in any order of rows the same: of DOUBLE the exact sum, rounded once. NULL for no values.",
			Example: "SUM(n)", Result: "5", min: 1, max: 1, bind: bindSum},
		{Name: "AVG", Signature: "AVG([DISTINCT] x) -> DECIMAL(p,s+4) or DOUBLE", Doc: "The mean, from the exact sum. NULL for no values.",
			Example: "AVG(n)", Result: "1.6667", min: 1, max: 1, bind: bindSum},
		{Name: "MIN", Signature: "MIN(x)", Doc: "The least value. NULL for no values.",
			Example: "MIN(s)", Result: "a", min: 1, max: 1, distinct: without, bind: bindExtremeOf},
		{Name: "MAX", Signature: "MAX(x)", Doc: "The greatest value. NULL for no values.",
			Example: "MAX(n)", Result: "2", min: 1, max: 1, distinct: without, bind: bindExtremeOf},
	}
}

func spreadAggregates() []AggregateFunction {
	f := func(name, doc, result string) AggregateFunction {
		return AggregateFunction{Name: name, Signature: name + "([DISTINCT] x) -> DOUBLE", Doc: doc, Example: name + "(n)", Result: result, min: 1, max: 1, bind: bindSpread}
	}
	pop := "The standard deviation of all values: the root of VAR_POP. NULL for no values."
	variance := "The variance of all values, computed exactly and rounded once. NULL for no values."
	return []AggregateFunction{
		f("STDDEV_POP", pop, "0.4714045207910317"), f("STDDEV", "Same as STDDEV_POP. "+pop, "0.4714045207910317"), f("STD", "Same as STDDEV_POP. "+pop, "0.4714045207910317"),
		f("STDDEV_SAMP", "The standard deviation estimated from a sample: the root of VAR_SAMP. NULL for fewer than two values.", "0.5773502691896257"),
		f("VAR_POP", variance, "0.2222222222222222"), f("VARIANCE", "Same as VAR_POP. "+variance, "0.2222222222222222"),
		f("VAR_SAMP", "The variance estimated from a sample: divided by one less than the number of values. NULL for fewer than two values.", "0.3333333333333333"),
	}
}

func bitAggregates() []AggregateFunction {
	f := func(name, doc, result string, d distinctness) AggregateFunction {
		return AggregateFunction{Name: name, Signature: name + "(x) -> BIGINT UNSIGNED", Doc: doc, Example: name + "(n)", Result: result, min: 1, max: 1, distinct: d, bind: bindBits}
	}
	return []AggregateFunction{
		f("BIT_AND", "The bits that all values have. All 64 for no values.", "0", without),
		f("BIT_OR", "The bits that one of the values has. 0 for no values.", "3", without),
		f("BIT_XOR", "The bits that an odd number of values have. 0 for no values.", "1", wrapped),
	}
}

func rowAggregates() []AggregateFunction {
	return []AggregateFunction{
		{Name: "FIRST", Signature: "FIRST(x)", Doc: "The first value by event time that is not NULL; of one instant the first by topic, partition and offset.",
			Example: "FIRST(s)", Result: "a", min: 1, max: 1, distinct: refused, timed: true, bind: bindEdge},
		{Name: "LAST", Signature: "LAST(x)", Doc: "The last value by event time that is not NULL; of one instant the last by topic, partition and offset.",
			Example: "LAST(s)", Result: "b", min: 1, max: 1, distinct: refused, timed: true, bind: bindEdge},
		{Name: "ANY_VALUE", Signature: "ANY_VALUE(x)", Doc: "The value of the last row by event time, NULL too: for columns that have one value in each group.",
			Example: "ANY_VALUE(s)", Result: "NULL", min: 1, max: 1, distinct: refused, timed: true, bind: bindEdge},
		{Name: "MIN_BY", Signature: "MIN_BY(x, y)", Doc: "x of the row with the least y; of several the first by event time. NULL when every y is.",
			Example: "MIN_BY(s, n)", Result: "a", min: 2, max: 2, distinct: refused, timed: true, bind: bindEdge},
		{Name: "MAX_BY", Signature: "MAX_BY(x, y)", Doc: "x of the row with the greatest y; of several the last by event time. NULL when every y is.",
			Example: "MAX_BY(s, n)", Result: "b", min: 2, max: 2, distinct: refused, timed: true, bind: bindEdge},
	}
}

func listAggregates() []AggregateFunction {
	array := func(name, result, doc string) AggregateFunction {
		return AggregateFunction{Name: name, Signature: name + "([DISTINCT] x [ORDER BY y [DESC], …])", Doc: doc,
			Example: name + "(s)", Result: result, min: 1, max: 1, distinct: own, ordered: true, timed: true, bind: bindArray}
	}
	order := " In order of event time, unless ORDER BY or DISTINCT (then by value) says otherwise. NULL for no rows."
	return []AggregateFunction{
		array("JSON_ARRAYAGG", `["a","b","b",null]`, "All values as a JSON array, NULL too."+order),
		array("ARRAY_AGG", `["a","b","b",null]`, "All values as an ARRAY, NULL too."+order),
		array("COLLECT_LIST", `["a","b","b",null]`, "Same as ARRAY_AGG."+order),
		array("COLLECT_SET", `[null,"a","b"]`, "The different values as an ARRAY, NULL too, in order of value. NULL for no rows."),
		{Name: "GROUP_CONCAT", Signature: "GROUP_CONCAT([DISTINCT] x, … [ORDER BY y [DESC], …] [SEPARATOR 's']) -> VARCHAR",
			Doc:     "The values as one text with a comma, or SEPARATOR, between them; several arguments are put together first, a row with a NULL does not count. In order of event time, unless ORDER BY or DISTINCT (then by value) says otherwise. NULL for no values.",
			Example: "GROUP_CONCAT(DISTINCT s ORDER BY s DESC SEPARATOR '; ')", Result: "b; a", min: 1, max: -1, distinct: own, ordered: true, timed: true, bind: bindConcat},
		{Name: "JSON_OBJECTAGG", Signature: "JSON_OBJECTAGG(name, value) -> JSON", Doc: "Names and values as a JSON object, in order of the names; of equal names the last value by event time. NULL for no rows; a NULL name is an error.",
			Example: "JSON_OBJECTAGG(COALESCE(s, '-'), n)", Result: `{"-":null,"a":1,"b":2}`, min: 2, max: 2, distinct: refused, timed: true, bind: bindObject},
		{Name: "TOPK", Signature: "TOPK([DISTINCT] x, k) -> ARRAY", Doc: "The k greatest values (at most 1000), greatest first. NULL for no values.",
			Example: "TOPK(n, 2)", Result: "[2,2]", min: 2, max: 2, distinct: own, bulky: true, bind: bindTop},
	}
}

func approximateAggregates() []AggregateFunction {
	return []AggregateFunction{
		{Name: "APPROX_COUNT_DISTINCT", Signature: "APPROX_COUNT_DISTINCT(x, …) -> BIGINT", Doc: "About how many different values there are: a HyperLogLog of at most 4 KB, standard error 1.6 %.",
			Example: "APPROX_COUNT_DISTINCT(s)", Result: "2", min: 1, max: -1, distinct: without, bulky: true, bind: bindApproxCount},
		{Name: "APPROX_PERCENTILE", Signature: "APPROX_PERCENTILE([DISTINCT] x, p) -> DOUBLE", Doc: "The value that a share p (0 to 1) of the values does not exceed, at most 0.8 % too small in size, integers up to 256 exactly: a sketch of buckets. NULL for no values.",
			Example: "APPROX_PERCENTILE(n, 0.5)", Result: "2", min: 2, max: 2, bulky: true, bind: bindPercentile},
	}
}
