package join

import (
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// instants are the as-of instants of a batch.
type instants struct {
	time []int64
	expr *vector.Vector // nil: time
	bad  map[int]error
}

// at is the instant of row i; false: NULL, at which nothing is valid.
func (x *instants) at(i int) (int64, bool) {
	if x.expr == nil {
		return x.time[i], true
	}
	if x.expr.IsNull(i) {
		return 0, false
	}
	return x.expr.Ints[i], true
}

func (j *StreamTable) instants(b *vector.Batch) (instants, error) {
	x := instants{time: b.Time}
	if j.instant == nil {
		return x, nil
	}
	x.expr = j.instant.Eval(b)[0]
	var err error
	x.bad, err = j.instant.Failed(b, nil)
	return x, err
}

// judge returns Released for rows that arrive now, asking as little as may be: what is released of one as-of instant is
// so of all before it.
func (j *StreamTable) judge(now int64) func(asOf int64) bool {
	if j.c.Latest {
		// A proof at this arrival says that the table is loaded; no watermark does.
		j.loaded = j.loaded || j.c.Releases.Released(types.Forever, now)
		return func(int64) bool { return j.loaded }
	}
	yes, no := types.Never, types.Forever
	return func(asOf int64) bool {
		switch {
		case asOf <= yes:
			return true
		case asOf >= no:
			return false
		case j.c.Releases.Released(asOf, now):
			yes = asOf
			return true
		}
		no = asOf
		return false
	}
}

// free says whether a waiting row is released.
func (j *StreamTable) free(asOf, arrival int64) bool {
	if !j.c.Latest {
		return j.c.Releases.Released(asOf, arrival)
	}
	j.loaded = j.loaded || j.c.Releases.Released(types.Forever, arrival)
	return j.loaded
}
