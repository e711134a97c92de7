package expr

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// When is one arm of a CASE.
type When struct{ Cond, Then Expr }

// choice is CASE (searched): the value of the first arm whose condition is true. conds[i] belongs to arms[i]; one arm
// more is the ELSE. Failures count only for what a row needed: conditions up to the true one, and its arm.
type choice struct {
	conds, arms []Expr
	typ         types.Type
}

// NewCase is CASE [operand] WHEN … THEN … [ELSE …] END; operand and otherwise may be nil. With an operand each condition
// is operand = condition, so WHEN NULL never matches.
func NewCase(operand Expr, whens []When, otherwise Expr) (Expr, error) {
	c := &choice{}
	for _, w := range whens {
		cond, err := w.Cond, error(nil)
		if operand != nil {
			cond, err = newCompare("=", operand, w.Cond)
		} else {
			cond, err = truth(cond)
		}
		if err != nil {
			return nil, fmt.Errorf("CASE WHEN: %w", err)
		}
		c.conds = append(c.conds, cond)
		c.arms = append(c.arms, w.Then)
	}
	if otherwise == nil {
		otherwise = NullOf(types.TNull)
	}
	c.arms = append(c.arms, otherwise)
	var err error
	if c.arms, c.typ, err = toCommon(c.arms); err != nil {
		return nil, fmt.Errorf("CASE: %w", err)
	}
	return c, nil
}

// toCommon casts expressions to their common type.
func toCommon(in []Expr) ([]Expr, types.Type, error) {
	t := types.TNull
	var err error
	for _, x := range in {
		xt := x.Type()
		if v, ok := constant(x); ok && xt.Kind == types.Int && t.Kind == types.Decimal && !v.IsNull() {
			p, _ := digits(x)
			xt = types.TDecimal(p, 0)
		}
		if t, err = CommonType(t, xt); err != nil {
			return nil, t, err
		}
	}
	out := make([]Expr, len(in))
	for i, x := range in {
		if out[i], err = coerce(x, t); err != nil {
			return nil, t, err
		}
	}
	return out, t, nil
}

func (c *choice) Type() types.Type { return c.typ }
func (c *choice) Inputs() []Expr   { return append(append([]Expr{}, c.conds...), c.arms...) }
func (c *choice) WithInputs(in []Expr) Expr {
	n := len(c.conds)
	return &choice{conds: in[:n:n], arms: in[n:], typ: c.typ}
}

func (c *choice) String() string {
	var b strings.Builder
	b.WriteString("CASE")
	for i, cond := range c.conds {
		fmt.Fprintf(&b, " WHEN %s THEN %s", cond, c.arms[i])
	}
	fmt.Fprintf(&b, " ELSE %s END", c.arms[len(c.conds)])
	return b.String()
}

func (c *choice) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(c)
	otherwise := int32(len(c.conds))
	s.which = sized(s.which, b.N)
	for i := range s.which {
		s.which[i] = otherwise
	}
	for k, cond := range c.conds {
		v, failed := ctx.evalApart(cond, b)
		for i, err := range failed {
			if s.which[i] == otherwise {
				ctx.Fail(i, err)
			}
		}
		for i, x := range v.Ints[:b.N] {
			if x != 0 && s.which[i] == otherwise && !v.IsNull(i) {
				s.which[i] = int32(k)
			}
		}
	}
	s.arms = s.arms[:0]
	for k, arm := range c.arms {
		v, failed := ctx.evalApart(arm, b)
		for i, err := range failed {
			if s.which[i] == int32(k) {
				ctx.Fail(i, err)
			}
		}
		s.arms = append(s.arms, v)
	}
	return s.gather(c.typ, b.N)
}

// gather builds the result from s.arms, row i from arm s.which[i]; -1 is NULL.
func (s *slot) gather(t types.Type, n int) *vector.Vector {
	if p := t.Physical(); p == types.PhysBytes || p == types.PhysNone {
		out := s.empty(t)
		for i, k := range s.which[:n] {
			if k < 0 {
				out.AppendNull()
				continue
			}
			out.AppendFrom(s.arms[k], i)
		}
		return out
	}
	out := s.fixed(t, n)
	for i, k := range s.which[:n] {
		if k < 0 || s.arms[k].IsNull(i) {
			s.setNull(i)
			continue
		}
		switch t.Physical() {
		case types.PhysInt:
			out.Ints[i] = s.arms[k].Ints[i]
		case types.PhysFloat:
			out.Floats[i] = s.arms[k].Floats[i]
		case types.PhysDec:
			out.Decs[i] = s.arms[k].Decs[i]
		}
	}
	return out
}

// coalesce is the first argument that is not NULL. Failures of later arguments count only where they were needed.
type coalesce struct {
	args []Expr
	typ  types.Type
}

func newCoalesce(args []Expr) (Expr, error) {
	args, t, err := toCommon(args)
	if err != nil {
		return nil, err
	}
	return &coalesce{args, t}, nil
}

func (c *coalesce) Type() types.Type          { return c.typ }
func (c *coalesce) Inputs() []Expr            { return c.args }
func (c *coalesce) WithInputs(in []Expr) Expr { return &coalesce{in, c.typ} }
func (c *coalesce) String() string            { return callText("COALESCE", c.args) }

func (c *coalesce) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(c)
	s.which = sized(s.which, b.N)
	for i := range s.which {
		s.which[i] = -1
	}
	s.arms = s.arms[:0]
	for k, arg := range c.args {
		v, failed := ctx.evalApart(arg, b)
		for i, err := range failed {
			if s.which[i] < 0 { // it was needed: the row has no value
				ctx.Fail(i, err)
				s.which[i] = int32(k)
			}
		}
		missing := false
		for i, k0 := range s.which {
			if k0 >= 0 {
				continue
			}
			if v.IsNull(i) {
				missing = true
				continue
			}
			s.which[i] = int32(k)
		}
		s.arms = append(s.arms, v)
		if !missing {
			break
		}
	}
	return s.gather(c.typ, b.N)
}

func newIf(args []Expr) (Expr, error) {
	return NewCase(nil, []When{{args[0], args[1]}}, args[2])
}

// newNullIf is CASE WHEN a = b THEN NULL ELSE a END, of a's type.
func newNullIf(args []Expr) (Expr, error) {
	return NewCase(args[0], []When{{args[1], NullOf(args[0].Type())}}, args[0])
}
