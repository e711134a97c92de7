package streamsql

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
)

// slow is a cluster whose answers about topics do not name one of them at first, or are an error.
type slow struct {
	connectors.Cluster
	topic string
	looks int // so many do not show it
	err   error
}

func (s *slow) Topics(ctx context.Context, names ...string) (map[string]connectors.TopicInfo, error) {
	infos, err := s.Cluster.Topics(ctx, names...)
	if _, ok := infos[s.topic]; ok && s.looks > 0 {
		s.looks--
		if s.err != nil {
			return nil, s.err
		}
		delete(infos, s.topic)
	}
	return infos, err
}

// TestPlanningBeforeATopicIsKnown: brokers know of a topic a moment after it was created. A query that is planned in between counts the
// partitions anew; it is never planned with none.
func TestPlanningBeforeATopicIsKnown(t *testing.T) {
	away := errors.New("the brokers are busy")
	for name, c := range map[string]struct {
		looks int
		err   error
		fails string
	}{
		"at the second look": {1, nil, ""},
		"never":              {1000, nil, "topic s of s does not exist: create it"},
		"no answer":          {1, away, away.Error()},
	} {
		for _, sql := range []string{"CREATE STREAM o AS SELECT DISTINCT id FROM s WINDOW TUMBLING(1s)", "SELECT id FROM s"} {
			t.Run(name+"/"+strings.Fields(sql)[0], func(t *testing.T) {
				e, err := Open(t.Context(), Options{StateDir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				defer e.Close()
				if err := e.Exec(t.Context(), `CREATE STREAM s (id VARCHAR) WITH (topic = 's', partitions = 3)`); err != nil {
					t.Fatal(err)
				}
				e.cluster = &slow{e.cluster, "s", c.looks, c.err}
				var rows *Rows
				if strings.HasPrefix(sql, "SELECT") {
					rows, err = e.QueryUntil(t.Context(), sql, UntilCaughtUp)
				} else {
					err = e.Exec(t.Context(), sql)
				}
				switch {
				case c.fails == "" && err != nil:
					t.Fatal(err)
				case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
					t.Fatalf("%v, want %q", err, c.fails)
				}
				if rows != nil {
					for _, err := range rows.All() {
						t.Error(err)
					}
				}
			})
		}
	}
}
