package format

import "strings"

// Find is the place among n names of the one that is meant: the exact one, else the single one that differs in case only. -1: there
// is none; -2: several differ in case only.
func Find(name string, n int, at func(int) string) int {
	found := -1
	for i := range n {
		switch have := at(i); {
		case have == name:
			return i
		case !strings.EqualFold(have, name):
		case found == -1:
			found = i
		default:
			found = -2
		}
	}
	return found
}

// FindColumn is Find among columns.
func FindColumn(name string, cols []Column) int {
	return Find(name, len(cols), func(i int) string { return cols[i].Name })
}
