package window

import (
	"fmt"
	"slices"
	"testing"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/op/optest"
	"github.com/streamsql-go/streamsql/sql/types"
)

// A row reaches back by the gap, or less where its own partition had closed what lies there; it is nothing when that closes
// even a session of it alone.
func TestRule(t *testing.T) {
	r := Rule{Gap: 10, Grace: 5}
	for _, c := range []struct {
		ts, seen, lo int64
		ok           bool
	}{
		{100, types.Never, 90, true}, {100, 99, 90, true}, {100, 104, 90, true}, {100, 105, 91, true}, {100, 114, 100, true}, {100, 115, 101, false},
	} {
		s, ok := r.Of(c.ts, c.seen)
		if s != (Session{c.lo, c.ts, c.ts}) || ok != c.ok {
			t.Errorf("ts %d after %d: %+v %v, want from %d, %v", c.ts, c.seen, s, ok, c.lo, c.ok)
		}
	}
	if at := r.Closes(Session{0, 0, 100}); at != 115 {
		t.Error("a row at 110 may come until the watermark is 115, not", at)
	}
	if m := r.Out(op.Marks{W: 5000, Strict: 4000}); m.W != 5000-5-1000 || m.Strict != min(4000, m.W) {
		t.Error(m)
	}
}

// listed keeps the rows of each session as text.
func listed(state op.Sorted, left *[]string) *Sessions {
	return NewSessions(SessionsConfig{
		Rule: Rule{Gap: 10, Grace: 100}, State: state,
		Merge: func(into, from Part) ([]byte, error) {
			rows := append(slices.Clone(into.Value), from.Value...)
			slices.Sort(rows)
			return rows, nil
		},
		Left: func(key []byte, x Session, value []byte) error {
			*left = append(*left, fmt.Sprintf("%s %d-%d %s", key, x.First, x.Last, value))
			return nil
		},
	})
}

func add(t *testing.T, s *Sessions, ts int64, row string) Session {
	t.Helper()
	x, err := s.Add([]byte("k"), Session{ts - 10, ts, ts}, []byte(row))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Sessions extend, move their start, merge, and tell of those that are no more under their first row.
func TestSessions(t *testing.T) {
	var left []string
	s := listed(&optest.Sorted{}, &left)
	add(t, s, 100, "c")
	add(t, s, 121, "e")
	add(t, s, 105, "d")
	if x := add(t, s, 95, "b"); x.First != 95 || x.Last != 105 {
		t.Fatal(x)
	}
	add(t, s, 60, "a")
	if x := add(t, s, 112, "f"); x.First != 95 || x.Last != 121 {
		t.Fatal(x)
	}
	if want := []string{"k 100-105 cd", "k 121-121 e"}; !slices.Equal(left, want) {
		t.Fatalf("left %q, want %q", left, want)
	}
	for _, c := range []struct {
		first int64
		value string
	}{{60, "a"}, {95, "bcdef"}, {100, ""}} {
		x, value, ok, err := s.Get([]byte("k"), c.first)
		if err != nil || ok != (c.value != "") || string(value) != c.value || ok && x.First != c.first {
			t.Errorf("the session from %d: %+v %q %v %v", c.first, x, value, ok, err)
		}
	}
	var closed []string
	visit := func(key []byte, x Session, value []byte) error {
		closed = append(closed, fmt.Sprintf("%s %d-%d %s", key, x.First, x.Last, value))
		return nil
	}
	for _, c := range []struct {
		mark int64
		want string
	}{{169, ""}, {170, "k 60-60 a"}, {230, ""}, {231, "k 95-121 bcdef"}, {types.Forever, ""}} {
		closed = nil
		if err := s.Close(c.mark, visit); err != nil || fmt.Sprint(closed) != "["+c.want+"]" {
			t.Fatalf("at %d: %q %v, want %q", c.mark, closed, err, c.want)
		}
		if open, err := s.Open(); err != nil || open != (c.mark < 231) {
			t.Fatalf("at %d: open %v %v", c.mark, open, err)
		}
	}
}
