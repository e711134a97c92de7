package exec

import (
	"context"
	"encoding/json"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// Begun says whether the application's meta topic knows of a start of a query.
func Begun(ctx context.Context, c connectors.Cluster, app, query string) (bool, error) {
	infos, err := c.Topics(ctx, plan.MetaTopic(app))
	if err != nil || len(infos) == 0 {
		return false, err
	}
	j, err := readJournal(ctx, topicLedger{Config{App: app, Cluster: c}}, query)
	return err == nil && j.start != nil, err
}

// Forget writes down that a query is to begin anew: what the meta topic says about it so far no longer counts. Its group,
// internal topics and state must go with it (the root package's Engine.Reset).
func Forget(ctx context.Context, c connectors.Cluster, app, query string, now time.Time) error {
	value, err := json.Marshal(entry{Kind: "reset", Query: query})
	if err != nil {
		return err
	}
	_, err = c.Write(ctx, connectors.Record{Topic: plan.MetaTopic(app), Timestamp: now.UnixMilli(), Value: value})
	return err
}
