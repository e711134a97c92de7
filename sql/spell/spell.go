// Package spell finds the name that a misspelt one most likely meant. All hints of the kind "did you mean x?" come from here.
package spell

import "strings"

// Closest is the one of names that a misspelt name most likely meant: the first with the fewest edits (insertions,
// deletions, replacements, swaps of neighbours), at most a third of the name and one more, and fewer than the letters of either; ""
// when none is that near. Case does not matter.
func Closest(word string, names []string) string {
	return Within(word, len(word)/3+1, names)
}

// Within is Closest with at most the given number of edits.
func Within(word string, edits int, names []string) string {
	best, least := "", edits+1
	low := strings.ToLower(word)
	for _, n := range names {
		if d := distance(low, strings.ToLower(n)); d < least && d < max(len(word), len(n)) {
			best, least = n, d
		}
	}
	return best
}

// Hint is what to say about a word that is none of names: "did you mean x?", or what there is, as "columns: a, b".
func Hint(word, what string, names []string) string {
	if n := Closest(word, names); n != "" {
		return "did you mean " + n + "?"
	}
	if len(names) == 0 {
		return "there are no " + what + " yet"
	}
	const shown = 12
	if len(names) > shown {
		return what + ": " + strings.Join(names[:shown], ", ") + ", …"
	}
	return what + ": " + strings.Join(names, ", ")
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
