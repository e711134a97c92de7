package wire

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Telling is what a worker says to the readers of a query's target about one partition of it (semantics S7).
type Telling struct {
	// Offset is where it holds: who has read the partition up to here has read all that these tasks had written there.
	Offset int64
	// Writers are all tasks that write the target: fragments, with their partitions. One never heard of holds time back.
	Writers []Writer
	// Infos are the tasks that there is news of, without frontier, horizon and run: those mean nothing outside the query.
	Infos map[TaskID]Info
}

// Writer is a fragment that ends in the target.
type Writer struct {
	Fragment   int
	Partitions int
}

// Outside is what readers of the target are told of a task. Their event time is in milliseconds, the records' timestamps, so the
// watermarks are those of rows cut down to milliseconds. A bounded run that is over says nothing to them: more may come in the
// next one.
func (i Info) Outside() Info {
	o := Info{W: CutMark(i.W), Strict: CutMark(i.Strict), State: i.State, Generation: i.Generation, Horizon: types.Never}
	if i.State == Finished && i.Run == ForGood {
		o.Run = ForGood
	} else if i.State == Finished {
		o.State = Active
	}
	return o
}

// CutMark is the watermark of rows above w once their event times are cut down to milliseconds: none of them is then at or below it.
func CutMark(w int64) int64 {
	if w <= types.Never {
		return types.Never
	}
	return types.FloorDiv(w+1, types.MicrosPerMilli)*types.MicrosPerMilli - 1
}

const (
	tellingV1 byte = 1
	// finishedForGood stands for the state of a task whose sources have ended for good.
	finishedForGood = byte(Finished) + 1
	sameStrict      = 0x80 // the strict watermark is W
)

// Append writes the telling.
func (t *Telling) Append(dst []byte) []byte {
	dst = append(dst, tellingV1)
	dst = binary.AppendUvarint(dst, uint64(t.Offset))
	dst = binary.AppendUvarint(dst, uint64(len(t.Writers)))
	for _, w := range t.Writers {
		dst = binary.AppendUvarint(dst, uint64(w.Fragment))
		dst = binary.AppendUvarint(dst, uint64(w.Partitions))
	}
	return AppendTold(dst, t.Infos)
}

// AppendTold writes what was told of tasks.
func AppendTold(dst []byte, infos map[TaskID]Info) []byte {
	ids := slices.SortedFunc(maps.Keys(infos), TaskID.Compare)
	dst = binary.AppendUvarint(dst, uint64(len(ids)))
	for _, id := range ids {
		i := infos[id]
		state := byte(i.State)
		if i.State == Finished {
			state = finishedForGood
		}
		if i.Strict == i.W {
			state |= sameStrict
		}
		dst = binary.AppendUvarint(dst, uint64(id.Fragment))
		dst = binary.AppendUvarint(dst, uint64(id.Partition))
		dst = append(dst, state)
		dst = binary.AppendVarint(dst, i.W)
		if i.Strict != i.W {
			dst = binary.AppendVarint(dst, i.Strict)
		}
		dst = binary.AppendVarint(dst, int64(i.Generation))
	}
	return dst
}

// ReadTelling reads a record of a watermark topic.
func ReadTelling(value []byte) (Telling, error) {
	if len(value) == 0 || value[0] != tellingV1 {
		return Telling{}, fmt.Errorf("it tells no watermarks that this version can read: is another program writing there?")
	}
	r := vector.Reader{Rest: value[1:]}
	t := Telling{Offset: int64(r.Uvarint())}
	for n := r.Count(); n > 0 && r.Err() == nil; n-- {
		t.Writers = append(t.Writers, Writer{int(r.Uvarint()), int(r.Uvarint())})
	}
	t.Infos = readTold(&r)
	return t, truncated(&r)
}

// ReadTold reads what AppendTold wrote.
func ReadTold(data []byte) (map[TaskID]Info, error) {
	r := vector.Reader{Rest: data}
	infos := readTold(&r)
	return infos, truncated(&r)
}

func readTold(r *vector.Reader) map[TaskID]Info {
	n := r.Count()
	infos := make(map[TaskID]Info, n)
	for ; n > 0 && r.Err() == nil; n-- {
		id := TaskID{int(r.Uvarint()), int(r.Uvarint())}
		state := r.Byte()
		i := Info{W: r.Varint(), Horizon: types.Never}
		i.Strict = i.W
		if state&sameStrict == 0 {
			i.Strict = r.Varint()
		}
		i.Generation = int32(r.Varint())
		switch state &^ sameStrict {
		case byte(Active), byte(Idle):
			i.State = State(state &^ sameStrict)
		case finishedForGood:
			i.State, i.Run = Finished, ForGood
		default:
			r.Fail()
		}
		infos[id] = i
	}
	return infos
}
