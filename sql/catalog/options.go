package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Option is one option of a WITH clause, as SHOW OPTIONS and the documentation show it.
type Option struct {
	Name     string
	Synonyms []string // ksqlDB's and Kafka Streams' names
	Type     string   // "text", "duration", "number", "column", "columns", or the allowed words
	Default  string
	Doc      string
	// Target: only where a query writes (CREATE … AS).
	Target bool

	words []string
	set   func(d *definition, value string) error
}

// Words are the values that are possible, nil when they cannot be listed.
func (o Option) Words() []string { return o.words }

// Options are all options that do not belong to a connector, in the order of the documentation.
func Options() []Option { return options }

var options = []Option{
	{Name: "connector", Type: "kafka, go, or one that the program carries: file, stdin, stdout, generate, nexmark", Default: "kafka", Doc: "where records come from and go to",
		set: func(d *definition, v string) error { d.r.Connector = strings.ToLower(strings.TrimSpace(v)); return nil }},
	{Name: "topic", Synonyms: []string{"kafka_topic", "topics"}, Type: "text", Default: "the relation's name", Doc: "Kafka topic; of a stream also several, separated by commas, read as one", set: setTopics},
	{Name: "topic_pattern", Type: "text", Default: "none", Doc: "a regular expression (RE2): the stream reads all topics of which it matches the whole name when the query starts", set: setTopicPattern},
	{Name: "partitions", Synonyms: []string{"kafka_partitions"}, Type: "number", Default: "a source's are the topic's; a target has those of its source",
		Doc: "partitions of the topic when the engine creates it; a source's topic is created only if this is given",
		set: func(d *definition, v string) error {
			n, err := number(v, 1, 100000)
			d.r.Partitions = int32(n)
			return err
		}},
	{Name: "replicas", Synonyms: []string{"kafka_replicas", "replication_factor"}, Type: "number", Default: "the broker's", Doc: "replication factor when the engine creates the topic",
		set: func(d *definition, v string) error {
			n, err := number(v, 1, 100)
			d.r.Replicas = int16(n)
			return err
		}},
	{Name: "format", Synonyms: []string{"value_format"}, Type: strings.Join(formats, ", "), Default: "json", Doc: "serialisation of the value",
		words: formats, set: func(d *definition, v string) error { d.r.Format = v; return nil }},
	{Name: "key_format", Type: strings.Join(keyFormats, ", "), Default: "string for one column, json for several", Doc: "serialisation of the key columns in the Kafka key",
		words: keyFormats, set: func(d *definition, v string) error { d.r.KeyFormat = v; return nil }},
	{Name: "key", Type: "columns", Default: "none: the Kafka key is ignored", Doc: "columns that are in the Kafka key, separated by commas", set: setKey},
	{Name: "headers", Type: "columns", Default: "none", Doc: "columns that are headers of the record and not in its value, separated by commas; 'column = name' where the header is called otherwise", set: setHeaders},
	{Name: "partitioner", Type: "murmur2, crc32, unknown", Default: "murmur2", Doc: "hash of the topic's producers over the key bytes: Java's murmur2, librdkafka's crc32",
		words: []string{"murmur2", "crc32", "unknown"}, set: setPartitioner},
	{Name: "timestamp", Type: "column", Default: "the record's timestamp", Doc: "column that holds the event time", set: setTimestamp},
	{Name: "timestamp_format", Type: "text", Default: "reads ms and iso, writes iso", Doc: "form of the DATE, TIME and TIMESTAMP columns and of the event-time column, read and written: ms, s, us, ns, iso, or a MySQL format string such as '%Y-%m-%d %H:%i:%s'", set: setTimestampFormat},
	{Name: "disorder", Type: "duration", Default: "0s", Doc: "how much older than the newest row of its partition a row may be before it is late", set: duration(func(d *definition, us int64) { d.r.Disorder, d.disorder = us, true })},
	{Name: "max_future", Type: "duration", Default: "1h", Doc: "an event time further ahead than this is refused", set: duration(func(d *definition, us int64) { d.r.MaxFuture = us })},
	{Name: "idle_timeout", Type: "duration", Default: "5s", Doc: "a partition that is at its end and brought nothing for so long does not hold back the others", set: duration(func(d *definition, us int64) { d.r.IdleTimeout = us })},
	{Name: "history", Type: "duration", Default: "10m", Doc: "how far back versions of a table, or of the groups of a stream, are kept for joins", set: duration(func(d *definition, us int64) { d.r.History = us })},
	{Name: "retention", Type: "duration", Default: "-1 (for ever)", Doc: "retention of the topic when the engine creates it", set: setRetention},
	{Name: "start", Type: "position", Default: "earliest", Doc: "where to begin: earliest, latest, 'offset:123' or 'offset:0=123,1=456' by partition, an instant ('2030-01-01 00:00:00' or milliseconds), '-1000', that many records before the end, '-1h', that long ago, or 'group:NAME', where another consumer group stands; found out once, when the query begins", set: setStart},
	{Name: "end", Type: "position", Default: "none", Doc: "where to stop, in the forms of start: the input then ends there, and with all its inputs the query; found out once, when the query begins", set: setEnd},
	{Name: "on_error", Type: "skip, fail, dead_letter", Default: "skip", Doc: "what to do with a record that cannot be used",
		words: []string{"skip", "fail", "dead_letter"}, set: setOnError},
	{Name: "dead_letter_topic", Type: "text", Default: "<app>.<query>.dlq", Doc: "topic for the bytes of unusable records, with on_error = 'dead_letter'", set: func(d *definition, v string) error { d.r.DeadLetterTopic = v; return topicName(v) }},
	{Name: "late_topic", Type: "text", Default: "none: late records are counted and the first are shown", Doc: "topic for the bytes of late records", set: func(d *definition, v string) error { d.r.LateTopic = v; return topicName(v) }},
	{Name: "on_data_loss", Type: "fail, continue", Default: "fail", Doc: "what to do when records that were not read yet are gone",
		words: []string{"fail", "continue"}, set: func(d *definition, v string) error { d.r.ContinueOnLoss = v == "continue"; return nil }},
	{Name: "non_deterministic", Type: "refuse, allow", Default: "refuse", Doc: "whether queries that write it may call functions of chance, RAND() and UUID(): a row computed again becomes another one",
		words: []string{"refuse", "allow"}, set: func(d *definition, v string) error { d.r.AllowRandom = v == "allow"; return nil }},
	{Name: "idle_close", Type: "duration", Default: "off", Target: true, Doc: "close open windows after all inputs were idle for so long by the clock", set: duration(func(d *definition, us int64) { d.r.IdleClose = us })},
	{Name: "ttl", Type: "duration", Default: "off", Target: true, Doc: "drop the state of a key that was not touched for so long of event time", set: duration(func(d *definition, us int64) { d.r.TTL = us })},
}

var (
	formats = []string{"json", "avro", "protobuf", "json-schema", "csv", "tsv", Debezium, "string", "bytes", "raw", "boolean", "smallint", "int", "bigint", "float", "double", "kafka"}
	// Of key formats all but json and those with a schema hold one column.
	keyFormats = []string{"string", "json", "boolean", "smallint", "int", "bigint", "float", "double", "bytes", "kafka", "avro", "protobuf", "json-schema", Debezium}
	// Options of connectors and of formats begin with these; who owns them checks them.
	connectorPrefixes = []string{"kafka.", "file.", "stdin.", "stdout.", "generate.", "nexmark."}
	formatPrefixes    = []string{"json.", "csv.", "debezium.", "schema.", "key_schema.", "registry."}
)

// optionNames are all names that may be written.
func optionNames() []string {
	var out []string
	for _, o := range options {
		out = append(out, o.Name)
	}
	return out
}

func findOption(name string) (Option, bool) {
	for _, o := range options {
		if o.Name == name {
			return o, true
		}
		for _, s := range o.Synonyms {
			if s == name {
				return o, true
			}
		}
	}
	return Option{}, false
}

// apply checks one written option and stores it.
func (d *definition) apply(w ast.Option) error {
	name := strings.ToLower(w.Name)
	if owned := d.owned(name); owned != nil {
		if _, twice := owned[name]; twice {
			return ast.Errorf(w.Span, "option %s is given twice", name)
		}
		owned[name] = w.Value
		return nil
	}
	o, ok := findOption(name)
	if !ok {
		return ast.Errorf(w.Span, "unknown option %s", w.Name).WithHint("%s", spell.Hint(name, "options", optionNames()))
	}
	if d.given[o.Name] {
		return ast.Errorf(w.Span, "option %s is given twice", o.Name)
	}
	d.given[o.Name] = true
	if o.Target && !d.target {
		return ast.Errorf(w.Span, "option %s belongs to the target of a query", o.Name).WithHint("write it in the WITH of CREATE … AS SELECT")
	}
	value := w.Value
	if o.words != nil {
		value = strings.ToLower(value)
		if !contains(o.words, value) {
			return ast.Errorf(w.ValueSpan, "%s = '%s' is not possible", o.Name, w.Value).WithHint("%s", spell.Hint(value, "possible", o.words))
		}
	}
	if err := o.set(d, value); err != nil {
		return ast.Errorf(w.ValueSpan, "option %s: %v", o.Name, err)
	}
	return nil
}

// owned are the options among which one of a connector or format goes; nil for those of the catalog.
func (d *definition) owned(name string) map[string]string {
	begins := func(p string) bool { return strings.HasPrefix(name, p) }
	switch {
	case d.connector != "" && begins(d.connector+"."), slices.ContainsFunc(connectorPrefixes, begins):
		return d.r.ConnectorOptions
	case slices.ContainsFunc(formatPrefixes, begins):
		return d.r.FormatOptions
	}
	return nil
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

func number(v string, lo, hi int64) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%q is not a number from %d to %d", v, lo, hi)
	}
	return n, nil
}

func duration(set func(*definition, int64)) func(*definition, string) error {
	return func(d *definition, v string) error {
		us, err := length(v)
		set(d, us)
		return err
	}
}

// length is a duration that is not negative.
func length(v string) (int64, error) {
	us, err := types.ParseDuration(v)
	if err == nil && us < 0 {
		err = fmt.Errorf("%q is below zero", v)
	}
	return us, err
}

func setTopic(d *definition, v string) error {
	d.r.Topic = v
	return topicName(v)
}

// topicName holds Kafka's rule for topic names (org.apache.kafka.common.internals.Topic).
func topicName(v string) error {
	ok := len(v) > 0 && len(v) <= 249 && v != "." && v != ".."
	for _, c := range v {
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	}
	if !ok {
		return fmt.Errorf("%q is not a topic name: 1 to 249 letters, digits, '.', '_' and '-'", v)
	}
	return nil
}

func setKey(d *definition, v string) error {
	for _, name := range strings.Split(v, ",") {
		d.key = append(d.key, strings.Trim(strings.TrimSpace(name), "`"))
	}
	return nil
}

func setHeaders(d *definition, v string) error {
	for _, one := range strings.Split(v, ",") {
		column, header, renamed := strings.Cut(one, "=")
		column = strings.Trim(strings.TrimSpace(column), "`")
		if header = strings.TrimSpace(header); !renamed {
			header = column
		}
		if column == "" || header == "" {
			return fmt.Errorf("%q names no header: write 'column' or 'column = header', separated by commas", v)
		}
		d.headers = append(d.headers, [2]string{column, header})
	}
	return nil
}

func setPartitioner(d *definition, v string) error {
	d.r.Partitioner = map[string]Partitioner{"murmur2": Murmur2, "crc32": CRC32, "unknown": UnknownPartitioner}[v]
	return nil
}

func setTimestamp(d *definition, v string) error {
	d.timestamp = strings.Trim(strings.TrimSpace(v), "`")
	if strings.EqualFold(d.timestamp, "record") {
		d.timestamp = ""
	}
	return nil
}

func setTimestampFormat(d *definition, v string) error {
	switch low := strings.ToLower(v); {
	case contains([]string{"ms", "s", "us", "ns", "iso"}, low):
		d.r.TimestampFormat = low
	case strings.Contains(v, "%"):
		d.r.TimestampFormat = v
	default:
		return fmt.Errorf("%q is not a form: ms, s, us, ns, iso, or a MySQL format string such as '%%Y-%%m-%%d %%H:%%i:%%s'", v)
	}
	return nil
}

func setRetention(d *definition, v string) error {
	if v == "-1" || strings.EqualFold(v, "forever") {
		d.r.Retention = -1
		return nil
	}
	us, err := length(v)
	d.r.Retention = us
	return err
}

func setOnError(d *definition, v string) error {
	d.r.OnError = map[string]OnError{"skip": Skip, "fail": Fail, "dead_letter": DeadLetter}[v]
	return nil
}
