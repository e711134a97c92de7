package streamsql

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// selectRows runs an ad-hoc SELECT.
func (e *Engine) selectRows(ctx context.Context, s *ast.Script, st *ast.SelectStatement, a ask) (outcome, error) {
	e.mu.Lock()
	e.mu.adhoc++
	// Unique for ever: a group of the same name has committed offsets, from which the SELECT would go on.
	name := fmt.Sprintf("select-%s-%s-%d", e.lock.InstanceID(), strconv.FormatInt(e.opened.UnixMilli(), 36), e.mu.adhoc)
	e.mu.Unlock()
	c, err := e.compileToRun(ctx, s, st, name)
	if err != nil {
		return outcome{}, err
	}
	pull := pulls(c.Query, a.until)
	if pull {
		a.until = UntilCaughtUp
	}
	if len(c.Query.Order) > 0 && a.until == Endless && !c.Query.Ends() {
		return outcome{}, ast.Errorf(st.Pos(), "ORDER BY in a SELECT that never ends: no row is known to be the first one").WithHint("run with --until end, or declare where its sources end")
	}
	if a.ends && a.until == Endless && c.Query.Limit < 0 && !c.Query.Ends() {
		return outcome{}, ast.Errorf(st.Pos(), "this SELECT would never end").WithHint("give it a LIMIT, run with --until end, declare where its sources end, or name a target: CREATE STREAM … AS SELECT")
	}
	p := *c.Query
	p.Name = name
	if start := cmp.Or(a.start, e.settings().start); !pull { // which asks for what there is
		if err := checkStart(start); err != nil {
			return outcome{}, err
		}
		p.Sources = startAt(p.Sources, start)
	}
	r := &Rows{ctx: ctx, batches: make(chan *vector.Batch, 16), limit: p.Limit, ends: a.until != Endless || p.Limit >= 0 || p.Ends()}
	for i, o := range p.Sink.Columns[:p.Shown] {
		col := p.Sink.Input.Props().Schema.Columns[o]
		r.columns = append(r.columns, Column{Name: p.Sink.Name(i), Type: col.Type})
	}
	if p.Limit == 0 {
		return outcome{rows: rowsOf(r.columns)}, nil
	}
	if pull || len(p.Order) > 0 {
		r.settled = newSnapshot(&p)
	}
	if pull {
		if done, err := e.pullAtOnce(ctx, &p, r.settled.take); done || err != nil {
			return outcome{rows: r}, err
		}
	}
	q, err := e.begin(ctx, &p, a.until, func(ctx context.Context, b *vector.Batch) error {
		if r.settled != nil {
			r.settled.take(b)
			return nil
		}
		b.Cols = b.Cols[:p.Shown]
		select {
		case r.batches <- b:
		case <-ctx.Done():
		}
		return nil
	}, func() { e.forget(&p) })
	if err != nil {
		return outcome{}, err
	}
	r.query = q
	return outcome{rows: r}, nil
}

// startAt gives the sources that do not say where to start or end a start. Tables beside a stream are read from their beginning all
// the same: rows are to meet what the tables hold, not only what changes from now on.
func startAt(sources []*catalog.Relation, start string) []*catalog.Relation {
	stream := slices.ContainsFunc(sources, func(r *catalog.Relation) bool { return r.Kind == ast.Stream })
	out := slices.Clone(sources)
	for i, s := range out {
		if s.Start == "" && s.End == "" && (s.Kind == ast.Stream || !stream) {
			c := *s
			c.Start = start
			out[i] = &c
		}
	}
	return out
}

// forget removes what an ad-hoc query left: its place in the list, its consumer group, its topics and its state.
func (e *Engine) forget(p *plan.Query) {
	e.mu.Lock()
	delete(e.mu.queries, p.Name)
	e.mu.order = slices.DeleteFunc(e.mu.order, func(n string) bool { return n == p.Name })
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 5*time.Second)
	defer cancel()
	left := func(what string, err error) {
		if err != nil {
			e.opts.Logger.Debug(what+" of an ad-hoc query was left", "query", p.Name, "error", err)
		}
	}
	left("the group", e.cluster.DeleteGroup(ctx, plan.Group(e.opts.Name, p.Name)))
	var topics []string
	for _, t := range p.Internal(e.opts.Name) {
		if t.Role != "late" && !declared(p, t.Name) {
			topics = append(topics, t.Name)
		}
	}
	if len(topics) > 0 {
		left("a topic", e.cluster.Delete(ctx, topics...))
	}
	left("the state", e.opts.FS.Wipe(filepath.Join(e.dir, p.Name)))
}

// declared says whether a topic is one that a source names for its dead letters: it is the user's.
func declared(p *plan.Query, topic string) bool {
	return slices.ContainsFunc(p.Sources, func(r *catalog.Relation) bool { return r.DeadLetterTopic == topic })
}
