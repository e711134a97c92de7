package infer

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
)

// candidate is a column that may be the event time.
type candidate struct {
	column   int
	disorder int64 // microseconds
	ahead    int64 // of the records' own timestamps at most, microseconds
}

// timeName is what columns of times are called.
var timeName = regexp.MustCompile(`(?i:(^|_)(ts|time|timestamp|at|date|when|epoch)(_?(ms|millis|utc))?$|(time|timestamp|millis)$)|[a-z](At|Ts)$`)

// What a number of a time of this century is, in milliseconds.
var (
	firstMillis = time.Date(2001, 9, 9, 0, 0, 0, 0, time.UTC).UnixMilli()
	lastMillis  = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
)

// epoch says how a field of numbers is a time in milliseconds, judged by its name and its range; "": it is not.
func epoch(m *member) string {
	n := &m.numbers
	if m.kinds() != 1 || n.seen == 0 || n.floats+n.scale+n.outside > 0 || !timeName.MatchString(m.name) {
		return ""
	}
	if n.min < firstMillis || n.max > lastMillis {
		return ""
	}
	return fmt.Sprintf("milliseconds since 1970, guessed from the name and the values (%s to %s)", day(n.min), day(n.max))
}

func day(millis int64) string { return time.UnixMilli(millis).UTC().Format(time.DateOnly) }

// findTimes measures how far times go back inside the runs: of the records' timestamps, and of every column that is one.
func (p *Proposal) findTimes(ctx context.Context) {
	for _, run := range p.sample.Runs {
		newest := types.Never
		for _, r := range run {
			if r.Timestamp >= 0 {
				p.disorder = max(p.disorder, newest-r.Timestamp*1000)
				newest = max(newest, r.Timestamp*1000)
			}
		}
	}
	for i, c := range p.columns {
		if c.typ.Kind == types.Timestamp {
			p.measure(ctx, i)
		}
	}
}

// measure looks at one column of times.
func (p *Proposal) measure(ctx context.Context, at int) {
	s := p.spec()
	d, err := format.NewDecoder(p.format, s)
	if err != nil {
		return
	}
	row, c, seen := vectors(s.Columns), candidate{column: at}, 0
	for _, run := range p.sample.Runs {
		newest := types.Never
		for _, r := range run {
			reset(row)
			if r.Value == nil || format.Decode(ctx, d, r.Value, row) != nil || row[at].IsNull(0) {
				continue
			}
			ts := row[at].Ints[0]
			c.disorder = max(c.disorder, newest-ts)
			newest = max(newest, ts)
			c.ahead = max(c.ahead, ts-r.Timestamp*1000)
			seen++
		}
	}
	if seen == len(p.records)-p.bad { // an event time is in every record
		p.times = append(p.times, c)
	}
}

// rounded is a duration in the dialect's words, rounded up to two digits.
func rounded(micros int64) string {
	unit := int64(1000)
	for micros/unit >= 100 {
		unit *= 10
	}
	return types.FormatDuration((micros + unit - 1) / unit * unit)
}

// otherUnit is the unit of a field of numbers that is a time in seconds, microseconds or nanoseconds, judged as epoch does;
// "": it is not. Such a column stays a number: timestamp_format is one for the whole relation.
func otherUnit(m *member) string {
	n := &m.numbers
	if m.kinds() != 1 || n.seen == 0 || n.floats+n.scale+n.outside > 0 || !timeName.MatchString(m.name) {
		return ""
	}
	for unit, perMilli := range map[string]float64{"s": 0.001, "us": 1000, "ns": 1_000_000} {
		if float64(n.min)/perMilli >= float64(firstMillis) && float64(n.max)/perMilli <= float64(lastMillis) {
			return unit
		}
	}
	return ""
}
