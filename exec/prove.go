package exec

import (
	"context"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
)

// askPause is the least time between two requests for ends.
const askPause = 100 * time.Millisecond

// prove asks for the ends that idle sources and waiting joins need, and looks at positions that do not move.
func (j *Job) prove(ctx context.Context) error {
	now := j.cfg.now()
	if now-j.asked < askPause.Microseconds() {
		return nil
	}
	var want []connectors.Partition
	for _, t := range j.tasks {
		want = append(want, t.Wants()...)
	}
	if len(want) > 0 {
		j.asked = now
		ends, err := j.cfg.Cluster.Ends(ctx, unique(want)...)
		if err != nil {
			return j.tolerate(ctx, err)
		}
		for _, t := range j.tasks {
			t.Learn(ends, now)
		}
	}
	for _, t := range j.tasks {
		for p, r := range t.Stuck() {
			if j.pauses.on[p] {
				continue
			}
			j.asked = now
			to, err := j.cfg.Cluster.Skip(ctx, p, r[0], r[1])
			if err != nil {
				return j.tolerate(ctx, err)
			}
			t.Skipped(p, to)
		}
		if err := t.Advance(); err != nil {
			return err
		}
	}
	return nil
}

// tolerate lets a question to the brokers fail: it is asked again.
func (j *Job) tolerate(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		j.once("ends", "could not ask for the ends of the sources; asking again", "error", err)
	}
	return nil
}

func unique(ps []connectors.Partition) []connectors.Partition {
	seen := map[connectors.Partition]bool{}
	return slices.DeleteFunc(ps, func(p connectors.Partition) bool {
		dup := seen[p]
		seen[p] = true
		return dup
	})
}
