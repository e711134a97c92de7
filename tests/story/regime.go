package story

import (
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors/sim"
	"github.com/streamsql-go/streamsql/exec"
)

// Arrival says when rows are inserted.
type Arrival uint8

// The arrivals.
const (
	// Backlog: all rows up to the next drain are there before anything runs.
	Backlog Arrival = iota
	// Live: instances step between inserted rows.
	Live
)

// Regime is one way to run a test. The zero Regime but for Name is the plain one: one instance, everything in one poll,
// no faults. Chances are 0 to 1.
type Regime struct {
	Name      string
	Seed      int64
	Instances int   // 0: 1
	Factor    int32 // partitions of sources and sinks are multiplied by it; 0: 1
	Arrival   Arrival
	Schedule  sim.Schedule
	// Commit is the commit interval; 0: after every poll.
	Commit time.Duration
	// Crash is the chance of a crash at each step of a commit, Kill that of a killed instance per round, Move that of a
	// rebalance per round.
	Crash, Kill, Move float64
	Memory            int64 // 0: the engine's default
	BufferRows        int   // 0: the engine's default
	Shuffle           exec.Shuffling
}

// Plain is the regime that every test passes first.
func Plain() Regime { return Regime{Name: "plain"} }

// Regimes are all regimes with one seed.
func Regimes(seed int64) []Regime {
	faults := sim.Schedule{Poll: sim.RandomPoll, Abort: 0.15, Unknown: 0.03, ProduceFailure: 0.02}
	stalls := sim.Schedule{Poll: sim.RandomPoll, Stall: 0.3, StallPolls: 12}
	all := faults
	all.Stall, all.StallPolls, all.Scatter = stalls.Stall, stalls.StallPolls, 0.5
	rs := []Regime{
		Plain(),
		{Name: "poll-1", Schedule: sim.Schedule{Poll: 1}},
		{Name: "poll-7-live", Schedule: sim.Schedule{Poll: 7}, Arrival: Live},
		{Name: "interval", Schedule: sim.Schedule{Poll: 1}, Commit: 100 * time.Millisecond, Arrival: Live},
		{Name: "stalls", Schedule: stalls},
		{Name: "aborts", Schedule: faults},
		{Name: "crashes", Schedule: sim.Schedule{Poll: sim.RandomPoll}, Crash: 0.1, Kill: 0.02},
		{Name: "instances-2", Instances: 2, Schedule: stalls},
		{Name: "instances-3", Instances: 3, Schedule: sim.Schedule{Poll: sim.RandomPoll, Scatter: 0.5}, Move: 0.05, Arrival: Live},
		{Name: "partitions-3", Factor: 3, Schedule: stalls},
		{Name: "tiny-memory", Memory: 64 << 10, BufferRows: 2, Schedule: sim.Schedule{Poll: 7}},
		{Name: "local", Shuffle: exec.ShuffleLocal, Schedule: sim.Schedule{Poll: sim.RandomPoll}},
		{Name: "local-crashes", Shuffle: exec.ShuffleLocal, Schedule: faults, Crash: 0.1, Kill: 0.02, Arrival: Live},
		{Name: "everything", Instances: 3, Schedule: all, Commit: 100 * time.Millisecond, Crash: 0.03, Kill: 0.02, Move: 0.03, Arrival: Live},
	}
	for i := range rs {
		rs[i].Seed = seed
	}
	return rs
}

// Named picks regimes of Regimes(seed) by name, separated by commas; "all" is all of them, "" the plain one.
func Named(names string, seed int64) ([]Regime, error) {
	all := Regimes(seed)
	switch names {
	case "":
		return all[:1], nil
	case "all":
		return all, nil
	}
	var out []Regime
	for _, n := range strings.Split(names, ",") {
		found := false
		for _, r := range all {
			if r.Name == strings.TrimSpace(n) {
				out, found = append(out, r), true
			}
		}
		if !found {
			var known []string
			for _, r := range all {
				known = append(known, r.Name)
			}
			return nil, fmt.Errorf("unknown regime %q: known are all, %s", n, strings.Join(known, ", "))
		}
	}
	return out, nil
}

// String names the regime so that it can be run again.
func (r Regime) String() string { return fmt.Sprintf("--regimes=%s --seed=%d", r.Name, r.Seed) }

func (r Regime) instances() int { return max(r.Instances, 1) }

func (r Regime) factor() int32 { return max(r.Factor, 1) }

// faulty says whether epochs may be done again.
func (r Regime) faulty() bool {
	return r.Crash+r.Kill+r.Move+r.Schedule.Abort+r.Schedule.Unknown+r.Schedule.ProduceFailure > 0
}
