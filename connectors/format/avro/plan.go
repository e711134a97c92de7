package avro

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// plan is how records of one schema fill the columns. Nothing of it depends on the record.
type plan struct {
	root step
	// unset are the columns that a record may leave out: fields of a union, or without a field.
	unset []unset
}

// step is what to do with one value of a record.
type step struct {
	n     *node
	takes []take
	// inside is one step per field of a record of which fields are wanted, or per branch of a union; nil: nothing in it is.
	inside []step
}

// take is a column that takes a value whole.
type take struct {
	column int
	op     op
	cell   *format.Cell
	docs   *json.Documents // of opDocument and opFit
	err    error           // of opImpossible
}

// unset is a column that may be left out, and what it is then: NULL, or row 0 of a default.
type unset struct {
	column   int
	fallback *vector.Vector
}

// compile plans how values of a writer's schema fill the columns. reader is the schema with names of before and defaults;
// nil: none.
func compile(writer, reader *node, cols []registry.Target) (*plan, error) {
	top := writer.kind
	if writer.optional != nil {
		top = writer.optional.kind
	}
	switch {
	case top != record && len(cols) > 1:
		return nil, fmt.Errorf("the schema is %s, not a record: it fills one column", writer)
	case top != record && len(cols) == 1:
		return whole(writer, cols[0]), nil
	}
	c := &compiler{cols: cols, plan: &plan{root: step{n: writer}}}
	for i := range cols {
		if err := c.column(i, reader); err != nil {
			return nil, err
		}
	}
	return c.plan, nil
}

// whole is the plan of one column that takes values whole.
func whole(n *node, t registry.Target) *plan {
	c := &compiler{cols: []registry.Target{t}, plan: &plan{root: step{n: n}}}
	c.take(&c.plan.root, 0)
	c.leave(0, nil)
	return c.plan
}

type compiler struct {
	cols []registry.Target
	plan *plan
}

// column leads to the field that a column takes.
func (c *compiler) column(i int, reader *node) error {
	at, optional := &c.plan.root, false
	for k, name := range c.cols[i].FieldPath() {
		optional = optional || at.n.kind == union
		record, err := c.record(at, i, k)
		if err != nil {
			return err
		}
		if record == nil {
			c.leave(i, nil)
			return nil
		}
		declared := reader.declares(name)
		f := record.n.find(declared.names(name)...)
		switch {
		case f == -2:
			return fmt.Errorf("several fields of %s match column %s but for upper and lower case, and none exactly", record.n, name)
		case f < 0:
			return c.missing(i, k, declared)
		}
		at, reader = &record.inside[f], nil
		if declared != nil {
			reader = declared.node
		}
	}
	if c.take(at, i) || optional {
		c.leave(i, nil)
	}
	return nil
}

// declares is the field of a reader's schema that a column means; nil: none.
func (n *node) declares(name string) *field {
	if n != nil && n.optional != nil {
		n = n.optional
	}
	if n == nil || n.kind != record {
		return nil
	}
	if i := n.find(name); i >= 0 {
		return &n.fields[i]
	}
	return nil
}

// names are those under which a writer may know a column's field.
func (f *field) names(name string) []string {
	if f == nil {
		return []string{name}
	}
	return append([]string{name, f.name}, f.aliases...)
}

// record is the record at a step, with a step for each field. It is nil where there is none: a value there, null apart, is
// then impossible for column i, of whose path the record would be part k.
func (c *compiler) record(at *step, i, k int) (*step, error) {
	switch at.n.kind {
	case record:
		at.open(len(at.n.fields), func(j int) *node { return at.n.fields[j].node })
		return at, nil
	case union:
		at.open(len(at.n.branches), func(j int) *node { return at.n.branches[j] })
		var found *step
		for j := range at.inside {
			r, err := c.record(&at.inside[j], i, k)
			if err != nil {
				return nil, err
			}
			if r != nil && found != nil {
				return nil, fmt.Errorf("column %s is inside one of several records of a union: declare the union as one column of type JSON", c.cols[i].Cell.Field)
			}
			if r != nil {
				found = r
			}
		}
		return found, nil
	case null:
		return nil, nil
	}
	cell := c.cols[i].Cell
	parent := strings.Join(c.cols[i].FieldPath()[:k], ".")
	at.takes = append(at.takes, take{column: i, cell: cell, err: cell.Bad(format.WrongType, "it is wanted from inside %q, which is %s", parent, at.n)})
	return nil, nil
}

// open makes the steps inside a step, once.
func (s *step) open(n int, of func(int) *node) {
	if s.inside != nil {
		return
	}
	s.inside = make([]step, n)
	for i := range s.inside {
		s.inside[i].n = of(i)
	}
}

// take lets a column take the values of a step. It says whether a value may be null.
func (c *compiler) take(at *step, column int) (optional bool) {
	switch at.n.kind {
	case null:
		return true
	case union:
		at.open(len(at.n.branches), func(j int) *node { return at.n.branches[j] })
		for j := range at.inside {
			b := &at.inside[j]
			if b.n.kind == null {
				optional = true
				continue
			}
			c.add(b, column, at.n.optional == nil)
		}
		return optional
	}
	c.add(at, column, false)
	return false
}

// add lets a column take values of one type; mixed: of one among several of a union.
func (c *compiler) add(at *step, column int, mixed bool) {
	cell := c.cols[column].Cell
	o, err := choose(at.n, cell, mixed)
	at.takes = append(at.takes, take{column, o, cell, c.cols[column].Docs, err})
}

// missing is a column without a field; its path has no part k.
func (c *compiler) missing(i, k int, declared *field) error {
	t := c.cols[i]
	if declared == nil || declared.fallback == nil || k < len(t.FieldPath())-1 {
		c.leave(i, nil)
		return nil
	}
	v := vector.New(t.Type, 1)
	r := runner{}
	if err := r.run(whole(declared.node, t), declared.fallback, []*vector.Vector{v}); err != nil {
		return fmt.Errorf("the default of field %s: %w", declared.name, err)
	}
	if v.IsNull(0) {
		v = nil
	}
	c.leave(i, v)
	return nil
}

func (c *compiler) leave(column int, fallback *vector.Vector) {
	c.plan.unset = append(c.plan.unset, unset{column, fallback})
}
