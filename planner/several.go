package planner

import (
	"slices"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// topics puts a union of one scan per topic in the place of each scan of a relation with several.
func (o Options) topics(sink *plan.Sink) (*plan.Sink, error) {
	parts := map[*catalog.Relation][]*catalog.Relation{}
	var wrong error
	out := plan.Rewrite(sink, func(n plan.Node) plan.Node {
		s, ok := n.(*plan.Scan)
		if !ok || !s.Relation.Many() {
			return n
		}
		if parts[s.Relation] == nil { // a relation that is read twice has its parts once
			var err error
			if parts[s.Relation], err = o.parts(s.Relation, sink); err != nil {
				wrong = err
				return n
			}
		}
		u := &plan.Union{}
		for _, r := range parts[s.Relation] {
			c := *s
			c.Relation = r
			u.Parts = append(u.Parts, plan.Derive(&c))
		}
		return plan.Derive(u)
	})
	if wrong != nil {
		return nil, wrong
	}
	return out.(*plan.Sink), nil
}

// parts are one relation per topic. Without a cluster a pattern is one topic of that name, of which nothing is known.
func (o Options) parts(r *catalog.Relation, sink *plan.Sink) ([]*catalog.Relation, error) {
	topics := r.Topics
	if r.TopicPattern != "" {
		names := o.Topics.Names()
		topics = slices.DeleteFunc(slices.Clone(names), func(t string) bool { return !r.Matches(t) || plan.OwnTopic(o.App, t) })
		switch {
		case names == nil:
			topics = []string{r.TopicPattern}
		case len(topics) == 0:
			return nil, ast.Errorf(ast.Span{}, "no topic matches the pattern '%s' of %s", r.TopicPattern, r.Name).WithHint("SHOW TOPICS lists them; the pattern is of whole names")
		}
	}
	if t := sink.Target; t != nil && t.Connector == "kafka" && (slices.Contains(topics, t.Topic) || r.Matches(t.Topic)) {
		return nil, ast.Errorf(ast.Span{}, "the query reads topic %s, as one of %s, and writes it: it would never end", t.Topic, r.Name).WithHint("write another topic: WITH (topic = '…')")
	}
	slices.Sort(topics)
	seen := map[int]string{}
	var out []*catalog.Relation
	for _, t := range topics {
		p := r.PartOf(t)
		if twin := seen[p.Part]; twin != "" {
			return nil, ast.Errorf(ast.Span{}, "topics %s and %s cannot be read by one stream: the numbers made of their names are the same", twin, t).
				WithHint("declare a stream for each and combine them by UNION ALL")
		}
		seen[p.Part] = t
		out = append(out, p)
	}
	return out, nil
}
