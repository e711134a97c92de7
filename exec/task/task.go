package task

import (
	"context"
	"fmt"
	"iter"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/build"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Task is one fragment for one partition.
type Task struct {
	cfg   Config
	ID    wire.TaskID
	ins   []*input
	time  []*input // the stream inputs: the ones that tell the time
	chain *build.Chain
	joins []*releases

	marks    op.Marks // of the stream inputs combined; never falls, never Forever
	horizon  int64    // M of semantics S8
	finished bool
	forGood  bool   // finished in every run: all that it reads has ended where it declares to
	idleFrom int64  // clock since when no stream input is ACTIVE; 0: one is
	fed      []feed // frontiers as they stood, for rows withheld

	counters op.Counters
	perInput []InputCounters // by input
	samples  sampler
	last     []byte   // the record of the last epoch, for tasks whose record lies in the offsets' metadata
	current  *decoder // whose batch is under way: late rows are reported from its records
	dirty    bool
}

// InputCounters count what came of one input.
type InputCounters struct {
	In, Late, Bad int64
	// LatestBy is how much more disorder would have kept the worst late row, microseconds.
	LateBy int64
}

// New makes a task and its operators over a restored store. Meta (from the store or the committed offsets) is nil for a
// task that never ran; starts are the positions of its inputs then. It may wait for what its
// target's format must prepare.
func New(ctx context.Context, cfg Config, meta []byte, starts map[connectors.Partition]int64) (*Task, error) {
	t := &Task{cfg: cfg, ID: cfg.id(), marks: op.Marks{W: types.Never, Strict: types.Never}, horizon: types.Never}
	t.samples.logger = cfg.Logger
	t.perInput = make([]InputCounters, len(cfg.Fragment.Inputs))
	for i, pi := range cfg.Fragment.Inputs {
		in, err := t.newInput(i, pi, starts)
		if err != nil {
			return nil, err
		}
		t.ins = append(t.ins, in)
		if !pi.Table {
			t.time = append(t.time, in)
		}
	}
	if err := t.build(ctx); err != nil {
		return nil, err
	}
	for _, in := range t.ins {
		in.entry = t.chain.Leaves[in.plan.Node]
		if in.entry == nil {
			return nil, fmt.Errorf("fragment %d: input %s leads nowhere", cfg.Fragment.ID, in.plan.Node.Describe())
		}
	}
	if meta != nil {
		if err := t.load(meta); err != nil {
			return nil, err
		}
		t.last = meta
	}
	return t, t.resume()
}

// build makes the operators and the ends of their chain.
func (t *Task) build(ctx context.Context) (err error) {
	roots := t.cfg.Fragment.Roots
	outs := make([]op.Next, len(roots))
	for i, root := range roots {
		if outs[i], err = newOutlet(ctx, t, root); err != nil {
			return err
		}
	}
	t.chain, err = build.Build(roots, outs, t.env())
	return err
}

// resume tells the operators the time they had reached.
func (t *Task) resume() error {
	for _, l := range t.chain.Links {
		if l.Marks.W != types.Never {
			if err := l.Resume(); err != nil {
				return err
			}
		}
	}
	t.note()
	return nil
}

func (t *Task) newInput(i int, pi plan.Input, starts map[connectors.Partition]int64) (*input, error) {
	in := &input{plan: pi, proven: map[wire.TaskID]int64{}}
	switch n := pi.Node.(type) {
	case *plan.Scan:
		in.topic = n.Relation.Topic
		if t.cfg.Partition >= n.P.Partitioning.Count {
			return in, nil
		}
		at := connectors.Partition{Topic: in.topic, Partition: int32(t.cfg.Partition)}
		in.src = newSource(n, at, t.cfg.Now())
		in.src.position, in.src.proves = starts[at], t.cfg.Frontier
		in.src.bound(&t.cfg)
		if n.Relation.TimeTold() && !pi.Table {
			beside := connectors.Partition{Topic: plan.WatermarkTopic(in.topic), Partition: at.Partition}
			in.src.told = &told{at: beside, next: starts[beside], known: map[wire.TaskID]wire.Info{}}
		}
		dec, err := newDecoder(t, i, in.src)
		in.dec = dec
		return in, err
	case *plan.Receive:
		in.recv, in.topic = n, n.Shuffle.Topic(t.cfg.App, t.cfg.Query.Name)
		in.layout = Layout(n.Shuffle)
		in.batch = vector.NewBatch(in.layout.Columns, 256)
		in.known = map[wire.TaskID]wire.Info{}
		for _, f := range t.cfg.Query.Upstream(n.Shuffle) {
			for p := range f.Partitions {
				in.ups = append(in.ups, wire.TaskID{Fragment: f.ID, Partition: p})
			}
		}
		return in, nil
	}
	return nil, fmt.Errorf("fragment %d reads a %T", t.cfg.Fragment.ID, pi.Node)
}

// Layout is what rows of a shuffle look like on the wire.
func Layout(s *plan.Shuffle) wire.Layout {
	l := wire.Layout{
		Origin: s.Carry&plan.CarryOrigin != 0, Key: s.Carry&plan.CarryKey != 0, Value: s.Carry&plan.CarryValue != 0,
		Headers: s.Carry&plan.CarryHeaders != 0, Deletes: s.P.Changes != plan.AppendOnly,
	}
	for _, c := range s.P.Schema.Columns {
		l.Columns = append(l.Columns, c.Type)
	}
	return l
}

// Inputs are the topic partitions the task reads; local shuffles have none.
func (t *Task) Inputs() []connectors.Partition {
	var out []connectors.Partition
	for _, in := range t.ins {
		if in.src == nil && (in.recv == nil || t.cfg.LocalInputs) {
			continue
		}
		out = append(out, connectors.Partition{Topic: in.topic, Partition: int32(t.cfg.Partition)})
		if in.src != nil && in.src.told != nil {
			out = append(out, in.src.told.at)
		}
	}
	return out
}

// inputs are those that read a topic, or a local shuffle: a table joined twice is read twice.
func (t *Task) inputs(topic string) iter.Seq[*input] {
	return func(yield func(*input) bool) {
		for _, in := range t.ins {
			if in.topic == topic && (in.src != nil || in.recv != nil) && !yield(in) {
				return
			}
		}
	}
}

// tellers are those inputs that are told the time in a topic.
func (t *Task) tellers(topic string) iter.Seq[*told] {
	return func(yield func(*told) bool) {
		for _, in := range t.ins {
			if in.src != nil && in.src.told != nil && in.src.told.at.Topic == topic && !yield(in.src.told) {
				return
			}
		}
	}
}

// Process takes records of one of its input partitions.
func (t *Task) Process(ctx context.Context, f *connectors.Fetched) error {
	for _, in := range t.ins {
		if in.src == nil || in.src.told == nil || in.src.told.at != f.Partition {
			continue
		}
		if err := in.src.told.records(f); err != nil {
			return err
		}
		t.listen(in.src)
	}
	for in := range t.inputs(f.Topic) {
		if err := t.records(ctx, in, f); err != nil {
			return err
		}
	}
	return nil
}

// listen takes the news that holds where a source stands; the position it is read to is committed with what it changes.
func (t *Task) listen(s *source) {
	if s.told == nil {
		return
	}
	s.told.apply(s.position)
	t.dirty = true
	if len(s.told.waiting) > 0 {
		s.known = max(s.known, s.told.waiting[0].Offset) // something is there to be passed
	}
}

func (t *Task) records(ctx context.Context, in *input, f *connectors.Fetched) error {
	if in.src != nil {
		return in.dec.records(ctx, f)
	}
	for i := range f.Records {
		if f.Records[i].Offset < in.position {
			continue // already read
		}
		if err := t.packed(in, f.Records[i].Value); err != nil {
			return fmt.Errorf("%s/%d at offset %d: %w", f.Topic, f.Partition.Partition, f.Records[i].Offset, err)
		}
	}
	if f.Next != in.position {
		in.position, t.dirty = f.Next, true
	}
	return nil
}

// packed takes one record of a repartition topic.
func (t *Task) packed(in *input, value []byte) error {
	if wire.IsControl(value) {
		grown := false
		err := wire.ReadControl(value, func(id wire.TaskID, news wire.Info) {
			grown = grown || t.grew(id) // nobody here would wait for that task
			in.hear(id, news)
		})
		if grown && err == nil {
			err = ErrGrown
		}
		if err != nil {
			return err
		}
		return t.Advance()
	}
	in.batch.Reset()
	if err := wire.ReadRows(value, in.layout, in.batch); err != nil {
		return err
	}
	t.dirty = true
	return in.entry.Push(in.batch)
}

// Receive takes rows of a local shuffle.
func (t *Task) Receive(s *plan.Shuffle, b *vector.Batch) error {
	t.dirty = true
	for in := range t.inputs(s.Topic(t.cfg.App, t.cfg.Query.Name)) {
		if err := in.entry.Push(b); err != nil {
			return err
		}
	}
	return nil
}

// Hear takes news of an upstream task through a local shuffle.
func (t *Task) Hear(s *plan.Shuffle, id wire.TaskID, news wire.Info) {
	for in := range t.inputs(s.Topic(t.cfg.App, t.cfg.Query.Name)) {
		if old, ok := in.known[id]; !ok || !old.Equal(news) {
			in.hear(id, news)
			t.dirty = true
		}
	}
}

// Tick lets the wall clock pass: idle time-outs and proofs.
func (t *Task) Tick() error {
	now := t.cfg.Now()
	for _, in := range t.ins {
		if in.src != nil && in.src.tick(now, t.cfg.Generation) {
			t.dirty = true
		}
	}
	return t.Advance()
}

// Advance tells the operators how far time and the tables have come.
func (t *Task) Advance() error {
	c := combine(t.time, t.cfg.Run, t.cfg.Generation)
	t.horizon = max(t.horizon, c.horizon)
	for _, check := range t.chain.Checks {
		t.horizon = max(t.horizon, check.Reached())
	}
	t.closeIdle(&c)
	end := c.marks.W == types.Forever
	if !end && c.marks.W > t.marks.W {
		t.marks.W = c.marks.W
		t.dirty = true
	}
	if c.marks.Strict != types.Forever && c.marks.Strict > t.marks.Strict {
		t.marks.Strict = c.marks.Strict
		t.dirty = true
	}
	m := t.marks
	if end {
		m.W, m.End = types.Forever, t.horizon
	}
	for _, in := range t.time {
		if err := in.entry.Advance(m); err != nil {
			return err
		}
	}
	for i, r := range t.joins {
		if r.refresh() || end {
			if err := t.chain.Releasers[i].Release(); err != nil {
				return err
			}
		}
	}
	if !end || t.waits() {
		return nil
	}
	if c := combine(t.ins, t.cfg.Run, t.cfg.Generation); c.finished { // the table inputs too
		t.forGood = c.forGood
		t.finish()
	}
	return nil
}

// finish stores, in place of Forever, the largest window end the accepted rows reached (semantics S8).
func (t *Task) finish() {
	if t.finished {
		return
	}
	t.finished, t.dirty = true, true
	t.marks.W = max(t.marks.W, t.horizon)
	t.marks.Strict = max(t.marks.Strict, t.horizon)
	for _, l := range t.chain.Links {
		l.Settle(t.marks)
	}
}

// stamp is the run in which the task has finished.
func (t *Task) stamp() int {
	if t.forGood {
		return wire.ForGood
	}
	return t.cfg.Run
}

// waits says whether rows are withheld for a table.
func (t *Task) waits() bool {
	for _, r := range t.chain.Releasers {
		if r.Waiting().Rows > 0 {
			return true
		}
	}
	return false
}

// Info is what the task tells those who read a shuffle; nil: those who read the result.
func (t *Task) Info(s *plan.Shuffle) wire.Info {
	marks, holds := op.Marks{W: types.Forever, Strict: types.Forever}, false
	for i, root := range t.cfg.Fragment.Roots {
		if leads(root, s) {
			marks, holds = marks.Min(t.chain.Ends[i].Marks), holds || t.chain.Ends[i].Holds()
		}
	}
	i := wire.Info{W: marks.W, Strict: marks.Strict, Run: t.cfg.Run, Generation: t.cfg.Generation, Horizon: t.horizon}
	if t.cfg.Frontier {
		i.Frontier = t.Frontier()
	}
	c := combine(t.time, t.cfg.Run, t.cfg.Generation)
	switch {
	case t.finished:
		i.State, i.Run = wire.Finished, t.stamp()
	case c.active || holds:
		i.State = wire.Active
	default:
		i.State = wire.Idle
	}
	return i
}

// leads says whether a root is a shuffle; nil: the sink.
func leads(root plan.Node, s *plan.Shuffle) bool {
	x, shuffle := root.(*plan.Shuffle)
	return shuffle == (s != nil) && (s == nil || x.ID == s.ID)
}

// Finished says whether the bounded run is over for this task.
func (t *Task) Finished() bool {
	if !t.cfg.CaughtUp {
		return t.finished
	}
	frontier := t.Frontier()
	for _, in := range t.ins {
		for _, s := range in.plan.Roots {
			if !t.caughtUp(s, frontier) {
				return false
			}
		}
	}
	return true
}

// The most rows that a join holds back before its table has been loaded once, and the most bytes at any time.
const (
	loadingRows = 20_000
	bufferBytes = 64 << 20
)

// Full says whether a join holds back as much as it may: its stream side must wait.
func (t *Task) Full() bool {
	for i, r := range t.chain.Releasers {
		if b := r.Waiting(); b.Rows >= t.buffer(i) || b.Bytes >= bufferBytes {
			return true
		}
	}
	return false
}

// buffer is how many rows a join may hold back now.
func (t *Task) buffer(join int) int {
	if t.joins[join].loaded {
		return t.cfg.BufferRows
	}
	return min(t.cfg.BufferRows, loadingRows)
}

// Relieved says whether a full join has come down to half of that.
func (t *Task) Relieved() bool {
	for i, r := range t.chain.Releasers {
		if b := r.Waiting(); b.Rows > t.buffer(i)/2 || b.Bytes > bufferBytes/2 {
			return false
		}
	}
	return true
}

// Dirty says whether something changed since the last commit; Committed that it is committed now.
func (t *Task) Dirty() bool { return t.dirty || t.cfg.Store != nil && t.cfg.Store.Dirty() }

// Committed notes that the epoch is.
func (t *Task) Committed() { t.dirty = false }

// SetGeneration follows a rebalance that left the task where it was.
func (t *Task) SetGeneration(g int32) { t.cfg.Generation = g }
