package join

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// tableSide writes table rows as versions.
type tableSide struct {
	c       *StreamTableConfig
	n       *op.Counters
	keys    *op.Evaluator // the primary key
	index   *index        // of a broadcast table
	correct *corrector    // nil: what was joined stays
	// slack is how far the release watermark of a source partition stands below its W: max(disorder, WITHIN) - disorder.
	slack int64
	// released is the highest as-of instant of a row that was joined.
	released int64
	key, row []byte
}

func newTableSide(c *StreamTableConfig, x *corrector) (*tableSide, error) {
	env := c.TableEnv
	if env.Counters == nil {
		env = c.Env
	}
	t := &tableSide{c: c, n: env.Counters, correct: x, released: types.Never, slack: c.Slack()}
	if c.Index == nil {
		t.keys = env.NewEvaluator(c.TableKeys...)
		return t, nil
	}
	t.keys = env.NewEvaluator(c.Primary...)
	var err error
	t.index, err = newIndex(c, env)
	return t, err
}

func (t *tableSide) put(b *vector.Batch) error {
	cols := t.keys.Eval(b)
	bad, err := t.keys.Failed(b, nil)
	if err != nil {
		return err
	}
	if t.index != nil {
		if err := t.index.eval(b); err != nil {
			return err
		}
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil || t.index != nil && t.index.keys.failed(i) {
			continue
		}
		t.key = keys.AppendRow(t.key[:0], cols, i)
		if err := t.version(b, i); err != nil {
			return err
		}
	}
	if t.correct != nil {
		return t.correct.flush()
	}
	return nil
}

func (t *tableSide) version(b *vector.Batch, i int) error {
	v := op.Version{TS: b.Time[i], Visible: types.Never, Deleted: b.Deleted != nil && b.Deleted[i]}
	if b.Origin != nil {
		v.Origin = b.Origin[i]
	}
	if !t.c.Latest {
		t.judge(&v, b, i)
	}
	older, err := t.keep(v, b, i)
	if older {
		t.n.OldUpdates++
	}
	return err
}

func (t *tableSide) keep(v op.Version, b *vector.Batch, i int) (older bool, err error) {
	if t.index != nil {
		return t.index.put(t.key, v, b, i)
	}
	if !v.Deleted {
		t.row = vector.AppendRow(t.row[:0], b.Cols, i)
		v.Row = t.row
	}
	if t.correct != nil {
		if err := t.correct.meet(t.key, v); err != nil {
			return false, err
		}
	}
	return t.c.Versions.Put(t.key, v)
}

// expire forgets what no as-of instant >= horizon can see.
func (t *tableSide) expire(horizon int64) error {
	if t.index != nil {
		if err := t.index.expire(horizon); err != nil {
			return err
		}
	}
	return t.c.Versions.Expire(horizon)
}

// judge says from when on a late version is seen (semantics S5): rows up to the release watermark of its partition may have gone
// without it, and of those the ones that are within Correct of it are corrected; none of the others sees it.
func (t *tableSide) judge(v *op.Version, b *vector.Batch, i int) {
	if mark, late := op.ReleaseMark(b, i, t.slack+t.c.Correct); late {
		v.Visible = mark
		t.n.LateTable++
		if t.c.LateVersion != nil {
			t.c.LateVersion(b, i, b.Seen[i]+1-t.c.Correct-v.TS)
		}
	}
	if v.TS <= t.released && t.correct == nil {
		t.c.Env.Counters.LateReleased++
	}
}
