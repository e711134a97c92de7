package expr

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func bindPercentile(a *Aggregate) error {
	x, err := asDouble(a.Arg[0])
	if err != nil {
		return err
	}
	a.Arg[0] = x
	p := share(a.Arg[1])
	if p == nil || p.Sign() < 0 || p.Cmp(big.NewRat(1, 1)) > 0 {
		return fmt.Errorf("the percentile must be a number from 0 to 1 (0.99), not %s", a.Arg[1])
	}
	a.folds(types.TDouble, percentile{p}, nil)
	return nil
}

// share is a constant number with every digit; nil when x is none.
func share(x Expr) *big.Rat {
	v, ok := constant(x)
	if !ok {
		return nil
	}
	if d, scale, exact := v.Exact(); exact {
		r, _ := new(big.Rat).SetString(types.FormatDecimal(d, scale))
		return r
	}
	if v.Kind != types.Double {
		return nil
	}
	return new(big.Rat).SetFloat64(v.F)
}

// percentile is APPROX_PERCENTILE(x, p): the smallest value that at least a share p of the values does not exceed, up to
// 0.8 % of its size. It counts values in buckets: those of one power of two fall into 128 of equal width, and the end of a
// bucket next to zero stands for it, so integers up to 256 are exact and all else is at most 1/128 too small in size (a
// DDSketch, Masson et al. 2019, with a mapping that is the same on every machine). Counts do not depend on the order of
// rows, can be added and taken back. The state is entries of 12 bytes, a bucket and how many values are in it, in order of
// the buckets.
type percentile struct{ p *big.Rat }

const (
	bucketBits = 7 // of the 52 of a fraction
	zeroBucket = 1 << 31
	entryBytes = 12
)

func (percentile) Size() int { return 0 }

func (percentile) Init(dst []byte) []byte { return dst }

// bucket numbers the bucket of a value; greater values are in greater buckets.
func bucket(x float64) uint32 {
	n := uint32(math.Float64bits(math.Abs(x)) >> (52 - bucketBits))
	switch {
	case x == 0:
		return zeroBucket
	case x < 0:
		return zeroBucket - 1 - n
	}
	return zeroBucket + 1 + n
}

// inward is the value of a bucket that is next to zero.
func inward(n uint32) float64 {
	switch {
	case n == zeroBucket:
		return 0
	case n < zeroBucket:
		return -inward(-n) // modulo 2^32
	}
	return math.Float64frombits(uint64(n-zeroBucket-1) << (52 - bucketBits))
}

func (p percentile) Update(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		return p.count(state, bucket(v.Floats[row]), 1)
	}
	return state
}

func (p percentile) Retract(state []byte, in *Arguments, row int) []byte {
	if v := in.Vals[0]; !v.IsNull(row) {
		return p.count(state, bucket(v.Floats[row]), -1)
	}
	return state
}

// count adds to the count of a bucket; one that falls to 0 goes.
func (percentile) count(state []byte, n uint32, times int64) []byte {
	lo, hi := 0, len(state)/entryBytes
	for lo < hi {
		if mid := (lo + hi) / 2; binary.BigEndian.Uint32(state[entryBytes*mid:]) < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	at := entryBytes * lo
	if at < len(state) && binary.BigEndian.Uint32(state[at:]) == n {
		addCount(state[at+4:], times)
		if binary.LittleEndian.Uint64(state[at+4:]) == 0 {
			return slices.Delete(state, at, at+entryBytes)
		}
		return state
	}
	var entry [entryBytes]byte
	binary.BigEndian.PutUint32(entry[:], n)
	binary.LittleEndian.PutUint64(entry[4:], uint64(times))
	return slices.Insert(state, at, entry[:]...)
}

func (p percentile) Merge(a, b []byte) []byte {
	for ; len(b) > 0; b = b[entryBytes:] {
		a = p.count(a, binary.BigEndian.Uint32(b), int64(binary.LittleEndian.Uint64(b[4:])))
	}
	return a
}

func (p percentile) Result(state []byte, out *vector.Vector) error {
	var n uint64
	for at := 0; at < len(state); at += entryBytes {
		n += binary.LittleEndian.Uint64(state[at+4:])
	}
	if n == 0 {
		out.AppendNull()
		return nil
	}
	rank := p.rank(n)
	for ; len(state) > entryBytes; state = state[entryBytes:] {
		c := binary.LittleEndian.Uint64(state[4:])
		if c >= rank {
			break
		}
		rank -= c
	}
	out.AppendFloat(inward(binary.BigEndian.Uint32(state)))
	return nil
}

// rank is which of n values in order is meant, from 1: p·n rounded up.
func (p percentile) rank(n uint64) uint64 {
	up := new(big.Int).SetUint64(n)
	up.Mul(up, p.p.Num())
	up.Add(up, p.p.Denom()).Sub(up, big.NewInt(1)).Quo(up, p.p.Denom())
	return max(1, up.Uint64())
}
