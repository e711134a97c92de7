package optest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Row is a row of a test: what travels with it and its values, an int or int64 for integers, booleans and instants, a
// float64, a string, or nil.
type Row struct {
	Time    int64
	Seen    int64 // 0: types.Never
	Deleted bool
	Origin  types.Origin
	Raw     vector.Raw
	Vals    []any
}

// Batch makes a batch of the rows with everything carried.
func Batch(cols []types.Type, rows ...Row) *vector.Batch {
	b := vector.NewBatch(cols, len(rows))
	for _, r := range rows {
		for c, v := range b.Cols {
			v.Append(value(cols[c], r.Vals[c]))
		}
		seen := r.Seen
		if seen == 0 {
			seen = types.Never
		}
		b.Time = append(b.Time, r.Time)
		b.Seen = append(b.Seen, seen)
		b.Origin = append(b.Origin, r.Origin)
		b.Raw = append(b.Raw, r.Raw)
		b.N++
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Deleted }) {
		for _, r := range rows {
			b.Deleted = append(b.Deleted, r.Deleted)
		}
	}
	return b
}

func value(t types.Type, x any) types.Value {
	switch x := x.(type) {
	case nil:
		return types.Value{}
	case int:
		return types.Value{Kind: t.Kind, I: int64(x)}
	case int64:
		return types.Value{Kind: t.Kind, I: x}
	case float64:
		return types.Value{Kind: t.Kind, F: x}
	case string:
		return types.Value{Kind: t.Kind, S: x}
	}
	panic(fmt.Sprintf("optest: no value for a %T", x))
}

// Rows reads a batch.
func Rows(b *vector.Batch) []Row {
	out := make([]Row, b.N)
	for i := range out {
		r := &out[i]
		r.Time = b.Time[i]
		if b.Seen != nil && b.Seen[i] != types.Never {
			r.Seen = b.Seen[i]
		}
		if b.Deleted != nil {
			r.Deleted = b.Deleted[i]
		}
		if b.Origin != nil {
			r.Origin = b.Origin[i]
		}
		if b.Raw != nil {
			r.Raw = b.Raw[i]
			r.Raw.Key, r.Raw.Value = slices.Clone(r.Raw.Key), slices.Clone(r.Raw.Value)
		}
		for _, c := range b.Cols {
			r.Vals = append(r.Vals, plain(c.Value(i)))
		}
	}
	return out
}

func plain(v types.Value) any {
	switch (types.Type{Kind: v.Kind}).Physical() {
	case types.PhysInt:
		return v.I
	case types.PhysFloat:
		return v.F
	case types.PhysDec:
		return types.FormatDecimal(v.D, v.Scale)
	case types.PhysBytes:
		return v.S
	}
	return nil
}

// Text writes values as "a,1,NULL".
func Text(vals []any) string {
	s := make([]string, len(vals))
	for i, v := range vals {
		s[i] = "NULL"
		if v != nil {
			s[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(s, ",")
}

// String is "ts: values", with a minus for a tombstone.
func (r Row) String() string {
	sign := ""
	if r.Deleted {
		sign = "-"
	}
	return fmt.Sprintf("%d: %s%s", r.Time, sign, Text(r.Vals))
}

// Sink is the end of a chain: it keeps rows, and checks what every operator owes to the next.
type Sink struct {
	Got   []Row
	Marks op.Marks
	// Broken says how the contract was broken; empty when it was not.
	Broken string
	// Early counts rows at or below the marks handed on before, which windows downstream may have been closed by.
	Early int
}

// NewSink is an empty sink.
func NewSink() *Sink { return &Sink{Marks: op.NoMarks} }

// Push implements op.Next.
func (s *Sink) Push(b *vector.Batch) error {
	if b.N == 0 {
		s.Broken = "an empty batch was pushed"
	}
	for c, v := range b.Cols {
		if v.Len() != b.N {
			s.Broken = fmt.Sprintf("column %d has %d of %d rows", c, v.Len(), b.N)
			return nil
		}
	}
	if len(b.Time) != b.N || b.Seen != nil && len(b.Seen) != b.N || b.Deleted != nil && len(b.Deleted) != b.N ||
		b.Origin != nil && len(b.Origin) != b.N || b.Raw != nil && len(b.Raw) != b.N {
		s.Broken = fmt.Sprintf("a per-row slice has not %d entries", b.N)
		return nil
	}
	for _, ts := range b.Time {
		if ts <= s.Marks.W {
			s.Early++
		}
	}
	s.Got = append(s.Got, Rows(b)...)
	return nil
}

// Advance implements op.Next.
func (s *Sink) Advance(m op.Marks) error {
	s.Marks = s.Marks.Raise(m)
	return nil
}

// Take returns the rows since the last call as text, in order.
func (s *Sink) Take() []string {
	var out []string
	for _, r := range s.Got {
		out = append(out, r.String())
	}
	s.Got = nil
	return out
}

// Discard is the end of a chain in a benchmark.
type Discard struct{}

// Push implements op.Next.
func (Discard) Push(*vector.Batch) error { return nil }

// Advance implements op.Next.
func (Discard) Advance(op.Marks) error { return nil }
