package expr

import "github.com/streamsql-go/streamsql/sql/types"

// scales are the powers that bring two decimals to the scale of the result.
func scales(a *arith, x, y operand) (up, vp types.Int128) {
	return types.Pow10(int(a.typ.Scale - x.v.Type.Scale)), types.Pow10(int(a.typ.Scale - y.v.Type.Scale))
}

// tooWide says whether a result has more than 38 digits; what fits in 64 bits has not.
func tooWide(r types.Int128) bool {
	return r.Hi != 0 && r.Hi != -1 && !types.FitsDecimal(r, types.MaxDecimalDigits)
}

func addDec(a *arith, s *slot, x, y operand, n int, fail func(int)) {
	up, vp := scales(a, x, y)
	one := types.FromInt64(1)
	out := s.out.Decs[:n]
	for i := range out {
		p, q := x.v.Decs[i&x.mask], y.v.Decs[i&y.mask]
		okp, okq := true, true
		if up != one {
			p, okp = p.Mul(up)
		}
		if vp != one {
			q, okq = q.Mul(vp)
		}
		if a.op == "-" {
			q, _ = q.Neg() // at most 38 digits, so it has an opposite
		}
		r, ok := p.Add(q)
		out[i] = r
		if !ok || !okp || !okq || tooWide(r) {
			fail(i)
		}
	}
}

func mulDec(a *arith, s *slot, x, y operand, n int, fail func(int)) {
	cut := int(x.v.Type.Scale) + int(y.v.Type.Scale) - int(a.typ.Scale)
	out := s.out.Decs[:n]
	for i := range out {
		r, ok := types.MulScaled(x.v.Decs[i&x.mask], y.v.Decs[i&y.mask], cut)
		out[i] = r
		if !ok || tooWide(r) {
			fail(i)
		}
	}
}

// divDec rounds half away from zero; by zero is NULL.
func divDec(a *arith, s *slot, x, y operand, n int, fail func(int)) {
	shift := int(a.typ.Scale) - int(x.v.Type.Scale) + int(y.v.Type.Scale)
	for i := range n {
		q := y.v.Decs[i&y.mask]
		if q.IsZero() {
			s.setNull(i)
			continue
		}
		r, ok := types.DivScaled(x.v.Decs[i&x.mask], shift, q)
		s.out.Decs[i] = r
		if !ok || tooWide(r) {
			fail(i)
		}
	}
}

func divIntDec(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	for i := range n {
		q := y.v.Decs[i&y.mask]
		if q.IsZero() {
			s.setNull(i)
			continue
		}
		r, ok := types.DivTrunc(x.v.Decs[i&x.mask], x.v.Type.Scale, q, y.v.Type.Scale)
		v, fits := r.Int64()
		s.out.Ints[i] = v
		if !ok || !fits {
			fail(i)
		}
	}
}

func modDec(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	for i := range n {
		q := y.v.Decs[i&y.mask]
		if q.IsZero() {
			s.setNull(i)
			continue
		}
		r, ok := types.ModDecimal(x.v.Decs[i&x.mask], x.v.Type.Scale, q, y.v.Type.Scale)
		s.out.Decs[i] = r
		if !ok {
			fail(i)
		}
	}
}
