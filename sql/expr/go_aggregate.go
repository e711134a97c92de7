package expr

import (
	"encoding"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// GoAggregate is an aggregate whose state is a Go value.
type GoAggregate struct {
	Name string // as SQL spells it
	Doc  string // one line
	// New is a func() *S that makes the state of no rows. *S has the methods Add(…), which folds a row in, Result() T or Result() (T, error), and
	// Merge(*S), which folds another state in; and, if it can, Remove(…), which takes a row back. S is kept by its MarshalBinary and UnmarshalBinary, or
	// as JSON. The result must not depend on the order of rows.
	New any
}

// AddAggregate adds an aggregate. Errors: a name that is taken, methods that are missing or have no SQL types.
func (l *Library) AddAggregate(g GoAggregate) error {
	x, err := newGoState(g)
	if err != nil {
		return fmt.Errorf("aggregate %s: %w", g.Name, err)
	}
	f := &AggregateFunction{Name: x.name, Doc: g.Doc, Signature: x.name + "(" + x.parameters() + ") -> " + x.result.String(), min: len(x.inputs), max: len(x.inputs), distinct: own, bind: x.bind}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.free(x.name); err != nil {
		return err
	}
	if l.aggregates == nil {
		l.aggregates = map[string]*AggregateFunction{}
	}
	l.aggregates[x.name] = f
	return nil
}

// goState is what is known of the type of a state.
type goState struct {
	name    string
	make    reflect.Value
	add     reflect.Value // methods, as functions of the state
	remove  reflect.Value // not valid: there is none
	merge   reflect.Value
	final   reflect.Value
	failing bool // final returns an error too
	binary  bool // it marshals itself
	inputs  []input
	result  types.Type
}

func newGoState(g GoAggregate) (*goState, error) {
	s := &goState{name: strings.ToUpper(g.Name), make: reflect.ValueOf(g.New)}
	if !s.make.IsValid() || s.make.Kind() != reflect.Func || s.make.IsNil() || s.make.Type().NumIn() != 0 || s.make.Type().NumOut() != 1 || s.make.Type().Out(0).Kind() != reflect.Pointer {
		return nil, fmt.Errorf("%T is not a func() *S that makes a state", g.New)
	}
	t := s.make.Type().Out(0)
	s.binary = t.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) && t.Implements(reflect.TypeFor[encoding.BinaryUnmarshaler]())
	if err := s.keeps(t.Elem()); err != nil {
		return nil, err
	}
	add, ok := t.MethodByName("Add")
	if !ok || add.Type.NumIn() < 2 || add.Type.IsVariadic() || add.Type.NumOut() != 0 {
		return nil, fmt.Errorf("%s has no method Add(…) of one argument or more, without a result", t)
	}
	s.add = add.Func
	for i := 1; i < add.Type.NumIn(); i++ {
		in := add.Type.In(i)
		sql, err := goType(in)
		if err != nil {
			return nil, fmt.Errorf("argument %d of Add: %w", i, err)
		}
		s.inputs = append(s.inputs, newInput(in, sql))
	}
	merge, ok := t.MethodByName("Merge")
	if !ok || merge.Type.NumIn() != 2 || merge.Type.In(1) != t || merge.Type.NumOut() != 0 {
		return nil, fmt.Errorf("%s has no method Merge(%s): sessions and windows are put together from parts", t, t)
	}
	s.merge = merge.Func
	if remove, ok := t.MethodByName("Remove"); ok {
		if remove.Type != add.Type {
			return nil, fmt.Errorf("the method Remove of %s does not take what Add takes", t)
		}
		s.remove = remove.Func
	}
	return s, s.ending(t)
}

// keeps refuses a state of which JSON would lose something.
func (s *goState) keeps(t reflect.Type) error {
	if s.binary || t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if f := t.Field(i); !f.IsExported() || f.Tag.Get("json") == "-" {
			return fmt.Errorf("field %s of %s would be lost when the state is kept as JSON: export it, or write MarshalBinary and UnmarshalBinary", f.Name, t)
		}
	}
	return nil
}

// ending finds the method Result.
func (s *goState) ending(t reflect.Type) error {
	final, ok := t.MethodByName("Result")
	if ok {
		s.failing = final.Type.NumOut() == 2 && final.Type.Out(1) == goError
	}
	if !ok || final.Type.NumIn() != 1 || final.Type.NumOut() != 1 && !s.failing {
		return fmt.Errorf("%s has no method Result() of one value, or one and an error", t)
	}
	s.final = final.Func
	var err error
	if s.result, err = goType(final.Type.Out(0)); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	return nil
}

func (s *goState) parameters() string {
	var out []string
	for _, in := range s.inputs {
		out = append(out, in.typ.String())
	}
	return strings.Join(out, ", ")
}

func (s *goState) bind(a *Aggregate) error {
	for i, x := range a.Arg {
		cast, err := implicit(x, s.inputs[i].typ)
		if err != nil {
			return fmt.Errorf("argument %d is %s, %s takes (%s)", i+1, x.Type(), s.name, s.parameters())
		}
		a.Arg[i] = cast
	}
	switch {
	case a.Distinct || !s.remove.IsValid():
		for _, x := range a.Arg {
			if err := scalar(x); a.Distinct && err != nil {
				return fmt.Errorf("DISTINCT: %w", err)
			}
		}
		again := &goRows{s, a.Distinct}
		if a.Distinct {
			a.keeps(s.result, again, again)
			return nil
		}
		a.folds(s.result, &goFold{s}, again)
	default:
		a.folds(s.result, &goUnfold{goFold{s}}, nil)
	}
	return nil
}

func (s *goState) fresh() reflect.Value {
	defer guard(s.name)
	return s.make.Call(nil)[0]
}

// load makes a state of its bytes. Those were made by store: they are read, or the state is another program's.
func (s *goState) load(state []byte) reflect.Value {
	x := s.fresh()
	var err error
	defer guard(s.name)
	if s.binary {
		err = x.Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
	} else {
		err = json.Unmarshal(state, x.Interface())
	}
	if err != nil {
		panic(fmt.Errorf("its state cannot be read: %w", err))
	}
	return x
}

func (s *goState) store(x reflect.Value) []byte {
	defer guard(s.name)
	var out []byte
	var err error
	if s.binary {
		out, err = x.Interface().(encoding.BinaryMarshaler).MarshalBinary()
	} else {
		out, err = json.Marshal(x.Interface())
	}
	if err != nil {
		panic(fmt.Errorf("its state cannot be kept: %w", err))
	}
	return out
}

// replace is x in the place of a state, when it is as long.
func (s *goState) replace(state []byte, x reflect.Value) []byte {
	out := s.store(x)
	if len(out) == len(state) {
		copy(state, out)
		return state
	}
	return out
}

// fold calls Add or Remove with the arguments of a row; one with a NULL where none is taken is left out.
func (s *goState) fold(method reflect.Value, x reflect.Value, vals []*vector.Vector, row int) {
	in, ok, err := goArguments(s.inputs, vals, row)
	if err != nil || !ok {
		return // a document that is not of its type: it was decoded to it, so there is none
	}
	defer guard(s.name)
	method.Call(append([]reflect.Value{x}, in...))
}

func (s *goState) end(x reflect.Value, out *vector.Vector) error {
	values := s.ended(x)
	var err error
	if s.failing {
		err, _ = values[1].Interface().(error)
	}
	if err == nil {
		err = appendGo(out, values[0])
	}
	if err != nil {
		out.AppendNull()
	}
	return err
}

func (s *goState) ended(x reflect.Value) []reflect.Value {
	defer guard(s.name)
	return s.final.Call([]reflect.Value{x})
}

// goFold is the Accumulator of a state.
type goFold struct{ *goState }

// Size implements Accumulator.
func (*goFold) Size() int { return 0 }

// Init implements Accumulator.
func (f *goFold) Init(dst []byte) []byte { return append(dst, f.store(f.fresh())...) }

// Update implements Accumulator.
func (f *goFold) Update(state []byte, in *Arguments, row int) []byte {
	x := f.load(state)
	f.fold(f.add, x, in.Vals, row)
	return f.replace(state, x)
}

// Result implements Accumulator.
func (f *goFold) Result(state []byte, out *vector.Vector) error { return f.end(f.load(state), out) }

// Merge implements Accumulator.
func (f *goFold) Merge(a, b []byte) []byte {
	x, y := f.load(a), f.load(b)
	f.join(x, y)
	return f.replace(a, x)
}

func (s *goState) join(x, y reflect.Value) {
	defer guard(s.name)
	s.merge.Call([]reflect.Value{x, y})
}

// goUnfold is that of one that can take rows back.
type goUnfold struct{ goFold }

// Retract implements Retractor.
func (f *goUnfold) Retract(state []byte, in *Arguments, row int) []byte {
	x := f.load(state)
	f.fold(f.remove, x, in.Vals, row)
	return f.replace(state, x)
}

// goRows keeps the arguments of all rows, and how often they came: for states that cannot take a row back, and for DISTINCT. A result folds them all in anew.
type goRows struct {
	*goState
	once bool // DISTINCT
}

// Size implements Keeper.
func (*goRows) Size() int { return 0 }

// Init implements Keeper.
func (*goRows) Init(dst []byte) []byte { return dst }

// Add implements Keeper.
func (g *goRows) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	return state, g.count(set, in, row, 1)
}

// Remove implements Remover.
func (g *goRows) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	return state, g.count(set, in, row, -1)
}

// Merge implements Merger.
func (g *goRows) Merge(state []byte, set Set, _ []byte, from Set) ([]byte, error) {
	return state, from.Ascend(nil, func(key, value []byte) (bool, error) {
		r := vector.Reader{Rest: value}
		n := r.Varint()
		args := slices.Clone(r.Rest)
		if old, ok, err := set.Get(key); err != nil {
			return true, err
		} else if ok {
			had := vector.Reader{Rest: old}
			n += had.Varint()
		}
		return false, set.Put(key, append(binary.AppendVarint(nil, n), args...))
	})
}

// count counts a row's arguments: the value of an entry is their number, then the arguments themselves.
func (g *goRows) count(set Set, in *Arguments, row int, by int64) error {
	in.scratch = in.scratch[:0]
	if g.once {
		in.scratch = keys.AppendRow(in.scratch, in.Vals, row) // what is equal in SQL is one
	} else {
		in.scratch = vector.AppendRow(in.scratch, in.Vals, row)
	}
	n := by
	if old, ok, err := set.Get(in.scratch); err != nil {
		return err
	} else if ok {
		r := vector.Reader{Rest: old}
		n += r.Varint()
	} else if by < 0 {
		return errNotHeld
	}
	if n == 0 {
		return set.Delete(in.scratch)
	}
	return set.Put(in.scratch, vector.AppendRow(binary.AppendVarint(nil, n), in.Vals, row))
}

// Result implements Keeper.
func (g *goRows) Result(_ []byte, set Set, out *vector.Vector) (bad, err error) {
	x := g.fresh()
	vals := make([]*vector.Vector, len(g.inputs))
	for i, in := range g.inputs {
		vals[i] = vector.New(in.typ, 1)
	}
	err = set.Ascend(nil, func(_, value []byte) (bool, error) {
		r := vector.Reader{Rest: value}
		n := r.Varint()
		for _, v := range vals {
			v.Reset()
		}
		r.Row(vals)
		if r.Err() != nil {
			return true, r.Err()
		}
		if g.once {
			n = 1
		}
		for range n {
			g.fold(g.add, x, vals, 0)
		}
		return false, nil
	})
	if err != nil {
		out.AppendNull()
		return nil, err
	}
	return g.end(x, out), nil
}
