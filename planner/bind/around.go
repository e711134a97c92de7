package bind

import (
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// partHint says, for the parts of a record that INSERT … SELECT may write, how a value comes to the type they take.
var partHint = map[plan.Hidden]string{
	plan.HiddenKey:       "CAST(… AS VARCHAR)",
	plan.HiddenTimestamp: "CAST(… AS TIMESTAMP(3)), or a whole number of milliseconds",
	plan.HiddenHeaders:   "JSON_OBJECT('name', value, …)",
}

// hiddenPart is the hidden column of a name.
func hiddenPart(name string) (plan.Hidden, bool) {
	for _, c := range hidden {
		if strings.EqualFold(c.Name, name) {
			return c.Hidden, true
		}
	}
	return plan.NotHidden, false
}

func partName(part plan.Hidden) string {
	for _, c := range hidden {
		if c.Hidden == part {
			return c.Name
		}
	}
	return ""
}

// recordPart is a value in the type of the part of a record that it is written to: text for the key, which is taken as it is; a
// time or milliseconds for the timestamp; a map or JSON object of texts for the headers.
func recordPart(part plan.Hidden, e expr.Expr) (expr.Expr, error) {
	t := e.Type()
	switch {
	case part == plan.HiddenKey && (t.Text() || t.Kind == types.Null):
		if t.Kind == types.Null {
			return expr.NullOf(types.TVarchar), nil
		}
		return e, nil
	case part == plan.HiddenTimestamp && (t.Kind == types.Timestamp || t.Kind == types.Date || t.Kind == types.Int || t.Kind == types.Uint):
		return expr.NewCast(e, types.TTimestamp)
	case part == plan.HiddenHeaders && (t.Kind == types.Map || t.Kind == types.JSON):
		return e, nil
	case part == plan.HiddenHeaders && t.Kind == types.Null:
		return expr.NullOf(types.TJSON), nil
	}
	want := map[plan.Hidden]string{plan.HiddenKey: "VARCHAR or VARBINARY", plan.HiddenTimestamp: "a TIMESTAMP", plan.HiddenHeaders: "a MAP or JSON"}
	return nil, fmt.Errorf("%s is %s, the query gives %s", partName(part), want[part], t)
}

// mayWrite refuses what no record of the target could follow: a second key beside a declared one, and parts of the record where
// a removed row has nothing to make them from.
func (b *binder) mayWrite(ins *ast.Insert, target *catalog.Relation, out *output, around []plan.Hidden) error {
	for _, part := range around {
		at := ins.Target.Span
		for _, c := range ins.Columns {
			if p, ok := hiddenPart(c.Name); ok && p == part {
				at = c.Span
			}
		}
		name := partName(part)
		switch {
		case target.Connector != "kafka":
			return ast.Errorf(at, "%s has connector '%s', which keeps no %s", target.Name, target.Connector, name).WithHint("write it into a column of %s", target.Name)
		case part == plan.HiddenKey && len(target.Key) > 0:
			var key []string
			for _, k := range target.Key {
				key = append(key, target.Columns[k].Name)
			}
			return ast.Errorf(at, "the Kafka key of %s is made of its columns: %s", target.Name, strings.Join(key, ", ")).
				WithHint("write those, or leave key = '%s' out of its declaration", strings.Join(key, ", "))
		case out.node.Props().Changes != plan.AppendOnly:
			return ast.Unsupported(at, "writing "+name+" from rows that replace each other", "a removed row has nothing to make it from: EMIT FINAL sends rows that stay")
		}
	}
	return nil
}
