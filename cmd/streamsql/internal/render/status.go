package render

import (
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/sql/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// meter turns counters into rates over the last seconds.
type meter struct {
	at        time.Time
	in, out   int64
	inS, outS float64
}

// meterEvery is the span of a rate.
const meterEvery = time.Second

func (m *meter) observe(now time.Time, s streamsql.Stats) {
	if m.at.IsZero() {
		m.at, m.in, m.out = now, s.In, s.Out
		return
	}
	d := now.Sub(m.at)
	if d < meterEvery {
		return
	}
	m.inS, m.outS = float64(s.In-m.in)/d.Seconds(), float64(s.Out-m.out)/d.Seconds()
	m.at, m.in, m.out = now, s.In, s.Out
}

// figures are what the status line says of a query, the most wanted first. A figure that Stats gains is shown by a line here.
func figures(s streamsql.Stats, m meter) []string {
	out := []string{"in " + counted(s.In, m.inS), "out " + counted(s.Out, m.outS)}
	add := func(n int64, what string) {
		if n > 0 {
			out = append(out, Grouped(n)+" "+what)
		}
	}
	add(s.Lag, "behind")
	if s.Tasks > 0 && s.Watermark > types.Never && s.Watermark < types.Forever {
		text := "watermark " + clock(s.Watermark)
		if s.Holding != "" {
			text += " held by " + s.Holding
		}
		out = append(out, text)
	}
	if s.Due > types.Never && s.Due < types.Forever && s.Due != 0 {
		out = append(out, "next rows at "+clock(s.Due+1))
	}
	add(s.Late+s.LateAfterIdle, "late")
	add(s.Bad+s.BadExpr, "bad")
	add(s.LateTable, "late for the rows they match")
	add(s.Lost, "lost")
	add(s.Waiting, "wait for a table")
	return out
}

func counted(n int64, perSecond float64) string {
	if perSecond > 0 {
		return Grouped(n) + " (" + short(perSecond) + "/s)"
	}
	return Grouped(n)
}

// clock is an event time without its date: what moves.
func clock(micros int64) string {
	text := streamsql.Instant(micros)
	if _, of, ok := strings.Cut(text, " "); ok {
		return strings.TrimSuffix(of, ".000")
	}
	return text
}

// statusLine is the line below the rows of a query that runs.
func statusLine(s streamsql.Stats, m meter) string {
	return "▶ " + strings.Join(figures(s, m), " · ") + " · Ctrl-C ends"
}
