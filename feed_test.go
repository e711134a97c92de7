package streamsql_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/partition"
)

func (l *lab) ends(topic string) int64 {
	l.t.Helper()
	p := connectors.Partition{Topic: topic}
	ends, err := l.cluster().Ends(l.ctx, p)
	if err != nil {
		l.t.Fatal(err)
	}
	return ends[p]
}

func TestDropStopsTheFeed(t *testing.T) {
	l := open(t, streamsql.Options{})
	for _, end := range []string{"DROP STREAM g", "CREATE OR REPLACE STREAM g (id VARCHAR) WITH (topic = 'other')",
		"CREATE OR REPLACE STREAM g (id VARCHAR) WITH (connector = 'generate', generate.rate = 100)"} {
		l.exec("CREATE OR REPLACE STREAM g (id VARCHAR) WITH (connector = 'generate', generate.rate = 1000)")
		rows, err := l.Query(l.ctx, "SELECT id FROM g")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lines(rows, 5); err != nil {
			t.Fatal(err)
		}
		l.exec(end)
		before := l.ends("streamsql.g")
		time.Sleep(100 * time.Millisecond)
		if after := l.ends("streamsql.g"); after != before || before == 0 {
			t.Errorf("%s: %d records, then %d", end, before, after)
		}
	}
}

// TestCreateAgainLeavesTheFeed: a CREATE that is refused must not touch what is there.
func TestCreateAgainLeavesTheFeed(t *testing.T) {
	l := open(t, streamsql.Options{})
	var runs atomic.Int32
	err := l.RegisterSource("g", streamsql.FeedFunc(func(ctx context.Context, write func([]streamsql.Record) error) error {
		runs.Add(1)
		if err := write([]streamsql.Record{{Value: []byte(`{"id":"a"}`), Timestamp: 1000}}); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}))
	mustRegister(t, err)
	l.exec("CREATE STREAM g (id VARCHAR) WITH (connector = 'go')")
	rows, err := l.Query(l.ctx, "SELECT id FROM g")
	if err != nil {
		t.Fatal(err)
	}
	l.refuses("CREATE STREAM g (id VARCHAR) WITH (connector = 'go')", "exists already", "CREATE OR REPLACE")
	l.refuses("CREATE OR REPLACE STREAM g (id VARCHAR) WITH (connector = 'go')", "is used by query select-", "TERMINATE")
	l.refuses("DROP STREAM g", "is used by query select-")
	if got, err := lines(rows, 1); err != nil || got[0] != "a" {
		t.Fatal(got, err)
	}
	rows, err = l.Query(l.ctx, "SELECT id FROM g")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lines(rows, 1); err != nil || got[0] != "a" || runs.Load() != 1 {
		t.Errorf("%v %v, %d runs of the feed", got, err, runs.Load())
	}
}

func TestFailedSourceFailsItsQueries(t *testing.T) {
	broken := errors.New("the modem is on fire")
	for name, until := range map[string]streamsql.Until{"endless": streamsql.Endless, "bounded": streamsql.UntilEnd} {
		t.Run(name, func(t *testing.T) {
			l := open(t, streamsql.Options{})
			var fails atomic.Bool
			fails.Store(true)
			mustRegister(t, l.RegisterSource("g", streamsql.FeedFunc(func(ctx context.Context, write func([]streamsql.Record) error) error {
				err := write([]streamsql.Record{{Value: []byte(`{"id":"a"}`), Timestamp: 1000}})
				if fails.Load() {
					return broken
				}
				return err
			})))
			l.exec("CREATE STREAM g (id VARCHAR) WITH (connector = 'go')")
			q, err := l.Start(l.ctx, "CREATE STREAM o AS SELECT id FROM g", streamsql.Bounded(until))
			if err == nil {
				if err = q.Wait(l.ctx); q.State() != streamsql.Failed {
					t.Error(q.State())
				}
			}
			if !errors.Is(err, broken) || !strings.Contains(err.Error(), "source g") {
				t.Fatal(err)
			}
			rows, err := l.QueryUntil(l.ctx, "SELECT id FROM g", until)
			if err == nil {
				_, err = lines(rows, -1)
			}
			if !errors.Is(err, broken) {
				t.Fatal(err)
			}
			// Once the cause is gone the next query starts the feed again; what it wrote before is not written twice.
			fails.Store(false)
			l.wants("SELECT id FROM g", "a")
		})
	}
}

func TestMissingFile(t *testing.T) {
	l := open(t, streamsql.Options{})
	path := filepath.Join(t.TempDir(), "none.jsonl")
	l.exec("CREATE STREAM f (id VARCHAR) WITH (connector = 'file', file.path = '" + path + "')")
	rows, err := l.Query(l.ctx, "SELECT id FROM f")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lines(rows, -1); err == nil || !strings.Contains(err.Error(), "none.jsonl") {
		t.Error(err)
	}
}

func TestPanicOfAFeed(t *testing.T) {
	l := open(t, streamsql.Options{})
	mustRegister(t, l.RegisterSource("g", streamsql.FeedFunc(func(context.Context, func([]streamsql.Record) error) error { panic("boom") })))
	l.exec("CREATE STREAM g (id VARCHAR) WITH (connector = 'go')")
	if _, err := l.QueryUntil(l.ctx, "SELECT id FROM g", streamsql.UntilEnd); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Error(err)
	}
}

func TestEndlessFeedHasNoEnd(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM g (id VARCHAR) WITH (connector = 'generate')")
	if _, err := l.QueryUntil(l.ctx, "SELECT id FROM g", streamsql.UntilEnd); err == nil || !strings.Contains(err.Error(), "generate.rows") {
		t.Error(err)
	}
}

// TestKeyedFeed: where the key is declared a feed's records lie where it says, so that they need no shuffle; and a feed that
// begins anew goes on where each partition ends.
func TestKeyedFeed(t *testing.T) {
	l := open(t, streamsql.Options{})
	const create = "CREATE OR REPLACE STREAM a (id BIGINT, seller BIGINT) WITH (connector = 'nexmark', partitions = 3, key = 'id', nexmark.type = 'auction', nexmark.events = 5000)"
	l.exec(create)
	for range 2 {
		rows, err := l.QueryUntil(l.ctx, "SELECT id, _partition FROM a", streamsql.UntilEnd)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for r, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			id := r.Text(0)
			if want := fmt.Sprint(partition.Murmur2([]byte(id), 3)); seen[id] || r.Text(1) != want {
				t.Fatalf("auction %s is in partition %s, want %s; or it is there twice", id, r.Text(1), want)
			}
			seen[id] = true
		}
		if len(seen) != 300 {
			t.Errorf("%d auctions, want 300", len(seen))
		}
		l.exec(create)
	}
}
