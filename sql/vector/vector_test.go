package vector

import (
	"reflect"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"pgregory.net/rapid"
)

var kinds = []types.Type{types.TBigInt, types.TDouble, types.TDecimal(10, 2), types.TVarchar, types.TNull, types.TBoolean}

// genValue draws a value of a type, NULL often.
func genValue(t *rapid.T, k types.Type) types.Value {
	if k.Kind == types.Null || rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return types.Value{}
	}
	n := rapid.Int64Range(0, 1).Draw(t, "n")
	switch k.Physical() {
	case types.PhysFloat:
		return types.NewDouble(float64(n) / 2)
	case types.PhysDec:
		return types.NewDecimal(types.FromInt64(n), 2)
	case types.PhysBytes:
		return types.NewString(rapid.StringN(0, 3, 9).Draw(t, "s"))
	}
	return types.Value{Kind: k.Kind, I: n}
}

func values(v *Vector) []types.Value {
	out := make([]types.Value, v.Len())
	for i := range out {
		out[i] = v.Value(i)
	}
	return out
}

// TestVectorIsAList runs operations on a vector and on a plain list of values side by side.
func TestVectorIsAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		v, list := New(k, 0), []types.Value{}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "op") {
			case 0, 1, 2:
				x := genValue(t, k)
				v.Append(x)
				list = append(list, x)
			case 3:
				v.Reset()
				list = list[:0]
			case 4:
				if len(list) > 0 {
					i := rapid.IntRange(0, len(list)-1).Draw(t, "i")
					v.AppendFrom(v, i)
					list = append(list, list[i])
				}
			case 5:
				from := rapid.IntRange(0, len(list)).Draw(t, "from")
				to := rapid.IntRange(from, len(list)).Draw(t, "to")
				v = Concat(v.Slice(from, to), v.Slice(0, from))
				list = append(append([]types.Value{}, list[from:to]...), list[:from]...)
			case 6:
				var rows []int32
				var picked []types.Value
				for range rapid.IntRange(0, 5).Draw(t, "rows") {
					if len(list) > 0 {
						r := rapid.IntRange(0, len(list)-1).Draw(t, "row")
						rows, picked = append(rows, int32(r)), append(picked, list[r])
					}
				}
				v, list = v.Select(rows), picked
			}
			if got := values(v); len(got) != len(list) || len(list) > 0 && !reflect.DeepEqual(got, list) {
				t.Fatalf("%s: %v, want %v", k, got, list)
			}
			if v.Nulls != nil && len(v.Nulls) != v.Len() {
				t.Fatalf("%d nulls for %d rows", len(v.Nulls), v.Len())
			}
		}
	})
}

func TestNullSlotsAreZero(t *testing.T) {
	v := New(types.TBigInt, 2)
	v.AppendInt(7)
	v.Reset()
	v.AppendNull()
	if v.Ints[0] != 0 || !v.IsNull(0) {
		t.Errorf("the slot of a NULL holds %d", v.Ints[0])
	}
}

func fullBatch(n int) *Batch {
	b := NewBatch([]types.Type{types.TBigInt, types.TVarchar}, n)
	for i := range n {
		b.Cols[0].AppendInt(int64(i))
		b.Cols[1].AppendString(string(rune('a' + i)))
		b.Time = append(b.Time, int64(i*10))
		b.Seen = append(b.Seen, int64(i*100))
		b.Deleted = append(b.Deleted, i%2 == 1)
		b.Origin = append(b.Origin, types.Origin{Offset: int64(i)})
		b.Raw = append(b.Raw, Raw{Key: []byte{byte(i)}})
	}
	b.N = n
	return b
}

func checkRow(t *testing.T, b *Batch, i, want int) {
	t.Helper()
	if b.Cols[0].Ints[i] != int64(want) || string(b.Cols[1].Bytes.At(i)) != string(rune('a'+want)) || b.Time[i] != int64(want*10) ||
		b.Seen[i] != int64(want*100) || b.Deleted[i] != (want%2 == 1) || b.Origin[i].Offset != int64(want) || b.Raw[i].Key[0] != byte(want) {
		t.Errorf("row %d is not row %d of the source", i, want)
	}
}

func TestBatchRowsStayTogether(t *testing.T) {
	b := fullBatch(5)
	s := b.Select([]int32{4, 0, 0})
	for i, want := range []int{4, 0, 0} {
		checkRow(t, s, i, want)
	}
	checkRow(t, b.Slice(2, 4), 1, 3)
	c := ConcatBatches(b.Slice(3, 5), s)
	for i, want := range []int{3, 4, 4, 0, 0} {
		checkRow(t, c, i, want)
	}
	if c.N != 5 || s.N != 3 {
		t.Errorf("%d and %d rows", c.N, s.N)
	}
	c.Reset()
	c.AppendFrom(b, 2)
	checkRow(t, c, 0, 2)
	if c.N != 1 || len(c.Raw) != 1 {
		t.Errorf("after Reset: %d rows, %d raw", c.N, len(c.Raw))
	}
}

func TestConcatFillsWhatOneSideLacks(t *testing.T) {
	bare := fullBatch(1)
	bare.Seen, bare.Deleted, bare.Origin, bare.Raw = nil, nil, nil, nil
	c := ConcatBatches(bare, fullBatch(1), bare)
	if c.Seen[0] != types.Never || c.Seen[2] != types.Never || c.Seen[1] != 0 || len(c.Deleted) != 3 || len(c.Raw) != 3 {
		t.Errorf("seen %v, deleted %v", c.Seen, c.Deleted)
	}
	if d := ConcatBatches(bare, bare); d.Seen != nil || d.Raw != nil || d.N != 2 {
		t.Error("a slice that nobody had appeared")
	}
}

func BenchmarkFillReused(b *testing.B) {
	v := New(types.TVarchar, 0)
	b.ReportAllocs()
	for range b.N {
		v.Reset()
		for i := range 1000 {
			if i%10 == 0 {
				v.AppendNull()
				continue
			}
			v.AppendString("some text")
		}
	}
}
