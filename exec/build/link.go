package build

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Link hands the output of one operator to an input of the next and keeps the time that has passed through it: marks
// never fall, whatever an operator says, also across restarts, for the task stores them.
type Link struct {
	to op.Operator
	in int
	// From is the node whose rows pass here, Flow what passed since the task began.
	From plan.Node
	Flow Flow
	// Marks is the highest time handed on, never types.Forever.
	Marks op.Marks
	// releases: a table's time releases rows of a join, and passes nothing on.
	releases bool
}

// Push implements op.Next.
func (l *Link) Push(b *vector.Batch) error {
	l.Flow.note(b)
	return l.to.Process(l.in, b)
}

// Advance implements op.Next.
func (l *Link) Advance(m op.Marks) error {
	if l.releases {
		return nil
	}
	if m.W >= types.Forever {
		l.Marks.Strict = max(l.Marks.Strict, finite(m.Strict))
		return l.to.Advance(op.Marks{W: types.Forever, Strict: m.Strict, End: m.End})
	}
	m.Strict = finite(m.Strict)
	next := l.Marks.Raise(m)
	if next == l.Marks {
		return nil
	}
	l.Marks = next
	return l.to.Advance(next)
}

// Resume tells the operator the time it had reached.
func (l *Link) Resume() error {
	if l.releases {
		return nil
	}
	return l.to.Advance(l.Marks)
}

// Settle stores the time of a finished input in place of types.Forever.
func (l *Link) Settle(m op.Marks) { l.Marks = l.Marks.Raise(m) }

func finite(m int64) int64 {
	if m >= types.Forever {
		return types.Never
	}
	return m
}

// terminal makes the end of the chain an operator.
type terminal struct{ op.Next }

// Process hands rows out.
func (t terminal) Process(_ int, b *vector.Batch) error { return t.Push(b) }
