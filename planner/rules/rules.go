// Package rules rewrites plans without changing what they mean: one file per rule.
package rules

import "github.com/streamsql-go/streamsql/planner/plan"

// Apply runs all rules, in order.
func Apply(root *plan.Sink) *plan.Sink {
	var n plan.Node = root
	for _, rule := range []func(plan.Node) plan.Node{Fold, PushFilters, Share, Prune, LiftUnions, MergeProjects} {
		n = rule(n)
	}
	return n.(*plan.Sink)
}
