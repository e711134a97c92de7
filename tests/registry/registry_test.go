// Package registry_test runs the engine beside a real schema registry and Confluent's own serialisers; run.sh starts them.
package registry_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	_ "github.com/streamsql-go/streamsql/connectors/format/avro"
	_ "github.com/streamsql-go/streamsql/connectors/format/jsonschema"
	_ "github.com/streamsql-go/streamsql/connectors/format/protobuf"
)

// lab is an engine with a broker of its own and the registry.
type lab struct {
	*streamsql.Engine
	t        *testing.T
	ctx      context.Context
	registry string
	python   string
}

func open(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t, registry: os.Getenv("STREAMSQL_TEST_REGISTRY"), python: os.Getenv("STREAMSQL_TEST_PYTHON")}
	if l.registry == "" || l.python == "" {
		t.Skip("STREAMSQL_TEST_REGISTRY and STREAMSQL_TEST_PYTHON are not set: run make test-registry, which starts a registry")
	}
	var cancel context.CancelFunc
	l.ctx, cancel = context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	var err error
	if l.Engine, err = streamsql.Open(l.ctx, streamsql.Options{Formats: map[string]string{"registry.url": l.registry}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

func (l *lab) exec(sql string) {
	l.t.Helper()
	if err := l.Exec(l.ctx, sql); err != nil {
		l.t.Fatal(err)
	}
}

// query gives the rows of a bounded statement, sorted.
func (l *lab) query(sql string) []string {
	l.t.Helper()
	rows, err := l.QueryUntil(l.ctx, sql, streamsql.UntilEnd)
	if err != nil {
		l.t.Fatal(err)
	}
	var out []string
	for r, err := range rows.All() {
		if err != nil {
			l.t.Fatal(err)
		}
		var cells []string
		for i := range r.Values {
			cells = append(cells, r.Text(i))
		}
		out = append(out, strings.Join(cells, "|"))
	}
	slices.Sort(out)
	return out
}

func (l *lab) wants(got []string, want ...string) {
	l.t.Helper()
	if !slices.Equal(got, want) {
		l.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// peer runs Confluent's serialisers.
func (l *lab) peer(verb, form, topic string) []string {
	l.t.Helper()
	out, err := exec.CommandContext(l.ctx, l.python, "peer.py", verb, form, l.Address(), l.registry, topic).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			l.t.Fatalf("peer.py %s %s: %v\n%s", verb, form, err, failed.Stderr)
		}
		l.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// What Confluent's serialisers write is read, with the columns of what they registered.
func TestReadsConfluent(t *testing.T) {
	for form, c := range map[string]struct {
		format  string
		columns []string
		query   string
		rows    []string
	}{
		"avro": {"avro", []string{"at|TIMESTAMP(3)|", "id|BIGINT|", "kind|VARCHAR|", "price|DECIMAL(10,2)|", "who|STRUCT<name VARCHAR, tags MAP<VARCHAR, INT>>|"},
			"id, price, at, kind, who.name, who", []string{"-2|-0.01|2020-01-02 03:04:05.678|NEW|NULL|NULL", `1|12.30|2020-01-02 03:04:05.678|OLD|Ann|{"name":"Ann","tags":{"a":1}}`}},
		"protobuf": {"protobuf", []string{"at|TIMESTAMP(6)|", "level|INT|", "sensor|VARCHAR|", "values|ARRAY<DOUBLE>|"},
			"sensor, level, at, `values`", []string{"s|-3|2020-01-02 03:04:05.678000|[1.5,-2]", "|7|NULL|[]"}},
		"json": {"json-schema", []string{"id|BIGINT|", "lines|ARRAY<STRUCT<sku VARCHAR, n DOUBLE>>|", "name|VARCHAR|"},
			"id, name, `lines`", []string{`1|é|[{"sku":"x","n":1.5}]`, "2|NULL|[]"}},
	} {
		t.Run(form, func(t *testing.T) {
			l := open(t)
			topic := "read-" + form
			l.exec("CREATE STREAM bytes (x VARBINARY) WITH (topic = '" + topic + "', partitions = 1, format = 'bytes')")
			l.peer("write", form, topic)
			name := ""
			if form == "protobuf" {
				name = ", schema.name = 'peer.Reading'"
			}
			l.exec("CREATE STREAM s WITH (topic = '" + topic + "', format = '" + c.format + "'" + name + ")")
			l.wants(l.query("DESCRIBE s"), c.columns...)
			l.wants(l.query("SELECT "+c.query+" FROM s"), c.rows...)
		})
	}
}

// What the engine writes is read by Confluent's deserialisers.
func TestConfluentReads(t *testing.T) {
	for form, c := range map[string]struct {
		format string
		want   []string
	}{
		"avro":     {"avro", []string{`{"id": 1, "name": "é", "tags": ["a", "b"]}`, `{"id": 2, "name": null, "tags": []}`}},
		"protobuf": {"protobuf", []string{`{"id": "1", "name": "é", "tags": ["a", "b"]}`, `{"id": "2"}`}},
		"json":     {"json-schema", []string{`{"id": 1, "name": "é", "tags": ["a", "b"]}`, `{"id": 2, "name": null, "tags": []}`}},
	} {
		t.Run(form, func(t *testing.T) {
			l := open(t)
			topic := "written-" + form
			l.exec("CREATE STREAM s (id BIGINT, name VARCHAR, tags ARRAY<VARCHAR>) WITH (topic = 's', partitions = 1);" +
				"INSERT INTO s VALUES (1, 'é', '[\"a\",\"b\"]'), (2, NULL, '[]')")
			l.exec("CREATE STREAM o WITH (topic = '" + topic + "', format = '" + c.format + "', schema.name = 'Written') AS SELECT id, name, tags FROM s")
			back := ""
			if form == "protobuf" {
				back = "schema.name = 'Written', "
			}
			l.exec("CREATE STREAM back WITH (" + back + "topic = '" + topic + "', format = '" + c.format + "')")
			rows, err := l.Query(l.ctx, "SELECT id FROM back LIMIT 2")
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range rows.All() { // until both are there
				if err != nil {
					t.Fatal(err)
				}
			}
			l.wants(l.peer("read", form, topic), c.want...)
		})
	}
}

// A schema that is not compatible with the versions before it is refused where the statement stands, with what the registry says.
func TestAnIncompatibleSchema(t *testing.T) {
	l := open(t)
	l.exec("CREATE STREAM s (id BIGINT, name VARCHAR) WITH (topic = 's', partitions = 1)")
	l.exec("CREATE STREAM first WITH (topic = 'compatible', format = 'avro', disorder = '1s') AS SELECT id, name FROM s")
	cmd := exec.CommandContext(l.ctx, "curl", "-sf", "-X", "PUT", "-H", "Content-Type: application/vnd.schemaregistry.v1+json", "-d", `{"compatibility":"BACKWARD"}`, l.registry+"/config/compatible-value")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	err := l.Exec(l.ctx, "CREATE STREAM second WITH (topic = 'compatible', format = 'avro', disorder = '1s') AS SELECT CONCAT('x', name) AS id FROM s")
	if err == nil || !strings.Contains(err.Error(), "compatible-value") {
		t.Errorf("an incompatible schema: %v", err)
	}
	l.exec("CREATE STREAM third WITH (topic = 'compatible', format = 'avro', disorder = '1s') AS SELECT id, name, 1 AS n FROM s")
}
