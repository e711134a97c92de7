package kafka

import (
	"cmp"
	"slices"
	"strings"
)

// verdict says whether a member is let in.
type verdict byte

const (
	admitted verdict = iota
	refusedFingerprint
	refusedExclusive
)

// member is one member of the group as the leader sees it.
type member struct {
	id   string // member id
	name string // group.instance.id, or the member id
	data memberData
}

// share is what a member gets.
type share struct {
	verdict verdict
	tasks   []task
}

// assign shares the tasks of the plan that runs among the members that run it, evenly, moving as few as that needs.
// The result is a function of the members alone. Members with another plan, and members that an exclusive one excludes,
// get a verdict instead. members are in order of name; shares are in the order of members.
func assign(members []member) []share {
	shares := make([]share, len(members))
	runs := running(members)
	var in []int // indexes of admitted members
	for i, m := range members {
		if m.data.fingerprint != runs {
			shares[i].verdict = refusedFingerprint
		} else {
			in = append(in, i)
		}
	}
	in = exclude(members, in, shares)
	if len(in) > 0 {
		balance(members, in, shares)
	}
	return shares
}

// running is the fingerprint that goes on: that of the members that own tasks, counted by tasks, then that of most
// members, then the lowest.
func running(members []member) string {
	type weight struct{ owned, members int }
	weights := make(map[string]weight)
	for _, m := range members {
		w := weights[m.data.fingerprint]
		w.owned += len(m.data.owned)
		w.members++
		weights[m.data.fingerprint] = w
	}
	best, found := "", false
	for f, w := range weights {
		b := weights[best]
		if !found || cmp.Or(cmp.Compare(w.owned, b.owned), cmp.Compare(w.members, b.members), strings.Compare(best, f)) > 0 {
			best, found = f, true
		}
	}
	return best
}

// exclude keeps an exclusive member alone: the one that owns tasks goes on, else the first by name. When that one is not
// exclusive, the exclusive ones are refused.
func exclude(members []member, in []int, shares []share) []int {
	if len(in) < 2 || !slices.ContainsFunc(in, func(i int) bool { return members[i].data.exclusive }) {
		return in
	}
	first := slices.MinFunc(in, func(a, b int) int {
		da, db := members[a].data, members[b].data
		return cmp.Or(cmp.Compare(len(db.owned), len(da.owned)), strings.Compare(members[a].name, members[b].name))
	})
	var stay []int
	for _, i := range in {
		if i == first || !members[first].data.exclusive && !members[i].data.exclusive {
			stay = append(stay, i)
		} else {
			shares[i].verdict = refusedExclusive
		}
	}
	return stay
}

// balance gives every member its quota: first what it owns, then the rest to the least loaded.
func balance(members []member, in []int, shares []share) {
	all := members[in[0]].data.tasks()
	owner := claims(members, in, all)
	quota := quotas(in, owner, len(all))
	for _, t := range all {
		if i, ok := owner[t]; ok {
			shares[i].tasks = append(shares[i].tasks, t)
		}
	}
	for _, i := range in {
		for len(shares[i].tasks) > quota[i] {
			t := surplus(shares[i].tasks)
			delete(owner, t)
			shares[i].tasks = slices.DeleteFunc(shares[i].tasks, func(o task) bool { return o == t })
		}
	}
	for _, t := range all {
		if _, ok := owner[t]; ok {
			continue
		}
		to := slices.MinFunc(in, func(a, b int) int {
			return cmp.Or(
				cmp.Compare(boolInt(len(shares[a].tasks) >= quota[a]), boolInt(len(shares[b].tasks) >= quota[b])),
				cmp.Compare(ofUnit(shares[a].tasks, t.unit), ofUnit(shares[b].tasks, t.unit)),
				cmp.Compare(len(shares[a].tasks), len(shares[b].tasks)),
				cmp.Compare(a, b))
		})
		shares[to].tasks = append(shares[to].tasks, t)
	}
	for _, i := range in {
		slices.SortFunc(shares[i].tasks, func(a, b task) int {
			return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.p, b.p))
		})
	}
}

// claims are the owners of tasks; of two, the one of the later generation, then the first.
func claims(members []member, in []int, all []task) map[task]int {
	exists := make(map[task]bool, len(all))
	for _, t := range all {
		exists[t] = true
	}
	owner := make(map[task]int)
	for _, i := range in {
		for _, t := range members[i].data.owned {
			if j, ok := owner[t]; exists[t] && (!ok || members[i].data.generation > members[j].data.generation) {
				owner[t] = i
			}
		}
	}
	return owner
}

// quotas are floor or ceiling of the even share; those that own most get the ceiling.
func quotas(in []int, owner map[task]int, tasks int) map[int]int {
	owned := make(map[int]int)
	for _, i := range owner {
		owned[i]++
	}
	order := slices.Clone(in)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(owned[b], owned[a]) })
	quota := make(map[int]int, len(in))
	for n, i := range order {
		quota[i] = tasks / len(in)
		if n < tasks%len(in) {
			quota[i]++
		}
	}
	return quota
}

// surplus is the task to give away: the last of the unit that the member has most of.
func surplus(tasks []task) task {
	best, most := tasks[0], 0
	for _, t := range tasks {
		if n := ofUnit(tasks, t.unit); n >= most {
			best, most = t, n
		}
	}
	return best
}

func ofUnit(tasks []task, unit int32) int {
	n := 0
	for _, t := range tasks {
		if t.unit == unit {
			n++
		}
	}
	return n
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
