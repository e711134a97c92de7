package streamsql_test

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
)

func TestSmoke(t *testing.T) {
	for _, sh := range []streamsql.Shuffle{streamsql.ShuffleLocal, streamsql.ShuffleTopic} {
		t.Run(string(sh), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			e, err := streamsql.Open(ctx, streamsql.Options{Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo})), Shuffle: sh})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			err = e.Exec(ctx, `
CREATE STREAM topic_source (message_id VARCHAR, user_id BIGINT, amount DECIMAL(12,2)) WITH (topic='topic_source', format='json', partitions=3);
INSERT INTO topic_source (message_id, user_id, amount, _partition, _timestamp) VALUES ('a',1,1.5,0,1000),('a',2,2.5,1,1200),('b',2,2.5,2,1300),('a',2,2.5,2,11300);
`)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := e.Query(ctx, "EXPLAIN SELECT DISTINCT ON (message_id) * FROM topic_source WINDOW TUMBLING(10s)")
			if err != nil {
				t.Fatal(err)
			}
			for r, err := range rows.All() {
				if err != nil {
					t.Fatal(err)
				}
				t.Log(r.Values[0].S)
			}
			rows, err = e.QueryUntil(ctx, "SELECT DISTINCT ON (message_id) * FROM topic_source WINDOW TUMBLING(10s)", streamsql.UntilEnd)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for r, err := range rows.All() {
				if err != nil {
					t.Fatal(err)
				}
				n++
				t.Log(r.Map())
			}
			if n != 3 {
				t.Errorf("%d rows", n)
			}
			t.Logf("%+v", rows.Query().Stats())
		})
	}
}
