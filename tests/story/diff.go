package story

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
)

// shownRows is how many rows of each kind a failure prints.
const shownRows = 20

// diff shows what was expected and not found, and what was there instead, as aligned rows.
func (e *expectation) diff(pairs []int, got []*actualRow) string {
	table := [][]string{append([]string{""}, e.columns...)}
	taken := map[int]bool{}
	n := 0
	for i, g := range pairs {
		if g >= 0 {
			taken[g] = true
			continue
		}
		if n++; n <= shownRows {
			table = append(table, cells("- expected", e.rows[i]))
		}
	}
	n = 0
	for g, a := range got {
		if taken[g] {
			continue
		}
		if n++; n <= shownRows {
			table = append(table, e.actualCells(a))
		}
	}
	return align(table)
}

func (e *expectation) actualCells(a *actualRow) []string {
	var vs []types.Value
	for _, c := range e.columns {
		v, _, _ := a.columnValue(e.rel, c)
		vs = append(vs, v)
	}
	row := cells("+ actual", vs)
	where := fmt.Sprintf("(partition %d offset %d", a.rec.Partition, a.rec.Offset)
	if a.note != "" {
		where += ", " + a.note
	}
	return append(row, where+")")
}

func cells(head string, vs []types.Value) []string {
	out := []string{head}
	for _, v := range vs {
		s := v.Text()
		if len(s) > 60 {
			s = fmt.Sprintf("%.40s… (%d bytes)", s, len(s))
		}
		out = append(out, s)
	}
	return out
}

func align(table [][]string) string {
	var width []int
	for _, row := range table {
		for i, c := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, row := range table {
		line := "  "
		for i, c := range row {
			line += c + strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
