// Package metrics shows an engine's queries to Prometheus. A program registers Collector where it likes; streamsql serves it at
// --http under /metrics.
package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/streamsql-go/streamsql"
)

// Collector collects the figures of the engine's queries on this instance, all with the label query. Counters begin anew with the
// process. There is no label with values from records.
func Collector(e *streamsql.Engine) prometheus.Collector { return &collector{e, figures()} }

type collector struct {
	e       *streamsql.Engine
	figures []figure
}

// figure is one metric of a query.
type figure struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(*streamsql.Query, *streamsql.Stats) (value float64, ok bool)
}

func newFigure(name, help string, kind prometheus.ValueType, of func(*streamsql.Query, *streamsql.Stats) (float64, bool)) figure {
	return figure{prometheus.NewDesc("streamsql_query_"+name, help, []string{"query"}, nil), kind, of}
}

// count is a figure that is there always.
func count(of func(*streamsql.Stats) int64) func(*streamsql.Query, *streamsql.Stats) (float64, bool) {
	return func(_ *streamsql.Query, s *streamsql.Stats) (float64, bool) { return float64(of(s)), true }
}

func figures() []figure {
	return []figure{
		newFigure("up", "1 while the query runs or is paused, 0 once it has ended or failed.", prometheus.GaugeValue, up),
		newFigure("failed", "1 when the query ended with an error.", prometheus.GaugeValue, failed),
		newFigure("tasks", "Tasks of the query on this instance.", prometheus.GaugeValue, count(func(s *streamsql.Stats) int64 { return int64(s.Tasks) })),
		newFigure("records_in_total", "Source records read and committed by this instance.", prometheus.CounterValue, count(func(s *streamsql.Stats) int64 { return s.In })),
		newFigure("rows_out_total", "Rows committed to the target by this instance.", prometheus.CounterValue, count(func(s *streamsql.Stats) int64 { return s.Out })),
		newFigure("late_rows_total", "Rows that came too late, of this instance's tasks since the query began.", prometheus.CounterValue, count(func(s *streamsql.Stats) int64 { return s.Late + s.LateAfterIdle })),
		newFigure("bad_records_total", "Records and rows that could not be used, of this instance's tasks since the query began.", prometheus.CounterValue, count(func(s *streamsql.Stats) int64 { return s.Bad + s.BadExpr })),
		newFigure("filtered_rows_total", "Rows that conditions dropped, of this instance's tasks since the query began.", prometheus.CounterValue, count(func(s *streamsql.Stats) int64 { return s.Filtered })),
		newFigure("lost_records_total", "Records that were gone before they were read (on_data_loss = 'continue').", prometheus.CounterValue, count(func(s *streamsql.Stats) int64 { return s.Lost })),
		newFigure("aborted_epochs_total", "Transactions that were aborted and done again.", prometheus.CounterValue, count(func(s *streamsql.Stats) int64 { return s.Aborts })),
		newFigure("lag_records", "Records known to be in the sources that were not read.", prometheus.GaugeValue, count(func(s *streamsql.Stats) int64 { return s.Lag })),
		newFigure("waiting_rows", "Stream rows that wait until their table has come as far.", prometheus.GaugeValue, count(func(s *streamsql.Stats) int64 { return s.Waiting })),
		newFigure("state_memory_bytes", "State held in memory.", prometheus.GaugeValue, count(func(s *streamsql.Stats) int64 { return s.State })),
		newFigure("watermark_timestamp_seconds", "The smallest watermark of the tasks that end in the target, seconds since 1970. Not there before the first row.", prometheus.GaugeValue, watermark),
	}
}

func up(q *streamsql.Query, _ *streamsql.Stats) (float64, bool) {
	switch q.State() {
	case streamsql.Running, streamsql.Paused:
		return 1, true
	}
	return 0, true
}

func failed(q *streamsql.Query, _ *streamsql.Stats) (float64, bool) {
	if q.State() == streamsql.Failed {
		return 1, true
	}
	return 0, true
}

func watermark(_ *streamsql.Query, s *streamsql.Stats) (float64, bool) {
	if s.Tasks == 0 || streamsql.Instant(s.Watermark) == "-" {
		return 0, false
	}
	return float64(s.Watermark) / 1e6, true
}

// Describe names the metrics.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, f := range c.figures {
		out <- f.desc
	}
}

// Collect reads the queries' figures as of the last tenth of a second.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	for _, q := range c.e.Queries() {
		if q.Target() == "" { // an ad-hoc SELECT: its name is never used again
			continue
		}
		s := q.Stats()
		for _, f := range c.figures {
			if v, ok := f.of(q, &s); ok {
				out <- prometheus.MustNewConstMetric(f.desc, f.kind, v, q.Name())
			}
		}
	}
}
