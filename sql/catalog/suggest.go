package catalog

import "strings"

// Closest is the one of names that a misspelt name most likely meant; "" when none is near. Case does not matter.
func Closest(name string, names []string) string {
	best, at := "", len(name)/3+2
	low := strings.ToLower(name)
	for _, n := range names {
		if d := distance(low, strings.ToLower(n)); d < at && d < max(len(name), len(n)) {
			best, at = n, d
		}
	}
	return best
}

// DidYouMean is the hint for a misspelt name: "did you mean x?", or what there is.
func DidYouMean(name, what string, names []string) string {
	if n := Closest(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	if len(names) == 0 {
		return "there are no " + what + " yet"
	}
	shown := names
	if len(shown) > 12 {
		shown = shown[:12]
	}
	list := strings.Join(shown, ", ")
	if len(shown) < len(names) {
		list += ", …"
	}
	return what + ": " + list
}

// distance is the number of insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
