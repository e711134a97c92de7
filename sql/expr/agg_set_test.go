package expr

import (
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// entries is a Set in memory. What it hands out is spoilt by the next call.
type entries struct {
	keys   []string
	values map[string]string
	lent   []byte
}

func (e *entries) lend(s string) []byte {
	for i := range e.lent {
		e.lent[i] = 0xDB
	}
	e.lent = []byte(s)
	return e.lent
}

func (e *entries) Get(key []byte) ([]byte, bool, error) {
	v, ok := e.values[string(key)]
	return e.lend(v), ok, nil
}

func (e *entries) Put(key, value []byte) error {
	if e.values == nil {
		e.values = map[string]string{}
	}
	if at, ok := slices.BinarySearch(e.keys, string(key)); !ok {
		e.keys = slices.Insert(e.keys, at, string(key))
	}
	e.values[string(key)] = string(value)
	return nil
}

func (e *entries) Delete(key []byte) error {
	if at, ok := slices.BinarySearch(e.keys, string(key)); ok {
		e.keys = slices.Delete(e.keys, at, at+1)
	}
	delete(e.values, string(key))
	return nil
}

func (e *entries) Ascend(from []byte, visit func(key, value []byte) (bool, error)) error {
	for _, k := range slices.Clone(e.keys) {
		if k >= string(from) {
			if stop, err := visit([]byte(k), e.lend(e.values[k])); stop || err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *entries) Descend(to []byte, visit func(key, value []byte) (bool, error)) error {
	for _, k := range slices.Backward(slices.Clone(e.keys)) {
		if to == nil || strings.Compare(k, string(to)) < 0 {
			if stop, err := visit([]byte(k), e.lend(e.values[k])); stop || err != nil {
				return err
			}
		}
	}
	return nil
}

// group is the state of one group with its sets.
type group struct {
	aggs   []*Aggregate
	states States
	state  []byte
	sets   []Set
	ctx    Ctx
	in     AggregateInputs
}

func newGroup(aggs []*Aggregate, in Input) *group {
	g := &group{aggs: aggs, in: AggregateInputs{Over: in}, states: StatesOf(aggs, in), sets: make([]Set, len(aggs))}
	g.state = g.states.Init(nil)
	for k := range g.sets {
		if g.states.Keeps(k) {
			g.sets[k] = &entries{}
			g.sets[k] = g.sets[g.states.Set(k)]
		}
	}
	return g
}

func (g *group) add(t testing.TB, b *vector.Batch, rows ...int) {
	g.change(t, b, g.states.Add, rows)
}

func (g *group) remove(t testing.TB, b *vector.Batch, rows ...int) {
	g.change(t, b, g.states.Remove, rows)
}

func (g *group) change(t testing.TB, b *vector.Batch, f func([]byte, []Set, *AggregateInputs, int) ([]byte, error), rows []int) {
	t.Helper()
	g.in.Eval(&g.ctx, g.aggs, b)
	for _, i := range rows {
		var err error
		if g.state, err = f(g.state, g.sets, &g.in, i); err != nil {
			t.Fatal(err)
		}
	}
}

func (g *group) results(t testing.TB) []string {
	t.Helper()
	outs := make([]*vector.Vector, len(g.aggs))
	for i, a := range g.aggs {
		outs[i] = vector.New(a.Type(), 1)
	}
	if _, err := g.states.Results(g.state, g.sets, outs); err != nil { // a value that cannot be given is NULL
		t.Fatal(err)
	}
	text := make([]string, len(outs))
	for i, o := range outs {
		text[i] = o.Value(0).Text()
	}
	return text
}
