package streamsql

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestCloseDoesNotHang: a sink or a feed that never returns holds up Close for the stop's time-out only, and is named.
func TestCloseDoesNotHang(t *testing.T) {
	for name, c := range map[string]struct{ sql, says string }{
		"sink": {"CREATE STREAM o WITH (connector = 'go') AS SELECT id FROM s", "target o did not stop"},
		"feed": {"CREATE STREAM o AS SELECT id FROM g", "source g did not stop"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			e, err := Open(ctx, Options{StateDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			e.patience = 2 * time.Second
			stuck, release := make(chan struct{}, 1), make(chan struct{})
			hang := func() error {
				select {
				case stuck <- struct{}{}:
				default:
				}
				<-release
				return nil
			}
			err = errors.Join(e.RegisterSink("o", func([]Row) error { return hang() }),
				e.RegisterSource("g", FeedFunc(func(context.Context, func([]Record) error) error { return hang() })))
			if err != nil {
				t.Fatal(err)
			}
			err = e.Exec(ctx, `CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('a');
				CREATE STREAM g (id VARCHAR) WITH (connector = 'go');`+c.sql)
			if err != nil {
				t.Fatal(err)
			}
			select {
			case <-stuck:
			case <-ctx.Done():
				t.Fatal("nothing got stuck")
			}
			err = e.Close()
			if err == nil || !strings.Contains(err.Error(), c.says) || ctx.Err() != nil {
				t.Error(err)
			}
			close(release)
			e.wg.Wait()
			if err := e.release(); err != nil {
				t.Error(err)
			}
		})
	}
}
