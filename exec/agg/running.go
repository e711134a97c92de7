package agg

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// RunningConfig configures Running.
type RunningConfig struct {
	Env    op.Env
	Spec   Spec
	Origin bool // something downstream orders by (ts, origin)
	State  op.Map
	Sorted op.Sorted // where Spec.Keeps
	Next   op.Next
}

// Running aggregates per group over all time and emits changes: an upsert for each group a batch changed, a tombstone for
// one that HAVING no longer lets stand or that has lost its last row. Its columns: the group, the aggregates. The ts is the
// largest one folded in.
type Running struct {
	c  RunningConfig
	f  *folder
	ch changes
}

// NewRunning makes a Running.
func NewRunning(c RunningConfig) *Running {
	f := newFolder(c.Env, c.Spec, mapStore{c.State}, c.Sorted)
	o := newOutput(c.Env, c.Spec.columns(), c.Spec.Having, c.Origin, c.Next)
	return &Running{c: c, f: f, ch: changes{f: f, o: o}}
}

// Process folds b into its groups and emits those.
func (r *Running) Process(_ int, b *vector.Batch) error {
	bad, err := r.f.begin(b)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad == nil || bad[i] == nil {
			r.f.add(i, 0)
		}
	}
	return r.ch.emit(b, nil)
}

// Advance hands on m: nothing is held back.
func (r *Running) Advance(m op.Marks) error { return r.c.Next.Advance(m) }

// mapStore is a store without windows.
type mapStore struct{ m op.Map }

func (s mapStore) Get(_ int64, key []byte) ([]byte, bool, error)    { return s.m.Get(key) }
func (s mapStore) Modify(_ int64, key []byte) ([]byte, bool, error) { return s.m.Modify(key) }
func (s mapStore) Put(_ int64, key, value []byte) error             { return s.m.Put(key, value) }

// Forget removes the group; of what was kept beside its value its own rows' removals have left nothing.
func (s mapStore) Forget(_ int64, key []byte) error { return s.m.Delete(key) }
