// Package build turns a fragment's plan into operators: one switch, one short function per node. It is the only place that
// knows both.
package build

import (
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/exec/dedup"
	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/exec/window"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Env is what the task gives its operators.
type Env struct {
	Op          op.Env
	States      States
	Releases    func(j *plan.TableJoin) op.Releases
	Late        func(what []string) op.Late
	LateVersion op.LateVersion
	// Partition is that of the task. Where all tasks of a fragment have the same rows, the one of partition 0 counts and reports them.
	Partition int

	table table // on the table side of a join
}

// table is what a join says about the versions on its table side: how far its partitions' release watermarks stand below theirs, and an
// instant before which it asks for none.
type table struct {
	slack   int64
	correct int64
	horizon func() int64
}

// States finds the state of an operator by its name in the plan.
type States interface {
	Windows(name string) op.Windows
	Map(name string) op.Map
	Versions(name string) op.Versions
	Queue(name string) op.Queue
	Sorted(name string) op.Sorted
}

// Chain is a fragment's operators.
type Chain struct {
	// Leaves are where the rows of each input enter.
	Leaves map[plan.Node]op.Next
	// Ends are where rows leave, in the order of the fragment's roots.
	Ends []End
	// Links are all links, those into the ends first, in an order that depends on the plan alone.
	Links []*Link
	// Holders are the operators that may withhold rows. Releasers[i] belongs to Joins[i].
	Holders   []op.Holder
	Releasers []op.Releaser
	Joins     []*plan.TableJoin
	// Checks are the late checks, which know how far accepted rows reach.
	Checks []*op.LateCheck

	shared  map[*plan.Shared]*fork
	holders map[plan.Node]op.Holder
}

// End is one place where rows leave a chain.
type End struct {
	*Link
	// Holders may keep the task ACTIVE for whom reads here.
	Holders []op.Holder
}

// Holds says whether rows that would leave here are withheld, or windows open.
func (e End) Holds() bool {
	return slices.ContainsFunc(e.Holders, op.Holder.Holds)
}

// Build makes the operators of a fragment whose roots are *plan.Shuffle or *plan.Sink; outs[i] takes the rows of roots[i].
func Build(roots []plan.Node, outs []op.Next, env Env) (*Chain, error) {
	c := &Chain{Leaves: map[plan.Node]op.Next{}, shared: map[*plan.Shared]*fork{}, holders: map[plan.Node]op.Holder{}}
	for i, out := range outs {
		c.Ends = append(c.Ends, End{Link: c.link(terminal{out}, 0, roots[i].Inputs()[0])})
	}
	for i, root := range roots {
		if err := c.node(root.Inputs()[0], env, c.Ends[i].Link); err != nil {
			return nil, err
		}
	}
	for i, root := range roots {
		plan.Walk(root, func(n plan.Node) {
			if h := c.holders[n]; h != nil {
				c.Ends[i].Holders = append(c.Ends[i].Holders, h)
			}
		})
	}
	return c, nil
}

// link hands the rows of a node to input in of an operator.
func (c *Chain) link(to op.Operator, in int, from plan.Node) *Link {
	l := &Link{to: to, in: in, From: from, Marks: op.NoMarks}
	c.Links = append(c.Links, l)
	return l
}

// node builds n in front of next.
func (c *Chain) node(n plan.Node, env Env, next op.Next) error {
	switch n := n.(type) {
	case *plan.Scan, *plan.Receive:
		c.leaf(n, next)
		return nil
	case *plan.Shared:
		return c.sharing(n, env, next)
	case *plan.Filter:
		return c.single(n, env, filter(n, env, next))
	case *plan.Project:
		return c.single(n, env, project(n, env, next))
	case *plan.Unnest:
		o, err := op.NewUnnest(op.UnnestConfig{Env: env.Op, Expr: n.Expr, Keep: n.Keep, Next: next})
		if err != nil {
			return err
		}
		return c.single(n, env, o)
	case *plan.LateCheck:
		check := lateCheck(n, env, next)
		c.Checks = append(c.Checks, check)
		return c.single(n, env, check)
	case *plan.Distinct:
		return c.single(n, env, distinct(n, env, next))
	case *plan.PartialAggregate:
		return c.single(n, env, partialAggregate(n, env, next))
	case *plan.Aggregate:
		return c.single(n, env, aggregate(n, env, next))
	case *plan.TableJoin:
		return c.tableJoin(n, env, next)
	case *plan.StreamJoin:
		return c.streamJoin(n, env, next)
	case *plan.TableTableJoin:
		return c.tableTableJoin(n, env, next)
	case *plan.Materialize:
		return c.single(n, env, materialize(n, env, next))
	case *plan.Fold:
		return c.single(n, env, fold(n, env, next))
	case *plan.TopN:
		return c.single(n, env, topN(n, env, next))
	case *plan.Over:
		return c.single(n, env, analytic(n, env, next))
	}
	return fmt.Errorf("no operator runs a %T", n)
}

func (c *Chain) hold(n plan.Node, h op.Holder) {
	c.Holders = append(c.Holders, h)
	c.holders[n] = h
}

// single builds the only input of n in front of o.
func (c *Chain) single(n plan.Node, env Env, o op.Operator) error {
	if h, ok := o.(op.Holder); ok {
		c.hold(n, h)
	}
	return c.node(n.Inputs()[0], env, c.link(o, 0, n.Inputs()[0]))
}

func filter(n *plan.Filter, env Env, next op.Next) op.Operator {
	return op.NewFilter(op.FilterConfig{Env: env.Op, Cond: n.Cond, Upserts: n.P.Changes == plan.Upserts, Next: next})
}

func project(n *plan.Project, env Env, next op.Next) op.Operator {
	c := op.ProjectConfig{Env: env.Op, Next: next}
	for _, e := range n.Exprs {
		c.Exprs = append(c.Exprs, e.Expr)
	}
	return op.NewProject(c)
}

func lateCheck(n *plan.LateCheck, env Env, next op.Next) *op.LateCheck {
	c := op.LateCheckConfig{Env: env.Op, Next: next}
	var what []string
	for _, h := range n.Horizons {
		c.Horizons = append(c.Horizons, op.Horizon{Kind: horizon(h.Kind), Window: aligned(h.Window), AsOf: h.AsOf, History: h.History, Grace: h.Grace})
		what = append(what, h.For)
	}
	c.Late = env.Late(what)
	return op.NewLateCheck(c)
}

// aligned is one window for ever when the plan has none. In a session or sliding window a row is late when the window of it
// alone is closed, which holds no other instant.
func aligned(w plan.Window) op.Window {
	switch {
	case w.Size == 0:
		return op.Window{Size: types.Forever}
	case w.Kind == ast.Session:
		return op.Window{Size: 1, Grace: w.Size + w.Grace}
	case w.Kind == ast.Sliding:
		return op.Window{Size: 1, Grace: w.Grace}
	}
	return w.Window
}

func horizon(k plan.HorizonKind) op.HorizonKind {
	switch k {
	case plan.AsOfHorizon:
		return op.AsOfHorizon
	case plan.SelfHorizon:
		return op.SelfHorizon
	case plan.GraceHorizon:
		return op.GraceHorizon
	case plan.TouchHorizon:
		return op.TouchHorizon
	}
	return op.WindowHorizon
}

func columnTypes(n plan.Node) []types.Type {
	var out []types.Type
	for _, c := range n.Props().Schema.Columns {
		out = append(out, c.Type)
	}
	return out
}

func distinct(n *plan.Distinct, env Env, next op.Next) op.Operator {
	in, name := columnTypes(n.Input), plan.StateName(n.Name)
	switch {
	case n.Within > 0:
		return dedup.NewWithin(dedup.WithinConfig{
			Env: env.Op, On: n.On, Columns: in, Within: n.Within, Touches: n.Touches,
			Queue: env.States.Queue(plan.WaitingState(n.Name)), Passed: env.States.Windows(name), Next: next,
		})
	case n.Window.Kind == ast.Session:
		return dedup.NewInSessions(dedup.SessionConfig{Env: env.Op, On: n.On, Columns: in, Rule: sessions(n.Window), State: env.States.Sorted(name), Next: next})
	case n.Final:
		return dedup.NewFinal(dedup.FinalConfig{
			Env: env.Op, On: n.On, Columns: in, Window: kept(n.Window), Bounds: n.ShowsWindow(), State: env.States.Windows(name), Next: next,
		})
	case n.ShowsWindow():
		return dedup.NewOverlapping(dedup.OverlappingConfig{Env: env.Op, On: n.On, Columns: in, Window: n.Window.Window, State: env.States.Windows(name), Next: next})
	}
	return dedup.NewTumbling(dedup.TumblingConfig{Env: env.Op, On: n.On, Window: kept(n.Window), State: env.States.Windows(name), Next: next})
}

// kept are the windows that a DISTINCT keeps its keys by. In sliding windows the instant is part of the key: instants of one second
// are kept together, and go once the last of them is closed.
func kept(w plan.Window) op.Window {
	if w.Kind == ast.Sliding {
		return op.Window{Size: types.MicrosPerSecond, Grace: w.Grace}
	}
	return aligned(w)
}

func sessions(w plan.Window) window.Rule { return window.Rule{Gap: w.Size, Grace: w.Grace} }
