package expr

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Function describes one scalar function: a row of SHOW FUNCTIONS, and how calls of it are bound.
type Function struct {
	Name      string
	Family    string // string, regexp, number, date, json, array, digest, network, condition
	Min, Max  int    // number of arguments; Max < 0: any
	Signature string
	Doc       string
	Example   string // an expression of constants
	Result    string // its value as text
	// Deterministic is false for what depends on more than the arguments: the clock, a random number.
	Deterministic bool

	lambda bool     // takes lambdas
	random bool     // gives another value each time; Deterministic is false too
	table  *goTable // makes rows, not a value
	bind   func(f *Function, args []Expr) (Expr, error)
}

// Functions is the list of all scalar functions by name.
func Functions() []Function { return slices.Clone(functions()) }

var functions = sync.OnceValue(func() []Function {
	all := slices.Concat(stringFunctions(), textFunctions(), digestFunctions(), numberFunctions(), clockFunctions(), dateFunctions(),
		dateFormatFunctions(), jsonFunctions(), jsonBuildFunctions(), conditionFunctions(),
		jsonModifyFunctions(), jsonMergeFunctions(), jsonTestFunctions(), uuidFunctions(), networkFunctions(), zoneFunctions(), calendarFunctions(), timeFunctions(),
		pieceFunctions(), codeFunctions(), baseFunctions(), trigonometryFunctions(), regexpFunctions(), nestedFunctions(), arrayFunctions(), mapFunctions(), lambdaFunctions())
	slices.SortFunc(all, func(a, b Function) int { return strings.Compare(a.Name, b.Name) })
	return all
})

// Lookup finds a function by its upper-case name.
func Lookup(name string) (*Function, bool) {
	all := functions()
	i, ok := slices.BinarySearchFunc(all, name, func(f Function, n string) int { return strings.Compare(f.Name, n) })
	if !ok {
		return nil, false
	}
	return &all[i], true
}

// NewCall is name(args). Errors: an unknown name (with the nearest known one), the number of arguments, their types.
func NewCall(name string, args []Expr) (Expr, error) {
	f, ok := Lookup(strings.ToUpper(name))
	if !ok {
		return nil, unknownFunction(name)
	}
	return f.call(args)
}

// call is f(args).
func (f *Function) call(args []Expr) (Expr, error) {
	if len(args) < f.Min || f.Max >= 0 && len(args) > f.Max {
		return nil, fmt.Errorf("%s takes %s, not %d; use %s", f.Name, counted(f.Min, f.Max), len(args), f.Signature)
	}
	if err := refuseForms(f, args); err != nil {
		return nil, err
	}
	e, err := f.bind(f, args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return e, nil
}

// refuseForms refuses an INTERVAL or a lambda where the function takes none: they are no values.
func refuseForms(f *Function, args []Expr) error {
	for _, a := range args {
		what := ""
		switch a.(type) {
		case *Interval:
			if !strings.Contains(f.Signature, "INTERVAL") {
				what = "an INTERVAL"
			}
		case *Lambda:
			if !f.lambda {
				what = "a lambda"
			}
		}
		if what != "" {
			return fmt.Errorf("%s does not take %s; use %s", f.Name, what, f.Signature)
		}
	}
	return nil
}

func counted(lo, hi int) string {
	plural := "s"
	if lo == 1 && hi <= 1 {
		plural = ""
	}
	switch {
	case hi < 0:
		return fmt.Sprintf("at least %d argument%s", lo, plural)
	case lo == hi:
		return fmt.Sprintf("%d argument%s", lo, plural)
	}
	return fmt.Sprintf("%d to %d arguments", lo, hi)
}

// UnknownFunctionError is a call of a function that does not exist.
type UnknownFunctionError struct {
	Name, Suggestion string
}

func (e *UnknownFunctionError) Error() string {
	s := "there is no function " + e.Name
	if e.Suggestion != "" {
		s += "; did you mean " + e.Suggestion + "?"
	}
	return s + " (SHOW FUNCTIONS lists them)"
}

func unknownFunction(name string) error {
	var known []string
	for _, f := range Functions() {
		known = append(known, f.Name)
	}
	known = append(known, AggregateNames()...)
	name = strings.ToUpper(name)
	return &UnknownFunctionError{Name: name, Suggestion: spell.Closest(name, known)}
}

// synonym is f under another name.
func synonym(f Function, name string) Function {
	f.Signature = strings.Replace(f.Signature, f.Name, name, 1)
	f.Example = strings.Replace(f.Example, f.Name, name, 1)
	f.Doc = "Same as " + f.Name + ". " + f.Doc
	f.Name = name
	return f
}

func conditionFunctions() []Function {
	node := func(build func([]Expr) (Expr, error)) func(*Function, []Expr) (Expr, error) {
		return func(_ *Function, args []Expr) (Expr, error) { return build(args) }
	}
	coalesce := Function{Name: "COALESCE", Min: 1, Max: -1, Signature: "COALESCE(x, …)", Doc: "The first argument that is not NULL.",
		Example: "COALESCE(NULL, 'b', 'c')", Result: "b", bind: node(newCoalesce)}
	ifnull := Function{Name: "IFNULL", Min: 2, Max: 2, Signature: "IFNULL(x, y)", Doc: "x, or y when x is NULL.",
		Example: "IFNULL(NULL, 1)", Result: "1", bind: node(newCoalesce)}
	list := []Function{
		coalesce, ifnull,
		{Name: "IF", Min: 3, Max: 3, Signature: "IF(condition, x, y)", Doc: "x when the condition is true, else y.",
			Example: "IF(1 > 2, 'yes', 'no')", Result: "no", bind: node(newIf)},
		{Name: "NULLIF", Min: 2, Max: 2, Signature: "NULLIF(x, y)", Doc: "NULL when x = y, else x.",
			Example: "NULLIF('a', 'a')", Result: "NULL", bind: node(newNullIf)},
		{Name: "GREATEST", Min: 2, Max: -1, Signature: "GREATEST(x, y, …)", Doc: "The largest argument; NULL when one is NULL.",
			Example: "GREATEST(1, 3, 2)", Result: "3", bind: bindExtreme},
		{Name: "LEAST", Min: 2, Max: -1, Signature: "LEAST(x, y, …)", Doc: "The smallest argument; NULL when one is NULL.",
			Example: "LEAST('b', 'a')", Result: "a", bind: bindExtreme},
	}
	for i := range list {
		list[i].Family, list[i].Deterministic = "condition", true
	}
	return list
}

// bindExtreme brings the arguments to the type they compare in.
func bindExtreme(f *Function, args []Expr) (Expr, error) {
	for _, a := range args[1:] {
		if _, err := compareType(args[0].Type(), a.Type()); err != nil {
			return nil, err
		}
	}
	args, t, err := toCommon(args)
	if err != nil {
		return nil, err
	}
	if t.Kind == types.Null {
		return NullOf(t), nil
	}
	want := 1
	if f.Name == "LEAST" {
		want = -1
	}
	return &call{fn: f, args: args, typ: t, kernel: func(r *row) error {
		best := 0
		for k := 1; k < len(r.args); k++ {
			if compareRows(t, r.args[k].v, r.at(k), r.args[best].v, r.at(best)) == want {
				best = k
			}
		}
		r.out.AppendFrom(r.args[best].v, r.at(best))
		return nil
	}}, nil
}
