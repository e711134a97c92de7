package streamsql

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// Remains are what a query keeps between its runs.
type Remains struct {
	Query    string
	Group    string   // consumer group: the positions
	Topics   []string // repartition topics and changelogs
	StateDir string   // on this instance
}

// Remains lists what Reset would delete.
func (e *Engine) Remains(ctx context.Context, query string) (Remains, error) {
	r := Remains{Query: query, Group: plan.Group(e.opts.Name, query), StateDir: filepath.Join(e.dir, query)}
	begun, err := exec.Begun(ctx, e.cluster, e.opts.Name, query)
	if err != nil {
		return r, err
	}
	if !begun {
		return r, fmt.Errorf("application %s has begun no query %s: names are case-sensitive here, and --name (Options.Name) must be the one that the query ran under", e.opts.Name, query)
	}
	infos, err := e.cluster.Topics(ctx)
	if err != nil {
		return r, err
	}
	for topic := range infos {
		role, ours := strings.CutPrefix(topic, r.Group+".")
		name, kind, _ := strings.Cut(role, ".")
		if ours && name != "" && (kind == "repartition" || kind == "changelog") {
			r.Topics = append(r.Topics, topic)
		}
	}
	slices.Sort(r.Topics)
	return r, nil
}

// Reset makes the application forget a query that does not run: positions, internal topics, this instance's state. The next
// start is a first one, with any plan; it reads its sources from where they start, so what is in the target already may come
// again. Targets, dead letters and late records stay. Other instances' state directories must be deleted there. It is refused while queries
// of the application go by the event time that this one told them: time would begin anew in what they read, and does not in them.
func (e *Engine) Reset(ctx context.Context, query string) (Remains, error) {
	r, err := e.Remains(ctx, query)
	if err != nil {
		return r, err
	}
	if q, err := e.Lookup(query); err == nil && !q.ended() {
		return r, fmt.Errorf("query %s runs: TERMINATE it first", query)
	}
	readers, err := exec.Readers(ctx, e.cluster, e.opts.Name, query)
	if err != nil {
		return r, err
	}
	if len(readers) > 0 {
		return r, fmt.Errorf("query %s tells %s how far event time has come, and they do not go back with it: rows written again would come after their windows have closed. Reset %s first", query, strings.Join(readers, ", "), strings.Join(readers, ", "))
	}
	if err := e.cluster.DeleteGroup(ctx, r.Group); err != nil { // first: it fails while an instance runs
		return r, fmt.Errorf("query %s: stop it on all instances first: %w", query, err)
	}
	if err := exec.Forget(ctx, e.cluster, e.opts.Name, query, e.opts.Clock.Now()); err != nil {
		return r, err
	}
	if len(r.Topics) > 0 {
		if err := e.cluster.Delete(ctx, r.Topics...); err != nil {
			return r, err
		}
	}
	return r, e.opts.FS.Wipe(r.StateDir)
}
