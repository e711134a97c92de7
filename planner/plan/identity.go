package plan

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Identity is a text of all that n is, without its inputs: two nodes of one text over the same inputs make the same rows. Columns are
// written by position; what a relation is called in the query does not matter. The names of operators are part of it once
// planner/distribute has given them. A node whose text is not known has the text "".
func Identity(n Node) string {
	switch n := n.(type) {
	case *Scan:
		return fmt.Sprintf("scan %p %v time %d carry %d source %d checked %v", n.Relation, n.Columns, n.TimeColumn, n.Carry, n.Source, n.KeyCheck)
	case *Filter:
		return "filter " + same(n.Cond)
	case *Project:
		return "project " + sameNamed(n.Exprs)
	case *Unnest:
		return fmt.Sprintf("unnest %s as %v keep %v", same(n.Expr), n.Columns, n.Keep)
	case *LateCheck:
		return "late " + Horizons(n.Horizons)
	case *Shuffle:
		return fmt.Sprintf("shuffle %s carry %d", samePlace(n.Key), n.Carry)
	case *Union:
		return "union"
	case *PartialAggregate:
		return fmt.Sprintf("partial %s %s %s", sameNamed(n.Group), sameAggregates(n.Aggs), n.Window.same())
	}
	return operator(n)
}

// operator is the identity of an operator with state.
func operator(n Node) string {
	switch n := n.(type) {
	case *Distinct:
		return fmt.Sprintf("distinct %s on %s %s final %v within %d touches %v", n.Name, same(n.On...), n.Window.same(), n.Final, n.Within, n.Touches)
	case *Aggregate:
		return fmt.Sprintf("aggregate %s %s %s %s having %s final %v results %d ttl %d origin %v partial %v", n.Name, sameNamed(n.Group), sameAggregates(n.Aggs), n.Window.same(),
			same(n.Having), n.Emit == ast.EmitFinal, n.Results, n.TTL, n.Origin, n.Partial)
	case *TableJoin:
		return fmt.Sprintf("table join %s left %v on %s = %s %v and %s as of %s latest %v within %d correct %d history %d disorder %d broadcast %v once %v", n.Name, n.Left, same(n.StreamKeys...), same(n.TableKeys...),
			n.NullSafe, same(n.Residual), same(n.AsOf), n.Latest, n.Within, n.Correct, n.History, n.TableDisorder, n.Broadcast, n.Once)
	case *StreamJoin:
		return fmt.Sprintf("stream join %s %s on %s = %s %v and %s before %d after %d grace %d", n.Name, n.Kind, same(n.LeftKeys...), same(n.RightKeys...), n.NullSafe,
			same(n.Residual), n.Before, n.After, n.Grace)
	case *TableTableJoin:
		return fmt.Sprintf("join %s %s on %s = %s %v and %s", n.Name, n.Kind, same(n.LeftKeys...), same(n.RightKeys...), n.NullSafe, same(n.Residual))
	case *Materialize:
		return fmt.Sprintf("materialize %s versioned %v history %d", n.Name, n.Versioned, n.History)
	case *Fold:
		return fmt.Sprintf("fold %s by %v in order %v", n.Name, n.Key, n.InOrder)
	case *TopN:
		return fmt.Sprintf("top %s %d %s of %s order %s as %s", n.Name, n.N, n.Ranking, same(n.Partition...), sameOrder(n.Order), n.Column)
	case *Over:
		s := fmt.Sprintf("over %s of %s order %s in order %v", n.Name, same(n.Partition...), sameOrder(n.Order), n.InOrder)
		for _, c := range n.Calls {
			s += fmt.Sprintf("; %s %s %s %d %s %s %s", c.Name, c.describe(), same(c.Arg), c.Offset, same(c.Default), c.Frame, c.Type)
			if c.Agg != nil {
				s += " " + same(c.Agg.Inputs()...)
			}
		}
		return s
	}
	return ""
}

// Horizons is a text of horizons: two of one text call the same rows late.
func Horizons(hs []Horizon) string {
	var s []string
	for _, h := range hs {
		s = append(s, fmt.Sprintf("%d %s as of %s history %d grace %d for %s", h.Kind, h.Window.same(), same(h.AsOf), h.History, h.Grace, h.For))
	}
	return strings.Join(s, "; ")
}

// same is expressions with their types, columns by position.
func same(es ...expr.Expr) string {
	var s []string
	for _, e := range es {
		if e == nil {
			s = append(s, "none")
			continue
		}
		s = append(s, expr.Ordinals(e)+" "+e.Type().String())
	}
	return "(" + strings.Join(s, ", ") + ")"
}

func sameNamed(list []Named) string {
	s := same(projected(list)...)
	for _, e := range list {
		s += " " + e.Name
	}
	return s
}

func sameAggregates(list []NamedAggregate) string {
	var s []string
	for _, a := range list {
		s = append(s, a.Name+" = "+a.Agg.String()+" "+a.Agg.Type().String()+" "+same(a.Agg.Inputs()...))
	}
	return strings.Join(s, ", ")
}

func sameOrder(keys []SortKey) string {
	s := same(sorted(keys)...)
	for _, k := range keys {
		s += fmt.Sprintf(" %v", k.Desc)
	}
	return s
}

func samePlace(p Partitioning) string {
	return fmt.Sprintf("%s %s %s %v %v x%d", same(p.Exprs...), p.Hash, p.KeyFormat, typeNames(p.Types), p.Names, p.Count)
}

func typeNames(ts []types.Type) []string {
	var s []string
	for _, t := range ts {
		s = append(s, t.String())
	}
	return s
}

// same is a text of all that a window is.
func (w Window) same() string { return fmt.Sprintf("%s grace %d", w.text(), w.Grace) }

// Classes are the nodes of a plan by the rows that they make.
type Classes struct {
	// Of is, of each node, the first of its class.
	Of map[Node]Node
	// Order is the classes, inputs before what reads them.
	Order []Node

	known map[string]Node
}

// Classify puts the nodes of a plan into classes. What a stream–table join has on its table side is apart from all else, since it
// only releases rows: each node there is a class of its own.
func Classify(root Node) *Classes {
	c := &Classes{Of: map[Node]Node{}, known: map[string]Node{}}
	c.class(root, false)
	return c
}

func (c *Classes) class(n Node, apart bool) Node {
	if of, ok := c.Of[n]; ok {
		return of
	}
	text := Identity(n)
	if apart || text == "" {
		text = fmt.Sprintf("%p", n)
	}
	for i, in := range n.Inputs() {
		_, join := n.(*TableJoin)
		text += fmt.Sprintf("\x00%p", c.class(in, apart || join && i == 1))
	}
	of, ok := c.known[text]
	if !ok {
		of = n
		c.known[text] = n
		c.Order = append(c.Order, n)
	}
	c.Of[n] = of
	return of
}
