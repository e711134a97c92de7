package plan

import (
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// RowOrder is one key of ORDER BY over a result: a column by its position. NULL comes first, last when Desc.
type RowOrder struct {
	Column int
	Desc   bool
}

// Input is one topic that a fragment reads.
type Input struct {
	// Node is the leaf: *Scan or *Receive.
	Node Node
	// Table: the side of a join that only releases; its rows are versions.
	Table bool
	// Roots are the sources whose rows reach this input.
	Roots []*Scan
}

// StateKind is the form of a state.
type StateKind uint8

// The forms; see exec/op.
const (
	WindowState StateKind = iota
	MapState
	VersionState
	QueueState
	SortedState
)

// State is one state of a fragment's operators, named after its node: see States for the exact names. Its changelog is
// <app>.<query>.<Name>.changelog.
type State struct {
	Name string
	Kind StateKind
}

// Fragment is what runs between topics: one task per partition.
type Fragment struct {
	ID     int
	Name   string
	Inputs []Input
	// Roots are where its rows go, each a *Shuffle or a *Sink: several where they share a sub-plan. All of them have all the
	// inputs below them, so that the time of the fragment is the time of each.
	Roots      []Node
	Partitions int
	States     []State
	// Unit: fragments with the same number read a topic together, so their tasks of one partition move together.
	Unit int
}

// Query is a persistent query, ready to run.
type Query struct {
	Name      string
	SQL       string
	Root      Node // whole plan, before it was cut
	Fragments []*Fragment
	Shuffles  []*Shuffle
	// Sources are the relations read, sorted by topic; an origin's Source is an index here.
	Sources []*catalog.Relation
	Sink    *Sink
	// SinkTopic is the sink's topic as the engine creates it; nil when the sink is no topic.
	SinkTopic *Topic
	// Fingerprint is of the stateful parts: a query with another one may not run on old state.
	Fingerprint string
	// Plan is the canonical text the fingerprint is made of.
	Canonical string
	Warnings  []string
	// Limit of an ad-hoc query; -1: none.
	Limit int64
	// Of an ad-hoc query: Shown of the sink's columns are the result's, those behind them name its rows (Key: positions among
	// the sink's columns, nil when they have no name); Order and Offset are for when it has ended.
	Shown  int
	Key    []int
	Order  []RowOrder
	Offset int64
	// Emit is what the query itself says.
	Emit ast.Emit
}

// Ends says whether every source declares an end: then the query has one too.
func (q *Query) Ends() bool {
	for _, s := range q.Sources {
		if s.End == "" {
			return false
		}
	}
	return len(q.Sources) > 0
}

// Source is the source of a number: its place among the sources, or the Part of one topic of several.
func (q *Query) Source(number int) *catalog.Relation {
	if number < catalog.PartBase {
		return q.Sources[number]
	}
	for _, s := range q.Sources {
		if s.Part == number {
			return s
		}
	}
	return nil
}

// Result is the sink as it stands in a fragment; of a union, that of the last part.
func (q *Query) Result() *Sink {
	var out *Sink
	for _, f := range q.Fragments {
		for _, root := range f.Roots {
			if s, ok := root.(*Sink); ok {
				out = s
			}
		}
	}
	return out
}

// Fragment is the fragment of an id; nil: there is none. The id of a part of a union over the topics of one relation is made of the topic's name, so that
// others keep theirs when a topic is added; all others are counted from 0.
func (q *Query) Fragment(id int) *Fragment {
	if id < len(q.Fragments) && q.Fragments[id].ID == id {
		return q.Fragments[id]
	}
	for _, f := range q.Fragments {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// Part is the relation of which the fragment reads one topic of several; nil: it is no such part.
func (f *Fragment) Part() *catalog.Relation {
	if f.ID < catalog.PartBase {
		return nil
	}
	for _, in := range f.Inputs {
		if s, ok := in.Node.(*Scan); ok && s.Relation.Part != 0 {
			return s.Relation
		}
	}
	return nil
}
