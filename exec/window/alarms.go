package window

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// Alarms are instants at which to look at a key, in a group of a state of their own: entry instant, key.
type Alarms struct {
	state op.Sorted
	group []byte
	entry []byte
	due   []Alarm
	keys  []byte
}

// Alarm is one that is due.
type Alarm struct {
	At  int64
	Key []byte
}

// NewAlarms keeps alarms in a group of state.
func NewAlarms(state op.Sorted, group byte) *Alarms {
	return &Alarms{state: state, group: []byte{group}}
}

func (a *Alarms) at(instant int64, key []byte) []byte {
	a.entry = append(keys.AppendTime(a.entry[:0], instant), key...)
	return a.entry
}

// Set sets an alarm, of which there may be several for a key.
func (a *Alarms) Set(instant int64, key []byte) error {
	return a.state.Put(a.group, a.at(instant, key), nil)
}

// Unset takes one down.
func (a *Alarms) Unset(instant int64, key []byte) error {
	return a.state.Delete(a.group, a.at(instant, key))
}

// First is the earliest instant; ok false when there is no alarm.
func (a *Alarms) First() (instant int64, ok bool, err error) {
	err = a.state.Ascend(a.group, nil, nil, func(entry, _ []byte) (bool, error) {
		if len(entry) < 8 {
			return true, op.ErrRow
		}
		instant, ok = keys.Time(entry), true
		return true, nil
	})
	return instant, ok, err
}

// atOnce is how many alarms are taken together.
const atOnce = 1024

// Ring takes down the alarms up to an instant, in their order, and calls look for each. It may set others, which ring too when
// they are due.
func (a *Alarms) Ring(instant int64, look func(x Alarm) error) error {
	for {
		if err := a.take(instant); err != nil || len(a.due) == 0 {
			return err
		}
		for _, x := range a.due {
			if err := a.state.Delete(a.group, a.at(x.At, x.Key)); err != nil {
				return err
			}
			if err := look(x); err != nil {
				return err
			}
		}
	}
}

func (a *Alarms) take(instant int64) error {
	a.due, a.keys = a.due[:0], a.keys[:0]
	var ends []int
	err := a.state.Ascend(a.group, nil, keys.AppendTime(nil, instant+1), func(entry, _ []byte) (bool, error) {
		if len(entry) < 8 {
			return true, op.ErrRow
		}
		a.keys = append(a.keys, entry[8:]...)
		a.due = append(a.due, Alarm{At: keys.Time(entry)})
		ends = append(ends, len(a.keys))
		return len(a.due) == atOnce, nil
	})
	from := 0
	for i, to := range ends {
		a.due[i].Key = a.keys[from:to:to]
		from = to
	}
	return err
}
