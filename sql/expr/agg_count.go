package expr

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func bindCount(a *Aggregate) error {
	a.folds(types.TBigInt, countAccumulator{}, nil)
	return nil
}

// CountRows is COUNT(*).
func CountRows() *Aggregate {
	a := &Aggregate{Func: "COUNT"}
	a.folds(types.TBigInt, countAccumulator{}, nil)
	return a
}

// countAccumulator is COUNT: 8 bytes. Of several arguments none may be NULL.
type countAccumulator struct{}

func (countAccumulator) Size() int { return 8 }

func (countAccumulator) Init(dst []byte) []byte { return append(dst, make([]byte, 8)...) }

func (countAccumulator) Update(state []byte, in *Arguments, row int) []byte {
	if !in.anyNull(row) {
		addCount(state, 1)
	}
	return state
}

func (countAccumulator) Retract(state []byte, in *Arguments, row int) []byte {
	if !in.anyNull(row) {
		addCount(state, -1)
	}
	return state
}

func (countAccumulator) Result(state []byte, out *vector.Vector) error {
	out.AppendInt(int64(binary.LittleEndian.Uint64(state)))
	return nil
}

func (countAccumulator) Merge(a, b []byte) []byte {
	addCount(a, int64(binary.LittleEndian.Uint64(b)))
	return a
}

func addCount(state []byte, n int64) {
	binary.LittleEndian.PutUint64(state, binary.LittleEndian.Uint64(state)+uint64(n))
}

func (in *Arguments) anyNull(row int) bool {
	for _, v := range in.Vals {
		if v.IsNull(row) {
			return true
		}
	}
	return false
}
