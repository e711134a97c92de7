package task

import (
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Wants are the source partitions whose ends the task needs to know now: to find a source idle, or to prove that a
// table is caught up.
func (t *Task) Wants() []connectors.Partition {
	now := t.cfg.Now()
	var out []connectors.Partition
	for _, in := range t.ins {
		if in.src != nil && in.src.wantsEnd(now) {
			out = append(out, in.src.at)
		}
	}
	for i, r := range t.joins {
		if b := t.chain.Releasers[i].Waiting(); b.Rows > 0 && r.wants(now, b) {
			for _, p := range r.roots() {
				out = append(out, p.at)
			}
		}
	}
	return out
}

// Learn takes ends that were asked for at an instant (microseconds of this instance's clock, taken before asking).
func (t *Task) Learn(ends map[connectors.Partition]int64, askedAt int64) {
	for _, in := range t.ins {
		if in.src == nil {
			continue
		}
		if end, ok := ends[in.src.at]; ok {
			in.src.learnEnd(end, askedAt)
		}
	}
	for i, r := range t.joins {
		if b := t.chain.Releasers[i].Waiting(); b.Rows > 0 && r.wants(askedAt, b) {
			r.learn(ends, askedAt)
		}
	}
}

// Stuck are the inputs whose position stands below a known end without moving, with that end.
func (t *Task) Stuck() map[connectors.Partition][2]int64 {
	now := t.cfg.Now()
	var m map[connectors.Partition][2]int64
	for _, in := range t.ins {
		if in.src == nil {
			continue
		}
		if to, ok := in.src.stuck(now); ok {
			if m == nil {
				m = map[connectors.Partition][2]int64{}
			}
			m[in.src.at] = [2]int64{in.src.position, to}
		}
	}
	return m
}

// Skipped moves a stuck position to where a raw fetch showed that nothing is.
func (t *Task) Skipped(p connectors.Partition, to int64) {
	now := t.cfg.Now()
	for _, in := range t.ins {
		if in.src == nil || in.src.at != p {
			continue
		}
		in.src.stuckAt = now
		if to > in.src.position {
			in.src.position, t.dirty = to, true
			t.listen(in.src)
		}
	}
}

// NextWake is the instant at which the task may change without a record; types.Forever: never.
func (t *Task) NextWake() int64 {
	wake := types.Forever
	for _, in := range t.ins {
		if in.src == nil {
			continue
		}
		wake = min(wake, in.src.nextWake())
		if !in.src.finished && in.src.position < in.src.reachable() {
			wake = min(wake, in.src.stuckAt+stuckAfter)
		}
	}
	if t.idleFrom != 0 && t.horizon > t.marks.W {
		wake = min(wake, t.idleFrom+t.idleClose())
	}
	for i, r := range t.joins {
		if b := t.chain.Releasers[i].Waiting(); b.Rows > 0 {
			wake = min(wake, max(max(b.Oldest, r.floor)+r.within, r.lastAt+askEvery))
		}
	}
	return wake
}

// closeIdle lets the windows of a query with idle_close end once all its inputs have been idle for that long by the clock:
// time moves to where its accepted rows reach (semantics S2).
func (t *Task) closeIdle(c *combined) {
	after := t.idleClose()
	switch {
	case c.active || c.finished || after == 0:
		t.idleFrom = 0
	case t.idleFrom == 0:
		t.idleFrom = t.cfg.Now()
	case t.cfg.Now() >= t.idleFrom+after:
		c.marks.W = max(c.marks.W, t.horizon)
		c.marks.Strict = max(c.marks.Strict, t.horizon)
	}
}

func (t *Task) idleClose() int64 {
	if s := t.cfg.Query.Sink; s != nil && s.Target != nil {
		return s.Target.IdleClose
	}
	return 0
}
