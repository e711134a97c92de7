package generate

import (
	"hash/fnv"
	"math/bits"
)

// random is splitmix64 (Steele, Lea, Flood 2014), begun anew for every column and row: a value then depends on nothing but
// the seed, the column and the row's number.
type random uint64

func newRandom(seed, n uint64) random {
	r := random(seed ^ n*0xd1342543de82ef95)
	r.next()
	return r
}

// columnSeed mixes a name into the seed.
func columnSeed(seed uint64, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name)) // a hash never fails
	r := random(seed ^ h.Sum64())
	return r.next()
}

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is evenly one of 0…n-1 (to 1 in 2^64/n); 0 for n = 0.
func (r *random) below(n uint64) uint64 {
	hi, _ := bits.Mul64(r.next(), n)
	return hi
}

// unit is evenly of [0,1).
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

// percent is true p times in a hundred.
func (r *random) percent(p float64) bool { return r.unit()*100 < p }
