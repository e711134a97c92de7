package generate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/types"
)

var oneColumn = []types.Column{{Name: "ts", Type: types.TTimestamp}}

// TestDefaultTimes: without a start, no row lies ahead of the clock at the moment it is written.
func TestDefaultTimes(t *testing.T) {
	at := start.UnixMilli()
	for _, c := range []struct {
		name        string
		options     string // name=value, separated by blanks
		first, last int64  // of 5000 rows
	}{
		{"rows end now, 1 ms apart", "rows=5000", at - 4999, at},
		{"rows end now", "rows=5000 interval=2s", at - 4999*2000, at},
		{"as they are written", "rows=5000 rate=1000", at, at + 4999},
		{"a rate that does not divide a second", "rows=5000 rate=3", at, at + 4999*1000/3},
		{"slower than the rate", "rows=5000 rate=1000 interval=10us", at, at + 49},
		{"faster than the rate", "rows=5000 rate=1000 interval=1s", at + 4999 - 4999*1000, at + 4999},
		{"from a start on", "rows=5000 start=1000000", 1_000_000, 1_004_999},
		{"from now on", "rows=5000 start=now", at, at + 4999},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := map[string]string{}
			for o := range strings.FieldsSeq(c.options) {
				name, value, _ := strings.Cut(o, "=")
				options["generate."+name] = value
			}
			records, _, _ := run(t, oneColumn, options)
			first, last := records[0].Timestamp, records[len(records)-1].Timestamp
			if len(records) != 5000 || first != c.first || last != c.last {
				t.Errorf("%d rows from %d to %d, want %d to %d (around %d)", len(records), first, last, c.first, c.last, at)
			}
		})
	}
}

// TestEndlessKeepsToTheClock: however fast rows are taken, none lies ahead of the clock.
func TestEndlessKeepsToTheClock(t *testing.T) {
	for _, options := range []map[string]string{
		{}, {"generate.interval": "1s"}, {"generate.rate": "100000", "generate.interval": "1s"},
	} {
		clock := &fakeClock{start}
		g, err := New(oneColumn, options, clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		f, err := NewFeed(g, "json", spec(oneColumn), clock)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		n, newest, before := 0, int64(0), int64(math.MinInt64)
		err = f.Run(ctx, func(rs []connectors.Record) error {
			for _, r := range rs {
				if r.Timestamp > clock.now.UnixMilli() || r.Timestamp < before {
					t.Fatalf("%v: row at %d after %d, the clock is at %d", options, r.Timestamp, before, clock.now.UnixMilli())
				}
				before, newest = r.Timestamp, r.Timestamp
			}
			if n += len(rs); n >= 100_000 {
				cancel()
			}
			clock.now = clock.now.Add(10 * time.Millisecond)
			return nil
		})
		if behind := clock.now.UnixMilli() - newest; !errors.Is(err, context.Canceled) || behind > 1000 {
			t.Errorf("%v: the newest row is %d ms behind the clock; %v", options, behind, err)
		}
	}
}

func TestRowsBefore1970AreRefused(t *testing.T) {
	if _, err := New(oneColumn, map[string]string{"generate.rows": "10000000"}, time.UnixMilli(0)); err != nil {
		t.Error("a check at no particular time:", err)
	}
	_, err := New(oneColumn, map[string]string{"generate.rows": "1000000000000000"}, start)
	if err == nil || !strings.Contains(err.Error(), "generate.interval") {
		t.Error(err)
	}
}
