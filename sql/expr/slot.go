package expr

import (
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// slot is what one node keeps in a Ctx from batch to batch: the memory of its result, and its own scratch.
type slot struct {
	out   vector.Vector
	nulls []bool
	args  []operand
	arms  []*vector.Vector
	which []int32
	aux   any
	row   *row
}

func (c *Ctx) slot(e Expr) *slot {
	s := c.slots[e]
	if s == nil {
		if c.slots == nil {
			c.slots = map[Expr]*slot{}
		}
		s = &slot{}
		c.slots[e] = s
	}
	return s
}

// fixed prepares the slot's vector for n values of a fixed-size type, without NULLs and with old values in it.
func (s *slot) fixed(t types.Type, n int) *vector.Vector {
	s.out.Type = t
	s.out.Nulls = nil
	switch t.Physical() {
	case types.PhysInt:
		s.out.Ints = sized(s.out.Ints, n)
	case types.PhysFloat:
		s.out.Floats = sized(s.out.Floats, n)
	case types.PhysDec:
		s.out.Decs = sized(s.out.Decs, n)
	}
	return &s.out
}

// empty prepares the slot's vector for values that are appended.
func (s *slot) empty(t types.Type) *vector.Vector {
	s.out.Type = t
	s.out.Reset()
	return &s.out
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// setNull makes row i of a vector of fixed NULL.
func (s *slot) setNull(i int) {
	if s.out.Nulls == nil {
		n := s.out.Len()
		s.nulls = sized(s.nulls, n)
		clear(s.nulls)
		s.out.Nulls = s.nulls
	}
	s.out.Nulls[i] = true
	s.zero(i)
}

func (s *slot) zero(i int) {
	switch s.out.Type.Physical() {
	case types.PhysInt:
		s.out.Ints[i] = 0
	case types.PhysFloat:
		s.out.Floats[i] = 0
	case types.PhysDec:
		s.out.Decs[i] = types.Int128{}
	}
}

// mergeNulls makes a row NULL where x or y is, and zeroes those rows.
func (s *slot) mergeNulls(n int, x, y operand) {
	for _, o := range [2]operand{x, y} {
		if o.v == nil || o.v.Nulls == nil {
			continue
		}
		if s.out.Nulls == nil {
			s.nulls = sized(s.nulls, n)
			clear(s.nulls)
			s.out.Nulls = s.nulls
		}
		for i := range s.out.Nulls {
			if o.v.Nulls[i&o.mask] {
				s.out.Nulls[i] = true
				s.zero(i)
			}
		}
	}
}

// operand is an evaluated argument: row i is v[i&mask], so that a constant needs one row only.
type operand struct {
	v    *vector.Vector
	mask int
}

func (c *Ctx) operand(e Expr, b *vector.Batch) operand {
	if k, ok := e.(*Const); ok {
		return operand{v: k.one}
	}
	return operand{v: e.Eval(c, b), mask: -1}
}

func (o operand) null(i int) bool { return o.v.Nulls != nil && o.v.Nulls[i&o.mask] }

// evalApart evaluates e and keeps its failures apart: they count only for the rows that need the value.
func (c *Ctx) evalApart(e Expr, b *vector.Batch) (*vector.Vector, map[int]error) {
	kept := c.failed
	c.failed = nil
	v := e.Eval(c, b)
	failed := c.failed
	c.failed = kept
	return v, failed
}

// SelectTrue appends the rows whose value in v, a BOOLEAN vector, is TRUE.
func SelectTrue(v *vector.Vector, rows []int32) []int32 {
	if v.Type.Kind != types.Boolean {
		return rows // the type of NULL: nothing is true
	}
	if v.Nulls == nil {
		for i, x := range v.Ints {
			if x != 0 {
				rows = append(rows, int32(i))
			}
		}
		return rows
	}
	for i, x := range v.Ints {
		if x != 0 && !v.Nulls[i] {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

func outOfRange(t types.Type, e Expr) error {
	name := t.String()
	if t.Kind == types.Decimal {
		name = "DECIMAL"
	}
	return fmt.Errorf("%s value is out of range in '%s'", name, e)
}
