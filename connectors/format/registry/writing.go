package registry

import (
	"context"
	"errors"
	"fmt"
)

// Writing is the schema that an encoder writes by: made of the columns and registered, registered before, or in a file.
type Writing struct {
	Place
	// Text is the schema that was made, and Record the name of its record or message; "": it is another schema.
	Text, Record string
	kind         Type
	header       []byte
}

// NewWriting says by which schema a place is written. derive makes one of the columns, for a record of that name.
func NewWriting(place Place, kind Type, derive func(record string) (string, error)) (Writing, error) {
	w := Writing{Place: place, kind: kind}
	if place.File != "" || place.Version != Derived {
		return w, nil
	}
	if w.Record = place.Name; w.Record == "" {
		w.Record = place.recordName()
	}
	var err error
	w.Text, err = derive(w.Record)
	return w, err
}

// Prepare registers the schema that was made, or fetches the one that is there and gives it to use.
func (w *Writing) Prepare(ctx context.Context, use func(Schema) error) error {
	switch {
	case w.File != "":
		return nil
	case w.Text != "":
		id, err := w.Write(ctx, Schema{Type: w.kind, Text: w.Text}, w.Record)
		if err == nil {
			w.header = AppendHeader(nil, id)
		}
		return err
	}
	s, err := w.Current(ctx)
	if err != nil {
		return err
	}
	if err := s.Is(w.kind); err != nil {
		return err
	}
	if err := use(s); err != nil {
		return fmt.Errorf("%s: %w", s.Origin(), err)
	}
	w.header = AppendHeader(nil, s.ID)
	return nil
}

var errNotPrepared = errors.New("the encoder was not prepared")

// Begin appends what stands before a value: a header, with a file nothing.
func (w *Writing) Begin(dst []byte) ([]byte, error) {
	if w.header == nil && w.File == "" {
		return dst, errNotPrepared
	}
	return append(dst, w.header...), nil
}

// Is refuses a schema of another kind.
func (s Schema) Is(kind Type) error {
	if s.Type != kind {
		return fmt.Errorf("%s: it is a schema of kind %s, not %s", s.Origin(), s.Type, kind)
	}
	return nil
}
