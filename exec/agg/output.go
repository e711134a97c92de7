package agg

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// output builds result rows and judges them by HAVING.
type output struct {
	env    op.Env
	having *op.Evaluator // nil: none
	origin bool
	next   op.Next

	out  *vector.Batch
	bad  map[int]error // rows of out with a result that does not fit
	gone []bool        // per row of out: the group has no rows any more
	pass []bool
	dels []bool
	g    op.Gather
}

func newOutput(env op.Env, cols []types.Type, having expr.Expr, origin bool, next op.Next) *output {
	o := &output{env: env, origin: origin, next: next, out: vector.NewBatch(cols, 0)}
	if having != nil {
		o.having = env.NewEvaluator(having)
	}
	return o
}

// add appends the row of a group.
func (o *output) add(f *folder, start int64, key, value []byte, ts int64) error {
	o.gone = append(o.gone, !f.alive(value))
	result, err := f.read(start, key, value, o.out.Cols)
	if err != nil {
		return err
	}
	if result != nil {
		if o.bad == nil {
			o.bad = map[int]error{}
		}
		o.bad[o.out.N] = result
	}
	o.out.Time = append(o.out.Time, ts)
	if o.origin {
		// No record is the origin of a result. This one orders results of equal ts the same way in every run.
		o.out.Origin = append(o.out.Origin, types.Origin{Source: -1, Offset: int64(keys.Hash(key))})
	}
	o.out.N++
	return nil
}

// judge sets pass for each row: the group has rows, HAVING holds, and the row could be computed. What could not is reported.
func (o *output) judge() error {
	o.pass = o.pass[:0]
	for _, gone := range o.gone {
		o.pass = append(o.pass, !gone)
	}
	var cond *vector.Vector
	report := o.having
	if o.having != nil {
		cond = o.having.Eval(o.out)[0]
	}
	if o.bad != nil && report == nil {
		report = o.env.NewEvaluator()
	}
	if report == nil {
		return nil
	}
	for row, err := range o.bad {
		report.Ctx.Fail(row, err)
	}
	bad, err := report.Failed(o.out, o.gone)
	if err != nil {
		return err
	}
	for i := range o.pass {
		o.pass[i] = o.pass[i] && bad[i] == nil && (cond == nil || op.True(cond, i))
	}
	return nil
}

// final pushes the rows that pass.
func (o *output) final() error {
	defer o.reset()
	if o.out.N == 0 {
		return nil
	}
	if err := o.judge(); err != nil {
		return err
	}
	for i, ok := range o.pass {
		if ok {
			o.g.Rows = append(o.g.Rows, int32(i))
		}
	}
	return o.g.Push(o.out, o.next)
}

// changes pushes the rows that pass, and as tombstones those that no longer do; stood says for a row whether it stands in
// the result. What never stood there needs no removal.
func (o *output) changes(stood []bool) error {
	o.dels = o.dels[:0]
	any := false
	for i, ok := range o.pass {
		if ok || stood[i] {
			o.g.Rows = append(o.g.Rows, int32(i))
		}
		o.dels = append(o.dels, !ok)
		any = any || !ok && stood[i]
	}
	out := *o.out
	if any {
		out.Deleted = o.dels
	}
	return o.g.Push(&out, o.next)
}

func (o *output) reset() {
	o.out.Reset()
	o.bad, o.gone = nil, o.gone[:0]
}
