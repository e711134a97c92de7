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
	keys    *op.Evaluator
	correct *corrector // nil: what was joined stays
	// slack is how far the release watermark of a source partition stands below its W: max(disorder, WITHIN) - disorder.
	slack int64
	// released is the highest as-of instant of a row that was joined.
	released int64
	key, row []byte
}

func newTableSide(c *StreamTableConfig, x *corrector) *tableSide {
	return &tableSide{
		c: c, correct: x, keys: c.Env.NewEvaluator(c.TableKeys...), released: types.Never,
		slack: c.Slack(),
	}
}

func (t *tableSide) put(b *vector.Batch) error {
	cols := t.keys.Eval(b)
	bad, err := t.keys.Failed(b, nil)
	if err != nil {
		return err
	}
	for i := range b.N {
		if bad != nil && bad[i] != nil {
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
	if !v.Deleted {
		t.row = vector.AppendRow(t.row[:0], b.Cols, i)
		v.Row = t.row
	}
	if t.correct != nil {
		if err := t.correct.meet(t.key, v); err != nil {
			return err
		}
	}
	older, err := t.c.Versions.Put(t.key, v)
	if older {
		t.c.Env.Counters.OldUpdates++
	}
	return err
}

// judge says from when on a late version is seen (semantics S5): rows up to the release watermark of its partition may have gone
// without it, and of those the ones that are within Correct of it are corrected; none of the others sees it.
func (t *tableSide) judge(v *op.Version, b *vector.Batch, i int) {
	n := t.c.Env.Counters
	if mark, late := op.ReleaseMark(b, i, t.slack+t.c.Correct); late {
		v.Visible = mark
		n.LateTable++
		if t.c.LateVersion != nil {
			t.c.LateVersion(b, i, b.Seen[i]+1-t.c.Correct-v.TS)
		}
	}
	if v.TS <= t.released && t.correct == nil {
		n.LateReleased++
	}
}
