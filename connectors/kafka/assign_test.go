package kafka

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/tests/trial"
)

func planOf(units ...[]string) connectors.SessionOptions {
	o := connectors.SessionOptions{Fingerprint: "f", Partitions: map[string]int32{}}
	for i, u := range units {
		o.Units = append(o.Units, connectors.Unit{Topics: u})
		for _, t := range u {
			o.Partitions[t] = int32(4 + i)
		}
	}
	return o
}

func TestMemberDataRoundTrip(t *testing.T) {
	o := planOf([]string{"b", "a"}, []string{"c"})
	o.Exclusive = true
	d := describe(o)
	d.generation, d.owned = 7, []task{{0, 3}, {1, 0}}
	got, err := decodeMember(d.encode())
	if err != nil || !reflect.DeepEqual(got, d) {
		t.Errorf("%+v, %v; want %+v", got, err, d)
	}
	// A field of a later, compatible version is passed over.
	if got, err := decodeMember(field(d.encode(), 99, []byte("new"))); err != nil || !reflect.DeepEqual(got, d) {
		t.Errorf("with an unknown field: %+v, %v", got, err)
	}
	for _, bad := range [][]byte{nil, {2}, {1, 1}, {1, tagUnits, 2, 1, 9}, []byte("consumer")} {
		if _, err := decodeMember(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func FuzzDecodeMember(f *testing.F) {
	trial.Fuzz(f, func(_ testing.TB, b []byte) {
		if d, err := decodeMember(b); err == nil {
			assign([]member{{id: "m", name: "m", data: d}})
		}
	}, string(describe(planOf([]string{"a"})).encode()))
}

func TestTasksOfUnequalTopics(t *testing.T) {
	o := connectors.SessionOptions{
		Units:      []connectors.Unit{{Topics: []string{"big", "small"}}},
		Partitions: map[string]int32{"big": 3, "small": 1},
	}
	d := describe(o)
	if got := d.partitionsOf(task{0, 0}); len(got) != 2 {
		t.Errorf("task 0: %v", got)
	}
	if got := d.partitionsOf(task{0, 2}); !slices.Equal(got, []connectors.Partition{{Topic: "big", Partition: 2}}) {
		t.Errorf("task 2: %v", got)
	}
}

// Members come and go: the tasks are always shared exactly once and evenly, and no task moves from a member that stays
// unless it must.
func TestAssignProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := planOf([]string{"a", "b"}, []string{"c"})
		all := len(describe(o).tasks())
		owned := map[string][]task{}
		for generation := range rapid.IntRange(1, 6).Draw(t, "generations") {
			n := rapid.IntRange(1, 5).Draw(t, "members")
			var members []member
			for i := range n {
				name := fmt.Sprintf("m%d", (i+generation*rapid.IntRange(0, 2).Draw(t, "shift"))%7)
				if slices.ContainsFunc(members, func(m member) bool { return m.name == name }) {
					continue
				}
				d := describe(o)
				d.generation, d.owned = int32(generation-1), owned[name]
				members = append(members, member{id: name, name: name, data: d})
			}
			shares := assign(members)
			seen := map[task]bool{}
			next := map[string][]task{}
			lo, hi := all, 0
			for i, s := range shares {
				for _, tk := range s.tasks {
					if seen[tk] {
						t.Fatalf("%v is assigned twice", tk)
					}
					seen[tk] = true
				}
				next[members[i].name] = s.tasks
				lo, hi = min(lo, len(s.tasks)), max(hi, len(s.tasks))
			}
			if len(seen) != all || hi-lo > 1 {
				t.Fatalf("%d of %d tasks, from %d to %d each", len(seen), all, lo, hi)
			}
			for i, m := range members {
				kept := 0
				for _, tk := range m.data.owned {
					if slices.Contains(shares[i].tasks, tk) {
						kept++
					}
				}
				if want := min(len(m.data.owned), all/len(members)); kept < want {
					t.Fatalf("%s kept %d of %d, could keep %d", m.name, kept, len(m.data.owned), want)
				}
			}
			owned = next
		}
	})
}

func TestVerdicts(t *testing.T) {
	make := func(name, fingerprint string, exclusive bool, owned int) member {
		o := planOf([]string{"a"})
		o.Fingerprint, o.Exclusive = fingerprint, exclusive
		d := describe(o)
		d.owned = d.tasks()[:owned]
		return member{id: name, name: name, data: d}
	}
	for _, c := range []struct {
		name    string
		members []member
		want    []verdict
	}{
		{"the plan that runs goes on, even against more members",
			[]member{make("a", "new", false, 0), make("b", "new", false, 0), make("c", "old", false, 4)},
			[]verdict{refusedFingerprint, refusedFingerprint, admitted}},
		{"the majority starts",
			[]member{make("a", "z", false, 0), make("b", "z", false, 0), make("c", "y", false, 0)},
			[]verdict{admitted, admitted, refusedFingerprint}},
		{"of equals the lowest",
			[]member{make("a", "z", false, 0), make("b", "y", false, 0)},
			[]verdict{refusedFingerprint, admitted}},
		{"the running exclusive one stays alone",
			[]member{make("a", "f", true, 0), make("b", "f", true, 4)},
			[]verdict{refusedExclusive, admitted}},
		{"an exclusive one is not let in",
			[]member{make("a", "f", true, 0), make("b", "f", false, 2), make("c", "f", false, 2)},
			[]verdict{refusedExclusive, admitted, admitted}},
		{"two exclusive ones start at once: the first by name",
			[]member{make("a", "f", true, 0), make("b", "f", true, 0)},
			[]verdict{admitted, refusedExclusive}},
	} {
		shares := assign(c.members)
		total := 0
		for i, s := range shares {
			if s.verdict != c.want[i] {
				t.Errorf("%s: %s got verdict %d, want %d", c.name, c.members[i].name, s.verdict, c.want[i])
			}
			if s.verdict != admitted && len(s.tasks) > 0 {
				t.Errorf("%s: a refused member got tasks", c.name)
			}
			total += len(s.tasks)
		}
		if total != 4 {
			t.Errorf("%s: %d tasks assigned, want 4", c.name, total)
		}
	}
}
