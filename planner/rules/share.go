package rules

import "github.com/streamsql-go/streamsql/planner/plan"

// Share finds sub-plans that a query has more than once — a common table expression or a view that is named twice, a sub-query that
// is written twice — and makes one of them, which several read. It shares from an operator with state on: what only reads and
// filters a source is done as fast twice, and keeps the columns and conditions of its own place; so do the steps after the operator.
// What is not deterministic is computed at each place.
//
// It comes after PushFilters: parts that read rows under different conditions are different parts, and each keeps fewer rows.
func Share(root plan.Node) plan.Node {
	s := &sharing{classes: plan.Classify(root), reads: map[plan.Node]int{}, made: map[plan.Node]plan.Node{}}
	s.count(root)
	return s.rebuilt(root)
}

type sharing struct {
	classes *plan.Classes
	reads   map[plan.Node]int       // by class: from how many places it is read
	made    map[plan.Node]plan.Node // by class, what is shared
}

// count counts the places that read each class. What is not shared is there as often as it is read.
func (s *sharing) count(root plan.Node) {
	s.reads[root] = 1
	for i := len(s.classes.Order) - 1; i >= 0; i-- {
		n := s.classes.Order[i]
		times := s.reads[n]
		if s.shared(n) {
			times = 1
		}
		for _, x := range n.Inputs() {
			s.reads[s.classes.Of[x]] += times
		}
	}
}

// shared says whether a class is computed once for several.
func (s *sharing) shared(class plan.Node) bool {
	return s.reads[class] > 1 && len(plan.States(class)) > 0 && class.Props().Determinism != plan.None
}

// rebuilt is a plan with what is shared made once.
func (s *sharing) rebuilt(n plan.Node) plan.Node {
	class := s.classes.Of[n]
	if !s.shared(class) {
		return s.over(n)
	}
	if s.made[class] == nil {
		in := s.over(class)
		s.made[class] = plan.Derive(&plan.Shared{Number: len(s.made) + 1, Reads: s.reads[class], Input: in})
	}
	return s.made[class]
}

// over is n over what its inputs have become.
func (s *sharing) over(n plan.Node) plan.Node {
	old := n.Inputs()
	in := make([]plan.Node, len(old))
	for i, x := range old {
		in[i] = s.rebuilt(x)
	}
	return plan.Rebuild(n, in...)
}
