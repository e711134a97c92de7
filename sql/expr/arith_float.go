package expr

import "math"

// finite fails a row whose result is infinite or not a number (MySQL: DOUBLE value is out of range).
func finite(f float64) bool { return f-f == 0 }

func addFloat(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	out, xs, ys := s.out.Floats[:n], x.v.Floats, y.v.Floats
	for i := range out {
		r := xs[i&x.mask] + ys[i&y.mask]
		out[i] = r
		if !finite(r) {
			fail(i)
		}
	}
}

func subFloat(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	out, xs, ys := s.out.Floats[:n], x.v.Floats, y.v.Floats
	for i := range out {
		r := xs[i&x.mask] - ys[i&y.mask]
		out[i] = r
		if !finite(r) {
			fail(i)
		}
	}
}

func mulFloat(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	out, xs, ys := s.out.Floats[:n], x.v.Floats, y.v.Floats
	for i := range out {
		r := xs[i&x.mask] * ys[i&y.mask]
		out[i] = r
		if !finite(r) {
			fail(i)
		}
	}
}

func divFloat(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	for i := range n {
		q := y.v.Floats[i&y.mask]
		if q == 0 {
			s.setNull(i)
			continue
		}
		r := x.v.Floats[i&x.mask] / q
		s.out.Floats[i] = r
		if !finite(r) {
			fail(i)
		}
	}
}

func divIntFloat(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	for i := range n {
		q := y.v.Floats[i&y.mask]
		if q == 0 {
			s.setNull(i)
			continue
		}
		r := math.Trunc(x.v.Floats[i&x.mask] / q)
		s.out.Ints[i] = 0
		if !(r >= -1<<63 && r < 1<<63) {
			fail(i)
			continue
		}
		s.out.Ints[i] = int64(r)
	}
}

func modFloat(_ *arith, s *slot, x, y operand, n int, fail func(int)) {
	for i := range n {
		q := y.v.Floats[i&y.mask]
		if q == 0 {
			s.setNull(i)
			continue
		}
		r := math.Mod(x.v.Floats[i&x.mask], q)
		s.out.Floats[i] = r
		if !finite(r) {
			fail(i)
		}
	}
}
