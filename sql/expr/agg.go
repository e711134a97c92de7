package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Aggregate is a bound aggregate call. Make one with NewAggregate.
type Aggregate struct {
	Func     string // upper-case
	Arg      []Expr // none for COUNT(*)
	Distinct bool
	Filter   Expr // a condition, or nil: only rows where it is TRUE count
	typ      types.Type
	acc      Accumulator
}

// Accumulator folds rows into a state of bytes, which can be stored as it is. It is immutable and safe for concurrent use.
type Accumulator interface {
	// Size is the length of every state in bytes; 0 when it varies.
	Size() int
	// Init appends the state of no rows.
	Init(dst []byte) []byte
	// Update folds one row of the argument vectors into a state: in place when the length allows, else the grown state
	// is returned.
	Update(state []byte, args []*vector.Vector, row int) []byte
	// Result appends the value of a state to a vector of the aggregate's type. On an error (the sum does not fit) NULL
	// was appended.
	Result(state []byte, out *vector.Vector) error
	// Merge folds state b into state a and returns a, as Update does.
	Merge(a, b []byte) []byte
}

// UnsupportedError is a part of the language that the engine knows and does not do.
type UnsupportedError struct {
	Feature string // as the user wrote it: COUNT(DISTINCT …)
	Hint    string // what to do instead; may be empty
}

func (e *UnsupportedError) Error() string {
	s := e.Feature + " is not supported"
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

var aggregateNames = []string{
	"ANY_VALUE", "APPROX_COUNT_DISTINCT", "APPROX_PERCENTILE", "ARRAY_AGG", "AVG", "BIT_AND", "BIT_OR", "BIT_XOR",
	"COLLECT_LIST", "COLLECT_SET", "COUNT", "FIRST", "GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "LAST", "MAX",
	"MAX_BY", "MIN", "MIN_BY", "STD", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "SUM", "TOPK", "VARIANCE", "VAR_POP", "VAR_SAMP",
}

// AggregateNames are the names that are aggregates, supported or not, in order.
func AggregateNames() []string { return slices.Clone(aggregateNames) }

// IsAggregate says whether an upper-case name is an aggregate, supported or not.
func IsAggregate(name string) bool {
	_, ok := slices.BinarySearch(aggregateNames, name)
	return ok
}

// NewAggregate binds Func, Arg, Distinct and Filter of a. COUNT without arguments is COUNT(*). Result types (MySQL manual,
// "Aggregate Function Descriptions"): COUNT BIGINT; SUM of exact numbers DECIMAL(38, s), AVG of them DECIMAL with s+4;
// SUM and AVG of DOUBLE DOUBLE; MIN and MAX the type of the argument. Errors: *UnsupportedError, the argument's type.
func NewAggregate(a Aggregate) (*Aggregate, error) {
	if a.Distinct && a.Func != "MIN" && a.Func != "MAX" {
		return nil, &UnsupportedError{a.Func + "(DISTINCT …)", "aggregate over a sub-query with SELECT DISTINCT"}
	}
	a.Distinct = false // MIN and MAX are the same with and without
	if a.Filter != nil {
		f, err := truth(a.Filter)
		if err != nil {
			return nil, fmt.Errorf("FILTER: %w", err)
		}
		a.Filter = f
	}
	if !IsAggregate(a.Func) {
		return nil, unknownFunction(a.Func)
	}
	if len(a.Arg) > 1 || len(a.Arg) == 0 && a.Func != "COUNT" {
		if _, ok := map[string]bool{"COUNT": true, "SUM": true, "AVG": true, "MIN": true, "MAX": true}[a.Func]; ok {
			return nil, fmt.Errorf("%s takes 1 argument, not %d", a.Func, len(a.Arg))
		}
	}
	a.Arg = slices.Clone(a.Arg)
	var err error
	switch a.Func {
	case "COUNT":
		a.typ, a.acc = types.TBigInt, countAccumulator{}
	case "SUM", "AVG":
		err = a.bindSum()
	case "MIN", "MAX":
		err = a.bindExtreme()
	default:
		return nil, &UnsupportedError{Feature: a.Func}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Func, err)
	}
	return &a, nil
}

func (a *Aggregate) bindSum() error {
	x, err := asNumber(a.Arg[0])
	if err != nil {
		return err
	}
	if isNull(x) {
		x = NullOf(types.TBigInt)
	}
	a.Arg[0] = x
	t := x.Type()
	avg := a.Func == "AVG"
	if t.Kind == types.Double {
		a.typ, a.acc = types.TDouble, floatSum{avg}
		return nil
	}
	p, s := typeDigits(t)
	a.typ = types.TDecimal(types.MaxDecimalDigits, s)
	if avg {
		scale := max(s, min(s+divScale, maxScale))
		a.typ = types.TDecimal(p-s+scale, scale)
	}
	a.acc = &exactSum{t, a.typ, avg, a.String()}
	return nil
}

func (a *Aggregate) bindExtreme() error {
	x := a.Arg[0]
	if isNull(x) {
		x = NullOf(types.TBigInt)
		a.Arg[0] = x
	}
	t := x.Type()
	if t.Nested() {
		return fmt.Errorf("%s is %s, which has no order; extract a scalar with ->> and CAST it", x, t)
	}
	want := -1
	if a.Func == "MAX" {
		want = 1
	}
	a.typ, a.acc = t, &extreme{t, want}
	return nil
}

// Type is the type of the result.
func (a *Aggregate) Type() types.Type { return a.typ }

// Accumulator computes the aggregate, the filter apart.
func (a *Aggregate) Accumulator() Accumulator { return a.acc }

// WithInputs is a copy with other arguments and filter of the same types, as Inputs gives them.
func (a *Aggregate) WithInputs(in []Expr) *Aggregate {
	c := *a
	c.Arg = in[:len(a.Arg):len(a.Arg)]
	if a.Filter != nil {
		c.Filter = in[len(a.Arg)]
	}
	return &c
}

// Inputs are the arguments, then the filter when there is one.
func (a *Aggregate) Inputs() []Expr {
	in := slices.Clone(a.Arg)
	if a.Filter != nil {
		in = append(in, a.Filter)
	}
	return in
}

// String is canonical, as Expr.String.
func (a *Aggregate) String() string {
	var b strings.Builder
	b.WriteString(a.Func)
	if len(a.Arg) == 0 {
		b.WriteString("(*)")
	} else {
		b.WriteString("(" + joinText(a.Arg) + ")")
	}
	if a.Filter != nil {
		fmt.Fprintf(&b, " FILTER (WHERE %s)", a.Filter)
	}
	return b.String()
}
