package agg

import (
	"github.com/streamsql-go/streamsql/sql/vector"
)

// changes folds a batch and emits the groups that it changed, each once: EMIT CHANGES.
type changes struct {
	f     *folder
	o     *output
	stood []bool // per row of the output: the group stands in the result before this batch
	kept  []bool // what its value says about that by now
}

// emit folds all found groups and pushes an upsert for each, or a tombstone for one that HAVING no longer lets stand or that
// has no rows any more. window (nil: none) is called with a group's window to add its columns and give the row's ts.
func (c *changes) emit(b *vector.Batch, window func(start int64) (ts int64)) error {
	defer c.o.reset()
	c.stood, c.kept = c.stood[:0], c.kept[:0]
	// Without HAVING a group stands from its first row on; so it is stored, to save a second write.
	first := c.f.spec.Having == nil
	for i := range c.f.found.list {
		g := &c.f.found.list[i]
		value, isNew, err := c.f.fold(b, g, flag(first))
		if err != nil {
			return err
		}
		kept := value[emittedAt] != 0
		c.kept = append(c.kept, kept)
		c.stood = append(c.stood, kept && !isNew)
		ts := valueTS(value)
		if window != nil {
			ts = window(g.start)
		}
		if err := c.o.add(c.f, g.start, c.f.found.key(g), value, ts); err != nil {
			return err
		}
	}
	if c.o.out.N == 0 {
		return nil
	}
	if err := c.o.judge(); err != nil {
		return err
	}
	if err := c.remember(); err != nil {
		return err
	}
	return c.o.changes(c.stood)
}

// remember stores which groups stand in the result now, where that changed.
func (c *changes) remember() error {
	for i, ok := range c.o.pass {
		g := &c.f.found.list[i]
		key := c.f.found.key(g)
		if c.o.gone[i] {
			if err := c.f.state.Forget(g.start, key); err != nil {
				return err
			}
			continue
		}
		if ok == c.kept[i] {
			continue
		}
		value, _, err := c.f.state.Modify(g.start, key)
		if err != nil {
			return err
		}
		value[emittedAt] = flag(ok)
	}
	return nil
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}
