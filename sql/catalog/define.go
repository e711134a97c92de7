package catalog

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// HiddenColumns are the names of the columns that are not in the value (docs/sql.md).
var HiddenColumns = []string{"_key", "_value", "_topic", "_partition", "_offset", "_timestamp", "_headers"}

// definition is a relation while its CREATE is read.
type definition struct {
	connector string // as it is written; its options begin with its name
	r         *Relation
	target    bool
	given     map[string]bool
	key       []string
	headers   [][2]string // column and header
	timestamp string
	disorder  bool
}

// Define is the relation of a CREATE without AS: a source. Mistakes are *ast.Error with their place.
func Define(c *ast.Create) (*Relation, error) { return DefineBy(c, nil) }

// Schema gives the columns of a relation that declares none, of which the options are known, and the names of the columns that
// are in the Kafka key. None: its format has no schema.
type Schema func(r *Relation, key []string) ([]types.Column, error)

// DefineBy is Define, with the columns of a schema where none are declared; nil: there is no schema.
func DefineBy(c *ast.Create, schema Schema) (*Relation, error) {
	d := newDefinition(c)
	if err := d.options(c); err != nil {
		return nil, err
	}
	if err := d.columns(c, schema); err != nil {
		return nil, err
	}
	if err := d.primaryKey(c); err != nil {
		return nil, err
	}
	return d.r, d.finish(c)
}

// DefineView is the relation of CREATE VIEW: a query under a name, which was parsed from a text, has these columns and reads these relations.
func DefineView(c *ast.Create, columns []types.Column, text string, reads []*Relation) *Relation {
	return &Relation{Name: c.Name.Name, Kind: ast.View, Columns: columns, Timestamp: -1, View: c.As, ViewText: text, Reads: reads}
}

// DefineTarget is the relation that CREATE … AS writes: columns are those of the query, key the ordinals of those that
// make the record's key (nil: none is known).
func DefineTarget(c *ast.Create, columns []types.Column, key []int) (*Relation, error) {
	d := newDefinition(c)
	d.target = true
	d.r.Columns = columns
	if err := d.options(c); err != nil {
		return nil, err
	}
	if len(d.key) > 0 {
		return nil, ast.Errorf(optionSpan(c, "key"), "the key of a query's target follows from the query").WithHint("leave the option key out")
	}
	d.r.Key = key
	if c.Kind == ast.Table {
		d.r.PrimaryKey = key
	}
	return d.r, d.finish(c)
}

func newDefinition(c *ast.Create) *definition {
	return &definition{given: map[string]bool{}, r: &Relation{
		Name: c.Name.Name, Kind: c.Kind, Connector: "kafka", ConnectorOptions: map[string]string{}, FormatOptions: map[string]string{}, Topic: c.Name.Name,
		Format: "json", Timestamp: -1, MaxFuture: types.MicrosPerHour, IdleTimeout: 5 * types.MicrosPerSecond,
		History: 10 * types.MicrosPerMinute, Retention: -1,
	}}
}

func (d *definition) options(c *ast.Create) error {
	for _, o := range c.Options {
		if strings.EqualFold(o.Name, "connector") {
			d.connector = strings.ToLower(strings.TrimSpace(o.Value))
		}
	}
	for _, o := range c.Options {
		if err := d.apply(o); err != nil {
			return err
		}
	}
	if err := d.several(c); err != nil {
		return err
	}
	if !d.given["topic"] && !d.r.Many() {
		if err := topicName(d.r.Topic); err != nil {
			return ast.Errorf(c.Name.Span, "%v", err).WithHint("name the topic: WITH (topic = '…')")
		}
	}
	return nil
}

// columns are those declared, or those of the schema.
func (d *definition) columns(c *ast.Create, schema Schema) error {
	for _, col := range c.Columns {
		t, err := TypeOf(col.Type)
		if err != nil {
			return err
		}
		if err := d.column(col.Name, t); err != nil {
			return err
		}
	}
	if len(c.Columns) == 0 && d.r.Many() {
		return ast.Errorf(c.Name.Span, "%s reads several topics: say which columns it has", c.Name.Name).WithHint("CREATE STREAM %s (id VARCHAR, …)", c.Name.Name)
	}
	if len(c.Columns) == 0 && schema != nil {
		columns, err := schema(d.r, d.key)
		if err != nil {
			return err
		}
		for _, col := range columns {
			if err := d.column(ast.Ident{Span: c.Name.Span, Name: col.Name}, col.Type); err != nil {
				return err
			}
		}
	}
	if len(d.r.Columns) == 0 {
		return ast.Errorf(c.Name.Span, "%s %s has no columns", strings.ToLower(c.Kind.String()), c.Name.Name).
			WithHint("declare them: CREATE %s %s (id VARCHAR, …) WITH (topic = '…'); formats with a schema can do without", c.Kind, c.Name.Name)
	}
	return nil
}

func (d *definition) column(name ast.Ident, t types.Type) error {
	for _, h := range HiddenColumns {
		if strings.EqualFold(h, name.Name) {
			return ast.Errorf(name.Span, "column %s is a hidden column that every stream has", name.Name).
				WithHint("leave it out: SELECT %s works without a declaration", h)
		}
	}
	if i := d.r.Column(name.Name); i >= 0 {
		return ast.Errorf(name.Span, "column %s is declared twice", name.Name).WithHint("names that differ in case only are the same column")
	}
	d.r.Columns = append(d.r.Columns, types.Column{Name: name.Name, Type: t})
	return nil
}

func (d *definition) primaryKey(c *ast.Create) error {
	if c.Kind == ast.Stream {
		if len(c.PrimaryKey) > 0 {
			return ast.Errorf(c.PrimaryKey[0].Span, "a stream has no primary key").
				WithHint("CREATE TABLE for rows that replace each other; WITH (key = '%s') to say that the Kafka key holds the column", c.PrimaryKey[0].Name)
		}
		return nil
	}
	if len(c.PrimaryKey) == 0 {
		return ast.Errorf(c.Name.Span, "table %s has no primary key", c.Name.Name).
			WithHint("say which column names a row: CREATE TABLE %s (%s %s PRIMARY KEY, …)", c.Name.Name, d.r.Columns[0].Name, d.r.Columns[0].Type)
	}
	for _, k := range c.PrimaryKey {
		i, err := d.find(k)
		if err != nil {
			return err
		}
		if d.r.Columns[i].Type.Nested() {
			return ast.Errorf(k.Span, "column %s of type %s cannot be a primary key", k.Name, d.r.Columns[i].Type).
				WithHint("keys are numbers, strings and times (semantics of JSON equality are not defined)")
		}
		for _, have := range d.r.PrimaryKey {
			if have == i {
				return ast.Errorf(k.Span, "column %s is in the primary key twice", k.Name)
			}
		}
		d.r.PrimaryKey = append(d.r.PrimaryKey, i)
	}
	return nil
}

func (d *definition) find(name ast.Ident) (int, error) {
	i := d.r.Column(name.Name)
	if i < 0 {
		return 0, ast.Errorf(name.Span, "unknown column %s in %s", name.Name, d.r.Name).
			WithHint("%s", spell.Hint(name.Name, "columns of "+d.r.Name, d.r.ColumnNames()))
	}
	return i, nil
}

// finish resolves what depends on several clauses: key columns, event time.
func (d *definition) finish(c *ast.Create) error {
	for _, k := range d.key {
		i, err := d.find(ast.Ident{Span: optionSpan(c, "key"), Name: k})
		if err != nil {
			return err
		}
		if d.r.Columns[i].Type.Nested() {
			return ast.Errorf(optionSpan(c, "key"), "column %s of type %s cannot be in the Kafka key", k, d.r.Columns[i].Type)
		}
		d.r.Key = append(d.r.Key, i)
	}
	if len(d.r.Key) == 0 && d.given["key_format"] && !d.target {
		return ast.Errorf(optionSpan(c, "key_format"), "key_format without key").WithHint("say which columns are in the Kafka key: key = '%s'", d.r.Columns[0].Name)
	}
	if len(d.r.Key) > 0 {
		d.r.KeyFormat = d.r.KeyFormatOf(len(d.r.Key))
	}
	if len(d.r.Key) > 1 && !contains([]string{"json", "avro", "protobuf", "json-schema", Debezium}, d.r.KeyFormat) {
		return ast.Errorf(optionSpan(c, "key_format"), "key_format '%s' holds one column, the key has %d", d.r.KeyFormat, len(d.r.Key)).WithHint("key_format = 'json'")
	}
	if err := d.headerColumns(c); err != nil {
		return err
	}
	if err := d.sense(c); err != nil {
		return err
	}
	return d.eventTime(c)
}

// headerColumns resolves the option headers.
func (d *definition) headerColumns(c *ast.Create) error {
	at := optionSpan(c, "headers")
	if len(d.headers) > 0 && d.r.Connector != "kafka" {
		return ast.Errorf(at, "headers are of Kafka's records, and %s has connector = '%s'", d.r.Name, d.r.Connector).WithHint("leave the option out")
	}
	for _, h := range d.headers {
		i, err := d.find(ast.Ident{Span: at, Name: h[0]})
		if err != nil {
			return err
		}
		_, twice := d.r.Header(i)
		switch column := d.r.Columns[i]; {
		case twice:
			return ast.Errorf(at, "column %s is given twice", column.Name)
		case column.Type.Nested():
			return ast.Errorf(at, "column %s of type %s cannot be a header", column.Name, column.Type).WithHint("a header holds a text, a number or a time: declare it VARCHAR")
		case slices.Contains(d.r.Key, i) || slices.Contains(d.r.PrimaryKey, i):
			return ast.Errorf(at, "column %s is in the key and cannot be a header", column.Name).WithHint("a removed row has a key, and no headers")
		}
		d.r.Headers = append(d.r.Headers, HeaderColumn{Column: i, Header: h[1]})
	}
	if len(d.headers) > 0 && len(d.headers) == len(d.r.Columns) {
		return ast.Errorf(at, "all columns of %s are headers: nothing is left for the value", d.r.Name).WithHint("declare a column of the value")
	}
	return nil
}

func (d *definition) eventTime(c *ast.Create) error {
	at := ast.Ident{Span: optionSpan(c, "timestamp"), Name: d.timestamp}
	if w := c.Watermark; w != nil {
		if d.disorder {
			return ast.Errorf(optionSpan(c, "disorder"), "disorder is given twice: by the WATERMARK clause and by the option").WithHint("keep one of them")
		}
		if d.timestamp != "" && !strings.EqualFold(d.timestamp, w.Column.Name) {
			return ast.Errorf(at.Span, "event time is given twice: WATERMARK FOR %s and timestamp = '%s'", w.Column.Name, d.timestamp).WithHint("keep one of them")
		}
		if w.Delay.Micros < 0 {
			return ast.Errorf(w.Delay.Span, "the delay of a watermark must not be negative")
		}
		at = w.Column
		d.r.Disorder = w.Delay.Micros
	}
	if at.Name == "" {
		if d.given["timestamp_format"] {
			return ast.Errorf(optionSpan(c, "timestamp_format"), "timestamp_format without an event-time column").WithHint("timestamp = 'column', or WATERMARK FOR column AS column - INTERVAL 5 SECOND")
		}
		return nil
	}
	i, err := d.find(at)
	if err != nil {
		return err
	}
	t := d.r.Columns[i].Type
	switch t.Kind {
	case types.Timestamp, types.Date, types.Int, types.Uint, types.Varchar:
	default:
		return ast.Errorf(at.Span, "column %s of type %s cannot be the event time", at.Name, t).WithHint("it must be TIMESTAMP, BIGINT (timestamp_format 'ms', 's', 'us', 'ns') or VARCHAR ('iso' or a MySQL format string)")
	}
	if t.Kind == types.Varchar && !d.given["timestamp_format"] {
		d.r.TimestampFormat = "iso"
	}
	d.r.Timestamp = i
	return nil
}

func optionSpan(c *ast.Create, name string) ast.Span {
	for _, o := range c.Options {
		if found, ok := findOption(strings.ToLower(o.Name)); ok && found.Name == name {
			return o.ValueSpan
		}
	}
	return c.Name.Span
}
