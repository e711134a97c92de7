package streamsql_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors/kafka"
)

// lab is an engine on a broker in memory. A test that hangs fails after 30 s.
type lab struct {
	*streamsql.Engine
	t   *testing.T
	ctx context.Context
}

func open(t *testing.T, o streamsql.Options) *lab {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	e, err := streamsql.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &lab{e, t, ctx}
}

func (l *lab) exec(sql string) {
	l.t.Helper()
	if err := l.Exec(l.ctx, sql); err != nil {
		l.t.Fatal(err)
	}
}

// refuses says what is wrong with an error: it must be of the statement and contain these texts.
func (l *lab) refuses(sql string, texts ...string) {
	l.t.Helper()
	err := l.Exec(l.ctx, sql)
	if err == nil {
		l.t.Errorf("accepted: %s", sql)
		return
	}
	for _, x := range texts {
		if !strings.Contains(err.Error(), x) {
			l.t.Errorf("%s\nsays: %v\nwithout: %s", sql, err, x)
		}
	}
}

// query gives the rows of a bounded statement as text, sorted: values separated by blanks.
func (l *lab) query(sql string) []string {
	l.t.Helper()
	rows, err := l.QueryUntil(l.ctx, sql, streamsql.UntilEnd)
	if err != nil {
		l.t.Fatal(err)
	}
	got, err := lines(rows, -1)
	if err != nil {
		l.t.Fatal(err)
	}
	slices.Sort(got)
	return got
}

// lines reads n rows, all if n is below 0.
func lines(rows *streamsql.Rows, n int) ([]string, error) {
	var out []string
	for r, err := range rows.All() {
		if err != nil {
			return out, err
		}
		var vs []string
		for i := range r.Values {
			vs = append(vs, r.Text(i))
		}
		if out = append(out, strings.Join(vs, " ")); len(out) == n {
			break
		}
	}
	return out, nil
}

func (l *lab) wants(sql string, want ...string) {
	l.t.Helper()
	slices.Sort(want)
	if got := l.query(sql); !slices.Equal(got, want) {
		l.t.Errorf("%s\ngot  %q\nwant %q", sql, got, want)
	}
}

// eventually waits for a condition.
func (l *lab) eventually(what string, is func() bool) {
	l.t.Helper()
	for !is() {
		if l.ctx.Err() != nil {
			l.t.Fatalf("never: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// cluster is a client of the lab's broker.
func (l *lab) cluster() *kafka.Cluster {
	l.t.Helper()
	c, err := kafka.New(l.ctx, kafka.Options{Brokers: []string{l.Address()}})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestClosed(t *testing.T) {
	e, err := streamsql.Open(context.Background(), streamsql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	_, query := e.Query(ctx, "SHOW STREAMS")
	_, start := e.Start(ctx, "CREATE STREAM o AS SELECT 1")
	_, load := e.Load(ctx, "f", "SHOW STREAMS", streamsql.Endless)
	for i, err := range []error{e.Exec(ctx, "SHOW STREAMS"), query, start, load} {
		if !errors.Is(err, streamsql.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestDistinctOverPartitions(t *testing.T) {
	for _, sh := range []streamsql.Shuffle{streamsql.ShuffleLocal, streamsql.ShuffleTopic} {
		t.Run(string(sh), func(t *testing.T) {
			l := open(t, streamsql.Options{Shuffle: sh})
			l.exec(`CREATE STREAM s (id VARCHAR, amount DECIMAL(12,2)) WITH (topic = 's', partitions = 3);
				INSERT INTO s (id, amount, _partition, _timestamp) VALUES ('a', 1.5, 0, 1000), ('b', 2.5, 2, 1300), ('a', 9, 2, 11300);`)
			// The rows of 'a' lie in two windows of 10 s.
			l.wants("SELECT DISTINCT ON (id) * FROM s WINDOW TUMBLING(10s)", "a 1.50", "b 2.50", "a 9.00")
		})
	}
}

func TestOptions(t *testing.T) {
	for text, o := range map[string]streamsql.Options{
		"letters, digits":        {Name: "a b"},
		"auto, topic or local":   {Shuffle: "none"},
		"it must be positive":    {CommitInterval: -1},
		"at least 1 MB":          {Memory: 1000},
		"'earliest' or 'latest'": {Start: "yesterday"},
	} {
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := (streamsql.Options{}).Validate(); err != nil {
		t.Error(err)
	}
}
