// Package jsonschema is the format 'json-schema': JSON objects as the format 'json' reads and writes them, behind the header of a schema
// registry that holds their JSON Schema. Importing it registers it.
//
// Reading. A record says all of itself, so the schema that it was written with is not asked for: it is where the columns of a
// relation that declares none come from. Writing. A schema is made of the columns (Derive), registered once, and its id put in front.
package jsonschema

import (
	"context"
	"errors"
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

// header is the header of what is written by a schema.
type header struct {
	place registry.Place
	text  string // made of the columns
	name  string
	bytes []byte // nil: not prepared
}

func newHeader(place registry.Place, cols []format.Column, derive func(string, []format.Column) (string, error)) (header, error) {
	h := header{place: place, name: place.Name}
	if h.name == "" {
		h.name = place.RecordName()
	}
	if place.Version != registry.Derived {
		return h, nil
	}
	var err error
	h.text, err = derive(h.name, cols)
	return h, err
}

// Prepare implements format.Preparer.
func (h *header) Prepare(ctx context.Context) error {
	var id int
	if h.place.Version != registry.Derived {
		s, err := h.place.Current(ctx)
		if err == nil {
			err = ofKind(s)
		}
		if err != nil {
			return err
		}
		id = s.ID
	} else {
		var err error
		if id, err = h.place.Write(ctx, registry.Schema{Type: registry.JSON, Text: h.text}, h.name); err != nil {
			return err
		}
	}
	h.bytes = registry.AppendHeader(nil, id)
	return nil
}

func ofKind(s registry.Schema) error {
	if s.Type != registry.JSON {
		return fmt.Errorf("%s: it is a %s schema, not JSON Schema", s.Origin(), s.Type)
	}
	return nil
}

var errNotPrepared = errors.New("the encoder was not prepared")

// Encoder writes rows as JSON objects behind a header.
type Encoder struct {
	header
	json *json.Encoder
}

// NewEncoder makes the encoder of a topic's values. It is ready to write once it is prepared.
func NewEncoder(s format.Spec, ordinals []int) (*Encoder, error) {
	place, err := registry.ValuePlace(s)
	if err != nil {
		return nil, err
	}
	e := &Encoder{}
	if e.header, err = newHeader(place, s.Columns, Derive); err != nil {
		return nil, err
	}
	e.json, err = json.NewEncoder(s.Columns, ordinals)
	return e, err
}

// Encode implements format.Encoder.
func (e *Encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	if e.bytes == nil {
		return dst, errNotPrepared
	}
	return e.json.Encode(append(dst, e.bytes...), b, row)
}

// Keys reads and writes keys as those of the format 'json', behind a header.
type Keys struct {
	header
	json *json.Keys
}

// NewKeys makes the keys of a topic.
func NewKeys(s format.Spec) (*Keys, error) {
	place, err := registry.KeyPlace(s)
	if err != nil {
		return nil, err
	}
	k := &Keys{}
	if k.header, err = newHeader(place, s.Columns, deriveKey); err != nil {
		return nil, err
	}
	k.json, err = json.NewKeys(s.Columns)
	return k, err
}

// AppendKey implements format.KeyFormat.
func (k *Keys) AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool) {
	return k.json.AppendKey(append(dst, k.bytes...), cols, row)
}

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
