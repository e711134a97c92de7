package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

// Aggregate is a bound aggregate call. Make one with NewAggregate.
type Aggregate struct {
	Func     string // upper-case
	Arg      []Expr // none for COUNT(*)
	Distinct bool
	OrderBy  []AggregateOrder // GROUP_CONCAT(x ORDER BY y): for those that list values
	// Separator stands between the values of GROUP_CONCAT; nil: a comma.
	Separator *string
	Filter    Expr // a condition, or nil: only rows where it is TRUE count
	typ       types.Type
	over      [2]form // by Input
}

// AggregateOrder is one expression of ORDER BY within an aggregate. NULL comes first, with Desc last.
type AggregateOrder struct {
	Expr Expr
	Desc bool
}

// Input says what the rows are that an aggregate is computed over.
type Input uint8

// The inputs.
const (
	Appends Input = iota // rows that stay
	Deltas               // rows, and removals of rows that were there
)

// form is what computes an aggregate over one kind of input: one of the two.
type form struct {
	acc  Accumulator // the state is all there is
	keep Keeper      // it keeps entries of a Set as well
}

// UnsupportedError is a part of the language that the engine knows and does not do.
type UnsupportedError struct {
	Feature string // as the user wrote it: ROW_NUMBER() OVER (…)
	Hint    string // what to do instead; may be empty
}

func (e *UnsupportedError) Error() string {
	s := e.Feature + " is not supported"
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// NewAggregate binds Func, Arg, Distinct, OrderBy, Separator and Filter of a. COUNT without arguments is COUNT(*). Result
// types are those of the MySQL manual ("Aggregate Function Descriptions"), see AggregateFunctions. Errors: an unknown name,
// the number and types of the arguments, what does not belong to the function.
func NewAggregate(a Aggregate) (*Aggregate, error) {
	f, ok := lookupAggregate(a.Func)
	if !ok {
		return nil, unknownFunction(a.Func)
	}
	return f.aggregate(a)
}

// aggregate binds a call of f.
func (f *AggregateFunction) aggregate(a Aggregate) (*Aggregate, error) {
	if n := len(a.Arg); n < f.min || f.max >= 0 && n > f.max {
		return nil, fmt.Errorf("%s takes %s, not %d; use %s", f.Name, counted(f.min, f.max), n, f.Signature)
	}
	if a.Filter != nil {
		cond, err := truth(a.Filter)
		if err != nil {
			return nil, fmt.Errorf("FILTER: %w", err)
		}
		a.Filter = cond
	}
	switch {
	case a.Distinct && f.distinct == refused:
		return nil, fmt.Errorf("%s(DISTINCT …) has no meaning: it takes one of the rows; leave DISTINCT out", f.Name)
	case a.Distinct && len(a.Arg) == 0:
		return nil, fmt.Errorf("%s(DISTINCT …) needs an argument; use %s", f.Name, f.Signature)
	case len(a.OrderBy) > 0 && !f.ordered:
		return nil, fmt.Errorf("%s does not depend on the order of rows; leave ORDER BY out", f.Name)
	case a.Separator != nil && f.Name != "GROUP_CONCAT":
		return nil, fmt.Errorf("SEPARATOR belongs to GROUP_CONCAT, not to %s", f.Name)
	}
	a.Distinct = a.Distinct && f.distinct != without
	a.Arg = slices.Clone(a.Arg)
	for i, x := range a.Arg {
		if isNull(x) {
			a.Arg[i] = NullOf(types.TBigInt)
		}
	}
	if err := f.bind(&a); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Func, err)
	}
	if a.Distinct && f.distinct == wrapped {
		return &a, a.wrapDistinct()
	}
	return &a, nil
}

// folds makes acc compute a; keep does where rows are removed and acc cannot take a row back (nil: it can).
func (a *Aggregate) folds(t types.Type, acc Accumulator, keep Keeper) {
	a.typ = t
	a.over[Appends] = form{acc: acc}
	a.over[Deltas] = form{acc: acc}
	if keep != nil {
		a.over[Deltas] = form{keep: keep}
	}
}

// keeps makes the keepers compute a over rows that stay and over rows that are removed.
func (a *Aggregate) keeps(t types.Type, appends Keeper, deltas Remover) {
	a.typ = t
	a.over = [2]form{Appends: {keep: appends}, Deltas: {keep: deltas}}
}

var errNested = errors.New("has no order; extract a scalar with ->> and CAST it")

// scalar refuses a value that has no order.
func scalar(x Expr) error {
	if t := x.Type(); t.Nested() {
		return fmt.Errorf("%s is %s, which %w", x, t, errNested)
	}
	return nil
}

// Type is the type of the result.
func (a *Aggregate) Type() types.Type { return a.typ }

// Keeps says whether the aggregate keeps entries of a Set over such an input.
func (a *Aggregate) Keeps(in Input) bool { return a.over[in].keep != nil }

// OrdersRows says whether the result depends on the event times and origins of rows.
func (a *Aggregate) OrdersRows() bool {
	f, ok := lookupAggregate(a.Func)
	return ok && f.timed && !a.Distinct
}

// Compact says whether the state is at most a few dozen bytes beside the values themselves, so that it may travel in place
// of rows; Merge puts such states together.
func (a *Aggregate) Compact() bool {
	if a.Keeps(Appends) {
		return false
	}
	f, ok := lookupAggregate(a.Func)
	return ok && !f.bulky
}

// WithInputs is a copy with other arguments, order and filter of the same types, as Inputs gives them.
func (a *Aggregate) WithInputs(in []Expr) *Aggregate {
	c := *a
	n := len(a.Arg)
	c.Arg = in[:n:n]
	c.OrderBy = slices.Clone(a.OrderBy)
	for i := range c.OrderBy {
		c.OrderBy[i].Expr = in[n+i]
	}
	if a.Filter != nil {
		c.Filter = in[n+len(a.OrderBy)]
	}
	return &c
}

// Inputs are the arguments, the expressions of ORDER BY, then the filter when there is one.
func (a *Aggregate) Inputs() []Expr {
	in := a.values()
	if a.Filter != nil {
		in = append(in, a.Filter)
	}
	return in
}

// values are the expressions that are evaluated per row: the arguments, then those of ORDER BY.
func (a *Aggregate) values() []Expr {
	in := slices.Clone(a.Arg)
	for _, o := range a.OrderBy {
		in = append(in, o.Expr)
	}
	return in
}

// String is canonical, as Expr.String.
func (a *Aggregate) String() string {
	var b strings.Builder
	b.WriteString(a.Func + "(")
	if a.Distinct {
		b.WriteString("DISTINCT ")
	}
	if len(a.Arg) == 0 {
		b.WriteString("*")
	}
	b.WriteString(joinText(a.Arg))
	for i, o := range a.OrderBy {
		if i == 0 {
			b.WriteString(" ORDER BY ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(o.Expr.String())
		if o.Desc {
			b.WriteString(" DESC")
		}
	}
	if a.Separator != nil {
		b.WriteString(" SEPARATOR " + types.NewString(*a.Separator).Literal())
	}
	b.WriteByte(')')
	if a.Filter != nil {
		fmt.Fprintf(&b, " FILTER (WHERE %s)", a.Filter)
	}
	return b.String()
}
