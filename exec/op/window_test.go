package op_test

import (
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
)

func TestMarks(t *testing.T) {
	m := op.Marks{W: 50, Strict: 40}
	for _, c := range []struct {
		ts   int64
		want op.Marks
	}{
		{types.Forever, m}, {51, m}, {50, op.Marks{W: 49, Strict: 40}}, {10, op.Marks{W: 9, Strict: 9}},
		{types.Never, op.NoMarks},
	} {
		if got := m.Below(c.ts); got != c.want {
			t.Errorf("below %d: %+v, want %+v", c.ts, got, c.want)
		}
	}
	if got := m.Raise(op.Marks{W: 60, Strict: 30}); got != (op.Marks{W: 60, Strict: 40}) {
		t.Errorf("marks fell: %+v", got)
	}
}
