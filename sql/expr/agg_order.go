package expr

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// orderBytes is the length of what appendOrder writes.
const orderBytes = 24

// appendOrder appends event time and origin so that their bytes order as they do (semantics S1).
func appendOrder(dst []byte, ts int64, o types.Origin) []byte {
	dst = keys.AppendTime(dst, ts)
	dst = binary.BigEndian.AppendUint32(dst, uint32(o.Source)^1<<31)
	dst = binary.BigEndian.AppendUint32(dst, uint32(o.Partition)^1<<31)
	return keys.AppendTime(dst, o.Offset)
}

// A multiset is a Set whose values are how often a key is in it: nothing for once, else a uvarint.

// increment puts a key into a multiset once more and says whether it is new there.
func increment(set Set, key []byte) (isNew bool, err error) {
	value, ok, err := set.Get(key)
	switch {
	case err != nil:
		return false, err
	case !ok:
		return true, set.Put(key, nil)
	}
	var b [binary.MaxVarintLen64]byte
	return false, set.Put(key, binary.AppendUvarint(b[:0], occurrences(value)+1))
}

// mergeMultiset puts what is in a multiset into another one, as often as it is there.
func mergeMultiset(set, from Set) error {
	return from.Ascend(nil, func(key, value []byte) (bool, error) {
		more := occurrences(value)
		have, ok, err := set.Get(key)
		if err != nil {
			return true, err
		}
		if ok {
			more += occurrences(have)
		}
		if more == 1 {
			return false, set.Put(key, nil)
		}
		var b [binary.MaxVarintLen64]byte
		return false, set.Put(key, binary.AppendUvarint(b[:0], more))
	})
}

// decrement takes a key out of a multiset once and says whether it is gone from there.
func decrement(set Set, key []byte) (gone bool, err error) {
	value, ok, err := set.Get(key)
	switch {
	case err != nil:
		return false, err
	case !ok:
		return false, errNotHeld
	}
	switch n := occurrences(value); n {
	case 1:
		return true, set.Delete(key)
	case 2:
		return false, set.Put(key, nil)
	default:
		var b [binary.MaxVarintLen64]byte
		return false, set.Put(key, binary.AppendUvarint(b[:0], n-1))
	}
}

func occurrences(value []byte) uint64 {
	if len(value) == 0 {
		return 1
	}
	n, _ := binary.Uvarint(value)
	return n
}
