package build

import (
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// heard is an operator that notes what it is told.
type heard struct {
	marks []op.Marks
	rows  []int // the inputs that rows came from
}

func (h *heard) Process(in int, _ *vector.Batch) error { h.rows = append(h.rows, in); return nil }
func (h *heard) Advance(m op.Marks) error              { h.marks = append(h.marks, m); return nil }

// TestMeet: an operator of two inputs is told the earlier of their times, whichever input is ahead, and no input's falls.
func TestMeet(t *testing.T) {
	h := &heard{}
	m := meet(h)
	left, right := m.entry(0), m.entry(1)
	steps := []struct {
		to   op.Operator
		at   op.Marks
		want op.Marks
	}{
		{left, op.Marks{W: 10, Strict: 8}, op.NoMarks},
		{right, op.Marks{W: 5, Strict: 4}, op.Marks{W: 5, Strict: 4}},
		{right, op.Marks{W: 20, Strict: 6}, op.Marks{W: 10, Strict: 6}},
		{left, op.Marks{W: 7, Strict: 7}, op.Marks{W: 10, Strict: 6}},
		{left, op.Marks{W: 30, Strict: 9}, op.Marks{W: 20, Strict: 6}},
	}
	for i, s := range steps {
		if err := s.to.Advance(s.at); err != nil {
			t.Fatal(err)
		}
		if got := h.marks[i]; got != s.want {
			t.Errorf("step %d: told %+v, want %+v", i, got, s.want)
		}
	}
	for _, e := range []op.Operator{right, left} {
		if err := e.Process(0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if h.rows[0] != 1 || h.rows[1] != 0 {
		t.Errorf("rows came from inputs %v", h.rows)
	}
}
