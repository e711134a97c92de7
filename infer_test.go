package streamsql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/partition"
)

// fill makes a topic of records; where a partitioner puts those with a key, else in partition 0.
func (l *lab) fill(topic string, partitions int32, partitioner string, configs map[string]string, records ...connectors.Record) {
	l.t.Helper()
	c := l.cluster()
	if err := c.Create(l.ctx, connectors.TopicSpec{Name: topic, Partitions: partitions, Configs: configs}); err != nil {
		l.t.Fatal(err)
	}
	for i := range records {
		records[i].Topic = topic
		if r := &records[i]; partitioner != "" && r.Key != nil {
			r.Partition = partition.Of(partitioner)(r.Key, partitions)
		}
		if records[i].Timestamp == 0 {
			records[i].Timestamp = 1714979289000 + int64(i)
		}
	}
	if _, err := c.Write(l.ctx, records...); err != nil {
		l.t.Fatal(err)
	}
}

// infer is what INFER proposes.
func (l *lab) infer(statement string) string {
	l.t.Helper()
	rows, err := l.Query(l.ctx, statement)
	if err != nil {
		l.t.Fatal(err)
	}
	got, err := lines(rows, -1)
	if err != nil {
		l.t.Fatal(err)
	}
	return strings.Join(got, "\n") + "\n"
}

func (l *lab) proposes(statement, want string) {
	l.t.Helper()
	want = strings.ReplaceAll(strings.TrimPrefix(want, "\n"), "\n\t\t", "\n")
	want = strings.TrimSuffix(strings.TrimPrefix(want, "\t\t"), "\t") // the last line's indent
	if got := l.infer(statement); got != want {
		l.t.Errorf("%s proposes\n%s\nwant\n%s", statement, got, want)
	}
}

func value(key, value string) connectors.Record {
	r := connectors.Record{Value: []byte(value)}
	if key != "" {
		r.Key = []byte(key)
	}
	return r
}

func TestInferObjects(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.fill("orders", 1, "", nil,
		value("7", `{"id":7,"order":"a","amount":12.5,"n":3000000000,"created_at":1714979289000,"paid":true,"user":{"id":1,"country":"at","group":"x"},"tags":["x"],"ts":"2024-05-06T07:08:09.25Z","day":"2024-05-06","seen":1714979289}`),
		value("8", `{"id":8,"order":"b","amount":-100,"n":1,"created_at":1714979288500,"paid":null,"user":{"id":2.5,"country":null,"group":"x"},"tags":[],"ts":"2024-05-06 07:08:08Z","day":"2024-05-07","mixed":1,"seen":1714979289}`),
		value("7", `{"id":7,"order":"c","amount":0.125,"n":2,"created_at":1714979289000,"paid":false,"user":{"id":1},"tags":null,"ts":"2024-05-06T09:08:10+02:00","day":"2024-05-08","mixed":"x","ID":5,"seen":1714979289}`))
	ddl := `
		-- Topic orders: 1 partition, about 3 records. Guessed from 3 of them.
		-- The field ID is left out: it differs from id in case only.
		CREATE STREAM orders (
		  id INT,
		  ` + "`order`" + ` VARCHAR,
		  amount DECIMAL(10,3),
		  n BIGINT,
		  created_at TIMESTAMP(3), -- milliseconds since 1970, guessed from the name and the values (2024-05-06 to 2024-05-06)
		  paid BOOLEAN, -- NULL or missing in 1 of 3
		  user STRUCT<id DECIMAL(10,1), country VARCHAR, ` + "`group`" + ` VARCHAR>,
		  tags ARRAY<VARCHAR>, -- NULL or missing in 1 of 3
		  ts TIMESTAMP(3),
		  day DATE,
		  seen INT,
		  mixed VARCHAR -- numbers, texts or truth values; NULL or missing in 1 of 3
		) WITH (topic = 'orders', format = 'json', key = 'id');
		-- Event time is the record's timestamp; for the column instead: timestamp = 'created_at', disorder = '500ms'
		-- Event time is the record's timestamp; for the column instead: timestamp = 'ts', disorder = '1s300ms'

		-- Keys repeat. If a record replaces the earlier ones of its key, the topic is a table:
		CREATE TABLE orders_table (
`
	ddl = strings.Replace(ddl, "seen INT,", "seen BIGINT,", 1)
	got := l.infer(`INFER FROM TOPIC orders`)
	want := strings.ReplaceAll(strings.TrimPrefix(ddl, "\n\t\t"), "\n\t\t", "\n")
	if !strings.HasPrefix(got, want) || !strings.Contains(got, "  PRIMARY KEY (id)\n) WITH (topic = 'orders', format = 'json', key = 'id');\n") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.exec(got)
	l.wants(`SELECT id, amount, created_at, user.id AS uid, tags, ts, mixed FROM orders`,
		`7 12.500 2024-05-06 07:08:09.000 1.0 ["x"] 2024-05-06 07:08:09.250 NULL`, `8 -100.000 2024-05-06 07:08:08.500 2.5 [] 2024-05-06 07:08:08.000 1`,
		`7 0.125 2024-05-06 07:08:09.000 1.0 NULL 2024-05-06 07:08:10.000 x`)
}

// What INFER proposes is a script that runs, and reads every record it was made of.
func TestInferRoundTrip(t *testing.T) {
	l := open(t, streamsql.Options{})
	for i, test := range []struct {
		name    string
		records []connectors.Record
		has     []string
	}{
		{"numbers", []connectors.Record{value("", `{"a":1,"b":18446744073709551615,"c":123456789012345678901234567890,"d":1e3,"e":0.1234567,"f":0,"g":1}`), value("", `{"a":-5,"b":0,"c":1,"d":2,"e":1,"f":true,"g":0}`)},
			[]string{"a INT", "b BIGINT UNSIGNED", "c DECIMAL(38,0)", "d DOUBLE", "e DOUBLE", "f BOOLEAN", "g INT"}},
		{"shapes", []connectors.Record{value("", `{"a":{},"b":[],"c":null,"d":[[1,2],[3]],"e":[{"x":1},{"x":null,"y":"z"}],"f":[1,"x"],"g":{"x":1},"_key":5}`), value("", `{"a":{},"b":[],"g":[1]}`)},
			[]string{"a JSON, -- always empty", "b JSON", "c VARCHAR, -- always null", "d ARRAY<ARRAY<INT>>", "e ARRAY<STRUCT<x INT, y VARCHAR>>", "f ARRAY<VARCHAR>", "g JSON", "-- The field _key is left out"}},
		{"map", []connectors.Record{value("", object(0, 12)), value("", object(12, 24)), value("", object(24, 36))}, []string{"m MAP<VARCHAR, INT> -- a MAP, because 36 different names were seen"}},
		{"names", []connectors.Record{value("", `{"select":1,"a b":2,"ünder":3,"full":4,"a`+"`"+`b":5,"1x":6,"it's":7}`)}, []string{"`select` INT", "`a b` INT", "`ünder` INT", "`full` INT", "`a``b` INT", "`1x` INT", "`it's` INT"}},
		{"csv", []connectors.Record{value("", "1,plain,2024-05-06,0.5"), value("", `2,"a, b",2024-05-07,`)}, []string{"format = 'csv'", "c1 INT", "c2 VARCHAR", "c3 DATE", "c4 DECIMAL(10,1)", "names of the columns are made up"}},
		{"semicolons", []connectors.Record{value("", "1,5;x"), value("", "2,5;y")}, []string{"format = 'csv', csv.delimiter = ';'"}},
		{"tabs", []connectors.Record{value("", "1\t007"), value("", "2\t008")}, []string{"format = 'tsv'", "c2 VARCHAR"}},
		{"words", []connectors.Record{value("", "hello"), value("", "wörld")}, []string{"value VARCHAR\n", "format = 'string'"}},
		{"plain_numbers", []connectors.Record{value("", "1"), value("", "-7")}, []string{"value INT\n", "format = 'string'"}},
		{"longs", []connectors.Record{value("", "\x00\x00\x00\x00\x00\x00\x01\x02"), value("", "\x00\x00\x00\x00\x00\x00\x00\x07")}, []string{"value BIGINT -- guessed from the length of 8 bytes", "format = 'bigint'"}},
		{"doubles", []connectors.Record{value("", "\x3f\xf0\x00\x00\x00\x00\x00\x00"), value("", "\xc0\x00\x00\x00\x00\x00\x00\x00")}, []string{"value DOUBLE", "format = 'double'"}},
		{"ints", []connectors.Record{value("", "\x00\x00\x01\x02")}, []string{"value INT", "format = 'int'"}},
		{"blobs", []connectors.Record{value("", "\xff\xfe\xfd"), value("", "\x01")}, []string{"value VARBINARY", "format = 'bytes'"}},
		{"object_keys", []connectors.Record{value(`{"b":2,"a":"x"}`, `{"a":"x","b":2,"c":3}`), value(`{"b":3,"a":"y"}`, `{"a":"y","b":3,"c":3}`)}, []string{"key = 'b, a');"}},
		{"long_keys", []connectors.Record{value("\x00\x00\x00\x00\x00\x00\x00\x05", `{"n":5}`), value("\x00\x00\x00\x00\x00\x00\x00\x06", `{"n":6}`)}, []string{"key = 'n', key_format = 'bigint'"}},
		{"padded_keys", []connectors.Record{value("05", `{"n":5}`), value("06", `{"n":6}`)}, []string{"The Kafka keys (string) are in no field", "format = 'json');"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &lab{l.Engine, t, l.ctx}
			l.fill(test.name, 1, "", nil, test.records...)
			ddl := l.infer("INFER FROM TOPIC " + test.name)
			for _, has := range test.has {
				if !strings.Contains(ddl, has) {
					t.Errorf("%s is missing in\n%s", has, ddl)
				}
			}
			l.exec(ddl)
			target := fmt.Sprintf("o%d", i)
			q, err := l.Start(l.ctx, fmt.Sprintf("CREATE STREAM %s AS SELECT *, 1 AS one FROM %s", target, test.name), streamsql.Bounded(streamsql.UntilEnd))
			if err != nil {
				t.Fatalf("%v\n%s", err, ddl)
			}
			if err := q.Wait(l.ctx); err != nil {
				t.Fatal(err)
			}
			if s := q.Stats(); s.In != int64(len(test.records)) || s.Out != s.In || s.Bad != 0 {
				t.Errorf("%d of %d records came out, %d were bad:\n%s", s.Out, len(test.records), s.Bad, ddl)
			}
		})
	}
}

// object is {"m":{…}} with the names from to to.
func object(from, to int) string {
	var members []string
	for i := from; i < to; i++ {
		members = append(members, fmt.Sprintf(`"user-%d":%d`, i, i))
	}
	return `{"m":{` + strings.Join(members, ",") + `}}`
}

// A compacted topic is a table, and null values say so too; a key that no field repeats gets a column.
func TestInferTable(t *testing.T) {
	l := open(t, streamsql.Options{})
	var users []connectors.Record
	for i := range 12 {
		users = append(users, value(fmt.Sprintf("u%d", i), fmt.Sprintf(`{"name":"n%d"}`, i)))
	}
	users = append(users, connectors.Record{Key: []byte("u1")}, value("u2", "not json"))
	l.fill("users", 2, "murmur2", map[string]string{"cleanup.policy": "compact"}, users...)
	l.proposes(`INFER FROM TOPIC users WITH (name = 'people')`, `
		-- Topic users: 2 partitions, about 14 records. Guessed from 14 of them.
		-- It is compacted: records replace the earlier ones of their key.
		-- 1 record without a value: these remove the row of their key.
		-- 1 record cannot be read so, and will meet on_error.
		-- The first record that is not read so: partition 0, offset 11: not valid JSON at byte 0, before "not json": expected a value: an object, array, string in double quotes, number, true, false or null.
		CREATE TABLE people (
		  name VARCHAR,
		  record_key VARCHAR, -- the Kafka key; no field of the value repeats it
		  PRIMARY KEY (record_key)
		) WITH (topic = 'users', format = 'json', key = 'record_key');
		`)
	l.exec(l.infer(`INFER FROM TOPIC users WITH (name = 'people')`))
	l.exec(`CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=2); INSERT INTO s (id, _timestamp) VALUES ('u1', 1714979289500), ('u3', 1714979289500)`)
	l.wants(`SELECT s.id, name FROM s LEFT JOIN people ON s.id = people.record_key`, "u1 NULL", "u3 n3")
	l.fill("crc", 3, "crc32", nil, value("a", `{"id":"a"}`), value("b", `{"id":"b"}`), value("c", `{"id":"c"}`))
	l.fill("nohash", 3, "", nil, value("a", `{"id":"a"}`), value("b", `{"id":"b"}`), value("c", `{"id":"c"}`))
	for topic, want := range map[string]string{"crc": "key = 'id', partitioner = 'crc32');", "nohash": "key = 'id', partitioner = 'unknown');"} {
		if got := l.infer(`INFER FROM TOPIC ` + topic); !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	l.fill("flags", 1, "", nil, value("\x00\x00\x00\x01", "\x01"), value("\x00\x00\x00\x02", "\x00"), connectors.Record{Key: []byte("\x00\x00\x00\x01")})
	l.proposes(`INFER FROM TOPIC flags`, `
		-- Topic flags: 1 partition, about 3 records. Guessed from 3 of them.
		-- 1 record without a value: these remove the row of their key.
		CREATE TABLE flags (
		  value BOOLEAN, -- guessed from the length of 1 bytes
		  record_key INT, -- the Kafka key; no field of the value repeats it
		  PRIMARY KEY (record_key)
		) WITH (topic = 'flags', format = 'boolean', key = 'record_key', key_format = 'int');
		`)
	l.exec(l.infer(`INFER FROM TOPIC flags`))
}

// The first and the last records are looked at, and times that go back make a disorder.
func TestInferEnds(t *testing.T) {
	l := open(t, streamsql.Options{})
	var records []connectors.Record
	for i := range 300 {
		r := value("", fmt.Sprintf(`{"n":%d}`, i))
		r.Timestamp = 1714979289000 + int64(i)*1000
		if i == 2 {
			r.Timestamp -= 4321
		}
		if i == 150 {
			r.Value = []byte(`{"middle":1}`)
		}
		records = append(records, r)
	}
	records[299].Value = []byte(`{"n":299.5}`)
	l.fill("long", 1, "", nil, records...)
	l.proposes(`INFER FROM TOPIC long WITH (samples = 10)`, `
		-- Topic long: 1 partition, about 300 records. Guessed from 10 of them.
		CREATE STREAM `+"`long`"+` (
		  n DECIMAL(10,1)
		) WITH (topic = 'long', format = 'json', disorder = '3s400ms');
		`)
}

// Change events are the table whose changes they tell.
func TestInferChanges(t *testing.T) {
	l := open(t, streamsql.Options{})
	schema := `{"type":"struct","fields":[{"type":"struct","fields":[],"field":"before"},{"type":"struct","fields":[{"type":"int32","field":"id"},{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2","connect.decimal.precision":"12"},"field":"price"},` +
		`{"type":"int32","name":"io.debezium.time.Date","field":"born"},{"type":"string","name":"io.debezium.data.Enum","field":"kind"},{"type":"array","items":{"type":"string"},"field":"tags"}],"field":"after"}]}`
	key := func(id int) string {
		return fmt.Sprintf(`{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"}]},"payload":{"id":%d}}`, id)
	}
	wrapped := func(payload string) string { return `{"schema":` + schema + `,"payload":` + payload + `}` }
	l.fill("db.t", 1, "", nil,
		value(key(1), wrapped(`{"op":"c","before":null,"after":{"id":1,"price":"BNI=","born":19849,"kind":"x","tags":["a"]},"source":{"ts_ms":1}}`)),
		value(key(2), wrapped(`{"op":"r","before":null,"after":{"id":2},"source":{"ts_ms":1}}`)),
		value(key(1), wrapped(`{"op":"d","before":{"id":1},"after":null,"source":{"ts_ms":2}}`)), connectors.Record{Key: []byte(key(1))})
	l.proposes(`INFER FROM TOPIC db.t`, `
		-- Topic db.t: 1 partition, about 4 records. Guessed from 4 of them.
		-- 1 record without a value: each repeats the deletion before it.
		CREATE TABLE db_t (
		  id INT,
		  price DECIMAL(12,2),
		  born DATE,
		  kind VARCHAR,
		  tags ARRAY<VARCHAR>,
		  PRIMARY KEY (id)
		) WITH (topic = 'db.t', format = 'debezium-json', key = 'id');
		-- Event time is the record's timestamp; for that of the change in the database: debezium.time = 'source'
		`)
	l.exec(l.infer(`INFER FROM TOPIC db.t WITH (name = 't')`))
	l.exec(`CREATE STREAM s (id INT) WITH (topic='s', partitions=1); INSERT INTO s (id, _timestamp) VALUES (1, 1714979289000), (1, 1714979289002), (2, 1714979289002)`)
	l.wants(`SELECT s.id, price, born, tags FROM s LEFT JOIN t ON s.id = t.id`, `1 12.34 2024-05-06 ["a"]`, "1 NULL NULL NULL", "2 NULL NULL NULL")
	l.fill("plain", 1, "", nil, value("", `{"op":"c","after":{"user_id":1,"name":"a"}}`), value("", `{"op":"d","before":{"user_id":1}}`))
	l.proposes(`INFER FROM TOPIC plain`, `
		-- Topic plain: 1 partition, about 2 records. Guessed from 2 of them.
		-- Without a schema, DATEs and DECIMALs of the database look like numbers and texts: correct their types.
		CREATE TABLE plain (
		  user_id INT, -- guessed to be the primary key
		  name VARCHAR, -- NULL or missing in 1 of 2
		  PRIMARY KEY (user_id)
		) WITH (topic = 'plain', format = 'debezium-json');
		-- Event time is the record's timestamp; for that of the change in the database: debezium.time = 'source'
		`)
	l.exec(l.infer(`INFER FROM TOPIC plain`))
}

// Attributes of CloudEvents are headers.
func TestInferCloudEvents(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec(`CREATE STREAM w (n INT) WITH (topic='events', partitions=1);
		INSERT INTO w (n, _timestamp, _headers) VALUES (1, 1714979289000, '{"ce_specversion":"1.0","ce_id":"a","ce_time":"2024-05-06T07:08:09Z","content-type":"application/json"}'), (2, 1714979289001, '{"ce_specversion":"1.0","ce_id":"b"}')`)
	l.proposes(`INFER FROM TOPIC events`, `
		-- Topic events: 1 partition, about 2 records. Guessed from 2 of them.
		-- The records are CloudEvents in binary mode: their attributes are headers.
		CREATE STREAM events (
		  n INT,
		  ce_specversion VARCHAR,
		  ce_id VARCHAR,
		  ce_time TIMESTAMP(3) -- no such header in 1 of 2
		) WITH (topic = 'events', format = 'json', headers = 'ce_specversion, ce_id, ce_time');
		`)
	l.exec(l.infer(`INFER FROM TOPIC events`))
	l.wants(`SELECT n, ce_id, ce_time FROM events`, "1 a 2024-05-06 07:08:09.000", "2 b NULL")
	l.wants(`DESCRIBE events`, "ce_id VARCHAR header ce_id", "ce_specversion VARCHAR header ce_specversion", "ce_time TIMESTAMP(3) header ce_time", "n INT ")
}

// What a schema registry knows is not guessed.
func TestInferThroughARegistry(t *testing.T) {
	l, _ := registered(t)
	l.exec(`CREATE STREAM s (id BIGINT, name VARCHAR) WITH (topic='s', partitions=1, format='avro', key='id');
		INSERT INTO s (id, name, _timestamp) VALUES (1, 'a', 1714979289000), (2, NULL, 1714979289001)`)
	l.proposes(`INFER FROM TOPIC s WITH (name = 'copy', registry.auto_register = false)`, `
		-- Topic s: 1 partition, about 2 records. Guessed from 2 of them.
		-- The columns are those of subject s-value, version 1.
		CREATE STREAM copy (
		  id BIGINT,
		  name VARCHAR
		) WITH (topic = 's', format = 'avro', registry.auto_register = 'false', key = 'id');
		`)
	l.exec(l.infer(`INFER FROM TOPIC s WITH (name = 'copy')`))
	l.wants(`SELECT id, name FROM copy`, "1 a", "2 NULL")
}

func TestInferRefuses(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.fill("empty", 1, "", nil)
	l.fill("deleted", 1, "", nil, connectors.Record{Key: []byte("a")})
	l.fill("framed", 1, "", nil, value("", "\x00\x00\x00\x00\x07abc"), value("", "\x00\x00\x00\x00\x07abcd"))
	for sql, texts := range map[string][]string{
		`INFER FROM TOPIC none`:                          {"topic none does not exist", "SHOW TOPICS", "1:18"},
		`INFER FROM TOPIC empty`:                         {"topic empty is empty", "declare its columns"},
		`INFER FROM TOPIC deleted`:                       {"have no value", "samples"},
		`INFER FROM TOPIC framed`:                        {"id of a schema in a registry (7)", "registry.url"},
		`INFER FROM TOPIC empty WITH (sample = 5)`:       {"unknown option 'sample'", "did you mean 'samples'?"},
		`INFER FROM TOPIC empty WITH (samples = 'many')`: {"samples", "whole number"},
		`INFER FROM TOPIC empty WITH (samples = 0)`:      {"samples = 0"},
	} {
		rows, err := l.Query(l.ctx, sql)
		if err == nil {
			t.Errorf("%s: accepted, %v", sql, rows.Columns())
			continue
		}
		for _, x := range texts {
			if !strings.Contains(err.Error(), x) {
				t.Errorf("%s\nsays: %v\nwithout: %s", sql, err, x)
			}
		}
	}
}
