// Package pace says when the rows of made-up sources happen (Times), and writes them at the rate that was asked for (Loop).
package pace

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/random"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Times are the event times of rows by their place, in microseconds: start + place × step / per and never after ceiling,
// less a random part of disorder.
type Times struct {
	start     int64
	step, per int64
	ceiling   int64
	follows   bool // the ceiling is the clock's time when a row is made
	disorder  int64
	seed      uint64
}

// farthest is how far back the first row may be: Kafka takes no times before 1970.
const farthest = float64(50 * 365 * 24 * 3600 * types.MicrosPerSecond)

// Spec is what Times are made of: the checked options <owner>.seed, .rate, .start, .interval, .disorder, and the option that
// bounds the number of rows.
type Spec struct {
	Options  *connectors.Options
	Owner    string // "generate"
	Count    string // "generate.rows"
	Interval int64  // between rows, microseconds, where neither an interval nor a rate says it
}

// NewTimes reads the options. Rows far ahead of the clock would be refused (max_future), so without a start none is: a number
// of rows ends now, endless ones follow the clock.
func NewTimes(s Spec, now time.Time) (Times, error) {
	option := func(name string) string { return s.Owner + "." + name }
	o := s.Options
	rows, rate := o.Int(s.Count), o.Int(option("rate"))
	x := Times{
		start: now.UnixMicro(), step: s.Interval, per: 1, ceiling: math.MaxInt64,
		disorder: o.Duration(option("disorder")), seed: random.Seed(uint64(o.Int(option("seed"))), "\x00time"),
	}
	switch {
	case o.Get(option("interval")) != "":
		x.step = o.Duration(option("interval"))
	case rate > 0:
		x.step, x.per = types.MicrosPerSecond, rate
	case rows == 0 && o.Get(option("start")) == "":
		x.step = 0
		x.start = math.MaxInt64 // the ceiling
	}
	if at := o.Get(option("start")); at != "" {
		var err error
		x.start, err = instant(option("start"), at, now)
		return x, err
	}
	if rows == 0 {
		x.follows = true
		return x, nil
	}
	// How much more time passes in the rows than while they are written, up to the last one.
	ahead := float64(x.step) / float64(x.per)
	if rate > 0 {
		ahead -= float64(types.MicrosPerSecond) / float64(rate)
	}
	if ahead *= float64(rows - 1); ahead > farthest {
		return x, fmt.Errorf("option '%s': so many rows begin more than 50 years ago; set a shorter '%s', or '%s'", s.Count, option("interval"), option("start"))
	}
	x.start -= int64(max(0, ahead))
	return x, nil
}

// At is the event time of the row at a place (from 0), microseconds.
func (x *Times) At(place uint64) int64 {
	us := x.start
	if x.step > 0 {
		us += int64(place) * x.step / x.per
	}
	us = min(us, x.ceiling)
	if x.disorder > 0 {
		r := random.New(x.seed, place)
		us -= int64(r.Below(uint64(x.disorder) + 1))
	}
	return us
}

// Span is how much event time n rows take, microseconds; where rows follow the clock it is not known, and 0.
func (x *Times) Span(n uint64) int64 { return int64(n) * x.step / x.per }

// Now sets the clock's time, before rows are made.
func (x *Times) Now(t time.Time) {
	if x.follows {
		x.ceiling = t.UnixMicro()
	}
}

func instant(option, s string, now time.Time) (int64, error) {
	if strings.EqualFold(s, "now") {
		return now.UnixMicro(), nil
	}
	cell, err := format.NewCell(format.Column{Name: option, Type: types.Type{Kind: types.Timestamp, Precision: 6}})
	if err != nil {
		return 0, err
	}
	v := vector.New(cell.Type, 1)
	if err := cell.Text(v, []byte(s)); err != nil {
		return 0, fmt.Errorf("option '%s': '%s' is not an instant: write 'now', '2026-01-01T00:00:00Z', or milliseconds since the epoch", option, s)
	}
	return v.Ints[0], nil
}
