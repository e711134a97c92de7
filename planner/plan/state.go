package plan

import "github.com/streamsql-go/streamsql/sql/ast"

// StateName is the name of the one state of a Distinct or an Aggregate: the node's Name. The states of others are
// <Name>-table (a join's versions) and <Name>-waiting (withheld rows of a join or a DISTINCT WITHIN).
func StateName(node string) string { return node }

// TableState is the name of a join's versions.
func TableState(node string) string { return node + "-table" }

// WaitingState is the name of the rows that a join or a DISTINCT WITHIN withholds.
func WaitingState(node string) string { return node + "-waiting" }

// IndexState is the name of what finds the rows of a broadcast table.
func IndexState(node string) string { return node + "-index" }

// ReleasedState is the name of the rows that a join may correct.
func ReleasedState(node string) string { return node + "-released" }

// RemovedState is the name of the deletions that a Materialize remembers.
func RemovedState(node string) string { return node + "-removed" }

// KeptState is the name of the entries that aggregates keep beside their states.
func KeptState(node string) string { return node + "-kept" }

// RunningState is the name of what an Over in order carries from row to row.
func RunningState(node string) string { return node + "-running" }

// LeftState and RightState are the names of the rows of a join of two equal sides.
func LeftState(node string) string { return node + "-left" }

// RightState is the other one.
func RightState(node string) string { return node + "-right" }

// States are the states of one operator, in the order in which the executor opens them.
//
//	Distinct, at once or EMIT FINAL, and without a window: "distinct" (WindowState; without a window its one start is 0)
//	Distinct in sessions:  "distinct" (SortedState)
//	Distinct WITHIN:       "distinct-waiting" (QueueState), "distinct" (WindowState)
//	Aggregate, windowed:   "aggregate" (WindowState); in sessions and sliding windows, of Versions, and with a TTL: "aggregate" (SortedState); without a window: "aggregate" (MapState);
//	                       "aggregate-kept" (SortedState) too, where one of them needs more of its rows than a state
//	TableJoin:             "join-table" (VersionState), "join-waiting" (QueueState); of a broadcast table "join-index" (SortedState) too, corrected
//	                       "join-released" (WindowState)
//	StreamJoin:            "join-left", "join-right" (WindowState)
//	TableTableJoin:        "join-left", "join-right" (SortedState)
//	Materialize:           "rows" (MapState); versioned: "rows-removed" (WindowState) too
//	Fold:                  "result" (SortedState), none in order
//	TopN:                  "top" (SortedState)
//	Over:                  "over" (SortedState); in order: "over-waiting" (QueueState), "over", "over-running" (MapState)
//
// A second operator of a kind has the Name distinct-2, aggregate-2, join-2.
func States(n Node) []State {
	switch n := n.(type) {
	case *Distinct:
		switch {
		case n.Within > 0:
			return []State{{WaitingState(n.Name), QueueState}, {StateName(n.Name), WindowState}}
		case n.Window.Kind == ast.Session:
			return []State{{StateName(n.Name), SortedState}}
		}
		return []State{{StateName(n.Name), WindowState}}
	case *Aggregate:
		states := []State{{StateName(n.Name), MapState}}
		switch {
		case n.Window.Kind == ast.Session, n.Window.Kind == ast.Sliding, n.Results == Versions, n.TTL > 0:
			states[0].Kind = SortedState
		case n.Window.Size > 0:
			states[0].Kind = WindowState
		}
		if n.Keeps() {
			states = append(states, State{KeptState(n.Name), SortedState})
		}
		return states
	case *Materialize:
		if n.Versioned {
			return []State{{StateName(n.Name), MapState}, {RemovedState(n.Name), WindowState}}
		}
		return []State{{StateName(n.Name), MapState}}
	case *Fold:
		if n.InOrder {
			return nil
		}
		return []State{{StateName(n.Name), SortedState}}
	case *TopN:
		return []State{{StateName(n.Name), SortedState}}
	case *Over:
		if n.InOrder {
			return []State{{WaitingState(n.Name), QueueState}, {StateName(n.Name), SortedState}, {RunningState(n.Name), MapState}}
		}
		return []State{{StateName(n.Name), SortedState}}
	case *StreamJoin:
		return []State{{LeftState(n.Name), WindowState}, {RightState(n.Name), WindowState}}
	case *TableTableJoin:
		return []State{{LeftState(n.Name), SortedState}, {RightState(n.Name), SortedState}}
	case *TableJoin:
		states := []State{{TableState(n.Name), VersionState}, {WaitingState(n.Name), QueueState}}
		if n.Broadcast {
			states = append(states, State{IndexState(n.Name), SortedState})
		}
		if n.Correct > 0 {
			states = append(states, State{ReleasedState(n.Name), WindowState})
		}
		return states
	}
	return nil
}

// String is the form's name.
func (k StateKind) String() string {
	return [...]string{"window", "map", "version", "queue", "sorted"}[k]
}
