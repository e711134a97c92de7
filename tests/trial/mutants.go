package trial

import (
	"bytes"
	"encoding/binary"
	"math/rand"
	"runtime/debug"
	"testing"
)

// Fuzz gives body the seeds and, under go test -fuzz, what Go's fuzzing makes of them. With MUTANTS=n in the environment it tries n mutants
// before, drawn by MUTANTS_SEED (1). They know nothing of coverage, and come some fifty times as fast.
func Fuzz(f *testing.F, body func(t testing.TB, input []byte), seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	if n := Number(f, "MUTANTS", 0); n > 0 {
		m := mutator{rand.New(rand.NewSource(Number(f, "MUTANTS_SEED", 1))), seeds}
		for range n {
			guarded(f, body, m.mutant())
		}
		f.Logf("%d mutants", n)
	}
	f.Fuzz(func(t *testing.T, input []byte) { body(t, input) })
}

// guarded makes a panic a failure that shows the input.
func guarded(t testing.TB, body func(testing.TB, []byte), input []byte) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%q panics: %v\n%s", input, p, debug.Stack())
		}
	}()
	body(t, input)
}

// mutator draws mutants of seeds.
type mutator struct {
	*rand.Rand
	seeds []string
}

// mutant is a seed with one to four changes, seldom with many.
func (m mutator) mutant() []byte {
	seed := m.seeds[m.Intn(len(m.seeds))]
	changes := 1 + m.Intn(4)
	if m.Intn(20) == 0 {
		changes = 1 + m.Intn(50)
	}
	b := []byte(seed)
	for n := 0; n < changes || string(b) == seed; n++ {
		b = m.change(b)
	}
	return b
}

// longest is the most bytes that a piece has that is taken out, put in or moved.
const longest = 16

// change is one change of a byte or a piece.
func (m mutator) change(b []byte) []byte {
	at := m.Intn(len(b) + 1)
	to := min(len(b), at+1+m.Intn(longest))
	switch kind := m.Intn(10); {
	case kind < 4 && at < len(b):
		b[at] = m.byte(b[at])
	case kind == 4:
		return append(b[:at], b[to:]...)
	case kind == 5:
		return insert(b, at, bytes.Clone(b[at:to]))
	case kind == 6:
		other := m.seeds[m.Intn(len(m.seeds))]
		from := m.Intn(len(other) + 1)
		return insert(b, at, []byte(other[from:min(len(other), from+1+m.Intn(longest))]))
	case kind == 7:
		return insert(b, at, m.number())
	case kind == 8 && m.Intn(4) == 0:
		return b[:at]
	case kind == 9:
		copy(b[m.Intn(len(b)+1):], bytes.Clone(b[at:to]))
	}
	return b
}

// byte is another byte: near the one that is there, at an edge, or any.
func (m mutator) byte(b byte) byte {
	switch m.Intn(4) {
	case 0:
		return b ^ 1<<m.Intn(8)
	case 1:
		return b + byte(m.Intn(3)) - 1
	case 2:
		const edges = "\x00\x01\x7f\x80\xff\"\\{}[],:'0-"
		return edges[m.Intn(len(edges))]
	}
	return byte(m.Intn(256))
}

// number is one as binary formats write lengths and integers, mostly at an edge.
func (m mutator) number() []byte {
	n := int64(1)<<m.Intn(64) + int64(m.Intn(3)) - 1
	switch m.Intn(4) {
	case 0:
		return binary.AppendUvarint(nil, uint64(n))
	case 1:
		return binary.AppendVarint(nil, n)
	case 2:
		return binary.BigEndian.AppendUint32(nil, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(n))
}

func insert(b []byte, at int, piece []byte) []byte {
	return append(b[:at:at], append(piece, b[at:]...)...)
}
