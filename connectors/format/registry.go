package format

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/streamsql-go/streamsql/connectors"
)

// Format is a way to write values, keys, or both. A constructor that is nil means "not for this".
type Format struct {
	Name string // in lower case
	Doc  string // one line

	// Options are those that a WITH clause may give it; their names begin with one word of the format's: "csv.delimiter".
	Options []connectors.Option

	// The constructors check what is asked of the format and touch nothing outside the process: CREATE calls them for that.

	NewDecoder func(Spec) (Decoder, error)
	// NewEncoder writes columns in order; ordinals say where each is in the batch, nil: in the same order.
	NewEncoder func(s Spec, ordinals []int) (Encoder, error)
	NewKeys    func(Spec) (KeyFormat, error)

	// Schema and KeySchema are the schemas of a topic's values and keys, for formats that have any; nil for others. They may
	// wait for a schema registry until ctx ends. Of the spec they need the topic and the options.
	Schema    func(context.Context, Spec) (Schema, error)
	KeySchema func(context.Context, Spec) (Schema, error)
}

// Spec says what a decoder, an encoder or a key format is made for.
type Spec struct {
	// Columns are those to fill or to write, in order.
	Columns []Column
	// Record are the names of the relation's columns as declared, for formats that go by position. Nil: those of Columns.
	Record []string
	// Key are the names of those of Record that the Kafka key holds.
	Key []string
	// Topic is where the records lie, for formats whose schemas are kept elsewhere.
	Topic string
	// Options are what the WITH clause gave of Format.Options, by name.
	Options map[string]string
}

// Of is a spec of columns and nothing else.
func Of(cols ...Column) Spec { return Spec{Columns: cols} }

// Names is Record, or the names of Columns.
func (s Spec) Names() []string {
	if s.Record != nil {
		return s.Record
	}
	names := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		names[i] = c.FieldPath()[0]
	}
	return names
}

var registered struct {
	sync.RWMutex
	byName map[string]Format
}

// elsewhere are formats that are not in every binary, with the package that brings them.
var elsewhere = map[string]string{
	"json": "json", "string": "primitive", "bytes": "primitive", "raw": "primitive", "int": "primitive",
	"bigint": "primitive", "double": "primitive", "kafka": "primitive",
	"avro": "avro", "protobuf": "protobuf", "json-schema": "jsonschema",
}

// Register makes a format known. The packages of formats call it when they are imported; a name registered twice is a
// programming error and panics.
func Register(f Format) {
	registered.Lock()
	defer registered.Unlock()
	if registered.byName == nil {
		registered.byName = make(map[string]Format)
	}
	if _, twice := registered.byName[f.Name]; twice {
		panic("format " + f.Name + " is registered twice")
	}
	registered.byName[f.Name] = f
}

// Names are the registered formats, sorted.
func Names() []string {
	registered.RLock()
	defer registered.RUnlock()
	names := make([]string, 0, len(registered.byName))
	for name := range registered.byName {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Lookup finds a format by name, in any case. The error for an unknown one lists those known and says what to import.
func Lookup(name string) (Format, error) {
	key := strings.ToLower(name)
	registered.RLock()
	f, ok := registered.byName[key]
	registered.RUnlock()
	if ok {
		return f, nil
	}
	known := strings.Join(Names(), ", ")
	if known == "" {
		known = "none"
	}
	if pkg, ok := elsewhere[key]; ok {
		return Format{}, fmt.Errorf("format '%s' is not in this program: import _ \"github.com/streamsql-go/streamsql/connectors/format/%s\" (known here: %s)", name, pkg, known)
	}
	return Format{}, fmt.Errorf("unknown format '%s': known are %s", name, known)
}

// All are the registered formats, sorted by name.
func All() []Format {
	var all []Format
	for _, name := range Names() {
		f, err := Lookup(name)
		if err == nil {
			all = append(all, f)
		}
	}
	return all
}

// CheckOptions checks options of a WITH clause against a format's table.
func (f Format) CheckOptions(given map[string]string) (*connectors.Options, error) {
	return connectors.CheckOptions(f.Options, nil, given)
}

// NewDecoder makes the decoder of a format for values.
func NewDecoder(name string, s Spec) (Decoder, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.NewDecoder == nil {
		return nil, fmt.Errorf("format '%s' cannot be read as a value", name)
	}
	return f.NewDecoder(s)
}

// NewEncoder makes the encoder of a format for values.
func NewEncoder(name string, s Spec, ordinals []int) (Encoder, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.NewEncoder == nil {
		return nil, fmt.Errorf("format '%s' cannot be written as a value", name)
	}
	return f.NewEncoder(s, ordinals)
}
