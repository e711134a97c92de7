package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

func id(n string) ast.Ident { return ast.Ident{Name: n} }

func col(name, typ string, args ...int) ast.ColumnDef {
	return ast.ColumnDef{Name: id(name), Type: ast.TypeName{Name: typ, Args: args}}
}

func opt(name, value string) ast.Option { return ast.Option{Name: name, Value: value} }

func source(kind ast.Kind, options ...ast.Option) *ast.Create {
	c := &ast.Create{Kind: kind, Name: id("src"), Options: options,
		Columns: []ast.ColumnDef{col("id", "VARCHAR", 10), col("n", "INT"), col("ts", "TIMESTAMP", 3), col("j", "JSON")}}
	if kind == ast.Table {
		c.PrimaryKey = []ast.Ident{id("ID")}
	}
	return c
}

// TestDefaults are those of semantics S8.
func TestDefaults(t *testing.T) {
	r, err := Define(source(ast.Stream))
	if err != nil {
		t.Fatal(err)
	}
	if r.Topic != "src" || r.Connector != "kafka" || r.Format != "json" || r.Start != "" || r.Disorder != 0 || r.IdleTimeout != 5*types.MicrosPerSecond ||
		r.History != 10*types.MicrosPerMinute || r.MaxFuture != types.MicrosPerHour || r.Retention != -1 || r.OnError != Skip || r.ContinueOnLoss || r.IdleClose != 0 ||
		r.Timestamp != -1 || r.Key != nil || r.Partitioner != Murmur2 {
		t.Errorf("%+v", r)
	}
}

// TestOptions: what every option does.
func TestOptions(t *testing.T) {
	r, err := Define(source(ast.Table, opt("KAFKA_TOPIC", "T"), opt("value_format", "RAW"), opt("partitions", "3"), opt("replicas", "2"), opt("key", "id, N"),
		opt("timestamp", "ts"), opt("timestamp_format", "iso"), opt("disorder", "5s"), opt("max_future", "2h"), opt("idle_timeout", "1m"),
		opt("history", "1d"), opt("retention", "7d"), opt("start", "LATEST"), opt("on_error", "dead_letter"), opt("dead_letter_topic", "dl"),
		opt("late_topic", "late"), opt("on_data_loss", "continue"), opt("partitioner", "crc32"), opt("kafka.acks", "1"), opt("generate.rate", "5")))
	if err != nil {
		t.Fatal(err)
	}
	if r.Topic != "T" || r.Format != "raw" || r.Partitions != 3 || r.Replicas != 2 || !slices.Equal(r.Key, []int{0, 1}) || r.KeyFormat != "json" ||
		r.Timestamp != 2 || r.TimestampFormat != "iso" || r.Disorder != 5*types.MicrosPerSecond || r.MaxFuture != 2*types.MicrosPerHour || r.IdleTimeout != types.MicrosPerMinute ||
		r.History != types.MicrosPerDay || r.Retention != 7*types.MicrosPerDay || r.Start != "latest" || r.OnError != DeadLetter || r.DeadLetterTopic != "dl" ||
		r.LateTopic != "late" || !r.ContinueOnLoss || r.Partitioner != CRC32 || r.ConnectorOptions["kafka.acks"] != "1" ||
		r.ConnectorOptions["generate.rate"] != "5" || !slices.Equal(r.PrimaryKey, []int{0}) {
		t.Errorf("%+v", r)
	}
}

func TestEveryOptionIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Options() {
		for _, n := range append([]string{o.Name}, o.Synonyms...) {
			if seen[n] || n != strings.ToLower(n) {
				t.Errorf("name %s", n)
			}
			seen[n] = true
		}
		if o.Doc == "" || o.Type == "" || o.Default == "" || o.set == nil {
			t.Errorf("option %s: %+v", o.Name, o)
		}
	}
}

func TestRefusedDefinitions(t *testing.T) {
	watermark := source(ast.Stream)
	watermark.Watermark = &ast.Watermark{Column: id("nope")}
	nested := source(ast.Table)
	nested.PrimaryKey = []ast.Ident{id("j")}
	for want, c := range map[string]*ast.Create{
		"unknown column nope":                     watermark,
		"column j of type JSON cannot be a pri":   nested,
		"unknown option histry":                   source(ast.Stream, opt("histry", "1d")),
		"option partitions: \"0\"":                source(ast.Stream, opt("partitions", "0")),
		"option start: \"soon\"":                  source(ast.Stream, opt("start", "soon")),
		"option topic: \"a b\"":                   source(ast.Stream, opt("topic", "a b")),
		"on_error = 'ignore' is not possible":     source(ast.Stream, opt("on_error", "ignore")),
		"key_format 'bigint' holds one column":    source(ast.Stream, opt("key", "id,n"), opt("key_format", "bigint")),
		"column j of type JSON cannot be in":      source(ast.Stream, opt("key", "j")),
		"timestamp_format without an event-time":  source(ast.Stream, opt("timestamp_format", "s")),
		"option timestamp_format: \"minutes\"":    source(ast.Stream, opt("timestamp", "ts"), opt("timestamp_format", "minutes")),
		"option kafka.acks is given twice":        source(ast.Stream, opt("kafka.acks", "1"), opt("KAFKA.acks", "2")),
		"option idle_close belongs to the target": source(ast.Stream, opt("idle_close", "1s")),
	} {
		_, err := Define(c)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

func TestStarts(t *testing.T) {
	for _, s := range []string{"earliest", "latest", "-1000", "1700000000000", "2030-01-01 00:00:00", "2030-01-01T00:00:00Z", "2030-01-01"} {
		if r, err := Define(source(ast.Stream, opt("start", s))); err != nil || r.Start != s {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// TestTypes: the types a declaration means; DECIMAL without digits is DECIMAL(10,0) as in MySQL.
func TestTypes(t *testing.T) {
	for want, n := range map[string]ast.TypeName{
		"BOOLEAN":         {Name: "BOOLEAN"},
		"TINYINT":         {Name: "TINYINT"},
		"BIGINT UNSIGNED": {Name: "BIGINT", Unsigned: true},
		"FLOAT":           {Name: "FLOAT"},
		"DECIMAL(10,0)":   {Name: "DECIMAL"},
		"DECIMAL(38,30)":  {Name: "DECIMAL", Args: []int{38, 30}},
		"VARCHAR(20)":     {Name: "VARCHAR", Args: []int{20}},
		"TIMESTAMP(3)":    {Name: "TIMESTAMP"},
		"TIMESTAMP":       {Name: "TIMESTAMP", Args: []int{0}},
		"TIME":            {Name: "TIME"},
		"ARRAY<VARCHAR>":  {Name: "ARRAY", Elem: &ast.TypeName{Name: "VARCHAR"}},
		"MAP<VARCHAR, STRUCT<a INT, b DOUBLE>>": {Name: "MAP", Elem: &ast.TypeName{Name: "STRUCT", Fields: []ast.FieldDef{
			{Name: id("a"), Type: ast.TypeName{Name: "INT"}}, {Name: id("b"), Type: ast.TypeName{Name: "DOUBLE"}}}}},
	} {
		got, err := TypeOf(n)
		if err != nil || got.String() != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	for _, n := range []ast.TypeName{{Name: "DECIMAL", Args: []int{39, 0}}, {Name: "DECIMAL", Args: []int{5, 6}}, {Name: "TIMESTAMP", Args: []int{7}}, {Name: "UUID"}, {Name: "ARRAY"}} {
		if got, err := TypeOf(n); err == nil {
			t.Errorf("%v is %s", n, got)
		}
	}
}

func TestTarget(t *testing.T) {
	c := &ast.Create{Kind: ast.Table, Name: id("out"), Options: []ast.Option{opt("idle_close", "5m"), opt("ttl", "1h")}}
	r, err := DefineTarget(c, []types.Column{{Name: "a", Type: types.TBigInt}, {Name: "w", Type: types.TTimestamp}}, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.IdleClose != 5*types.MicrosPerMinute || r.TTL != types.MicrosPerHour || r.KeyFormat != "json" || !slices.Equal(r.Key, []int{0, 1}) || !slices.Equal(r.PrimaryKey, []int{0, 1}) {
		t.Errorf("%+v", r)
	}
	c.Options = []ast.Option{opt("key", "a")}
	if _, err := DefineTarget(c, nil, nil); err == nil || !strings.Contains(err.Error(), "follows from the query") {
		t.Errorf("key on a target: %v", err)
	}
}

// TestOptionsWithoutSense: what cannot have an effect is refused where it stands, not accepted in silence.
func TestOptionsWithoutSense(t *testing.T) {
	for _, c := range []struct {
		kind ast.Kind
		opts []ast.Option
		want string
	}{
		{ast.Stream, []ast.Option{opt("format", "debezium-json")}, "format 'debezium-json' tells changes of the rows of a table"},
		{ast.Stream, []ast.Option{opt("dead_letter_topic", "d")}, "without on_error = 'dead_letter'"},
		{ast.Stream, []ast.Option{opt("key", "id"), opt("key_format", "bigint")}, "key_format 'bigint' cannot hold column id of type VARCHAR(10)"},
		{ast.Stream, []ast.Option{opt("key", "n"), opt("key_format", "double")}, "key_format 'double' cannot hold column n"},
	} {
		if _, err := Define(source(c.kind, c.opts...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.opts, err, c.want)
		}
	}
	for _, good := range [][]ast.Option{
		{opt("key", "n"), opt("key_format", "int")}, {opt("dead_letter_topic", "d"), opt("on_error", "dead_letter")}, {opt("key", "ts"), opt("key_format", "string")},
	} {
		if _, err := Define(source(ast.Stream, good...)); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
}
