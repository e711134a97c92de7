package debezium

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
)

// word is an option that is one of some words.
func word(o *connectors.Options, option string, words ...string) (string, error) {
	w := strings.ToLower(o.Get(option))
	if !slices.Contains(words, w) {
		return "", fmt.Errorf("option '%s' must be one of '%s', not '%s'", option, strings.Join(words, "', '"), o.Get(option))
	}
	return w, nil
}
