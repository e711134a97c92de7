package exec

import (
	"github.com/streamsql-go/streamsql/exec/build"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Detail says where the rows and the time of a job are: by source partition, by node of the plan, and by table waited for. It is of
// this instance's tasks; rows are counted since they began here. It is never changed once it is given out.
type Detail struct {
	Sources []SourceDetail
	// Nodes are those of the fragments that run here.
	Nodes map[plan.Node]NodeDetail
	// Awaited are the tables that stream rows wait for.
	Awaited []Awaited
}

// SourceDetail is one partition of a source.
type SourceDetail = task.Source

// NodeDetail is what came out of a node.
type NodeDetail struct {
	Tasks     int
	Rows      int64
	Watermark int64 // the smallest of the tasks' that the next node has been told, types.Never at first
	// Samples are a few of the rows, of one task; each batch has one row.
	Samples []*vector.Batch
}

// Awaited is a join whose stream rows wait for its table.
type Awaited struct {
	Join   *plan.TableJoin
	Rows   int64
	Oldest int64 // the instance's clock when the first of them came, microseconds
}

// detail looks into the tasks.
func (j *Job) detail() Detail {
	d := Detail{Nodes: map[plan.Node]NodeDetail{}}
	for _, t := range j.tasks {
		d.Sources = append(d.Sources, t.Sources()...)
		t.Flows(func(from plan.Node, f *build.Flow, marks op.Marks) {
			n, seen := d.Nodes[from]
			if !seen {
				n.Watermark = types.Forever
			}
			n.Tasks++
			n.Rows += f.Rows
			n.Watermark = min(n.Watermark, marks.W)
			if len(f.Samples) > len(n.Samples) {
				n.Samples = f.Samples
			}
			d.Nodes[from] = n
		})
		t.Awaiting(func(join *plan.TableJoin, b op.Backlog) { d.await(join, b) })
	}
	return d
}

func (d *Detail) await(join *plan.TableJoin, b op.Backlog) {
	for i := range d.Awaited {
		if a := &d.Awaited[i]; a.Join == join {
			a.Rows += int64(b.Rows)
			a.Oldest = min(a.Oldest, b.Oldest)
			return
		}
	}
	d.Awaited = append(d.Awaited, Awaited{join, int64(b.Rows), b.Oldest})
}

// Lag is how many records of the sources are known to be there and were not read, by this instance's tasks. A partition that two
// inputs of one task read counts for the one further behind.
func (d *Detail) Lag() int64 {
	type key struct{ source, partition int }
	behind := map[key]int64{}
	var n int64
	for _, s := range d.Sources {
		k := key{s.Source, s.Partition}
		n -= behind[k]
		behind[k] = max(behind[k], s.End-s.Position)
		n += behind[k]
	}
	return n
}

// Flow is what came out of a node here; nil when none of its tasks is.
func (d *Detail) Flow(n plan.Node) *plan.Flow {
	x, ok := d.Nodes[n]
	if !ok {
		return nil
	}
	f := &plan.Flow{Tasks: x.Tasks, Rows: x.Rows}
	if x.Watermark > types.Never && x.Watermark < types.Forever {
		f.Watermark = x.Watermark
	}
	return f
}
