// Package jsonschema is the format 'json-schema': JSON objects as the format 'json' reads and writes them, behind the header of a schema
// registry that holds their JSON Schema. Importing it registers it.
//
// Reading. A record says all of itself, so the schema that it was written with is not asked for: it is where the columns of a
// relation that declares none come from. Writing. A schema is made of the columns (Derive), registered once, and its id put in front.
package jsonschema

import (
	"context"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func init() {
	format.Register(format.Format{
		Name:       "json-schema",
		Doc:        "JSON behind the header of a schema registry",
		Options:    registry.Framed(),
		NewDecoder: func(s format.Spec) (format.Decoder, error) { return NewDecoder(s) },
		NewEncoder: func(s format.Spec, ordinals []int) (format.Encoder, error) { return NewEncoder(s, ordinals) },
		NewKeys:    func(s format.Spec) (format.KeyFormat, error) { return NewKeys(s) },
		Schema: func(ctx context.Context, s format.Spec) (format.Schema, error) {
			return columns(ctx, s, registry.ValuePlace)
		},
		KeySchema: func(ctx context.Context, s format.Spec) (format.Schema, error) {
			return columns(ctx, s, registry.KeyPlace)
		},
	})
}

// Decoder reads JSON objects behind a header.
type Decoder struct{ json *json.Decoder }

// NewDecoder makes the decoder of a topic's values.
func NewDecoder(s format.Spec) (*Decoder, error) {
	if _, err := registry.ValuePlace(s); err != nil {
		return nil, err
	}
	d, err := json.NewDecoder(s.Columns)
	return &Decoder{d}, err
}

// Decode implements format.Decoder.
func (d *Decoder) Decode(value []byte, cols []*vector.Vector) error {
	rest, err := split(value)
	if err != nil {
		return err
	}
	return d.json.Decode(rest, cols)
}

func split(value []byte) ([]byte, error) {
	_, rest, err := registry.Split(value)
	if err != nil && len(value) > 0 && (value[0] == '{' || value[0] == '"') {
		err = &format.BadRecord{Reason: format.Malformed, Err: fmt.Errorf("%s is JSON without the header of a schema registry: declare format = 'json'", format.Shown(value))}
	}
	return rest, err
}

// newWriting is the schema that columns are written by. What is written says all of itself, so one that is registered is only named.
func newWriting(place registry.Place, cols []format.Column, derive func(string, []format.Column) (string, error)) (registry.Writing, error) {
	return registry.NewWriting(place, registry.JSON, func(name string) (string, error) { return derive(name, cols) })
}

func asItIs(registry.Schema) error { return nil }

// Encoder writes rows as JSON objects behind a header.
type Encoder struct {
	registry.Writing
	json *json.Encoder
}

// NewEncoder makes the encoder of a topic's values. It is ready to write once it is prepared.
func NewEncoder(s format.Spec, ordinals []int) (*Encoder, error) {
	place, err := registry.ValuePlace(s)
	if err != nil {
		return nil, err
	}
	e := &Encoder{}
	if e.Writing, err = newWriting(place, s.Columns, Derive); err != nil {
		return nil, err
	}
	e.json, err = json.NewEncoder(s.Columns, ordinals)
	return e, err
}

// Encode implements format.Encoder.
func (e *Encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	dst, err := e.Begin(dst)
	if err != nil {
		return dst, err
	}
	return e.json.Encode(dst, b, row)
}

// Prepare implements format.Preparer.
func (e *Encoder) Prepare(ctx context.Context) error { return e.Writing.Prepare(ctx, asItIs) }

// Keys reads and writes keys as those of the format 'json', behind a header.
type Keys struct {
	registry.Writing
	json *json.Keys
}

// NewKeys makes the keys of a topic.
func NewKeys(s format.Spec) (*Keys, error) {
	place, err := registry.KeyPlace(s)
	if err != nil {
		return nil, err
	}
	k := &Keys{}
	if k.Writing, err = newWriting(place, s.Columns, deriveKey); err != nil {
		return nil, err
	}
	k.json, err = json.NewKeys(s.Columns)
	return k, err
}

// AppendKey implements format.KeyFormat.
func (k *Keys) AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool) {
	dst, err := k.Begin(dst)
	if err != nil {
		return dst, false
	}
	return k.json.AppendKey(dst, cols, row)
}

// Prepare implements format.Preparer.
func (k *Keys) Prepare(ctx context.Context) error { return k.Writing.Prepare(ctx, asItIs) }

// DecodeKey implements format.KeyFormat.
func (k *Keys) DecodeKey(key []byte, cols []*vector.Vector) error {
	if key == nil {
		return k.json.DecodeKey(nil, cols)
	}
	rest, err := split(key)
	if err != nil {
		return err
	}
	return k.json.DecodeKey(rest, cols)
}
