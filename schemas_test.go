package streamsql_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/streamsql-go/streamsql"
	_ "github.com/streamsql-go/streamsql/connectors/format/avro"
	_ "github.com/streamsql-go/streamsql/connectors/format/jsonschema"
	_ "github.com/streamsql-go/streamsql/connectors/format/protobuf"
)

// registered is an engine with a schema registry, and the registry.
func registered(t *testing.T) (*lab, *srfake.Registry) {
	t.Helper()
	r := srfake.New(srfake.WithAuth("Basic dTpnZWhlaW0=")) // u:geheim
	t.Cleanup(r.Close)
	return open(t, streamsql.Options{Formats: map[string]string{"registry.url": r.URL(), "registry.user": "u", "registry.password": "geheim"}}), r
}

func wants(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAvroThroughARegistry(t *testing.T) {
	l, r := registered(t)
	l.exec(`CREATE STREAM s (id BIGINT, name VARCHAR, tags ARRAY<VARCHAR>) WITH (topic='s', partitions=1, format='avro');
		INSERT INTO s VALUES (1, 'a', '["x"]'), (2, NULL, NULL);
		CREATE TABLE o WITH (topic='o', format='avro', key_format='avro') AS SELECT name, COUNT(*) AS n FROM s GROUP BY name`)
	if _, ok := r.GetSchema("s-value", 1); !ok {
		t.Error("what INSERT wrote was not registered")
	}
	key, _ := r.GetSchema("o-key", 1)
	value, _ := r.GetSchema("o-value", 1)
	if key.Schema.Schema != `"string"` || !strings.Contains(value.Schema.Schema, `{"name":"n","type":["null","long"],"default":null}`) {
		t.Errorf("the target's schemas are %s and %s", key.Schema.Schema, value.Schema.Schema)
	}
	l.exec(`CREATE STREAM back WITH (topic='s', format='avro')`)
	wants(t, l.query(`DESCRIBE back`), "id BIGINT ", "name VARCHAR ", "tags ARRAY<VARCHAR> ")
	wants(t, l.query(`SELECT id, name, tags FROM back`), `1 a ["x"]`, "2 NULL NULL")
	// A later writer adds a field; another one changes the type of one.
	if _, _, err := r.RegisterSchema("s-value", sr.Schema{Schema: `{"type":"record","name":"s","fields":[{"name":"more","type":["null","int"],"default":null},{"name":"name","type":["null","string"],"default":null},{"name":"id","type":"int"}]}`}); err != nil {
		t.Fatal(err)
	}
	l.exec(`CREATE STREAM later (more INT, name VARCHAR, id INT) WITH (topic='s', format='avro', schema.version='2');
		INSERT INTO later VALUES (9, 'b', 3)`)
	wants(t, l.query(`SELECT id, name, tags FROM back`), `1 a ["x"]`, "2 NULL NULL", "3 b NULL")
	for sql, texts := range map[string][]string{
		`CREATE STREAM x (id BIGINT, nme VARCHAR) WITH (topic='s', format='avro')`:                                    {"subject s-value, version 2 has no field nme", "did you mean", "1:29"},
		`CREATE STREAM x (id BIGINT, name ARRAY<INT>, more TIME) WITH (topic='s', format='avro', schema.version='1')`: {"has no field more"},
		`CREATE STREAM x (tags BIGINT) WITH (topic='s', format='avro', schema.version='1')`:                           {"declared as BIGINT, but subject s-value, version 1 has ARRAY<VARCHAR>", "1:23"},
		`CREATE STREAM x WITH (topic='nothing', format='avro')`:                                                       {"x declares no columns", "subject nothing-value"},
		`CREATE STREAM x (id INT) WITH (topic='s', format='avro', schema.version='7')`:                                {"subject s-value", "not in the schema registry"},
		`CREATE STREAM x (id INT) WITH (topic='s', registry.urls='x')`:                                                {"registry.urls", "registry.url"},
		`CREATE STREAM x (id INT) WITH (topic='s', format='json', registry.password='abc')`:                           {"belongs to format", "registry.password='***'"},
		`CREATE STREAM x (id INT) WITH (topic='s', format='avro', registry.url='http://a:b@c')`:                       {"holds a user"},
		`CREATE STREAM x (id INT) WITH (topic='s', format='avro', schema.file='none.avsc')`:                           {"schema.file"},
		`CREATE STREAM y WITH (format='avro', topic='y', registry.auto_register=false) AS SELECT id FROM s`:           {"registry.auto_register is false", "subject y-value"},
	} {
		l.refuses(sql, texts...)
	}
}

// A schema that is not there for a moment is waited for; one that can never be read, and records without one, are bad records.
func TestARegistryThatIsAway(t *testing.T) {
	l, r := registered(t)
	l.exec(`CREATE STREAM s (id BIGINT) WITH (topic='s', partitions=1, format='avro');
		CREATE STREAM bytes (x VARBINARY) WITH (topic='s', format='bytes');
		INSERT INTO s VALUES (1);
		INSERT INTO bytes VALUES (X'6e6f20686561646572')`)
	var away atomic.Bool
	var asked atomic.Int64
	r.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if away.Load() && strings.HasPrefix(req.URL.Path, "/schemas/ids/") {
			asked.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	away.Store(true)
	rows, err := l.Query(l.ctx, `SELECT id FROM s`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if _, _, err := r.RegisterSchema("s-value", sr.Schema{Schema: `{"type":"record","name":"s","fields":[{"name":"id","type":"long"},{"name":"x","type":["null","int"],"default":null}]}`}); err != nil {
		t.Fatal(err)
	}
	l.exec(`INSERT INTO bytes VALUES (X'00000000020400')`) // schema 2: id 2, x null
	go func() {
		for asked.Load() < 5 && l.ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		away.Store(false)
	}()
	got, err := lines(rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, got, "1", "2")
}

func TestSecretsAreHidden(t *testing.T) {
	l, r := registered(t)
	l.exec(`CREATE STREAM s (id BIGINT) WITH (topic='s', partitions=1, format='avro', registry.url='` + r.URL() + `', registry.user='u', registry.password='geheim')`)
	for _, sql := range []string{`SHOW CREATE s`, `DESCRIBE EXTENDED s`, `SHOW SETTINGS`, `SHOW OPTIONS`, `EXPLAIN SELECT * FROM s`} {
		rows, err := l.Query(l.ctx, sql)
		if err != nil {
			continue // not every statement is there
		}
		got, err := lines(rows, -1)
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(got, "\n"); strings.Contains(text, "geheim") {
			t.Errorf("%s shows the password:\n%s", sql, text)
		}
	}
	l.refuses(`CREATE STREAM x (id INT) WITH (topic='x', format='avro', registry.token='verborgen', registry.timeout='soon')`, "registry.timeout", "registry.token='*********'")
}

func TestAvroByAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "order.avsc")
	if err := os.WriteFile(path, []byte(`{"type":"record","name":"Order","fields":[{"name":"id","type":"long"},{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}},
		{"name":"parts","type":{"type":"array","items":{"type":"record","name":"Line","fields":[{"name":"sku","type":"string"},{"name":"n","type":"int"}]}}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, streamsql.Options{})
	l.exec(`CREATE STREAM s (WATERMARK FOR at AS at - INTERVAL 1 SECOND) WITH (topic='s', partitions=1, format='avro', schema.file='` + path + `');
		INSERT INTO s VALUES (1, '2020-01-01 00:00:00', '[{"sku":"a","n":2}]')`)
	wants(t, l.query(`DESCRIBE s`), "at TIMESTAMP(3) event time, disorder 1s", "id BIGINT ", "parts ARRAY<STRUCT<sku VARCHAR, n INT>> ")
	wants(t, l.query(`SELECT id, parts FROM s`), `1 [{"sku":"a","n":2}]`)
	l.refuses(`INSERT INTO s VALUES (NULL, '2030-01-01 00:00:00', '[]')`, "id", "NULL")
	errs := streamsql.Check("", `CREATE STREAM s WITH (topic='s', format='avro', schema.file='`+path+`'); SELECT idd FROM s; CREATE STREAM r WITH (topic='r', format='avro'); SELECT x FROM r;`, nil)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "idd") {
		t.Errorf("check says %v", errs)
	}
}

// Keys in a format with a schema: their columns come from the key's schema, a null value deletes, and rows are moved to where their
// key's columns say.
func TestKeysWithASchema(t *testing.T) {
	l, r := registered(t)
	l.exec(`CREATE STREAM s (id BIGINT, name VARCHAR) WITH (topic='s', partitions=2);
		INSERT INTO s (id, name, _partition, _timestamp) VALUES (1, 'a', 0, 1000), (2, 'b', 1, 1000), (1, 'c', 1, 2000);
		CREATE TABLE t WITH (topic='t', format='protobuf', key_format='avro') AS SELECT id, LAST(name) AS name, COUNT(*) AS n FROM s GROUP BY id`)
	register := func(subject, schema string) {
		t.Helper()
		if _, _, err := r.RegisterSchema(subject, sr.Schema{Schema: schema}); err != nil {
			t.Fatal(err)
		}
	}
	register("users-key", `"long"`)
	register("users-value", `{"type":"record","name":"User","fields":[{"name":"name","type":"string"}]}`)
	l.exec(`CREATE TABLE users (PRIMARY KEY (id)) WITH (topic='users', partitions=1, format='avro', key='id', key_format='avro')`)
	wants(t, l.query(`DESCRIBE users`), "id BIGINT primary key, in the Kafka key", "name VARCHAR ")
	l.exec(`CREATE STREAM raw (x VARBINARY) WITH (topic='users', format='bytes');
		INSERT INTO raw (x, _key, _timestamp) VALUES (X'0000000003026d', X'000000000202', 1000), (X'0000000003026e', X'000000000204', 1000), (NULL, X'000000000202', 2000)`)
	var ids []string
	for _, subject := range []string{"users-key", "users-value"} {
		got, _ := r.GetSchema(subject, 1)
		ids = append(ids, got.Subject+" "+string(rune('0'+got.ID)))
	}
	wants(t, ids, "users-key 2", "users-value 3") // the ids that the records were written with
	wants(t, l.query(`SELECT id, name FROM users`), "1 NULL", "1 m", "2 n")
	rows, err := l.Query(l.ctx, `EXPLAIN SELECT s.id, users.name FROM s JOIN users ON s.id = users.id`)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := lines(rows, -1)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(plan, "\n"); !strings.Contains(text, "depend on the schema") {
		t.Errorf("the plan does not say why the table's rows move:\n%s", text)
	}
	l.refuses(`CREATE STREAM x (id BIGINT) WITH (topic='users', key='id', key_format='avro', schema.name='User')`, "schema.name belongs to format 'avro'", "x has 'json'")
	l.refuses(`CREATE STREAM x (id BIGINT) WITH (topic='users', key='id', format='avro', key_schema.name='User')`, "key_schema.name belongs to key_format 'avro'", "x has 'string'")
	l.refuses(`CREATE TABLE x (PRIMARY KEY (nobody)) WITH (topic='users', format='avro', key='nobody,id', key_format='avro')`, "nobody is neither in the value's schema nor in the key's")
}

// A record whose schema has another type for a column is a bad record: the dead letter has its bytes.
func TestAnImpossibleSchema(t *testing.T) {
	l, r := registered(t)
	l.exec(`CREATE STREAM s (id BIGINT) WITH (topic='s', partitions=1, format='avro', on_error='dead_letter', dead_letter_topic='bad');
		INSERT INTO s VALUES (1)`)
	if _, _, err := r.RegisterSchema("s-value", sr.Schema{Schema: `{"type":"record","name":"s","fields":[{"name":"id","type":["null",{"type":"array","items":"long"}]}]}`}); err != nil {
		t.Fatal(err)
	}
	l.exec(`CREATE STREAM raw (x VARBINARY) WITH (topic='s', format='bytes');
		INSERT INTO raw VALUES (X'000000000200'), (X'00000000020200'), (X'000000000902');
		CREATE STREAM dead (x VARBINARY) WITH (topic='bad', partitions=1, format='bytes');
		CREATE STREAM o WITH (topic='o') AS SELECT id FROM s`)
	rows, err := l.Query(l.ctx, `SELECT HEX(x), HEADER('streamsql.reason') FROM dead LIMIT 2`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lines(rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, got, "00000000020200 wrong_type", "000000000902 unknown_schema")
	wants(t, l.query(`SELECT id FROM o`), "1", "NULL")
}
