package join

import (
	"bytes"
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// tableRows are the rows of one side of a TableTable, as often as each stands: the group is the key that joins, the entry
// is the row.
//
//	entry:  ts (keys.AppendTime) | vector.AppendRow
//	value:  how often it stands (8); below zero when a removal came first | how many rows it is paired with (8), if counts
type tableRows struct {
	state  op.Sorted
	alone  Alone
	keys   matchKeys
	counts bool

	group []byte // of the row at hand
	entry []byte
	times int64
	value [16]byte
	found tableRow
}

// tableRow is a standing row, valid during a visit.
type tableRow struct {
	entry []byte
	ts    int64
	times int64
}

func newTableRow(entry []byte) tableRow { return tableRow{entry: entry, ts: keys.Time(entry)} }

func (r *tableRow) columns() vector.Reader { return vector.Reader{Rest: r.entry[8:]} }

func times(value []byte) int64  { return int64(binary.LittleEndian.Uint64(value)) }
func paired(value []byte) int64 { return int64(binary.LittleEndian.Uint64(value[8:])) }

// apply counts row i of b, of the group at hand; moved says that it stands once more or once less than before.
func (t *tableRows) apply(b *vector.Batch, i int, sign int64) (moved bool, err error) {
	t.entry = vector.AppendRow(keys.AppendTime(t.entry[:0], b.Time[i]), b.Cols, i)
	value, ok, err := t.state.Modify(t.group, t.entry)
	if err != nil {
		return false, err
	}
	size := 8
	if t.counts {
		size = 16
	}
	before := int64(0)
	if ok {
		if len(value) != size {
			return false, op.ErrRow
		}
		before = times(value)
	}
	t.times = before + sign
	switch {
	case t.times == 0:
		err = t.state.Delete(t.group, t.entry)
	case ok:
		binary.LittleEndian.PutUint64(value, uint64(t.times))
	default:
		clear(t.value[8:])
		binary.LittleEndian.PutUint64(t.value[:], uint64(t.times))
		err = t.state.Put(t.group, t.entry, t.value[:size])
	}
	return max(before, t.times) > 0, err
}

// edge says whether the row at hand, which has been counted, is the only one of its group to stand (sign 1), or was (-1).
func (t *tableRows) edge(sign int64) (bool, error) {
	others := false
	err := t.standing(t.group, func(r *tableRow) (bool, error) {
		others = sign < 0 || r.times > 1 || !bytes.Equal(r.entry, t.entry)
		return others, nil
	})
	return !others, err
}

// standing visits the rows of a group that stand.
func (t *tableRows) standing(group []byte, visit func(*tableRow) (stop bool, err error)) error {
	return t.state.Ascend(group, nil, nil, func(entry, value []byte) (bool, error) {
		if len(entry) < 8 || len(value) < 8 {
			return false, op.ErrRow
		}
		t.found = newTableRow(entry)
		if t.found.times = times(value); t.found.times <= 0 {
			return false, nil
		}
		return visit(&t.found)
	})
}

// bump changes how many rows an entry is paired with, and returns how many it was; ok false when it does not stand.
func (t *tableRows) bump(group, entry []byte, by int64) (before int64, ok bool, err error) {
	value, ok, err := t.state.Modify(group, entry)
	if err != nil || !ok {
		return 0, false, err
	}
	before = paired(value)
	binary.LittleEndian.PutUint64(value[8:], uint64(before+by))
	return before, times(value) > 0, nil
}

// pair stores how many rows an entry is paired with, if it stands.
func (t *tableRows) pair(group, entry []byte, with int64) error {
	value, ok, err := t.state.Modify(group, entry)
	if err == nil && ok {
		binary.LittleEndian.PutUint64(value[8:], uint64(with))
	}
	return err
}
