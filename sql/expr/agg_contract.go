package expr

import (
	"errors"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Arguments are the values of one aggregate over a batch, and what orders its rows.
type Arguments struct {
	Vals   []*vector.Vector // the arguments, then the expressions of ORDER BY
	Time   []int64
	Origin []types.Origin // nil: rows of one event time are ordered by their values alone

	scratch []byte
}

// Accumulator folds rows into a state of bytes, which can be stored as it is. It is immutable and safe for concurrent use.
type Accumulator interface {
	// Size is the length of every state in bytes; 0 when it varies.
	Size() int
	// Init appends the state of no rows.
	Init(dst []byte) []byte
	// Update folds one row into a state: in place when the length allows, else the grown state is returned.
	Update(state []byte, in *Arguments, row int) []byte
	// Result appends the value of a state to a vector of the aggregate's type. On an error (the sum does not fit) NULL
	// was appended.
	Result(state []byte, out *vector.Vector) error
	// Merge folds state b into state a and returns a, as Update does.
	Merge(a, b []byte) []byte
}

// Retractor is an Accumulator that can take a row back: afterwards the result is as if the row had never been there.
type Retractor interface {
	Accumulator
	// Retract takes back a row that Update folded in, with the same values.
	Retract(state []byte, in *Arguments, row int) []byte
}

// Keeper computes an aggregate that must remember more than fits a state: beside the state it keeps entries of a Set.
type Keeper interface {
	Size() int
	Init(dst []byte) []byte
	// Add folds one row in, as Update does. Errors are those of the set.
	Add(state []byte, set Set, in *Arguments, row int) ([]byte, error)
	// Result appends the value of a state. bad: the value cannot be given, and NULL was appended; err is the set's.
	Result(state []byte, set Set, out *vector.Vector) (bad, err error)
}

// Merger is a Keeper that can fold in what it kept of other rows of a group. Those over rows that stay are.
type Merger interface {
	Keeper
	// Merge folds the state and the entries of other rows into a state and its set, and returns the state as Add does. from stays as it is.
	Merge(state []byte, set Set, other []byte, from Set) ([]byte, error)
}

// Remover is a Keeper that can take a row back.
type Remover interface {
	Keeper
	// Remove takes back a row that Add folded in, with the same values.
	Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error)
}

// Set is what one aggregate keeps of one group: entries in byte order of their keys, in memory or on disk.
type Set interface {
	// Get returns the value, valid until the next call.
	Get(key []byte) (value []byte, ok bool, err error)
	Put(key, value []byte) error
	Delete(key []byte) error
	// Ascend visits the entries with keys >= from (nil: all) until stop.
	Ascend(from []byte, visit func(key, value []byte) (stop bool, err error)) error
	// Descend visits the entries with keys < to (nil: all) from the greatest key down until stop.
	Descend(to []byte, visit func(key, value []byte) (stop bool, err error)) error
}

// errNotHeld means that the input broke its contract: what is removed must have been added.
var errNotHeld = errors.New("an aggregate was told to remove a row that it does not hold; the state does not belong to this input")

// order appends what puts the rows of a group in order: event time, then origin.
func (in *Arguments) order(dst []byte, row int) []byte {
	var o types.Origin
	if in.Origin != nil {
		o = in.Origin[row]
	}
	return appendOrder(dst, in.Time[row], o)
}
