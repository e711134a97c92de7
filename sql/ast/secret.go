package ast

import (
	"regexp"
	"strings"
)

// secret is an option whose name says that its value is not to be shown, with a value in quotes.
var secret = regexp.MustCompile(`(?i)[\w.` + "`" + `]*(?:password|token|secret|http\.headers|http\.url)[\w.` + "`" + `]*\s*=\s*('(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?)`)

// Hide puts stars in the place of the secrets of a SQL text, password = '…' and the like, so that it can be shown. Every place in the
// text stays where it is.
func Hide(text string) string {
	found := secret.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text
	}
	b := []byte(text)
	for _, m := range found {
		from, to := m[2]+1, m[3]
		if to > from && b[to-1] == b[m[2]] {
			to--
		}
		copy(b[from:to], strings.Repeat("*", to-from))
	}
	return string(b)
}
