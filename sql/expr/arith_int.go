package expr

import (
	"math"
	"math/bits"

	"github.com/streamsql-go/streamsql/sql/types"
)

func addInt(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	out, xs, ys := s.out.Ints[:n], x.v.Ints, y.v.Ints
	for i := range out {
		p, q := xs[i&x.mask], ys[i&y.mask]
		r := p + q
		out[i] = r
		if (p^r)&(q^r) < 0 {
			fail(i)
		}
	}
}

func subInt(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	out, xs, ys := s.out.Ints[:n], x.v.Ints, y.v.Ints
	for i := range out {
		p, q := xs[i&x.mask], ys[i&y.mask]
		r := p - q
		out[i] = r
		if (p^q)&(p^r) < 0 {
			fail(i)
		}
	}
}

func mulInt(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	out, xs, ys := s.out.Ints[:n], x.v.Ints, y.v.Ints
	for i := range out {
		p, q := xs[i&x.mask], ys[i&y.mask]
		hi, lo := bits.Mul64(uint64(p), uint64(q))
		hi -= uint64((p>>63)&q + (q>>63)&p)
		out[i] = int64(lo)
		if int64(hi) != int64(lo)>>63 {
			fail(i)
		}
	}
}

// divInt is DIV: it truncates toward zero; by zero is NULL.
func divInt(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	for i := range n {
		p, q := x.v.Ints[i&x.mask], y.v.Ints[i&y.mask]
		switch {
		case q == 0:
			s.setNull(i)
		case p == math.MinInt64 && q == -1:
			fail(i)
		default:
			s.out.Ints[i] = p / q
		}
	}
}

// modInt is %: the sign is the dividend's; by zero is NULL.
func modInt(_ *arith, s *slot, x, y operand, n int, _ func(int)) {
	for i := range n {
		switch q := y.v.Ints[i&y.mask]; q {
		case 0:
			s.setNull(i)
		case -1:
			s.out.Ints[i] = 0
		default:
			s.out.Ints[i] = x.v.Ints[i&x.mask] % q
		}
	}
}

// wideUint computes in 128 bits: every result of two 64-bit integers fits, and is then checked against the type.
func wideUint(a *arith, s *slot, x, y operand, n int, fail func(int)) {
	for i := range n {
		p, q := wide(x, i), wide(y, i)
		r, ok := p, true
		switch a.op {
		case "+":
			r, ok = p.Add(q)
		case "-":
			r, ok = p.Sub(q)
		case "*":
			r, ok = p.Mul(q)
		default:
			if q.IsZero() {
				s.setNull(i)
				continue
			}
			quo, rem, _ := p.QuoRem(q)
			if r = quo; a.op == "%" {
				r = rem
			}
		}
		fits := false
		if a.typ.Kind == types.Uint {
			_, fits = r.Uint64()
		} else {
			_, fits = r.Int64()
		}
		s.out.Ints[i] = int64(r.Lo)
		if !ok || !fits {
			fail(i)
		}
	}
}

func wide(o operand, i int) types.Int128 {
	v := o.v.Ints[i&o.mask]
	if o.v.Type.Kind == types.Uint {
		return types.FromUint64(uint64(v))
	}
	return types.FromInt64(v)
}
