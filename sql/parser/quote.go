package parser

import (
	"regexp"
	"strings"
)

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// QuoteName writes a name so that it is read as this name wherever one may stand: in back-quotes when it is no plain word, or
// a word of the grammar.
func QuoteName(name string) string {
	if plainName.MatchString(name) && !reserved().has(name) && !streamingWords.has(name) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
