package task

import (
	"context"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// newOutlet is an end of the chain: a shuffle, a topic, or the rows of an ad-hoc query. Where time ends up there is kept by the
// link before it.
func newOutlet(ctx context.Context, t *Task, root plan.Node) (op.Next, error) {
	switch n := root.(type) {
	case *plan.Shuffle:
		return newSpreader(t, n)
	case *plan.Sink:
		if n.Topic() == "" {
			return &rowSink{t: t, columns: n.Columns}, nil
		}
		return newTopicSink(ctx, t, n)
	}
	return nil, fmt.Errorf("fragment %d ends in a %T", t.cfg.Fragment.ID, root)
}

// newSpreader makes what sends rows to the partitions of a shuffle.
func newSpreader(t *Task, n *plan.Shuffle) (op.Next, error) {
	switch n.Key.Hash {
	case plan.Everywhere:
		s := &whole{t: t, s: n}
		for p := range n.Key.Count {
			s.to = append(s.to, int32(p))
		}
		return s, nil
	case plan.Unmoved:
		return &whole{t: t, s: n, to: []int32{int32(t.cfg.Partition % n.Key.Count)}}, nil
	}
	return newShuffler(t, n)
}

// whole sends all rows to the same partitions.
type whole struct {
	t    *Task
	s    *plan.Shuffle
	to   []int32
	rows []int32
}

// Push hands on the rows.
func (w *whole) Push(b *vector.Batch) error {
	for i := len(w.rows); i < b.N; i++ {
		w.rows = append(w.rows, int32(i))
	}
	for _, p := range w.to {
		if err := w.t.cfg.Outlet.Shuffle(w.s, p, b, w.rows[:b.N]); err != nil {
			return err
		}
	}
	return nil
}

// Advance has nothing to do: the worker sends the task's Info.
func (w *whole) Advance(op.Marks) error { return nil }

// shuffler sends rows to the partition of their key.
type shuffler struct {
	t    *Task
	s    *plan.Shuffle
	eval *op.Evaluator
	keys *format.KeyCodec // of a shuffle that meets a topic's own partitioning; nil: canonical
	hash partition.Hash
	buf  []byte
	rows [][]int32
}

func newShuffler(t *Task, n *plan.Shuffle) (*shuffler, error) {
	s := &shuffler{t: t, s: n, rows: make([][]int32, n.Key.Count)}
	exprs := n.Key.Exprs
	if n.Key.Hash == plan.Canonical {
		s.eval = t.env().Op.NewEvaluator(exprs...)
		return s, nil
	}
	s.hash = partition.Of(n.Key.Hash.String())
	cast := make([]expr.Expr, len(exprs))
	var fields []format.Column
	for i, e := range exprs {
		c, err := expr.NewCast(e, n.Key.Types[i])
		if err != nil {
			return nil, err
		}
		cast[i] = c
		fields = append(fields, format.Column{Name: n.Key.Names[i], Type: n.Key.Types[i]})
	}
	s.eval = t.env().Op.NewEvaluator(cast...)
	var err error
	s.keys, err = format.NewKeyCodec(n.Key.KeyFormat, format.Of(fields...))
	return s, err
}

// Push routes rows. One whose key cannot be computed is reported and left out.
func (s *shuffler) Push(b *vector.Batch) error {
	vs := s.eval.Eval(b)
	failed, err := s.eval.Failed(b, nil)
	if err != nil {
		return err
	}
	for p := range s.rows {
		s.rows[p] = s.rows[p][:0]
	}
	n := len(s.rows)
	for i := range b.N {
		if failed != nil {
			if _, bad := failed[i]; bad {
				continue
			}
		}
		p := 0
		if s.keys == nil {
			s.buf = keys.AppendRow(s.buf[:0], vs, i)
			p = int(keys.Hash(s.buf) % uint64(n))
		} else if key, ok := s.keys.AppendKey(s.buf[:0], vs, i); ok {
			s.buf = key
			p = int(s.hash(key, int32(n)))
		}
		s.rows[p] = append(s.rows[p], int32(i))
	}
	for p, rows := range s.rows {
		if len(rows) > 0 {
			if err := s.t.cfg.Outlet.Shuffle(s.s, int32(p), b, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// Advance has nothing to do: the worker sends the task's Info.
func (s *shuffler) Advance(op.Marks) error { return nil }

// rowSink hands rows to Config.OnRows.
type rowSink struct {
	t       *Task
	columns []int
}

// Push copies the rows: they are delivered after the commit.
func (s *rowSink) Push(b *vector.Batch) error {
	c := vector.ConcatBatches(b)
	out := &vector.Batch{N: c.N, Time: c.Time, Deleted: c.Deleted, Origin: c.Origin}
	for _, o := range s.columns {
		out.Cols = append(out.Cols, c.Cols[o])
	}
	s.t.cfg.Outlet.Rows(out)
	return nil
}

// Advance has nothing to do.
func (s *rowSink) Advance(op.Marks) error { return nil }

// topicSink encodes rows into records of the target topic.
type topicSink struct {
	t      *Task
	n      *plan.Sink
	around around
	header headerColumns
	value  format.Encoder // nil: the input's bytes go out unchanged
	key    *format.KeyCodec
	keyOf  []*vector.Vector
	hash   func([]byte, int32) int32
	arena  []byte
	topic  string
	parts  int32
	sticky int32 // partition of records without a key
	tells  bool  // readers judge lateness by what the row's own source said
}

func newTopicSink(ctx context.Context, t *Task, n *plan.Sink) (*topicSink, error) {
	s := &topicSink{t: t, n: n, around: newAround(n), topic: n.Topic(), parts: t.cfg.SinkPartitions, hash: partition.Of(n.Target.Partitioner.String())}
	if s.parts <= 0 {
		return nil, fmt.Errorf("topic %s has no partitions", s.topic)
	}
	s.sticky = int32(t.cfg.Partition) % s.parts
	s.tells = n.Target.TimeTold() && plan.AtOnce(n.Input)
	var err error
	if s.value, s.key, err = Codecs(ctx, n); err != nil {
		return nil, err
	}
	if s.header, err = newHeaderColumns(n); err != nil {
		return nil, err
	}
	if s.key != nil {
		s.keyOf = make([]*vector.Vector, len(n.Key))
	}
	return s, nil
}

// Codecs is what writes the values and the keys of a sink's records, ready to write; nil for those that are taken as they are,
// or that a sink that is no topic does not have. It may wait for a schema registry.
func Codecs(ctx context.Context, n *plan.Sink) (value format.Encoder, key *format.KeyCodec, err error) {
	if n.Topic() == "" {
		return nil, nil, nil
	}
	in := n.Input.Props().Schema.Columns
	column := func(name string, o int) format.Column {
		return format.Column{Name: name, Type: in[o].Type, TimestampFormat: n.Target.TimestampFormat}
	}
	if !n.Forward {
		var cols []format.Column
		var ordinals []int
		for i, o := range n.Columns {
			if _, header := n.Target.Header(i); !header {
				cols, ordinals = append(cols, column(n.Target.Columns[i].Name, o)), append(ordinals, o)
			}
		}
		if value, err = format.NewEncoder(n.Target.Format, spec(n.Target, cols), ordinals); err != nil {
			return nil, nil, err
		}
		if err := format.Prepare(ctx, value); err != nil {
			return nil, nil, err
		}
	}
	if n.KeyMode != plan.KeyFromColumn {
		return value, nil, nil
	}
	var cols []format.Column
	for _, o := range n.Key {
		cols = append(cols, column(in[o].Name, o))
	}
	if key, err = format.NewKeyCodec(n.Target.KeyFormatOf(len(cols)), spec(n.Target, cols)); err != nil {
		return nil, nil, err
	}
	return value, key, format.Prepare(ctx, key)
}

// arenaSize is how much memory for encoded records is taken at once: a record's bytes must stay until the commit.
const arenaSize = 256 << 10

// Push encodes and produces each row. One whose record cannot be made is reported and left out.
func (s *topicSink) Push(b *vector.Batch) error {
	for i, o := range s.n.Key {
		if s.key != nil {
			s.keyOf[i] = b.Cols[o]
		}
	}
	recs := make([]connectors.Record, b.N)
	for i := range b.N {
		r := &recs[i]
		if err := s.make(r, b, i); err != nil {
			s.t.counters.BadExpr++
			if err := s.t.failed(b, i, err); err != nil {
				return err
			}
			continue
		}
		s.t.cfg.Outlet.Produce(r)
		if r.Value != nil && b.Deleted != nil && b.Deleted[i] { // it was told: compaction may forget it now
			null := *r
			null.Value = nil
			s.t.cfg.Outlet.Produce(&null)
		}
	}
	return nil
}

// make makes the record of a row.
func (s *topicSink) make(r *connectors.Record, b *vector.Batch, i int) error {
	r.Topic, r.Timestamp = s.topic, types.FloorDiv(b.Time[i], 1000)
	if b.Raw != nil {
		r.Headers = b.Raw[i].Headers
	}
	if err := s.around.write(r, b, i); err != nil {
		return err
	}
	s.header.write(s, r, b, i)
	if s.tells && b.Seen != nil {
		r.Headers = withSeen(r.Headers, b.Seen[i], b.Time[i])
	}
	s.makeKey(r, b, i)
	if r.Key == nil && s.n.KeyMode == plan.KeyFromColumn && s.n.Target.Kind == ast.Table {
		return fmt.Errorf("the key %s is NULL, and a row of a table needs one: leave such rows out (WHERE … IS NOT NULL), or give them a name (COALESCE)", s.keyNames())
	}
	r.Partition = s.sticky
	if r.Key != nil {
		r.Partition = s.hash(r.Key, s.parts)
	}
	return s.makeValue(r, b, i)
}

// makeValue fails for a row that the format cannot hold.
func (s *topicSink) makeValue(r *connectors.Record, b *vector.Batch, i int) (err error) {
	switch {
	case b.Deleted != nil && b.Deleted[i]:
		if c, ok := s.value.(format.ChangeEncoder); ok {
			r.Value = s.take(func(dst []byte) []byte {
				var out []byte
				if out, err = c.EncodeDeleted(dst, b, i); err != nil {
					return dst
				}
				return out
			})
		}
	case s.value == nil:
		r.Value = b.Raw[i].Value
	case format.Null(s.value, b, i):
	default:
		r.Value = s.take(func(dst []byte) []byte {
			var out []byte
			if out, err = s.value.Encode(dst, b, i); err != nil {
				return dst
			}
			return out
		})
	}
	return err
}

func (s *topicSink) makeKey(r *connectors.Record, b *vector.Batch, i int) {
	switch s.n.KeyMode {
	case plan.KeyFromInput:
		if b.Raw != nil {
			r.Key = b.Raw[i].Key
		}
	case plan.KeyFromColumn:
		null := false
		key := s.take(func(dst []byte) []byte {
			out, ok := s.key.AppendKey(dst, s.keyOf, i)
			null = !ok
			return out
		})
		if !null {
			r.Key = key
		}
	case plan.KeyWritten:
		if v := b.Cols[s.around.key]; !v.IsNull(i) {
			r.Key = s.take(func(dst []byte) []byte { return append(dst, v.Bytes.At(i)...) })
		}
	}
}

// keyNames are the columns that the key is made of.
func (s *topicSink) keyNames() string {
	var names []string
	for _, o := range s.n.Key {
		names = append(names, s.n.Input.Props().Schema.Columns[o].Name)
	}
	return strings.Join(names, ", ")
}

// take appends to the arena and returns what was appended.
func (s *topicSink) take(write func([]byte) []byte) []byte {
	if cap(s.arena)-len(s.arena) < 4096 {
		s.arena = make([]byte, 0, arenaSize)
	}
	at := len(s.arena)
	out := write(s.arena[at:at])
	if cap(out) == cap(s.arena)-at { // still in the arena
		s.arena = s.arena[:at+len(out)]
	}
	return out[:len(out):len(out)]
}

// Advance has nothing to do.
func (s *topicSink) Advance(op.Marks) error { return nil }
