// Package random draws the numbers of made-up sources: each value of a row depends on nothing but a seed, a name and the
// row's number, so any row can be made without those before it.
package random

import (
	"hash/fnv"
	"math/bits"
)

// Source is splitmix64 (Steele, Lea, Flood 2014), begun anew for every column and row.
type Source uint64

// New is the source of row n under a seed.
func New(seed, n uint64) Source {
	r := Source(seed ^ n*0xd1342543de82ef95)
	r.Next()
	return r
}

// Seed mixes a name, such as a column's, into a seed.
func Seed(seed uint64, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name)) // a hash never fails
	r := Source(seed ^ h.Sum64())
	return r.Next()
}

// Next is 64 random bits.
func (r *Source) Next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Below is evenly one of 0…n-1 (to 1 in 2^64/n); 0 for n = 0.
func (r *Source) Below(n uint64) uint64 {
	hi, _ := bits.Mul64(r.Next(), n)
	return hi
}

// Unit is evenly of [0,1).
func (r *Source) Unit() float64 { return float64(r.Next()>>11) / (1 << 53) }

// Percent is true p times in a hundred.
func (r *Source) Percent(p float64) bool { return r.Unit()*100 < p }
