package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/streamsql-go/streamsql/sql/spell"
)

// Library is the functions that a program has beside those of the language. It is safe for concurrent use; a nil Library has none.
type Library struct {
	mu sync.RWMutex

	scalars    map[string]*Function
	aggregates map[string]*AggregateFunction
	tables     map[string]*Function
}

// free says why a name cannot be given to a new function.
func (l *Library) free(name string) error {
	if _, ok := Lookup(name); ok || IsAggregate(name) || slices.Contains(reserved, name) {
		return fmt.Errorf("%s is a function of the language: choose another name", name)
	}
	if l.scalars[name] != nil || l.aggregates[name] != nil || l.tables[name] != nil {
		return fmt.Errorf("%s is registered already", name)
	}
	return nil
}

// reserved are functions that are not in the lists: they are bound where they stand.
var reserved = []string{"HEADER", "ROWTIME", "ROW_NUMBER", "RANK", "DENSE_RANK", "LAG", "LEAD", "FIRST_VALUE", "LAST_VALUE", "UNNEST"}

func (l *Library) scalar(name string) *Function {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.scalars[name]
}

func (l *Library) aggregate(name string) *AggregateFunction {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.aggregates[name]
}

func (l *Library) table(name string) *Function {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.tables[name]
}

// IsAggregate says whether an upper-case name is an aggregate, of the language or of the program.
func (l *Library) IsAggregate(name string) bool { return IsAggregate(name) || l.aggregate(name) != nil }

// NewCall is the call of a function, of the language or of the program.
func (l *Library) NewCall(name string, args []Expr) (Expr, error) {
	if f := l.scalar(strings.ToUpper(name)); f != nil {
		return f.call(args)
	}
	out, err := NewCall(name, args)
	if u, ok := err.(*UnknownFunctionError); ok { //nolint:errorlint // NewCall wraps nothing
		if f := l.table(strings.ToUpper(name)); f != nil {
			return nil, fmt.Errorf("%s makes rows, not a value: FROM s CROSS JOIN %s AS t", f.Name, f.Signature[:strings.Index(f.Signature, " ->")])
		}
		return nil, l.suggest(u)
	}
	return out, err
}

// NewTableCall is the call of a table function, which IsTable names: what Unnest opens.
func (l *Library) NewTableCall(name string, args []Expr) (Expr, error) {
	f := l.table(strings.ToUpper(name))
	if f == nil {
		return nil, unknownFunction(name)
	}
	return f.call(args)
}

// IsTable says whether a name is a table function.
func (l *Library) IsTable(name string) bool { return l.table(strings.ToUpper(name)) != nil }

// IsScalar says whether a name is a scalar function, of the language or of the program.
func (l *Library) IsScalar(name string) bool {
	name = strings.ToUpper(name)
	_, ok := Lookup(name)
	return ok || l.scalar(name) != nil
}

// Tables are the names of the table functions.
func (l *Library) Tables() []string {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Sorted(maps.Keys(l.tables))
}

// suggest adds the program's functions to those that a misspelt name may have meant.
func (l *Library) suggest(u *UnknownFunctionError) error {
	if l == nil || u.Suggestion != "" {
		return u
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	known := slices.Concat(slices.Collect(maps.Keys(l.scalars)), slices.Collect(maps.Keys(l.aggregates)))
	slices.Sort(known)
	return &UnknownFunctionError{Name: u.Name, Suggestion: spell.Closest(u.Name, known)}
}

// NewAggregate is NewAggregate for aggregates of the language and of the program.
func (l *Library) NewAggregate(a Aggregate) (*Aggregate, error) {
	if f := l.aggregate(a.Func); f != nil {
		return f.aggregate(a)
	}
	return NewAggregate(a)
}

// Functions are the program's scalar functions by name, then its table functions.
func (l *Library) Functions() []Function {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []Function
	for _, of := range []map[string]*Function{l.scalars, l.tables} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			out = append(out, *of[name])
		}
	}
	return out
}

// Aggregates are the program's aggregates by name.
func (l *Library) Aggregates() []AggregateFunction {
	if l == nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []AggregateFunction
	for _, name := range slices.Sorted(maps.Keys(l.aggregates)) {
		out = append(out, *l.aggregates[name])
	}
	return out
}
