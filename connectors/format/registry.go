package format

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// Format is a way to write values, keys, or both. A constructor that is nil means "not for this".
type Format struct {
	Name string // in lower case
	Doc  string // one line

	NewDecoder func(cols []Column) (Decoder, error)
	// NewEncoder writes columns in order; ordinals say where each is in the batch, nil: in the same order.
	NewEncoder func(cols []Column, ordinals []int) (Encoder, error)
	NewKeys    func(cols []Column) (KeyFormat, error)
}

var registered struct {
	sync.RWMutex
	byName map[string]Format
}

// elsewhere are formats that are not in every binary, with the package that brings them.
var elsewhere = map[string]string{
	"json": "json", "string": "primitive", "bytes": "primitive", "raw": "primitive", "int": "primitive",
	"bigint": "primitive", "double": "primitive", "kafka": "primitive",
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

// NewDecoder makes the decoder of a format for values.
func NewDecoder(name string, cols []Column) (Decoder, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.NewDecoder == nil {
		return nil, fmt.Errorf("format '%s' cannot be read as a value", name)
	}
	return f.NewDecoder(cols)
}

// NewEncoder makes the encoder of a format for values.
func NewEncoder(name string, cols []Column, ordinals []int) (Encoder, error) {
	f, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if f.NewEncoder == nil {
		return nil, fmt.Errorf("format '%s' cannot be written as a value", name)
	}
	return f.NewEncoder(cols, ordinals)
}
