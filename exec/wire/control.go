package wire

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// TaskID names a task: a fragment's share of one partition.
type TaskID struct {
	Fragment  int
	Partition int
}

// String is fragment-partition.
func (id TaskID) String() string { return fmt.Sprintf("%d-%d", id.Fragment, id.Partition) }

// Compare orders by fragment, then partition.
func (id TaskID) Compare(o TaskID) int {
	if id.Fragment != o.Fragment {
		return id.Fragment - o.Fragment
	}
	return id.Partition - o.Partition
}

// State of a task as its downstream sees it.
type State uint8

// The states of semantics S2.
const (
	Active State = iota
	Idle
	Finished
)

// String is the state's name.
func (s State) String() string { return [...]string{"ACTIVE", "IDLE", "FINISHED"}[s] }

// Root is one root source partition: the source's index in the query and the partition.
type Root struct {
	Source    int
	Partition int
}

// Info is what a task tells every downstream partition about itself.
type Info struct {
	W, Strict int64
	State     State
	// Generation stamps IDLE: one of an older generation counts as ACTIVE.
	Generation int32
	// Run stamps FINISHED (semantics S8); ForGood: it holds in every run, because the sources declare where they end.
	Run int
	// Horizon is the largest closing instant over the rows it accepted (M of semantics S8).
	Horizon int64
	// Frontier is, per root source partition, the position of which all effects lie before this record.
	Frontier map[Root]int64
}

// ForGood stands for every run.
const ForGood = -1

// Ended says whether the task has finished as far as a run is concerned (0: an endless one).
func (i Info) Ended(run int) bool {
	return i.State == Finished && (i.Run == ForGood || i.Run == run && run > 0)
}

// Equal says whether nothing changed.
func (i Info) Equal(o Info) bool {
	return i.W == o.W && i.Strict == o.Strict && i.State == o.State && i.Generation == o.Generation && i.Run == o.Run &&
		i.Horizon == o.Horizon && maps.Equal(i.Frontier, o.Frontier)
}

// Merge is what is known of a task after news of it arrived: watermarks by maximum, the rest by the latest.
func (i Info) Merge(news Info) Info {
	news.W = max(i.W, news.W)
	news.Strict = max(i.Strict, news.Strict)
	news.Horizon = max(i.Horizon, news.Horizon)
	return news
}

// AppendControl writes a control record about tasks.
func AppendControl(dst []byte, infos map[TaskID]Info) []byte {
	dst = append(dst, controlV1)
	ids := slices.SortedFunc(maps.Keys(infos), TaskID.Compare)
	dst = binary.AppendUvarint(dst, uint64(len(ids)))
	for _, id := range ids {
		i := infos[id]
		dst = binary.AppendUvarint(dst, uint64(id.Fragment))
		dst = binary.AppendUvarint(dst, uint64(id.Partition))
		dst = binary.AppendVarint(dst, i.W)
		dst = binary.AppendVarint(dst, i.Strict)
		dst = append(dst, byte(i.State))
		dst = binary.AppendVarint(dst, int64(i.Generation))
		dst = binary.AppendVarint(dst, int64(i.Run))
		dst = binary.AppendVarint(dst, i.Horizon)
		roots := slices.SortedFunc(maps.Keys(i.Frontier), func(a, b Root) int {
			return TaskID{a.Source, a.Partition}.Compare(TaskID{b.Source, b.Partition})
		})
		dst = binary.AppendUvarint(dst, uint64(len(roots)))
		for _, r := range roots {
			dst = binary.AppendUvarint(dst, uint64(r.Source))
			dst = binary.AppendUvarint(dst, uint64(r.Partition))
			dst = binary.AppendVarint(dst, i.Frontier[r])
		}
	}
	return dst
}

// ReadControl visits the tasks of a control record.
func ReadControl(value []byte, visit func(TaskID, Info)) error {
	if !IsControl(value) {
		return ErrFormat
	}
	r := vector.Reader{Rest: value[1:]}
	for n := r.Uvarint(); n > 0 && r.Err() == nil; n-- {
		id := TaskID{int(r.Uvarint()), int(r.Uvarint())}
		i := Info{W: r.Varint(), Strict: r.Varint(), State: State(r.Byte()), Generation: int32(r.Varint()), Run: int(r.Varint()), Horizon: r.Varint()}
		if i.State > Finished {
			r.Fail()
		}
		m := r.Count()
		i.Frontier = make(map[Root]int64, m)
		for ; m > 0 && r.Err() == nil; m-- {
			root := Root{int(r.Uvarint()), int(r.Uvarint())}
			i.Frontier[root] = r.Varint()
		}
		if r.Err() == nil {
			visit(id, i)
		}
	}
	return truncated(&r)
}
