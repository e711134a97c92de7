package agg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGroupsFindEqualKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	g := newGroups()
	for range 30 {
		n := r.IntN(400)
		want := map[string][]int32{}
		g.reset(n)
		for row := range int32(n) {
			if r.IntN(10) == 0 {
				continue // a row that is left out
			}
			start, key := r.Int64N(3)*10, fmt.Sprint(r.IntN(1+n/2))
			k := fmt.Sprint(start, " ", key)
			want[k] = append(want[k], row)
			g.add(row, start, []byte(key))
		}
		if len(g.list) != len(want) {
			t.Fatalf("%d groups, want %d", len(g.list), len(want))
		}
		for i := range g.list {
			x := &g.list[i]
			var rows []int32
			for row := x.first; row >= 0; row = g.next[row] {
				rows = append(rows, row)
			}
			if k := fmt.Sprint(x.start, " ", string(g.key(x))); !slices.Equal(rows, want[k]) {
				t.Fatalf("%s: rows %v, want %v", k, rows, want[k])
			}
		}
	}
}
