package sim

import (
	"math/rand"
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
)

// RandomPoll as Schedule.Poll: every poll draws its own size.
const RandomPoll = -1

// Schedule is what the simulated cluster does by chance. Chances are 0 to 1 per call. The zero Schedule has no faults and
// delivers everything at once, in permuted partition order.
type Schedule struct {
	// Poll is the largest number of records of a poll; 0: as many as the caller takes; RandomPoll.
	Poll int
	// Stall is the chance that a poll starts a stall: one assigned partition, or all of a topic, delivers nothing for up
	// to StallPolls polls of its session.
	Stall      float64
	StallPolls int
	// Abort is the chance that a commit is aborted, Unknown that its outcome is not told (half of these are applied),
	// ProduceFailure that a produce fails, of the first of a transaction, which shows at commit.
	Abort, Unknown, ProduceFailure float64
	// Scatter is the chance that a rebalance gives the tasks to members at random instead of by range.
	Scatter float64
}

// dice is the seeded source of a cluster's choices.
type dice struct {
	*rand.Rand
	s Schedule
}

func (d *dice) hit(chance float64) bool { return chance > 0 && d.Float64() < chance }

// budget is how many records a poll may bring.
func (d *dice) budget(limit int) int {
	switch {
	case d.s.Poll > 0:
		return min(limit, d.s.Poll)
	case d.s.Poll == RandomPoll:
		return min(limit, [...]int{1, 2, 3, 7, 10, 100, limit}[d.Intn(7)])
	}
	return limit
}

// share is how many of budget records one partition delivers.
func (d *dice) share(budget int) int {
	if d.s.Poll == 0 || d.Intn(2) == 0 {
		return budget
	}
	return 1 + d.Intn(budget)
}

// stalls of one session: polls left per partition and per topic.
type stalls struct {
	partitions map[connectors.Partition]int
	topics     map[string]int
}

// next counts a poll down and may begin another stall of one of assigned.
func (t *stalls) next(d *dice, assigned []connectors.Partition) {
	if t.partitions == nil {
		t.partitions, t.topics = map[connectors.Partition]int{}, map[string]int{}
	}
	for p := range t.partitions {
		if t.partitions[p]--; t.partitions[p] <= 0 {
			delete(t.partitions, p)
		}
	}
	for p := range t.topics {
		if t.topics[p]--; t.topics[p] <= 0 {
			delete(t.topics, p)
		}
	}
	if d.s.Stall == 0 {
		clear(t.partitions)
		clear(t.topics)
	}
	if len(assigned) == 0 || !d.hit(d.s.Stall) {
		return
	}
	p := assigned[d.Intn(len(assigned))]
	n := 1 + d.Intn(max(d.s.StallPolls, 1))
	if d.Intn(2) == 0 {
		t.topics[p.Topic] = n
		return
	}
	t.partitions[p] = n
}

func (t *stalls) holds(p connectors.Partition) bool {
	return t.partitions[p] > 0 || t.topics[p.Topic] > 0
}

// permuted is ps in random order.
func (d *dice) permuted(ps []connectors.Partition) []connectors.Partition {
	out := slices.Clone(ps)
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
