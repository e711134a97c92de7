package diagnosis

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// stopped: rows were read and none came out. The node where they end says why.
func stopped(e Evidence) (Diagnosis, bool) {
	if e.Stats.Out > 0 {
		return Diagnosis{}, false
	}
	for _, f := range e.Query.Fragments {
		for _, root := range f.Roots {
			if d, ok := e.ends(root); ok {
				return d, true
			}
		}
	}
	if due := e.Stats.Due; due < types.Forever {
		return Diagnosis{OpenWindow, "rows leave when time reaches " + Instant(due+1) + e.until(due)}, true
	}
	return Diagnosis{AwaitsTime, "rows are held until time advances: " + watermark(e)}, true
}

// until says what time must do: in a source that is idle it does not move at all.
func (e Evidence) until(due int64) string {
	text := "; " + watermark(e)
	idle := true
	for _, s := range e.Stats.Detail.Sources {
		idle = idle && (s.Table || s.End == s.Position)
	}
	if w := e.Stats.Watermark; idle && w < due {
		return text + "; all that was written is read, a newer row moves it on (idle_close = 'd' on the target closes windows without one)"
	}
	return text
}

// rows are what came out of a node here.
func (e Evidence) rows(n plan.Node) int64 { return e.Stats.Detail.Nodes[n].Rows }

// ends finds the lowest node that takes rows and gives none, if it is one that drops them.
func (e Evidence) ends(n plan.Node) (Diagnosis, bool) {
	for _, in := range n.Inputs() {
		if d, ok := e.ends(in); ok {
			return d, true
		}
	}
	switch n := n.(type) {
	case *plan.Filter:
		return e.filtered(n)
	case *plan.LateCheck:
		return e.late(n)
	case *plan.TableJoin:
		if !n.Left {
			return e.apart(n, pairing{n.Stream, n.Table, n.StreamKeys, n.TableKeys})
		}
	case *plan.StreamJoin:
		if n.Kind == plan.Inner {
			return e.apart(n, pairing{n.Left, n.Right, n.LeftKeys, n.RightKeys})
		}
	case *plan.TableTableJoin:
		if n.Kind == plan.Inner || n.Kind == plan.Semi {
			return e.apart(n, pairing{n.Left, n.Right, n.LeftKeys, n.RightKeys})
		}
	}
	return Diagnosis{}, false
}

func (e Evidence) late(n *plan.LateCheck) (Diagnosis, bool) {
	read := e.rows(n.Input)
	if read == 0 || e.rows(n) > 0 {
		return Diagnosis{}, false
	}
	text := fmt.Sprintf("all %d rows that came to it were late", read)
	for name, d := range e.Stats.Disorder {
		text += fmt.Sprintf("; disorder = '%s' on %s would have kept them", types.FormatDuration(d), name)
	}
	return Diagnosis{Late, text}, true
}

func (e Evidence) filtered(n *plan.Filter) (Diagnosis, bool) {
	read := e.rows(n.Input)
	if read == 0 || e.rows(n) > 0 {
		return Diagnosis{}, false
	}
	text := fmt.Sprintf("all %d rows were dropped by %s", read, strings.TrimPrefix(n.Describe(), "Filter "))
	if row := e.sample(n.Input, expr.Columns(n.Cond)); row != "" {
		text += ", as one with " + row
	}
	return Diagnosis{Filtered, text}, true
}
