package exec

import (
	"context"
	"encoding/json"
	"slices"
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

// Readers are the queries of the application that have begun to go by the event time that a query tells them, by name.
func Readers(ctx context.Context, c connectors.Cluster, app, query string) ([]string, error) {
	journals := map[string]*journal{}
	err := topicLedger{Config{App: app, Cluster: c}}.read(ctx, func(value []byte) error {
		var r entry
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		j := journals[r.Query]
		if j == nil {
			j = newJournal()
			journals[r.Query] = j
		}
		return j.add(value, r.Query)
	})
	j := journals[query]
	if err != nil || j == nil || j.start == nil || j.start.Target == "" {
		return nil, err
	}
	var out []string
	for name, other := range journals {
		if other.start != nil && other.start.Positions[j.start.Target] != nil {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
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
