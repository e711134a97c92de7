package expr

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// GoFunction is a Go function that SQL calls.
type GoFunction struct {
	Name string // as SQL spells it
	Doc  string // one line
	// Func is the function: func(…) T or func(…) (T, error). Parameters and T are bool, integers, floats, string, []byte, time.Time, slices, maps of text and
	// structures of those, pointers to them where NULL is to be told from a value, and Value; the last parameter may be variadic.
	Func any
	// Params and Result are SQL types where those that follow from the Go types are not meant; nil: those.
	Params []types.Type
	Result *types.Type
	// Changes says that the same arguments may give another result.
	Changes bool
}

func validText(s string) bool { return utf8.ValidString(s) }

// AddFunction adds a scalar function. Errors: a name that is taken, a Go type that SQL has no type for, a signature that does not fit.
func (l *Library) AddFunction(g GoFunction) error {
	f, err := newGoFunction(g)
	if err != nil {
		return fmt.Errorf("function %s: %w", g.Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.free(f.Name); err != nil {
		return err
	}
	if l.scalars == nil {
		l.scalars = map[string]*Function{}
	}
	l.scalars[f.Name] = f
	return nil
}

// goCall is how a function is called.
type goCall struct {
	name     string
	fn       reflect.Value
	inputs   []input // the last one of all further arguments, when variadic
	variadic bool
	result   types.Type
	failing  bool                                     // it returns an error
	values   func([]types.Value) (types.Value, error) // in place of fn: a function of values
}

var goValues = reflect.TypeFor[func([]types.Value) (types.Value, error)]()

func newGoFunction(g GoFunction) (*Function, error) {
	name := strings.ToUpper(g.Name)
	c := &goCall{name: name, fn: reflect.ValueOf(g.Func)}
	if !c.fn.IsValid() || c.fn.Kind() != reflect.Func || c.fn.IsNil() {
		return nil, fmt.Errorf("%T is not a function", g.Func)
	}
	var err error
	if c.fn.Type().ConvertibleTo(goValues) {
		c.values = c.fn.Convert(goValues).Interface().(func([]types.Value) (types.Value, error))
		err = c.ofValues(g)
	} else {
		err = c.ofTypes(g)
	}
	if err != nil {
		return nil, err
	}
	f := c.function(g.Doc, c.result.String(), g.Changes)
	f.bind = c.bind
	return f, nil
}

// function describes the call.
func (c *goCall) function(doc, result string, changes bool) *Function {
	f := &Function{
		Name: c.name, Family: "program", Min: len(c.inputs), Max: len(c.inputs), Doc: doc, Deterministic: !changes, random: changes,
		Signature: c.name + "(" + c.parameters() + ") -> " + result,
	}
	if c.variadic {
		f.Min, f.Max = len(c.inputs)-1, -1
	}
	return f
}

// ofValues is the form without Go types: a signature says what it takes.
func (c *goCall) ofValues(g GoFunction) error {
	if g.Params == nil || g.Result == nil {
		return fmt.Errorf("func([]Value) (Value, error) does not say what it takes: give its signature")
	}
	for _, t := range g.Params {
		c.inputs = append(c.inputs, newInput(goValue, t))
	}
	c.result = *g.Result
	return nil
}

func (c *goCall) ofTypes(g GoFunction) error {
	if err := c.takes(g.Params); err != nil {
		return err
	}
	t := c.fn.Type()
	if t.NumOut() != 1 && !c.failing {
		return fmt.Errorf("it returns %d values: return one, or one and an error", t.NumOut())
	}
	var err error
	var given []types.Type
	if g.Result != nil {
		given = []types.Type{*g.Result}
	}
	if c.result, err = sqlType(t.Out(0), given, 0); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

// takes reads the parameters, of the types that a signature gives them, and whether an error is returned.
func (c *goCall) takes(params []types.Type) error {
	t := c.fn.Type()
	c.variadic = t.IsVariadic()
	if params != nil && len(params) != t.NumIn() {
		return fmt.Errorf("its signature has %d parameters, the Go function %d", len(params), t.NumIn())
	}
	for i := range t.NumIn() {
		in := t.In(i)
		if c.variadic && i == t.NumIn()-1 {
			in = in.Elem()
		}
		sql, err := sqlType(in, params, i)
		if err != nil {
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
		c.inputs = append(c.inputs, newInput(in, sql))
	}
	c.failing = t.NumOut() == 2 && t.Out(1) == goError
	return nil
}

// sqlType is the type that a signature gives to a Go type, or its own.
func sqlType(g reflect.Type, given []types.Type, i int) (types.Type, error) {
	if given == nil {
		return goType(g)
	}
	return given[i], holds(g, given[i])
}

func (c *goCall) parameters() string {
	var out []string
	for _, in := range c.inputs {
		out = append(out, in.typ.String())
	}
	s := strings.Join(out, ", ")
	if c.variadic {
		s += ", …"
	}
	return s
}

// bind makes the call of a scalar function.
func (c *goCall) bind(f *Function, args []Expr) (Expr, error) {
	cast, err := c.casts(f, args)
	return &call{fn: f, args: cast, typ: c.result, kernel: c.kernel(), nulls: kernelSeesNull}, err
}

// casts brings the arguments to the types of the parameters.
func (c *goCall) casts(f *Function, args []Expr) ([]Expr, error) {
	cast := make([]Expr, len(args))
	for i, a := range args {
		x, err := implicit(a, c.input(i).typ)
		if err != nil {
			return nil, fmt.Errorf("argument %d is %s; use %s", i+1, a.Type(), f.Signature)
		}
		cast[i] = x
	}
	return cast, nil
}

// input is what takes argument i.
func (c *goCall) input(i int) *input { return &c.inputs[min(i, len(c.inputs)-1)] }

// implicit casts where nothing is guessed: numbers to numbers, texts to texts, times to times.
func implicit(e Expr, t types.Type) (Expr, error) {
	from := e.Type()
	switch {
	case from.Equal(t), from.Kind == types.Varchar && t.Kind == types.Varchar && t.Length == 0:
		return e, nil
	case from.Kind == types.Null, from.Numeric() && t.Numeric(), from.Text() && t.Text(), from.Temporal() && t.Temporal(), from.Nested() && t.Kind == types.JSON:
		return NewCast(e, t)
	}
	return nil, fmt.Errorf("no implicit cast")
}

// kernel calls the function for each row. A NULL where it takes none gives NULL without a call.
func (c *goCall) kernel() func(*row) error {
	return func(r *row) error {
		for i := range r.args {
			if r.null(i) && !c.input(i).nullable {
				return r.retNull()
			}
		}
		if c.values != nil {
			return c.callValues(r)
		}
		in, err := c.arguments(r.args, r.i)
		if err != nil {
			return err
		}
		out, err := c.invoke(in)
		if err != nil {
			return err
		}
		return appendGo(r.out, out)
	}
}

// arguments are those of row i, none of them NULL where none is taken.
func (c *goCall) arguments(args []operand, i int) ([]reflect.Value, error) {
	in := make([]reflect.Value, len(args))
	for k, a := range args {
		var err error
		if in[k], err = c.input(k).value(a.v, i&a.mask); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (c *goCall) invoke(in []reflect.Value) (result reflect.Value, err error) {
	defer recovered(c.name, &err)
	out := c.fn.Call(in)
	if c.failing {
		err, _ = out[1].Interface().(error)
	}
	return out[0], err
}

// callValues calls a function of values. They are made for each call: it may keep them.
func (c *goCall) callValues(r *row) error {
	in := make([]types.Value, len(r.args))
	for i := range in {
		in[i] = r.value(i)
	}
	out, err := c.invokeValues(in)
	if err != nil {
		return err
	}
	return appendValue(r.out, out)
}

func (c *goCall) invokeValues(in []types.Value) (out types.Value, err error) {
	defer recovered(c.name, &err)
	return c.values(in)
}

// argument values of one aggregate call, as inputs make them; false when one is NULL where none is taken.
func goArguments(inputs []input, vals []*vector.Vector, row int) ([]reflect.Value, bool, error) {
	out := make([]reflect.Value, len(inputs))
	for i := range inputs {
		if vals[i].IsNull(row) && !inputs[i].nullable {
			return nil, false, nil
		}
		var err error
		if out[i], err = inputs[i].value(vals[i], row); err != nil {
			return nil, false, err
		}
	}
	return out, true, nil
}
