package bind

import (
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// versioned makes the table of a join in time one of which the version at an instant is known: it reads a topic, or groups the rows
// of streams, and then answers for instants. Others are refused.
func (x *joining) versioned() error {
	node, err := x.versions(x.right.node)
	if err == nil {
		x.right.node = node
	}
	return err
}

func (x *joining) versions(n plan.Node) (plan.Node, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return n, x.refuseWritten(n.Relation)
	case *plan.Filter, *plan.Project:
		in, err := x.versions(n.Inputs()[0])
		if err != nil {
			return nil, err
		}
		return plan.Rebuild(n, in), nil
	case *plan.Aggregate:
		if err := x.refuseGroups(n); err != nil {
			return nil, err
		}
		c := *n
		c.Results = plan.Versions
		return plan.Derive(&c), nil
	}
	return nil, x.unordered("a join in time with the computed table "+x.right.alias, "the order of its changes is not that of event time")
}

// refuseWritten refuses what another query writes: when a row of the stream comes, that query may not have come as far.
func (x *joining) refuseWritten(r *catalog.Relation) error {
	if r.Query == "" {
		return nil
	}
	return ast.Errorf(x.right.span, "%s is the result of query %s, which may be behind when a row of the stream comes: no version is known to be the one at an instant", r.Name, r.Query).
		WithHint("put its query in the place of the name, by CREATE VIEW or WITH: the join then computes it in event-time order; or say JOIN %s AS OF LATEST", x.right.alias)
}

func (x *joining) refuseGroups(n *plan.Aggregate) error {
	over := n.Input
	switch {
	case n.Window.Size > 0:
		return x.unordered("a join in time with the windows of "+x.right.alias, "they close later than the rows of the stream come; GROUP BY without a window has a version for each instant")
	case over.Props().Changes != plan.AppendOnly:
		return x.unordered("a join in time with "+x.right.alias+", which groups rows that change", "their changes are not in event-time order; group a stream")
	}
	for _, a := range n.Aggs {
		if a.Agg.Keeps(expr.Appends) {
			return x.unordered("a join in time with "+a.Agg.String()+" of "+x.right.alias, "it keeps its rows, and every version would keep all of them; COUNT, SUM, MIN, MAX, FIRST, LAST and the like have versions")
		}
	}
	var err error
	plan.Walk(over, func(n plan.Node) {
		switch n := n.(type) {
		case *plan.Scan:
			if err == nil {
				err = x.refuseWritten(n.Relation)
			}
		case *plan.Filter, *plan.Project, *plan.Unnest, *plan.Union:
		default:
			if err == nil {
				err = x.unordered("a join in time with "+x.right.alias+", whose rows wait before they are grouped", "group rows as they come: those of streams, filtered, unnested or put together by UNION ALL")
			}
		}
	})
	return err
}

// unordered refuses a table whose changes come in another order than that of event time.
func (x *joining) unordered(what, why string) error {
	return ast.Unsupported(x.right.span, what, why+"; or take what it holds when the row comes: WITH "+x.right.alias+" AS (…) … JOIN "+x.right.alias+" AS OF LATEST")
}
