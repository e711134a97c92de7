package task

import (
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
)

// stuckAfter is how long a position may stand below a known end before the task asks whether anything is there at all
// (semantics S5: compaction, retention).
const stuckAfter = 500_000

// proveEvery is how often a source without rows asks for its end when it declares one, or when others wait for its frontier: they may
// run elsewhere, and only who reads the source can pass a gap at its end.
const proveEvery = 1_000_000

// source is one partition of a source topic as a task reads it: where it stands in offsets and in event time.
type source struct {
	scan *plan.Scan
	at   connectors.Partition
	root wire.Root

	position int64
	maxTS    int64
	idle     bool
	idleGen  int32 // generation in which idle was found
	finished bool
	end      int64 // of the bounded run, or the one that the source declares; -1: none
	forGood  bool  // it is the declared one: the source ends there in every run
	stays    bool  // it stops at end without finishing
	proves   bool  // somebody downstream waits for the frontier
	renewed  bool  // the topic is another one than when the task's record was committed
	told     *told // how time has come here, of a topic that another query writes; nil: its rows tell

	lastRow  int64 // clock when the last row came
	lastAsk  int64 // clock when an end was last asked for
	idleEnd  int64 // an end asked for after idle_timeout had run out, -1: none
	known    int64 // largest end known, for noticing a stuck position
	high     int64 // the end as the last fetch told it, to say how far behind the position is
	stuckPos int64
	stuckAt  int64
}

func newSource(scan *plan.Scan, at connectors.Partition, now int64) *source {
	return &source{
		scan: scan, at: at, root: wire.Root{Source: scan.Source, Partition: int(at.Partition)},
		maxTS: types.Never, end: -1, idleEnd: -1, known: -1, lastRow: now, stuckPos: -1,
	}
}

// bound sets where the source is read to: the end of the run (ends nil: an endless one; a partition that came after it began has no
// part in it), or the end that it declares, whichever comes first.
func (s *source) bound(c *Config) {
	if c.Ends != nil {
		s.end, s.stays = s.position, c.CaughtUp
		if end, ok := c.Ends[s.at]; ok {
			s.end = end
		}
	}
	if limit, ok := c.Limits[s.at]; ok && (s.end < 0 || limit <= s.end) {
		s.end, s.stays, s.forGood = limit, false, true
	}
}

// watermark is maxTs − disorder − 1 µs.
func (s *source) watermark() int64 {
	if s.maxTS == types.Never {
		return types.Never
	}
	return s.maxTS - s.scan.Relation.Disorder - 1
}

func (s *source) info(run int, generation int32) wire.Info {
	w := s.watermark()
	i := wire.Info{W: w, Strict: w, Run: run, Generation: generation, Horizon: types.Never, Frontier: map[wire.Root]int64{s.root: s.position}}
	switch {
	case s.finished:
		i.State = wire.Finished
		if s.forGood {
			i.Run = wire.ForGood
		}
	case s.idle:
		i.State = wire.Idle
	}
	return i
}

// each visits what tells the time: the source itself, or the tasks that write it.
func (s *source) each(run int, generation int32, visit func(wire.TaskID, wire.Info)) {
	if s.told == nil || s.finished {
		visit(self, s.info(run, generation))
		return
	}
	s.told.each(visit)
}

// sawRow notes a row of event time ts.
func (s *source) sawRow(ts, now int64) {
	s.maxTS = max(s.maxTS, ts)
	s.idle, s.lastRow, s.idleEnd = false, now, -1
}

// tick lets time pass and says whether something changed.
func (s *source) tick(now int64, generation int32) (changed bool) {
	if s.end >= 0 && !s.stays && !s.finished && s.position >= s.end {
		s.finished = true
		changed = true
	}
	if !s.idle && !s.finished && s.idleEnd >= 0 && s.position >= s.idleEnd {
		s.idle, s.idleGen = true, generation
		changed = true
	}
	if s.position != s.stuckPos || s.position >= s.reachable() {
		s.stuckPos, s.stuckAt = s.position, now
	}
	return changed
}

// wantsEnd says whether the proof of idleness, or one of somebody downstream, needs an end asked for now.
func (s *source) wantsEnd(now int64) bool {
	if (s.proves || s.forGood) && !s.finished && now >= max(s.lastRow, s.lastAsk)+proveEvery {
		return true
	}
	return s.told == nil && !s.idle && !s.finished && s.idleEnd < 0 && now >= s.lastRow+s.scan.Relation.IdleTimeout
}

// learnEnd takes an end that was asked for at an instant.
func (s *source) learnEnd(end, askedAt int64) {
	s.known, s.lastAsk = max(s.known, end), askedAt
	if s.told == nil && s.idleEnd < 0 && askedAt >= s.lastRow+s.scan.Relation.IdleTimeout {
		s.idleEnd = end
	}
}

// reachable is how far the position can come for certain. The end that a source declares may lie beyond what was written so far.
func (s *source) reachable() int64 {
	switch {
	case s.end < 0:
		return s.known
	case s.forGood:
		return min(s.known, s.end)
	}
	return s.end
}

// stuck says up to where a position that does not move should be looked at.
func (s *source) stuck(now int64) (to int64, ok bool) {
	target := s.reachable()
	return target, s.position < target && now >= s.stuckAt+stuckAfter
}

// nextWake is the instant at which tick or wantsEnd may change their answer without a record; types.Forever: never.
func (s *source) nextWake() int64 {
	if s.told != nil || s.idle || s.finished || s.idleEnd >= 0 {
		return types.Forever
	}
	return s.lastRow + s.scan.Relation.IdleTimeout
}
