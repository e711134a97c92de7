package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/tests/story"
)

// bench is a lab with what most tests need around it.
type bench struct {
	*testing.T
	*story.Lab
	ctx context.Context
	ddl string
}

func newBench(t *testing.T, g story.Regime, until exec.Until, ddl string) *bench {
	t.Helper()
	b := &bench{t, story.NewLab(g, until), context.Background(), ddl}
	t.Cleanup(b.Lab.Close)
	b.must(b.Exec(b.ctx, ddl))
	return b
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%v\n%s", err, b.Status())
	}
}

// write appends records {"k": key} to a partition; rows are written "key@milliseconds".
func (b *bench) write(topic string, partition int32, rows ...string) {
	b.Helper()
	for _, r := range rows {
		var ms int64
		k, at, _ := strings.Cut(r, "@")
		_, err := fmt.Sscan(at, &ms)
		b.must(err)
		_, err = b.Cluster().Write(b.ctx, connectors.Record{
			Topic: topic, Partition: partition, Timestamp: ms, Key: []byte(k), Value: fmt.Appendf(nil, `{"k":%q,"v":%d}`, k, ms),
		})
		b.must(err)
	}
	b.Touch()
}

// drain lets everything go through.
func (b *bench) drain() {
	b.Helper()
	b.must(b.Drain(b.ctx))
}

// wait lets wall clock pass.
func (b *bench) wait(d time.Duration) {
	b.Helper()
	b.must(b.Advance(b.ctx, d, 250*time.Millisecond))
}

// fails drains and waits until the query ends with an error that says all of parts.
func (b *bench) fails(parts ...string) {
	b.Helper()
	b.Touch()
	err := b.Drain(b.ctx)
	for range 60 {
		if err == nil {
			err = b.Advance(b.ctx, time.Second, 250*time.Millisecond)
		}
	}
	if err == nil {
		b.Fatalf("no error, want one with %q\n%s", parts, b.Status())
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			b.Errorf("the error does not say %q: %v", p, err)
		}
	}
}

// again starts the program anew.
func (b *bench) again() {
	b.Helper()
	b.must(b.Again(b.ctx, b.ddl))
}

// rows compares the rows of a target, in any order, written as their values with blanks between them.
func (b *bench) rows(target string, want ...string) {
	b.Helper()
	rows, err := b.Rows(target)
	b.must(err)
	b.same(target, rows, want)
}

// stands compares what is left in a target when each key keeps its last record.
func (b *bench) stands(target string, want ...string) {
	b.Helper()
	rows, err := b.Folded(target)
	b.must(err)
	b.same(target, rows, want)
}

func (b *bench) same(target string, rows []story.LabRow, want []string) {
	b.Helper()
	got := []string{}
	for _, r := range rows {
		var s []string
		for _, v := range r.Values {
			s = append(s, v.Text())
		}
		got = append(got, strings.Join(s, " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.Fatalf("%s has %q\nwant %q\n%s", target, got, want, b.Status())
	}
}

// noneLost fails the test when rows were late, bad, or behind an idle partition.
func (b *bench) noneLost(source string) {
	b.Helper()
	if b.Late(source)+b.Bad(source)+b.Idle() > 0 {
		b.Errorf("rows of %s were left out: %d late, %d bad, %d after idle", source, b.Late(source), b.Bad(source), b.Idle())
	}
}
