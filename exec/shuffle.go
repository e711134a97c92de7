package exec

import (
	"iter"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// recordBytes is the size at which a repartition record is sent; it is well below the limit of the topic.
const recordBytes = 256 << 10

// shuffles moves rows and time between the tasks of a query: through repartition topics, or within the process.
type shuffles struct {
	j       *Job
	layouts map[int]wire.Layout
	writers map[connectors.Partition]*wire.RowWriter
	touched map[connectors.Partition]bool // got rows in this epoch
	said    said
}

func newShuffles(j *Job) *shuffles {
	s := &shuffles{j: j, layouts: map[int]wire.Layout{}, said: newSaid()}
	for _, x := range j.query.Shuffles {
		s.layouts[x.ID] = task.Layout(x)
	}
	return s
}

// reset drops the epoch, and what counts as sent: after an assignment nothing does.
func (s *shuffles) reset() {
	s.writers = map[connectors.Partition]*wire.RowWriter{}
	s.touched = map[connectors.Partition]bool{}
	s.said.sent = news{}
}

// Shuffle implements task.Outlet.
func (j *Job) Shuffle(sh *plan.Shuffle, partition int32, b *vector.Batch, rows []int32) error {
	return j.shuffles.rows(sh, partition, b, rows)
}

func (s *shuffles) rows(sh *plan.Shuffle, partition int32, b *vector.Batch, rows []int32) error {
	if s.j.cfg.Shuffle == ShuffleLocal {
		if len(rows) < b.N {
			b = b.Select(rows)
		}
		for t := range s.receivers(sh, int(partition)) {
			if err := t.Receive(sh, b); err != nil {
				return err
			}
		}
		return nil
	}
	p := connectors.Partition{Topic: sh.Topic(s.j.cfg.App, s.j.query.Name), Partition: partition}
	w := s.writers[p]
	if w == nil {
		w = wire.NewRowWriter(s.layouts[sh.ID])
		s.writers[p] = w
	}
	s.touched[p] = true
	for _, i := range rows {
		w.Append(b, int(i))
		if w.Len() >= recordBytes {
			s.send(p, w.Take())
		}
	}
	return nil
}

func (s *shuffles) send(p connectors.Partition, value []byte) {
	s.j.session.Produce(&connectors.Record{Topic: p.Topic, Partition: p.Partition, Timestamp: s.j.cfg.now() / 1000, Value: value})
}

// flush sends what is packed so far.
func (s *shuffles) flush() {
	for p, w := range s.writers {
		if w.Len() > 0 {
			s.send(p, w.Take())
		}
	}
}

// receivers are the local tasks that read a partition of a shuffle.
func (s *shuffles) receivers(sh *plan.Shuffle, partition int) iter.Seq[*task.Task] {
	return func(yield func(*task.Task) bool) {
		for _, t := range s.j.tasks {
			if t.ID.Partition == partition && t.Reads(sh) && !yield(t) {
				return
			}
		}
	}
}

// pass tells the local tasks downstream of t what it has to say; t's turn comes before theirs.
func (s *shuffles) pass(t *task.Task) {
	if s.j.cfg.Shuffle != ShuffleLocal {
		return
	}
	for _, sh := range s.j.query.Shuffles {
		if !t.Feeds(sh) {
			continue
		}
		info := t.Info(sh)
		for p := range sh.Key.Count {
			for to := range s.receivers(sh, p) {
				to.Hear(sh, t.ID, info)
			}
		}
	}
}

// control is the news of an epoch for the partitions downstream.
type control struct {
	s *shuffles
	news
}

// pending finds what must be said now: for every partition downstream, each task of this worker of which something differs
// from what was committed there (semantics S4). A partition that got rows hears it at the end of the epoch, a change of
// state is told at once, all else at most every 200 ms.
func (s *shuffles) pending() *control {
	c := &control{s: s, news: news{}}
	if s.j.cfg.Shuffle == ShuffleLocal {
		return c
	}
	now := s.j.cfg.now()
	for _, sh := range s.j.query.Shuffles {
		info := once(func(t *task.Task) wire.Info { return t.Info(sh) })
		var tasks []*task.Task
		for _, t := range s.j.tasks {
			if t.Feeds(sh) {
				tasks = append(tasks, t)
			}
		}
		for _, p := range connectors.PartitionsOf(sh.Topic(s.j.cfg.App, s.j.query.Name), int32(sh.Key.Count)) {
			diff, urgent := s.said.differs(p, tasks, info)
			if len(diff) > 0 && (urgent || s.touched[p] || !s.said.quiet(p, now)) {
				c.news[p] = diff
			}
		}
	}
	return c
}

// send produces the control records; the rows of the epoch went before.
func (c *control) send() {
	for p, infos := range c.news {
		c.s.send(p, wire.AppendControl(nil, infos))
	}
}

// committed notes what was said.
func (c *control) committed() {
	c.s.said.committed(c.news, c.s.j.cfg.now())
	clear(c.s.touched)
}
