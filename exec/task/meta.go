package task

import (
	"encoding/json"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/sql/types"
)

// meta is what a task's epoch leaves behind besides its state: one record per task and epoch, in the changelog of its first
// state, or in the metadata of the committed offset when it has no state (semantics S4).
type meta struct {
	Version  int         `json:"v"`
	Run      int         `json:"run,omitempty"`
	Finished bool        `json:"fin,omitempty"`
	Horizon  *int64      `json:"m,omitempty"`
	Marks    *[2]int64   `json:"w,omitempty"`
	Links    [][2]int64  `json:"links,omitempty"`
	Inputs   []inputMeta `json:"in"`
	Counters op.Counters `json:"c"`
	// Frontier is the task's own, for rows withheld across a restart.
	Frontier []rootMeta `json:"fr,omitempty"`
}

type inputMeta struct {
	Position int64         `json:"p"`
	ID       string        `json:"id,omitempty"` // of the source topic
	MaxTS    *int64        `json:"ts,omitempty"`
	Ups      []byte        `json:"ups,omitempty"` // a wire control record
	Told     *toldMeta     `json:"told,omitempty"`
	Counters InputCounters `json:"c"`
}

type rootMeta struct {
	Source, Partition int
	At                int64
}

// metaVersion is raised when a field changes its meaning.
const metaVersion = 1

// Meta is the record for this epoch.
func (t *Task) Meta() ([]byte, error) {
	m := meta{
		Version: metaVersion, Run: t.stamp(), Finished: t.finished, Counters: t.counters,
		Horizon: known(t.horizon), Marks: &[2]int64{t.marks.W, t.marks.Strict},
	}
	for _, l := range t.chain.Links {
		m.Links = append(m.Links, [2]int64{l.Marks.W, l.Marks.Strict})
	}
	for i, in := range t.ins {
		im := inputMeta{Counters: t.perInput[i], Position: in.position}
		if in.src != nil {
			im.Position, im.MaxTS, im.ID = in.src.position, known(in.src.maxTS), t.cfg.IDs[in.topic]
			if x := in.src.told; x != nil {
				im.Told = x.meta(t.cfg.IDs[x.at.Topic])
			}
		} else if len(in.known) > 0 {
			im.Ups = wire.AppendControl(nil, in.known)
		}
		m.Inputs = append(m.Inputs, im)
	}
	if t.cfg.Frontier && t.waits() {
		for r, at := range t.Frontier() {
			m.Frontier = append(m.Frontier, rootMeta{r.Source, r.Partition, at})
		}
	}
	out, err := json.Marshal(m)
	t.last = out
	return out, err
}

func known(x int64) *int64 {
	if x == types.Never {
		return nil
	}
	return &x
}

func orNever(x *int64) int64 {
	if x == nil {
		return types.Never
	}
	return *x
}

// load takes the task back to a committed epoch.
func (t *Task) load(data []byte) error {
	var m meta
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("task %s: its committed record cannot be read: %w", t.ID, err)
	}
	if m.Version != metaVersion {
		return fmt.Errorf("task %s: its committed record has version %d, this program reads %d: run the version that wrote it, or start under a new name", t.ID, m.Version, metaVersion)
	}
	if len(m.Inputs) != len(t.ins) || len(m.Links) != len(t.chain.Links) {
		return fmt.Errorf("task %s: its committed record is of another plan: start under a new name", t.ID)
	}
	t.counters, t.horizon = m.Counters, orNever(m.Horizon)
	if m.Marks != nil {
		t.marks = op.Marks{W: m.Marks[0], Strict: m.Marks[1]}
	}
	for i, l := range t.chain.Links {
		l.Marks = op.Marks{W: m.Links[i][0], Strict: m.Links[i][1]}
	}
	t.forGood = m.Finished && m.Run == wire.ForGood
	t.finished = m.Finished && (t.forGood || m.Run == t.cfg.Run && t.cfg.Run > 0)
	for i, in := range t.ins {
		im := m.Inputs[i]
		t.perInput[i] = im.Counters
		if in.src != nil {
			in.src.maxTS = orNever(im.MaxTS)
			if in.src.renewed = im.ID != "" && im.ID != t.cfg.IDs[in.topic]; !in.src.renewed {
				in.src.position = im.Position
			}
			in.src.finished = in.src.end >= 0 && !in.src.stays && in.src.position >= in.src.end
			if x := in.src.told; x != nil {
				if err := x.load(im.Told, t.cfg.IDs[x.at.Topic]); err != nil {
					return fmt.Errorf("task %s: its committed record cannot be read: %w", t.ID, err)
				}
			}
			continue
		}
		in.position = im.Position
		if len(im.Ups) > 0 {
			if err := wire.ReadControl(im.Ups, func(id wire.TaskID, i wire.Info) { in.known[id] = i }); err != nil {
				return fmt.Errorf("task %s: its committed record cannot be read: %w", t.ID, err)
			}
		}
	}
	if len(m.Frontier) > 0 {
		f := feed{at: types.Never, frontier: map[wire.Root]int64{}}
		for _, r := range m.Frontier {
			f.frontier[wire.Root{Source: r.Source, Partition: r.Partition}] = r.At
		}
		t.fed = append(t.fed, f)
	}
	return nil
}

// Renewed says whether a source's topic is another one than that of the committed record: it was deleted and created again. The
// task then begins where the run does.
func (t *Task) Renewed(p connectors.Partition) bool {
	for in := range t.inputs(p.Topic) {
		if in.src != nil && in.src.at == p && in.src.renewed {
			return true
		}
	}
	for x := range t.tellers(p.Topic) {
		if x.renewed {
			return true
		}
	}
	return false
}

// LastMeta is the record of the last epoch that was begun.
func (t *Task) LastMeta() []byte { return t.last }

// Position is where an input stands: of several that read the partition, the one furthest behind. False when the task does
// not read it.
func (t *Task) Position(p connectors.Partition) (at int64, ok bool) {
	if int(p.Partition) != t.cfg.Partition {
		return 0, false
	}
	stands := func(here int64) {
		if !ok || here < at {
			at, ok = here, true
		}
	}
	for in := range t.inputs(p.Topic) {
		if in.src != nil {
			stands(in.src.position)
		} else {
			stands(in.position)
		}
	}
	for x := range t.tellers(p.Topic) {
		stands(x.position())
	}
	return at, ok
}

// Counters are the task's, and those of each of its inputs with the source they came from (-1: a shuffle).
func (t *Task) Counters() (op.Counters, map[int]InputCounters) {
	per := map[int]InputCounters{}
	for i, in := range t.ins {
		if in.src != nil {
			per[in.src.scan.Source] = t.perInput[i]
		}
	}
	return t.counters, per
}
