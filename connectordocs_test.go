package streamsql_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/connectors.md")

var optionTables = regexp.MustCompile(`(?m)^<!-- options (\w+) -->\n(\n(?:\|.*\n)+)?`)

// TestConnectorDocs: the tables of options in the documentation are those of the connectors, every one.
func TestConnectorDocs(t *testing.T) {
	const page = "docs/connectors.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{}
	for _, k := range endpoint.All() {
		var b strings.Builder
		fmt.Fprintf(&b, "<!-- options %s -->\n\n| option of `%s` | type | default | |\n|---|---|---|---|\n", k.Name, k.Name)
		for _, o := range k.Options {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Name, o.Type, o.Default, strings.ReplaceAll(o.Doc, "|", `\|`))
		}
		if len(k.Options) > 0 {
			tables[k.Name] = b.String()
		}
	}
	got := optionTables.ReplaceAllStringFunc(string(text), func(old string) string {
		name := optionTables.FindStringSubmatch(old)[1]
		table := tables[name]
		delete(tables, name)
		return table
	})
	for name := range tables {
		t.Errorf("%s has no place for the options of connector '%s': <!-- options %s -->", page, name, name)
	}
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if got != string(text) {
		t.Errorf("%s: the tables of options are not those of the connectors: go test . -run ConnectorDocs -update", page)
	}
}
