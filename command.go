package streamsql

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

func lower(s string) string { return strings.ToLower(s) }

// feedClock lets a feed wait by the engine's clock.
type feedClock struct{ exec.Clock }

// Sleep waits for d or until ctx ends.
func (c feedClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// command is PAUSE, RESUME or TERMINATE of a query.
func (e *Engine) command(ctx context.Context, st *ast.QueryCommand) (outcome, error) {
	q, err := e.Lookup(st.Name.Name)
	if err != nil {
		return outcome{}, ast.Errorf(st.Name.Pos(), "%v", err)
	}
	switch st.Verb {
	case "PAUSE":
		err = q.Pause()
	case "RESUME":
		err = q.Resume()
	case "TERMINATE":
		if q.ended() {
			return outcome{message: fmt.Sprintf("query %s is %s already", q.Name(), q.State())}, nil
		}
		err = q.Stop(ctx)
	}
	if err != nil {
		return outcome{}, err
	}
	return outcome{message: fmt.Sprintf("query %s: %s", q.Name(), strings.ToLower(st.Verb))}, nil
}

// set is SET name = value, for what may change while the engine runs.
func (e *Engine) set(st *ast.Set) (outcome, error) {
	switch lower(st.Name) {
	case "start":
		if v := lower(st.Value); v != "earliest" && v != "latest" {
			return outcome{}, ast.Errorf(st.Pos(), "start = '%s'", st.Value).WithHint("use 'earliest' or 'latest'")
		}
		e.mu.Lock()
		e.opts.Start = lower(st.Value)
		e.mu.Unlock()
	case "commit_interval":
		us, err := types.ParseDuration(st.Value)
		if err != nil || us <= 0 {
			return outcome{}, ast.Errorf(st.Pos(), "commit_interval = '%s'", st.Value).WithHint("use a duration such as '100ms'; it holds for queries started from now on")
		}
		e.mu.Lock()
		e.opts.CommitInterval = time.Duration(us) * time.Microsecond
		e.mu.Unlock()
	default:
		return outcome{}, ast.Errorf(st.Pos(), "setting %s cannot be changed here", st.Name).WithHint("SHOW SETTINGS lists them; start and commit_interval can be set")
	}
	return outcome{message: st.Name + " set"}, nil
}

// print is PRINT topic: records as they are.
func (e *Engine) print(ctx context.Context, st *ast.Print) (outcome, error) {
	infos, err := e.cluster.Topics(ctx, st.Topic.Name)
	if err != nil {
		return outcome{}, err
	}
	info, ok := infos[st.Topic.Name]
	if !ok {
		return outcome{}, ast.Errorf(st.Topic.Pos(), "topic %s does not exist", st.Topic.Name).WithHint("SHOW TOPICS lists them")
	}
	if !st.FromBeginning {
		return outcome{}, ast.Unsupported(st.Pos(), "PRINT of records still to come", "PRINT … FROM BEGINNING shows what is there, SELECT what comes")
	}
	limit := st.Limit
	if limit < 0 {
		limit = 1000
	}
	var ps []connectors.Partition
	for p := range info.Partitions {
		ps = append(ps, connectors.Partition{Topic: st.Topic.Name, Partition: p})
	}
	starts, err := e.cluster.Starts(ctx, ps...)
	if err != nil {
		return outcome{}, err
	}
	ends, err := e.cluster.Ends(ctx, ps...)
	if err != nil {
		return outcome{}, err
	}
	r := texts([]string{"partition", "offset", "timestamp", "key", "value"})
	for _, p := range ps {
		err := e.cluster.Read(ctx, p, starts[p], min(ends[p], starts[p]+limit), func(rs []connectors.Record) error {
			for _, x := range rs {
				r.static = append(r.static, texts(make([]string, 5), []string{fmt.Sprint(x.Partition), fmt.Sprint(x.Offset), Instant(x.Timestamp * 1000), shown(x.Key), shown(x.Value)}).static...)
			}
			return nil
		})
		if err != nil {
			return outcome{}, err
		}
	}
	if int64(len(r.static)) > limit {
		r.static = r.static[:limit]
	}
	for i := range r.static {
		r.static[i].columns = r.columns
	}
	return outcome{rows: r}, nil
}

func shown(b []byte) string {
	if b == nil {
		return "NULL"
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
