package kafka

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
)

// task is partition number p of a unit: the smallest thing that is assigned.
type task struct {
	unit, p int32
}

// memberData is what a member tells the leader when it joins. All but generation and owned is the same at every start
// of the same plan, so a static member's return rebalances nothing.
type memberData struct {
	fingerprint string
	exclusive   bool
	topics      []string // sorted
	partitions  []int32  // of each topic
	units       [][]int  // indexes into topics
	generation  int32    // in which it owned these tasks; -1 after a start
	owned       []task
}

// The user data is one version byte, then fields: a tag byte, a uvarint length, the bytes. Readers pass over tags they
// do not know; a change that old readers must not pass over gets a new version.
const dataVersion = 1

const (
	tagFingerprint = iota + 1
	tagExclusive
	tagTopics
	tagUnits
	tagOwned
)

func describe(o connectors.SessionOptions) memberData {
	d := memberData{fingerprint: o.Fingerprint, exclusive: o.Exclusive, generation: -1}
	for _, u := range o.Units {
		d.topics = append(d.topics, u.Topics...)
	}
	slices.Sort(d.topics)
	d.topics = slices.Compact(d.topics)
	for _, t := range d.topics {
		d.partitions = append(d.partitions, o.Partitions[t])
	}
	for _, u := range o.Units {
		var unit []int
		for _, t := range u.Topics {
			i, _ := slices.BinarySearch(d.topics, t)
			unit = append(unit, i)
		}
		slices.Sort(unit)
		d.units = append(d.units, slices.Compact(unit))
	}
	slices.SortFunc(d.units, slices.Compare)
	return d
}

// tasks are all tasks of the plan, in order.
func (d memberData) tasks() []task {
	var out []task
	for u, topics := range d.units {
		n := int32(0)
		for _, t := range topics {
			n = max(n, d.partitions[t])
		}
		for p := range n {
			out = append(out, task{int32(u), p})
		}
	}
	return out
}

// partitionsOf are the partitions that make a task: p of every topic of the unit that has a p.
func (d memberData) partitionsOf(t task) []connectors.Partition {
	var out []connectors.Partition
	for _, i := range d.units[t.unit] {
		if t.p < d.partitions[i] {
			out = append(out, connectors.Partition{Topic: d.topics[i], Partition: t.p})
		}
	}
	return out
}

func (d memberData) encode() []byte {
	b := []byte{dataVersion}
	b = field(b, tagFingerprint, []byte(d.fingerprint))
	if d.exclusive {
		b = field(b, tagExclusive, nil)
	}
	var v []byte
	for i, t := range d.topics {
		v = binary.AppendUvarint(v, uint64(len(t)))
		v = append(v, t...)
		v = binary.AppendUvarint(v, uint64(d.partitions[i]))
	}
	b = field(b, tagTopics, v)
	v = nil
	for _, u := range d.units {
		v = binary.AppendUvarint(v, uint64(len(u)))
		for _, t := range u {
			v = binary.AppendUvarint(v, uint64(t))
		}
	}
	b = field(b, tagUnits, v)
	if len(d.owned) > 0 {
		v = binary.AppendUvarint(nil, uint64(d.generation))
		for _, t := range d.owned {
			v = binary.AppendUvarint(v, uint64(t.unit))
			v = binary.AppendUvarint(v, uint64(t.p))
		}
		b = field(b, tagOwned, v)
	}
	return b
}

func field(b []byte, tag byte, v []byte) []byte {
	b = append(b, tag)
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

var errMemberData = errors.New("a member of the group is no streamsql, or of a later version: give the query a group of its own, or upgrade")

func decodeMember(b []byte) (memberData, error) {
	d := memberData{generation: -1}
	if len(b) == 0 || b[0] != dataVersion {
		return d, errMemberData
	}
	r := &reader{b: b[1:]}
	for len(r.b) > 0 && !r.bad {
		tag := r.bytes(1)
		v := &reader{b: r.bytes(r.uvarint())}
		if r.bad {
			break
		}
		d.decodeField(tag[0], v)
		r.bad = r.bad || v.bad
	}
	if r.bad || !d.consistent() {
		return d, errMemberData
	}
	return d, nil
}

func (d *memberData) decodeField(tag byte, v *reader) {
	switch tag {
	case tagFingerprint:
		d.fingerprint = string(v.b)
	case tagExclusive:
		d.exclusive = true
	case tagTopics:
		for len(v.b) > 0 && !v.bad {
			d.topics = append(d.topics, string(v.bytes(v.uvarint())))
			d.partitions = append(d.partitions, int32(v.uvarint()))
		}
	case tagUnits:
		for len(v.b) > 0 && !v.bad {
			var u []int
			for range v.uvarint() {
				if v.bad {
					return
				}
				u = append(u, v.uvarint())
			}
			d.units = append(d.units, u)
		}
	case tagOwned:
		d.generation = int32(v.uvarint())
		for len(v.b) > 0 && !v.bad {
			d.owned = append(d.owned, task{int32(v.uvarint()), int32(v.uvarint())})
		}
	}
}

// consistent checks the indexes, so that a leader cannot be made to panic.
func (d memberData) consistent() bool {
	for _, u := range d.units {
		for _, t := range u {
			if t < 0 || t >= len(d.topics) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(d.partitions, func(n int32) bool { return n < 0 || n > 1<<20 })
}

type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<31-1 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}
