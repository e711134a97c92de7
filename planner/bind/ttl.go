package bind

import (
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// ttlPlace is where the option stands.
func ttlPlace(c *ast.Create) ast.Span {
	for _, o := range c.Options {
		if strings.EqualFold(o.Name, "ttl") {
			return o.Span
		}
	}
	return c.Name.Span
}

// expire bounds every state of the plan that nothing bounds: what was not touched for ttl of event time goes (docs/semantics.md, S9). 0: nothing goes.
func (o *output) expire(ttl int64, at ast.Span) error {
	switch {
	case ttl == 0:
		return nil
	case ttl > maxWindow:
		return ast.Errorf(at, "ttl is too large: at most %s", types.FormatDuration(maxWindow))
	}
	var failed error
	bounded := false
	o.node = plan.Rewrite(o.node, func(n plan.Node) plan.Node {
		if failed != nil || !strings.HasPrefix(n.Props().State, plan.Unbounded) {
			return n
		}
		bounded = true
		switch x := n.(type) {
		case *plan.Aggregate:
			if x.Over() == expr.Appends && !x.Keeps() && x.Results == plan.Current {
				c := *x
				c.TTL = ttl
				return plan.Derive(&c)
			}
			if x.Keeps() && x.Over() == expr.Appends {
				failed = ast.Unsupported(at, "ttl with aggregates that keep their rows", "such as COUNT(DISTINCT), GROUP_CONCAT, TOPK: a window bounds them")
				return n
			}
		case *plan.Distinct:
			if x.Input.Props().Changes == plan.AppendOnly {
				c := *x
				c.Within, c.Touches = ttl, true
				return plan.Derive(&c)
			}
		}
		failed = ast.Unsupported(at, "ttl for "+n.Describe(), "it bounds GROUP BY and DISTINCT over rows that stay; what is computed over rows that change has what they hold")
		return n
	})
	switch {
	case failed != nil:
		return failed
	case !bounded:
		return ast.Errorf(at, "ttl has nothing to bound: this query keeps nothing for ever").WithHint("leave it out")
	}
	return nil
}
