package tests

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/streamsql-go/streamsql"

// allowed is which packages of the house a package may import. A package without a row fails: its place must be thought
// about. A row that ends in /... also covers the packages below.
var allowed = map[string][]string{
	// language
	"sql/types":    {},
	"sql/vector":   {"sql/types"},
	"sql/ast":      {},
	"sql/spell":    {},
	"sql/parser":   {"sql/ast", "sql/spell", "sql/types"},
	"sql/expr":     {"sql/types", "sql/vector", "sql/spell", "storage/keys"}, // aggregates keep and compare values in their one canonical form
	"sql/catalog":  {"sql/types", "sql/ast", "sql/spell"},
	"sql/complete": {"sql/parser", "sql/types"}, // tokens, and the fields of a STRUCT; what names mean it is told, for the prompt and the page alike
	// planning
	"planner":            {"planner/plan", "planner/bind", "planner/rules", "planner/distribute", "sql/ast", "sql/catalog", "sql/types", "sql/expr"},
	"planner/plan":       {"sql/types", "sql/expr", "sql/vector", "sql/ast", "sql/catalog"},
	"planner/bind":       {"planner/plan", "sql/spell", "sql/types", "sql/expr", "sql/vector", "sql/ast", "sql/catalog"},
	"planner/rules":      {"planner/plan", "sql/types", "sql/expr", "sql/vector", "sql/ast"},
	"planner/distribute": {"planner/plan", "sql/types", "sql/expr", "sql/ast", "sql/catalog"},
	// operators: no Kafka, no Pebble, no planner
	"exec/op":        {"sql/types", "sql/vector", "sql/expr"},
	"exec/op/optest": {"exec/op", "sql/types", "sql/vector", "sql/expr"},
	"exec/agg":       {"exec/op", "exec/window", "sql/types", "sql/vector", "sql/expr", "storage/keys"},
	"exec/changes":   {"exec/op", "sql/types", "sql/vector", "storage/keys"},
	"exec/dedup":     {"exec/op", "exec/window", "sql/types", "sql/vector", "sql/expr", "storage/keys"},
	"exec/join":      {"exec/op", "sql/types", "sql/vector", "sql/expr", "storage/keys"},
	"exec/over":      {"exec/op", "sql/types", "sql/vector", "sql/expr", "storage/keys"},
	"exec/window":    {"exec/op", "sql/types", "sql/vector", "sql/expr", "storage/keys"},
	// running
	"exec/wire":  {"sql/types", "sql/vector"},
	"exec/build": {"exec/op", "exec/agg", "exec/changes", "exec/dedup", "exec/join", "exec/over", "exec/window", "planner/plan", "sql/types", "sql/vector", "sql/expr", "sql/ast"},
	"exec/task": {"exec/build", "exec/op", "exec/wire", "planner/plan", "connectors", "connectors/format", "connectors/partition", "storage", "storage/keys",
		"sql/types", "sql/vector", "sql/expr", "sql/ast", "sql/catalog"},
	"exec": {"exec/task", "exec/build", "exec/op", "exec/wire", "planner/plan", "connectors", "connectors/format", "connectors/partition", "storage", "storage/keys",
		"sql/types", "sql/vector", "sql/ast", "sql/catalog"},
	"exec/latest": {"connectors"},
	"exec/outbox": {"connectors", "connectors/endpoint", "connectors/pace", "sql/vector"},
	"web":         {"", "sql/ast"},
	"metrics":     {""},
	"diagnosis":   {"connectors", "exec", "planner/plan", "sql/catalog", "sql/expr", "sql/types", "sql/vector"},
	// the world outside
	"connectors":                {"sql/spell", "sql/types", "sql/vector"},
	"connectors/partition":      {},
	"connectors/format":         {"connectors", "connectors/partition", "sql/spell", "sql/types", "sql/vector"},
	"connectors/format/infer":   {"connectors", "connectors/format", "connectors/partition", "sql/types", "sql/vector"},
	"connectors/format/...":     {"connectors", "connectors/format", "connectors/format/json", "connectors/format/registry", "sql/types", "sql/vector"},
	"connectors/format/schemas": {"connectors/format", "sql/ast", "sql/catalog", "sql/spell", "sql/types"},
	"connectors/kafka":          {"connectors", "connectors/partition", "sql/spell", "sql/types", "sql/vector"},
	"connectors/kafka/embedded": {"connectors", "connectors/kafka"},
	"connectors/endpoint":       {"connectors", "connectors/format", "connectors/pace", "sql/spell", "sql/types"},
	"connectors/file":           {"connectors", "connectors/endpoint", "connectors/format", "sql/types", "sql/vector"},
	"connectors/http":           {"connectors", "connectors/endpoint"},
	"connectors/parquet":        {"connectors", "connectors/endpoint", "connectors/format", "connectors/format/json", "sql/types", "sql/vector"},
	"connectors/generate":       {"connectors", "connectors/endpoint", "connectors/format", "connectors/format/json", "connectors/pace", "connectors/random", "sql/types", "sql/vector"},
	"connectors/nexmark":        {"connectors", "connectors/endpoint", "connectors/pace", "connectors/random", "sql/spell", "sql/types"},
	"connectors/pace":           {"connectors", "connectors/format", "connectors/random", "sql/types", "sql/vector"},
	"connectors/random":         {},
	"connectors/sim":            {"connectors", "sql/vector"},
	"storage":                   {"storage/keys", "sql/types", "sql/vector"},
	"storage/keys":              {"sql/types", "sql/vector"},
	// the prompt: the commands hand it an open engine; it knows nothing of flags
	"cmd/streamsql/internal/render": {"", "sql/types"},                                                                           // rows of the public API to a terminal or a pipe
	"cmd/streamsql/internal/repl":   {"", "cmd/streamsql/internal/render", "sql/ast", "sql/parser", "sql/complete", "sql/spell"}, // tokens for colours, secrets hidden in the history
	// tests
	"tests":        {},
	"tests/oracle": {"connectors", "connectors/format", "planner/plan", "sql/types", "sql/vector", "sql/expr", "sql/ast", "sql/catalog"},
	"tests/story": {"connectors", "connectors/sim", "connectors/format", "connectors/format/schemas", "planner", "planner/plan", "planner/bind", "exec", "storage",
		"sql/spell", "sql/types", "sql/vector", "sql/ast", "sql/catalog", "sql/parser"},
}

// open packages may import whatever they need of the house: the embedded API, the commands, and programs around it.
var openPackages = []string{"", "cmd", "examples", "tests"}

// importers is who alone may import a third-party module. A module without a row fails.
var importers = map[string][]string{
	"github.com/pingcap/tidb":       {"sql/parser"},
	"github.com/twmb/franz-go":      {"connectors/kafka", "tests/kafka"},
	"github.com/cockroachdb/pebble": {"storage"},
	"github.com/cespare/xxhash":     {"storage", "sql/expr"},
	"github.com/valyala/fastjson":   {"connectors/format", "sql/expr"},
	"github.com/mattn/go-runewidth": {"sql/ast", "cmd"},
	"github.com/parquet-go":         {"connectors/parquet"},
	"github.com/twmb/avro":          {"connectors/format"},
	"github.com/bufbuild":           {"connectors/format"},
	"google.golang.org/protobuf":    {"connectors/format"},
	"github.com/cockroachdb/apd":    {"sql/types", "sql/expr"},
	"github.com/spf13":              {"cmd"},
	"github.com/chromedp":           {"tests/page"},
	"github.com/chzyer/readline":    {"cmd"},
	"github.com/jedib0t/go-pretty":  {"cmd"},
	"github.com/prometheus":         {"metrics", "cmd"},
	"golang.org/x/sys":              {"storage", "cmd"},
	"modernc.org/sqlite":            {"tests"},
	"golang.org/x/term":             {"cmd"},
	"gopkg.in/yaml.v3":              {"cmd"},
}

// registry is the one part of franz-go that formats use: the schema registry's client.
const registry = "github.com/twmb/franz-go/pkg/sr"

type pkg struct {
	name    string // below the module; "" for the root
	imports []string
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var ps []pkg
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		ps = append(ps, pkg{strings.TrimPrefix(strings.TrimPrefix(f[0], module), "/"), f[1:]})
	}
	return ps
}

// under says whether name is one of dirs or below one.
func under(name string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return name == d || d != "" && strings.HasPrefix(name, d+"/") })
}

func row(name string) ([]string, bool) {
	if r, ok := allowed[name]; ok {
		return r, true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if r, ok := allowed[dir+"/..."]; ok {
			return r, true
		}
	}
	return nil, false
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		may, known := row(p.name)
		free := under(p.name, openPackages)
		if !known && !free {
			t.Errorf("package %s has no row in the import table: say what it may import", p.name)
			continue
		}
		for _, imp := range p.imports {
			if own, ok := strings.CutPrefix(imp, module); ok {
				own = strings.TrimPrefix(own, "/")
				if !slices.Contains(may, own) && (!free || known && p.name != "tests") {
					t.Errorf("%s must not import %s", p.name, own)
				}
				continue
			}
			if strings.Contains(strings.SplitN(imp, "/", 2)[0], ".") {
				thirdParty(t, p.name, imp)
			}
		}
	}
}

func thirdParty(t *testing.T, name, imp string) {
	t.Helper()
	if imp == registry && under(name, []string{"connectors/format"}) {
		return
	}
	for mod, who := range importers {
		if imp == mod || strings.HasPrefix(imp, mod+"/") {
			if !under(name, who) {
				t.Errorf("%s must not import %s: only %s may", name, imp, strings.Join(who, ", "))
			}
			return
		}
	}
	t.Errorf("%s imports %s, which has no row: say who may import it", name, imp)
}
