package catalog

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/streamsql-go/streamsql/sql/spell"
)

// Catalog is the set of relations, by name without regard to case. It is safe for concurrent use: readers see one
// snapshot, writers replace it.
type Catalog struct {
	write sync.Mutex
	now   atomic.Pointer[Snapshot]
}

// Snapshot is the catalog at one version. It never changes.
type Snapshot struct {
	Version   int64
	relations map[string]*Relation
}

// New is an empty catalog, at version 0.
func New() *Catalog {
	c := &Catalog{}
	c.now.Store(&Snapshot{relations: map[string]*Relation{}})
	return c
}

// Now is the current snapshot.
func (c *Catalog) Now() *Snapshot { return c.now.Load() }

// Version grows by one with every change.
func (c *Catalog) Version() int64 { return c.Now().Version }

// Get finds a relation in the current snapshot.
func (c *Catalog) Get(name string) (*Relation, bool) { return c.Now().Get(name) }

// List are the relations of the current snapshot, by name.
func (c *Catalog) List() []*Relation { return c.Now().List() }

// Get finds a relation.
func (s *Snapshot) Get(name string) (*Relation, bool) {
	r, ok := s.relations[strings.ToLower(name)]
	return r, ok
}

// List are the relations, by name.
func (s *Snapshot) List() []*Relation {
	out := make([]*Relation, 0, len(s.relations))
	for _, r := range s.relations {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *Relation) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out
}

// Names are the relations' names, in order.
func (s *Snapshot) Names() []string {
	var out []string
	for _, r := range s.List() {
		out = append(out, r.Name)
	}
	return out
}

// Viewer is a view that reads a relation; nil when there is none.
func (s *Snapshot) Viewer(name string) *Relation {
	for _, v := range s.List() {
		if slices.ContainsFunc(v.Reads, func(r *Relation) bool { return strings.EqualFold(r.Name, name) }) {
			return v
		}
	}
	return nil
}

// Add adds a relation; a name that is taken is an error.
func (c *Catalog) Add(r *Relation) error {
	return c.change(func(m map[string]*Relation) error {
		key := strings.ToLower(r.Name)
		if old, ok := m[key]; ok {
			return fmt.Errorf("%s %s exists already: DROP %s %s first, or say CREATE OR REPLACE",
				strings.ToLower(old.Kind.String()), old.Name, old.Kind, old.Name)
		}
		m[key] = r
		return nil
	})
}

// Replace adds a relation in the place of the one of its name, if there is one.
func (c *Catalog) Replace(r *Relation) {
	_ = c.change(func(m map[string]*Relation) error {
		m[strings.ToLower(r.Name)] = r
		return nil
	})
}

// Drop removes a relation; an unknown name is an error.
func (c *Catalog) Drop(name string) error {
	return c.change(func(m map[string]*Relation) error {
		key := strings.ToLower(name)
		if _, ok := m[key]; !ok {
			return fmt.Errorf("unknown stream or table %s; %s", name, spell.Hint(name, "streams and tables", c.Now().Names()))
		}
		delete(m, key)
		return nil
	})
}

func (c *Catalog) change(f func(map[string]*Relation) error) error {
	c.write.Lock()
	defer c.write.Unlock()
	old := c.now.Load()
	m := make(map[string]*Relation, len(old.relations)+1)
	for k, v := range old.relations {
		m[k] = v
	}
	if err := f(m); err != nil {
		return err
	}
	c.now.Store(&Snapshot{Version: old.Version + 1, relations: m})
	return nil
}

// Column is the ordinal of a column, by name without regard to case: an exact match wins; -1 when there is none.
func (r *Relation) Column(name string) int {
	found := -1
	for i, c := range r.Columns {
		if c.Name == name {
			return i
		}
		if found < 0 && strings.EqualFold(c.Name, name) {
			found = i
		}
	}
	return found
}

// KeyNames are the names of the columns in the Kafka key.
func (r *Relation) KeyNames() []string {
	out := make([]string, len(r.Key))
	for i, k := range r.Key {
		out[i] = r.Columns[k].Name
	}
	return out
}

// ColumnNames are the names of the columns, in order.
func (r *Relation) ColumnNames() []string {
	out := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		out[i] = c.Name
	}
	return out
}
