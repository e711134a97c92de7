package build

import (
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// meeting makes the time of an operator of two stream inputs the earlier of theirs (semantics S2: the minimum over inputs).
type meeting struct {
	to    op.Operator
	marks [2]op.Marks
}

func meet(o op.Operator) *meeting { return &meeting{to: o, marks: [2]op.Marks{op.NoMarks, op.NoMarks}} }

// entry is where the rows and the time of one input come in.
func (m *meeting) entry(in int) op.Operator { return &entry{m, in} }

type entry struct {
	m  *meeting
	in int
}

// Process hands rows on.
func (e *entry) Process(_ int, b *vector.Batch) error { return e.m.to.Process(e.in, b) }

// Advance notes how far this input has come.
func (e *entry) Advance(m op.Marks) error {
	e.m.marks[e.in] = e.m.marks[e.in].Raise(m)
	return e.m.to.Advance(e.m.marks[0].Min(e.m.marks[1]))
}
