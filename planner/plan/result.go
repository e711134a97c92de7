package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
)

// Holds says whether a query asks for what tables hold that queries write: without an end and without EMIT CHANGES it is a pull query.
func (q *Query) Holds() bool {
	return q.Sink.Target == nil && q.Emit == ast.EmitDefault && len(q.Sources) > 0 &&
		!slices.ContainsFunc(q.Sources, func(s *catalog.Relation) bool { return s.Kind != ast.Table || s.Query == "" })
}

// result says what is done with the rows of an ad-hoc query.
func (q *Query) result() []string {
	if q.Sink.Target != nil {
		return nil
	}
	var out []string
	if q.Holds() {
		out = append(out, q.pulled())
	}
	switch {
	case len(q.Order) > 0:
		s := "at the end the rows are sorted by " + q.order()
		if q.Limit >= 0 {
			s += fmt.Sprintf(", and the first %d are shown", q.Limit)
		}
		if q.Offset > 0 {
			s += fmt.Sprintf(" after the first %d", q.Offset)
		}
		out = append(out, s)
	case q.Limit >= 0:
		out = append(out, fmt.Sprintf("the query ends after row %d", q.Limit))
	}
	return out
}

// pulled says which records answer a pull query.
func (q *Query) pulled() string {
	rel := q.Sources[0]
	keys, known := q.Keys()
	if !known {
		return "what the tables hold now, from all partitions of their topics"
	}
	var names []string
	for _, k := range rel.Key {
		names = append(names, rel.Columns[k].Name)
	}
	return fmt.Sprintf("what %s holds now, from the partitions where %s of (%s) lie", rel.Name, counted(len(keys), "key"), strings.Join(names, ", "))
}

func (q *Query) order() string {
	var by []string
	for _, o := range q.Order {
		s := q.Sink.Name(o.Column)
		if o.Desc {
			s += " DESC"
		}
		by = append(by, s)
	}
	return strings.Join(by, ", ")
}
