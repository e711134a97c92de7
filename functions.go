package streamsql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/types"
)

// FunctionOption says more about a function that is registered.
type FunctionOption func(*registration)

type registration struct {
	doc       string
	changes   bool
	signature string
}

// Describe is the line that SHOW FUNCTIONS shows.
func Describe(doc string) FunctionOption { return func(r *registration) { r.doc = doc } }

// Changes says that the function may give another result for the same arguments. A persistent query calls it only where its target allows that,
// for it may compute a row again.
func Changes() FunctionOption { return func(r *registration) { r.changes = true } }

// Signature gives a function SQL types that its Go types do not say: "(DECIMAL(12,2), VARCHAR) -> ARRAY<VARCHAR>".
func Signature(text string) FunctionOption { return func(r *registration) { r.signature = text } }

// RegisterFunction makes a Go function a scalar function of this engine's SQL. fn is a func(…) T or func(…) (T, error).
//
// Parameters and results are bool, integers, floats, string, []byte and time.Time (a TIMESTAMP); slices, maps with text as keys and structures of those, which are
// ARRAY, MAP and STRUCT with the names that encoding/json gives to fields; and Value, of a type that Signature says. A call with a NULL where
// the parameter is none of pointer and Value gives NULL; a pointer that is nil is NULL. The last parameter may be variadic. The form func([]Value) (Value, error) takes
// everything as it is, needs a Signature, and is the fastest.
//
// An error, or a panic, is a row that cannot be computed and goes the way of on_error. Queries call the function
// from many goroutines. It must depend on its arguments alone, unless Changes says so.
//
// Errors: a name that the language or another registration has, Go types without SQL types, a signature that does not fit.
func (e *Engine) RegisterFunction(name string, fn any, opts ...FunctionOption) error {
	var r registration
	for _, o := range opts {
		o(&r)
	}
	if err := callable(name); err != nil {
		return err
	}
	g := expr.GoFunction{Name: name, Doc: r.doc, Func: fn, Changes: r.changes}
	if r.signature != "" {
		var err error
		if g.Params, g.Result, err = parseSignature(r.signature); err != nil {
			return fmt.Errorf("function %s: %w", name, err)
		}
	}
	return e.library.AddFunction(g)
}

// RegisterTableFunction makes a Go function one that makes rows of one in this engine's SQL: FROM s CROSS JOIN F(s.x) AS t, LEFT JOIN F(s.x) AS t (a, b) ON TRUE
// for rows that have none too, FROM s, LATERAL F(s.x) AS t. fn is a func(…) R or func(…) (R, error) with the parameters of RegisterFunction, where R is a
// slice []T, an iter.Seq[T], or an iter.Seq2[T, error].
//
// The columns are the fields of T, a structure, with the names that encoding/json gives them; a T of another kind is one column with the name of the alias. Where
// Signature says the types it ends in that of a row: "(VARCHAR) -> STRUCT<word VARCHAR, price DECIMAL(12,2)>"; T may be []Value then, in that order.
//
// A call with a NULL where the parameter is none of pointer and Value has no rows. The rows of one are in memory together, at most 1,048,576. After an error or a panic none of them
// counts, and the row goes the way of on_error. The rest is as RegisterFunction says.
//
// Errors: as those of RegisterFunction.
func (e *Engine) RegisterTableFunction(name string, fn any, opts ...FunctionOption) error {
	var r registration
	for _, o := range opts {
		o(&r)
	}
	if err := callable(name); err != nil {
		return err
	}
	g := expr.GoTable{Name: name, Doc: r.doc, Func: fn, Changes: r.changes}
	if r.signature != "" {
		var err error
		if g.Params, g.Row, err = parseSignature(r.signature); err != nil {
			return fmt.Errorf("table function %s: %w", name, err)
		}
	}
	return e.library.AddTable(g)
}

// RegisterAggregate makes a Go type an aggregate of this engine's SQL. newState is a func() *S that makes the state of no rows; *S has the methods
//
//	Add(x X, …)              // folds a row in
//	Merge(other *S)          // folds another state in: windows and sessions are put together from parts
//	Result() T               // or (T, error)
//	Remove(x X, …)           // takes a row back; optional
//
// with the parameter and result types of RegisterFunction. The state is kept between rows, and through crashes, by its MarshalBinary and UnmarshalBinary, or as
// JSON. The result must not depend on the order of rows. Without Remove the arguments of all rows are kept where rows can be taken back (over tables, and with DISTINCT), and folded in anew for each result.
//
// Errors are as those of RegisterFunction. A panic ends the query: the state may be half changed.
func (e *Engine) RegisterAggregate(name string, newState any, opts ...FunctionOption) error {
	var r registration
	for _, o := range opts {
		o(&r)
	}
	if r.changes || r.signature != "" {
		return fmt.Errorf("aggregate %s: its types are those of its methods, and its result depends on its rows alone: Signature and Changes are of functions", name)
	}
	if err := callable(name); err != nil {
		return err
	}
	return e.library.AddAggregate(expr.GoAggregate{Name: name, Doc: r.doc, New: newState})
}

// callable refuses what SQL cannot call by this name.
func callable(name string) error {
	script, err := parser.Parse("", "SELECT "+name+"(1) FROM t;")
	if err == nil && len(script.Statements) == 1 {
		if st, ok := script.Statements[0].(*ast.SelectStatement); ok {
			if q, ok := st.Query.(*ast.Select); ok && len(q.Items) == 1 {
				if c, ok := q.Items[0].Expr.(*ast.Call); ok && strings.EqualFold(c.Name, name) {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("function %q: SQL cannot call a function of this name; use letters, digits and '_', and no reserved word", name)
}

// parseSignature reads "(T, …) -> T".
func parseSignature(text string) ([]types.Type, *types.Type, error) {
	in, out, ok := strings.Cut(text, "->")
	in = strings.TrimSpace(in)
	if !ok || !strings.HasPrefix(in, "(") || !strings.HasSuffix(in, ")") {
		return nil, nil, fmt.Errorf("signature %q is not of the form (VARCHAR, BIGINT) -> BOOLEAN", text)
	}
	params := []types.Type{}
	if list := strings.TrimSpace(in[1 : len(in)-1]); list != "" {
		var err error
		if params, err = parseTypes(list); err != nil {
			return nil, nil, fmt.Errorf("signature %q: %w", text, err)
		}
	}
	result, err := parseTypes(out)
	if err == nil && len(result) != 1 {
		err = errors.New("one result is wanted")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("signature %q: %w", text, err)
	}
	return params, &result[0], nil
}

// parseTypes reads types with commas between them, as those of columns.
func parseTypes(list string) ([]types.Type, error) {
	depth, from := 0, 0
	var columns []string
	for i, c := range list + "," {
		switch c {
		case '(', '<':
			depth++
		case ')', '>':
			depth--
		case ',':
			if depth == 0 {
				columns = append(columns, fmt.Sprintf("c%d %s", len(columns), list[from:i]))
				from = i + 1
			}
		}
	}
	script, err := parser.Parse("", "CREATE STREAM s ("+strings.Join(columns, ", ")+");")
	if err != nil {
		var at *ast.Error
		if errors.As(err, &at) {
			return nil, errors.New(at.Msg)
		}
		return nil, err
	}
	var out []types.Type
	for _, c := range script.Statements[0].(*ast.Create).Columns {
		t, err := catalog.TypeOf(c.Type)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// panicked is what is told of a panic: of a function of the program, or of the engine.
func panicked(p any) error {
	if own, ok := p.(*expr.PanicError); ok {
		return own
	}
	return fmt.Errorf("internal error: %v\n%s", p, stack())
}
