package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// list computes the aggregates that list values.
func list(a *expr.Aggregate, all []folded) (types.Value, error) {
	if a.Func == "JSON_OBJECTAGG" {
		return members(all)
	}
	if a.Func == "GROUP_CONCAT" || a.Func == "TOPK" {
		all = slices.DeleteFunc(all, func(f folded) bool { return slices.ContainsFunc(f.args, types.Value.IsNull) })
	}
	if a.Distinct {
		seen := map[string]bool{}
		all = slices.DeleteFunc(all, func(f folded) bool {
			id := identity(f.args)
			again := seen[id]
			seen[id] = true
			return again
		})
	}
	slices.SortStableFunc(all, func(x, y folded) int {
		for i, o := range a.OrderBy {
			if c := types.Compare(x.order[i], y.order[i]); c != 0 {
				return map[bool]int{false: c, true: -c}[o.Desc]
			}
		}
		switch {
		case a.Func == "TOPK":
			return types.Compare(y.arg(0), x.arg(0))
		case a.Distinct:
			return slices.CompareFunc(x.args, y.args, types.Compare)
		}
		return 0
	})
	if a.Func == "TOPK" {
		all = top(all)
	}
	if len(all) == 0 {
		return types.Value{}, nil
	}
	return written(a, all)
}

// top is as many of the first rows as the second argument says.
func top(all []folded) []folded {
	if len(all) == 0 {
		return nil
	}
	return all[:min(len(all), int(all[0].arg(1).I))]
}

func written(a *expr.Aggregate, all []folded) (types.Value, error) {
	var parts []string
	for _, f := range all {
		if a.Func == "GROUP_CONCAT" {
			text := ""
			for _, v := range f.args {
				text += v.Text()
			}
			parts = append(parts, text)
			continue
		}
		part, err := jsonOf(f.arg(0))
		if err != nil {
			return types.Value{}, err
		}
		parts = append(parts, part)
	}
	if a.Func == "GROUP_CONCAT" {
		sep := ","
		if a.Separator != nil {
			sep = *a.Separator
		}
		return types.Value{Kind: a.Type().Kind, S: strings.Join(parts, sep)}, nil
	}
	return types.Value{Kind: a.Type().Kind, S: "[" + strings.Join(parts, ",") + "]"}, nil
}

// members is a JSON object of the last value of each name.
func members(all []folded) (types.Value, error) {
	last := map[string]string{}
	var names []string
	for _, f := range all {
		name := f.arg(0).Text()
		if _, ok := last[name]; !ok {
			names = append(names, name)
		}
		value, err := jsonOf(f.arg(1))
		if err != nil {
			return types.Value{}, err
		}
		last[name] = value
	}
	if len(names) == 0 {
		return types.Value{}, nil
	}
	slices.Sort(names)
	for i, name := range names {
		text, err := jsonOf(types.NewString(name))
		if err != nil {
			return types.Value{}, err
		}
		names[i] = text + ":" + last[name]
	}
	return types.NewJSON("{" + strings.Join(names, ",") + "}"), nil
}

func jsonOf(v types.Value) (string, error) {
	switch v.Kind {
	case types.Null:
		return "null", nil
	case types.Int, types.Uint, types.Decimal, types.Double:
		return v.Text(), nil
	case types.Varchar:
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(v.S)
		return strings.TrimSpace(b.String()), err
	}
	return "", fmt.Errorf("the oracle does not list %v", v.Kind)
}
