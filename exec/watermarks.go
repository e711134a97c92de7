package exec

import (
	"context"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
)

// watermarks tells the readers of the query's target how far event time has come in it (semantics S7): per partition of the target,
// what the tasks of this worker that write it have reached, in the transaction of the rows.
type watermarks struct {
	j       *Job
	target  string // "": nobody is told
	topic   string
	writers []wire.Writer
	said    said
	touched []bool  // partitions of the target that got rows in this epoch
	ends    []int64 // where what this worker's tasks have committed to each of them ends, at the latest; nil: to be asked
}

func newWatermarks(j *Job) *watermarks {
	w := &watermarks{j: j, said: newSaid()}
	t, ok := j.query.Watermarks()
	if !ok {
		return w
	}
	w.target, w.topic = j.query.Sink.Topic(), t.Name
	for _, f := range j.query.Fragments {
		if f.Writes() {
			w.writers = append(w.writers, wire.Writer{Fragment: f.ID, Partitions: f.Partitions})
		}
	}
	return w
}

// reset drops the epoch, and what counts as said and written: tasks may have written elsewhere.
func (w *watermarks) reset() {
	w.said.sent, w.touched, w.ends = news{}, nil, nil
}

// wrote notes a record of the open epoch.
func (w *watermarks) wrote(r *connectors.Record) {
	if r.Topic != w.target || w.target == "" {
		return
	}
	if w.touched == nil {
		w.touched = make([]bool, w.j.run.sinkPartitions)
	}
	w.touched[r.Partition] = true
}

// pending finds what must be told now, as shuffles do.
func (w *watermarks) pending() news {
	n := news{}
	if w.target == "" {
		return n
	}
	var tasks []*task.Task
	for _, t := range w.j.tasks {
		if t.Feeds(nil) {
			tasks = append(tasks, t)
		}
	}
	now := w.j.cfg.now()
	info := once(func(t *task.Task) wire.Info { return t.Info(nil).Outside() })
	for _, p := range connectors.PartitionsOf(w.topic, w.j.run.sinkPartitions) {
		diff, urgent := w.said.differs(p, tasks, info)
		if len(diff) > 0 && (urgent || w.got(p.Partition) || !w.said.quiet(p, now)) {
			n[p] = diff
		}
	}
	return n
}

// got says whether a partition of the target got rows in this epoch.
func (w *watermarks) got(p int32) bool { return w.touched != nil && w.touched[p] }

// tell produces what is told, with the offsets that the epoch's rows end at: those are known once the rows were sent.
func (w *watermarks) tell(ctx context.Context, n news) error {
	if len(n) == 0 {
		return nil
	}
	var sent map[connectors.Partition]int64
	if w.touched != nil {
		var err error
		if sent, err = w.j.session.Flush(ctx); err != nil {
			return err
		}
	}
	for p, infos := range n {
		t := wire.Telling{Offset: max(w.ends[p.Partition], sent[connectors.Partition{Topic: w.target, Partition: p.Partition}]), Writers: w.writers, Infos: infos}
		w.j.session.Produce(&connectors.Record{Topic: p.Topic, Partition: p.Partition, Timestamp: w.j.cfg.now() / 1000, Value: t.Append(nil)})
	}
	return nil
}

// begin asks, once after an assignment, where the target ends: what the tasks had written elsewhere lies before.
func (w *watermarks) begin(ctx context.Context) error {
	if w.target == "" || w.ends != nil {
		return nil
	}
	ps := connectors.PartitionsOf(w.target, w.j.run.sinkPartitions)
	ends, err := w.j.cfg.Cluster.Ends(ctx, ps...)
	if err != nil {
		return w.j.explain(err)
	}
	w.ends = make([]int64, len(ps))
	for i, p := range ps {
		w.ends[i] = ends[p]
	}
	return nil
}

// committed notes what was told, and where the epoch's rows end.
func (w *watermarks) committed(n news, ends map[connectors.Partition]int64) {
	if w.target == "" {
		return
	}
	w.said.committed(n, w.j.cfg.now())
	for i := range w.ends {
		w.ends[i] = max(w.ends[i], ends[connectors.Partition{Topic: w.target, Partition: int32(i)}])
	}
	w.touched = nil
}
