// Package planner makes queries from statements. This file is the map: bind gives names and types their meaning, rules
// rewrite the plan, distribute brings rows to where they are needed and cuts the plan into fragments, and the fingerprint
// of the stateful parts tells whether old state fits.
package planner

import (
	"errors"

	"github.com/streamsql-go/streamsql/planner/bind"
	"github.com/streamsql-go/streamsql/planner/distribute"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/planner/rules"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
)

// Topics answers what planning must know of the cluster.
type Topics interface {
	// Partitions is the number of partitions of a topic; ok false: there is no such topic, or no cluster was asked.
	Partitions(topic string) (count int, ok bool)
	// Names are those of all topics; nil: no cluster was asked.
	Names() []string
}

// Offline knows no topic: partition counts stay open.
type Offline struct{}

// Partitions is not known.
func (Offline) Partitions(string) (int, bool) { return 0, false }

// Names are not known.
func (Offline) Names() []string { return nil }

// Options are what a plan depends on besides the catalog.
type Options struct {
	// App is the application's name, for warnings and topic names.
	App string
	// Topics is the cluster; nil: Offline.
	Topics Topics
	// Schema gives the columns of a relation that declares none; nil: they must be declared.
	Schema catalog.Schema
	// DefaultPartitions is the partition count of topics of which nothing is known; 0: left open.
	DefaultPartitions int
	// File and Text are where the statement was parsed from: they give errors their line, and columns without an alias
	// their name.
	File, Text string
	// Name of the query; "": the target's name, or "select".
	Name string
	// Functions are those of the program, beside the ones of the language; nil: there are none.
	Functions *expr.Library
	// Using is the relation that a statement reads whose SELECT has no FROM; "": none.
	Using string
	// Outbox is the topic from which the rows for a target are delivered that is no topic itself, with what is promised of them; ""
	// for one that takes its rows from the query. Nil: no target has one.
	Outbox func(*catalog.Relation) (topic, delivery string)
}

// Compiled is what a statement means.
type Compiled struct {
	// Relation is what a CREATE adds to the catalog, once it ran; nil for others.
	Relation *catalog.Relation
	// Query is what runs; nil for a CREATE without AS. A CREATE … IF NOT EXISTS of what exists
	// leaves all fields empty.
	Query *plan.Query
	// Create are the topics wanted before that: the sink, and sources that say partitions. Internal topics are listed by
	// Query.Internal.
	Create []plan.Topic
}

// Compile gives a CREATE, an INSERT … SELECT or a SELECT its meaning. Other statements are an error: they have no plan.
func Compile(cat *catalog.Catalog, st ast.Statement, o Options) (*Compiled, error) {
	if o.Topics == nil {
		o.Topics = Offline{}
	}
	out, err := compile(cat.Now(), st, o)
	var mistake *ast.Error
	if errors.As(err, &mistake) {
		if mistake.Span == (ast.Span{}) {
			mistake.Span = st.Pos()
		}
		return nil, mistake.At(o.File, o.Text)
	}
	return out, err
}

func compile(cat *catalog.Snapshot, st ast.Statement, o Options) (*Compiled, error) {
	src := bind.Source{Text: o.Text, Functions: o.Functions, Using: o.Using}
	switch st := st.(type) {
	case *ast.Create:
		if done, err := taken(cat, st); done || err != nil {
			return &Compiled{}, err
		}
		if st.As == nil {
			r, err := catalog.DefineBy(st, o.Schema)
			if err != nil {
				return nil, err
			}
			r.SQL = text(o, st.Span)
			return &Compiled{Relation: r, Create: o.source(r)}, nil
		}
		if st.Kind == ast.View {
			columns, reads, err := bind.View(cat, st, src)
			if err != nil {
				return nil, err
			}
			r := catalog.DefineView(st, columns, o.Text, reads)
			r.SQL = text(o, st.Span)
			return &Compiled{Relation: r}, nil
		}
		b, err := bind.Create(cat, st, src)
		if err != nil {
			return nil, err
		}
		b.Target.SQL = text(o, st.Span)
		return o.plan(b, st.Span)
	case *ast.Insert:
		if st.Query == nil {
			return nil, ast.Errorf(st.Span, "INSERT … VALUES has no plan")
		}
		b, err := bind.Insert(cat, st, src)
		if err != nil {
			return nil, err
		}
		return o.plan(b, st.Span)
	case *ast.SelectStatement:
		b, err := bind.Select(cat, st.Query, src)
		if err != nil {
			return nil, err
		}
		return o.plan(b, st.Span)
	}
	return nil, ast.Errorf(st.Pos(), "this statement has no plan").WithHint("EXPLAIN takes CREATE … AS SELECT, INSERT INTO … SELECT and SELECT")
}

// plan is the way from bound names to a query.
func (o Options) plan(b *bind.Bound, at ast.Span) (*Compiled, error) {
	if b.Target != nil && b.Target.Connector != "kafka" && o.Outbox != nil {
		s := *b.Sink
		s.Outbox, s.Delivery = o.Outbox(b.Target)
		b.Sink = &s
	}
	expanded, err := o.topics(b.Sink)
	if err != nil {
		return nil, err
	}
	sink := rules.Apply(expanded)
	sink, warnings, err := distribute.Distribute(sink, o.count, o.made(o.name(b)))
	if err != nil {
		return nil, err
	}
	q := &plan.Query{Name: o.name(b), SQL: text(o, at), Root: sink, Sources: distribute.Sources(sink), Limit: b.Limit,
		Shown: b.Shown, Key: b.Key, Order: b.Order, Offset: b.Offset, Emit: b.Emit}
	q.Fragments, q.Shuffles = distribute.Cut(sink, o.count)
	q.Sink = q.Result()
	q.Canonical = plan.CanonicalText(q.Fragments)
	q.Fingerprint = plan.Fingerprint(q.Canonical)
	q.Warnings = append(warnings, plan.Warnings(sink)...)
	c := &Compiled{Query: q}
	if b.New {
		c.Relation = b.Target
	}
	if q.SinkTopic = o.sink(q); q.SinkTopic != nil {
		if _, there := o.Topics.Partitions(q.SinkTopic.Name); !there {
			c.Create = []plan.Topic{*q.SinkTopic}
		}
	}
	return c, nil
}

func (o Options) name(b *bind.Bound) string {
	switch {
	case o.Name != "":
		return o.Name
	case b.Target != nil:
		return b.Target.Name
	}
	return "select"
}

// taken says whether there is nothing to do because the name exists; without IF NOT EXISTS that is an error.
func taken(cat *catalog.Snapshot, c *ast.Create) (done bool, err error) {
	old, ok := cat.Get(c.Name.Name)
	if !ok || c.OrReplace || c.IfNotExists {
		return ok && c.IfNotExists, nil
	}
	return false, ast.Errorf(c.Name.Span, "%s exists already", old.Name).WithHint("DROP %s %s first, or CREATE OR REPLACE", old.Kind, old.Name)
}

func text(o Options, at ast.Span) string {
	if at.Start < 0 || at.End > len(o.Text) || at.End <= at.Start {
		return ""
	}
	return ast.Hide(o.Text[at.Start:at.End])
}
