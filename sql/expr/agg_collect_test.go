package expr

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// TestListsAreNeverCutOff: a list of the most bytes is given whole, one of more is an error that says what to do.
func TestListsAreNeverCutOff(t *testing.T) {
	cols := map[string]*Column{"s": {Index: 0, Name: "s", Typ: types.TVarchar}}
	for _, c := range []struct {
		call   string
		beside int // bytes of the result besides the two values
	}{{"GROUP_CONCAT(s)", 1}, {"ARRAY_AGG(s)", 7}, {"JSON_OBJECTAGG(s, 1)", 11}} {
		for more, fits := range map[int]bool{0: true, 1: false} {
			long := strings.Repeat("x", MaxCollected-c.beside-1+more)
			b := &vector.Batch{N: 2, Time: []int64{1, 2}, Cols: []*vector.Vector{vector.FromValues(types.TVarchar, types.NewString("a"), types.NewString(long))}}
			for _, in := range []Input{Appends, Deltas} {
				g := newGroup([]*Aggregate{parseAggregate(t, c.call, cols)}, in)
				g.add(t, b, 0, 1)
				out := vector.New(g.aggs[0].Type(), 1)
				out.AppendString("before")
				bad, err := g.states.Results(g.state, g.sets, []*vector.Vector{out})
				if err != nil || out.Len() != 2 || string(out.Bytes.At(0)) != "before" {
					t.Fatalf("%s: %v, %d results", c.call, err, out.Len())
				}
				if fits && (bad != nil || len(out.Bytes.At(1)) != MaxCollected) {
					t.Errorf("%s: %v, %d bytes", c.call, bad, len(out.Bytes.At(1)))
				}
				if !fits && (bad == nil || !out.IsNull(1) || !strings.Contains(bad.Error(), "longer than 1048576 bytes in one group") || !strings.Contains(bad.Error(), "FILTER")) {
					t.Errorf("%s: %v, NULL %v", c.call, bad, out.IsNull(1))
				}
			}
		}
	}
}
