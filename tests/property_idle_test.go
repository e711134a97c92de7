package tests

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/tests/oracle"
	"github.com/streamsql-go/streamsql/tests/story"
)

// less compares rows with an answer of which rows behind idle partitions may be missing (semantics S1): nothing else may come
// out, and what is missing is what was counted as dropped. Counters say nothing where an instance is gone (whole false).
func less(sh shape, want *oracle.Answer, got []story.LabRow, dropped int64, whole bool) []string {
	columns := sh.idleKeys
	if columns == nil {
		columns = want.Columns
	}
	var at []int
	for i, c := range want.Columns {
		if slices.Contains(columns, c) {
			at = append(at, i)
		}
	}
	wanted, had := map[string]int64{}, map[string]int64{}
	n := slices.Index(want.Columns, "n")
	add := func(m map[string]int64, vs []types.Value) {
		if sh.counts {
			m[identity(vs, at)] += vs[n].I
		} else {
			m[identity(vs, at)]++
		}
	}
	for _, g := range got {
		add(had, g.Values)
	}
	if sh.idleKeys == nil {
		return among(want, got, dropped, whole)
	}
	for _, it := range want.Items {
		add(wanted, it.Any[0].Values)
	}
	var problems []string
	var missing int64
	for k, w := range wanted {
		missing += max(0, w-had[k])
	}
	for k, h := range had {
		if h > wanted[k] {
			problems = append(problems, fmt.Sprintf("%s: %d, at most %d", k, h, wanted[k]))
		}
	}
	switch {
	case !whole:
	case sh.counts && missing != dropped:
		problems = append(problems, fmt.Sprintf("%d rows are missing in counts, %d were dropped", missing, dropped))
	case missing > dropped:
		problems = append(problems, fmt.Sprintf("%d rows are missing, %d were dropped", missing, dropped))
	}
	return problems
}

func identity(vs []types.Value, at []int) string {
	var s []string
	for _, i := range at {
		s = append(s, vs[i].Text())
	}
	return strings.Join(s, ", ")
}

// among allows for missing items, as many as rows were dropped, and for nothing else.
func among(want *oracle.Answer, got []story.LabRow, dropped int64, whole bool) []string {
	var missing int64
	var problems []string
	for _, d := range differences(want, got) {
		switch {
		case strings.HasPrefix(d, "missing: "):
			missing++
		case strings.HasPrefix(d, "… and "):
			return nil // too many to be told apart
		default:
			problems = append(problems, d)
		}
	}
	if whole && missing > dropped {
		problems = append(problems, fmt.Sprintf("%d rows are missing, %d were dropped", missing, dropped))
	}
	return problems
}
