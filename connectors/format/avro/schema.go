package avro

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/twmb/avro"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
)

// kind is the way of a type on the wire.
type kind uint8

const (
	null kind = iota
	boolean
	integer // int and long
	float
	double
	octets
	text
	fixed
	enum
	array
	mapping
	record
	union
)

// logical is what a value on the wire means; unknown logical types mean nothing, as the specification wants.
type logical uint8

const (
	plain logical = iota
	decimal
	date
	timeMillis
	timeMicros
	timestampMillis
	timestampMicros
	timestampNanos
	uuid
	duration
)

// node is one type of a schema. Types that contain themselves are cycles of nodes.
type node struct {
	kind     kind
	logical  logical
	short    bool   // integer: an int, not a long
	name     string // the full name of a fixed, enum or record
	size     int    // fixed
	digits   int    // decimal: precision
	scale    int    // decimal
	symbols  []string
	items    *node // array, mapping
	fields   []field
	branches []*node // union
	optional *node   // union of null and one other: that one
	nullAt   int     // union: the place of null; -1: none
}

type field struct {
	name     string
	aliases  []string
	node     *node
	fallback []byte // the default, encoded by node; nil: none
}

// parse reads a schema. References are schemas that it names, each after those it needs itself.
func parse(text string, references []registry.Reference) (*node, error) {
	cache := &avro.SchemaCache{}
	b := &builder{defined: map[string]*avro.SchemaNode{}, nodes: map[string]*node{}}
	for _, r := range references {
		s, err := cache.Parse(r.Text)
		if err != nil {
			return nil, fmt.Errorf("the reference %s: %w", r.Name, err)
		}
		b.define(s.Root())
	}
	s, err := cache.Parse(text)
	if err != nil {
		return nil, err
	}
	root := s.Root()
	b.define(root)
	return b.node(root, "")
}

// parseFile reads a schema from a file.
func parseFile(path string) (*node, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("schema.file: %w", err)
	}
	n, err := parse(string(text), nil)
	if err != nil {
		return nil, fmt.Errorf("schema.file %s: %w", path, err)
	}
	return n, nil
}

// usable is parse of a registered schema.
func usable(s registry.Schema) (*node, error) {
	if err := s.Is(registry.Avro); err != nil {
		return nil, err
	}
	return parse(s.Text, s.References)
}

// builder turns the library's tree, in which a type that was defined before stands by its name, into nodes.
type builder struct {
	defined map[string]*avro.SchemaNode
	nodes   map[string]*node
}

func fullName(s *avro.SchemaNode) string {
	if s.Namespace == "" || strings.Contains(s.Name, ".") {
		return s.Name
	}
	return s.Namespace + "." + s.Name
}

func space(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }

// define collects the named types of a tree.
func (b *builder) define(s *avro.SchemaNode) {
	switch s.Type {
	case "record", "error", "enum", "fixed":
		b.defined[fullName(s)] = s
	}
	for i := range s.Fields {
		b.define(&s.Fields[i].Type)
	}
	for i := range s.Branches {
		b.define(&s.Branches[i])
	}
	for _, inner := range []*avro.SchemaNode{s.Items, s.Values} {
		if inner != nil {
			b.define(inner)
		}
	}
}

var primitives = map[string]node{
	"null": {kind: null}, "boolean": {kind: boolean}, "int": {kind: integer, short: true}, "long": {kind: integer},
	"float": {kind: float}, "double": {kind: double}, "bytes": {kind: octets}, "string": {kind: text},
}

// node makes the node of a type that stands within a namespace.
func (b *builder) node(s *avro.SchemaNode, within string) (*node, error) {
	if p, ok := primitives[s.Type]; ok {
		n := p
		n.mean(s)
		return &n, nil
	}
	switch s.Type {
	case "array", "map":
		return b.container(s, within)
	case "union":
		return b.union(s, within)
	case "record", "error", "enum", "fixed":
		return b.named(s)
	}
	for _, name := range []string{s.Type, within + "." + s.Type} {
		if d, ok := b.defined[name]; ok {
			return b.named(d)
		}
	}
	return nil, fmt.Errorf("type %s is not defined", s.Type)
}

func (b *builder) container(s *avro.SchemaNode, within string) (*node, error) {
	n, inner := &node{kind: array}, s.Items
	if s.Type == "map" {
		n.kind, inner = mapping, s.Values
	}
	if inner == nil {
		return nil, fmt.Errorf("a type %s says nothing of what is in it", s.Type)
	}
	var err error
	n.items, err = b.node(inner, within)
	return n, err
}

func (b *builder) union(s *avro.SchemaNode, within string) (*node, error) {
	n := &node{kind: union, nullAt: -1}
	for i := range s.Branches {
		branch, err := b.node(&s.Branches[i], within)
		if err != nil {
			return nil, err
		}
		if branch.kind == null {
			n.nullAt = i
		}
		n.branches = append(n.branches, branch)
	}
	if len(n.branches) == 2 && n.nullAt >= 0 {
		n.optional = n.branches[1-n.nullAt]
	}
	return n, nil
}

func (b *builder) named(s *avro.SchemaNode) (*node, error) {
	name := fullName(s)
	if n, ok := b.nodes[name]; ok {
		return n, nil
	}
	n := &node{name: name}
	b.nodes[name] = n
	switch s.Type {
	case "enum":
		n.kind, n.symbols = enum, s.Symbols
	case "fixed":
		n.kind, n.size = fixed, s.Size
		n.mean(s)
	default:
		n.kind = record
		for i := range s.Fields {
			f := &s.Fields[i]
			inner, err := b.node(&f.Type, space(name))
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", f.Name, err)
			}
			fallback, err := encodeDefault(f)
			if err != nil {
				return nil, fmt.Errorf("the default of field %s: %w", f.Name, err)
			}
			n.fields = append(n.fields, field{f.Name, f.Aliases, inner, fallback})
		}
	}
	return n, nil
}

func encodeDefault(f *avro.SchemaField) ([]byte, error) {
	if !f.HasDefault {
		return nil, nil
	}
	s, err := f.Type.Schema()
	if err != nil {
		return nil, err
	}
	out, err := s.AppendEncode([]byte{}, f.Default)
	return out, err
}

// mean notes what a value means; a logical type on a type that it does not go with means nothing.
func (n *node) mean(s *avro.SchemaNode) {
	switch {
	case s.LogicalType == "decimal" && (n.kind == octets || n.kind == fixed):
		n.logical, n.digits, n.scale = decimal, s.Precision, s.Scale
	case s.LogicalType == "uuid" && (n.kind == text || n.kind == fixed && n.size == 16):
		n.logical = uuid
	case s.LogicalType == "duration" && n.kind == fixed && n.size == 12:
		n.logical = duration
	case n.kind == integer && n.short:
		n.logical = map[string]logical{"date": date, "time-millis": timeMillis}[s.LogicalType]
	case n.kind == integer:
		n.logical = map[string]logical{
			"time-micros": timeMicros, "timestamp-millis": timestampMillis, "timestamp-micros": timestampMicros, "timestamp-nanos": timestampNanos,
			"local-timestamp-millis": timestampMillis, "local-timestamp-micros": timestampMicros, "local-timestamp-nanos": timestampNanos,
		}[s.LogicalType]
	}
}

// find is the place of a field by its exact name, or by one of the names it had before, else the single one that differs in case only;
// -1: none, -2: several that differ in case only.
func (n *node) find(names ...string) int {
	for _, name := range names {
		if i := slices.IndexFunc(n.fields, func(f field) bool { return f.name == name }); i >= 0 {
			return i
		}
	}
	return format.Find(names[0], len(n.fields), func(i int) string { return n.fields[i].name })
}

// String names the type in messages.
func (n *node) String() string {
	switch n.kind {
	case integer:
		if n.short {
			return "int"
		}
		return "long"
	case fixed, enum, record:
		return [...]string{"fixed", "enum", "", "", "record"}[n.kind-fixed] + " " + n.name
	case union:
		var names []string
		for _, b := range n.branches {
			names = append(names, b.String())
		}
		return "union of " + strings.Join(names, ", ")
	}
	return [...]string{"null", "boolean", "int", "float", "double", "bytes", "string", "", "", "array", "map"}[n.kind]
}
