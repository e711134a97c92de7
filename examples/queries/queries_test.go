// Package queries_test runs the examples and compares them with a plain evaluation of their input.
package queries_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
)

// run runs a file to the end of its input and returns the engine, to look at what is there.
func run(t *testing.T, file string) (context.Context, *streamsql.Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range streamsql.Check(file, string(text), nil) {
		t.Error(e)
	}
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := eng.Close(); err != nil {
			t.Error(err)
		}
	})
	l, err := eng.Load(ctx, file, string(text), streamsql.UntilEnd)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range l.Queries {
		if err := q.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		if s := q.Stats(); s.Late != 0 || s.Bad != 0 {
			t.Errorf("%d late and %d bad rows: an example has none", s.Late, s.Bad)
		}
	}
	return ctx, eng
}

// rows reads a relation to its end: the texts of the columns, with the event time in milliseconds.
type row struct {
	at     int64
	values []string
}

func rows(ctx context.Context, t *testing.T, eng *streamsql.Engine, sql string) []row {
	t.Helper()
	rs, err := eng.QueryUntil(ctx, sql, streamsql.UntilEnd)
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for r, err := range rs.All() {
		if err != nil {
			t.Fatal(err)
		}
		x := row{at: r.Time.UnixMilli()}
		for i := range r.Values {
			x.values = append(x.values, r.Text(i))
		}
		out = append(out, x)
	}
	if len(out) == 0 {
		t.Fatalf("%s has no rows", sql)
	}
	return out
}

// counted counts equal texts.
func counted(rs []row, text func(row) string) map[string]int {
	out := map[string]int{}
	for _, r := range rs {
		out[text(r)]++
	}
	return out
}

func compare(t *testing.T, got, want map[string]int) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for k, n := range want {
		if got[k] != n {
			t.Errorf("%s: %d times, want %d", k, got[k], n)
		}
	}
	for k, n := range got {
		if want[k] == 0 {
			t.Errorf("%s: %d times, want none", k, n)
		}
	}
}

func TestDedup(t *testing.T) {
	ctx, eng := run(t, "dedup.sql")
	windowed := func(r row) string { return fmt.Sprint(r.at/10000, " ", r.values[0]) }
	in := rows(ctx, t, eng, "SELECT message_id FROM topic_source")
	want := counted(in, windowed)
	if len(want) == len(in) {
		t.Error("the input has no repeats")
	}
	for k := range want {
		want[k] = 1 // once per window, however often it came
	}
	compare(t, counted(rows(ctx, t, eng, "SELECT message_id FROM topic_target"), windowed), want)
}

func TestEnrich(t *testing.T) {
	ctx, eng := run(t, "enrich.sql")
	versions := rows(ctx, t, eng, "SELECT id, owner FROM contexts")
	want := map[string]int{}
	for _, o := range rows(ctx, t, eng, "SELECT order_id, customer FROM orders") {
		owner, at := "NULL", int64(-1)
		for _, v := range versions {
			if v.values[0] == o.values[1] && v.at <= o.at && v.at > at {
				owner, at = v.values[1], v.at
			}
		}
		want[o.values[0]+" "+owner]++
	}
	compare(t, counted(rows(ctx, t, eng, "SELECT order_id, owner FROM enriched"), func(r row) string { return strings.Join(r.values, " ") }), want)
}

func TestCounts(t *testing.T) {
	ctx, eng := run(t, "counts.sql")
	n, cents := map[string]int{}, map[string]int64{}
	for _, p := range rows(ctx, t, eng, "SELECT customer, amount FROM payments") {
		whole, fraction, _ := strings.Cut(p.values[1], ".")
		c, err := strconv.ParseInt(whole+fraction, 10, 64)
		if err != nil || len(fraction) != 2 {
			t.Fatalf("amount %s: %v", p.values[1], err)
		}
		if c < 500 {
			continue
		}
		k := fmt.Sprint(p.values[0], " ", time.UnixMilli(p.at).UTC().Truncate(time.Minute).Format("2006-01-02 15:04:05"))
		n[k]++
		cents[k] += c
	}
	want := map[string]int{}
	for k := range n {
		want[fmt.Sprintf("%s %d %d.%02d", k, n[k], cents[k]/100, cents[k]%100)] = 1
	}
	got := counted(rows(ctx, t, eng, "SELECT customer, window_start, payments, amount FROM per_minute"), func(r row) string {
		start, _, _ := strings.Cut(r.values[1], ".")
		return strings.Join([]string{r.values[0], start, r.values[2], r.values[3]}, " ")
	})
	compare(t, got, want)
}
