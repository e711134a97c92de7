package debezium

import (
	"bytes"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// keys are objects of the key's columns, in a wrapper or without.
type keys struct {
	options
	columns []format.Column
	wrap    *json.Picker
	decoder *json.Decoder
	encoder *json.Encoder
	batch   vector.Batch
	prefix  string
	schema  []byte
	wrong   error
}

func newKeys(s format.Spec) (*keys, error) {
	o, err := optionsOf(s)
	if err != nil {
		return nil, err
	}
	k := &keys{options: o, wrap: json.NewPicker([]string{"payload"}, []string{"schema"})}
	for _, c := range s.Columns {
		if err := format.CheckKeyType(c); err != nil {
			return nil, err
		}
		if c.Type.Kind == types.Double {
			return nil, fmt.Errorf("key format '%s' does not hold column '%s' of type %s: equal numbers would have several texts", name, c.Name, c.Type)
		}
		c.Path = nil
		k.columns = append(k.columns, usual(c))
	}
	if o.schema {
		k.prefix = `{"schema":` + o.structOf(k.columns, s.Topic+".Key", "", false) + `,"payload":`
	}
	if k.encoder, err = json.NewEncoderWith(k.columns, nil, o.Conventions); err != nil {
		return nil, err
	}
	k.decoder, err = json.NewDecoderWith(k.columns, o.Conventions)
	return k, err
}

// AppendKey implements format.KeyFormat.
func (k *keys) AppendKey(dst []byte, cols []*vector.Vector, row int) ([]byte, bool) {
	k.batch.Cols = cols
	dst, _ = k.encoder.Encode(append(dst, k.prefix...), &k.batch, row) // keys hold no documents
	if k.prefix != "" {
		dst = append(dst, '}')
	}
	return dst, true
}

// DecodeKey implements format.KeyFormat.
func (k *keys) DecodeKey(key []byte, cols []*vector.Vector) error {
	if key == nil {
		for _, v := range cols {
			v.AppendNull()
		}
		return nil
	}
	if err := k.wrap.Pick(key); err != nil {
		return err
	}
	if inner := k.wrap.Object(0); inner != nil {
		if err := k.believe(k.wrap.Object(1)); err != nil {
			return err
		}
		key = inner
	}
	return k.decoder.Decode(key, cols)
}

// believe reads times as the schema of the wrapper says.
func (k *keys) believe(s []byte) error {
	if bytes.Equal(s, k.schema) {
		return k.wrong
	}
	k.schema = append(k.schema[:0], s...)
	forms, err := formsOf(s, k.columns)
	if err == nil {
		cols := make([]format.Column, len(k.columns))
		for i, c := range k.columns {
			cols[i] = c
			if form := forms[c.Name]; form != "" {
				cols[i].TimestampFormat = form
			}
		}
		k.decoder, err = json.NewDecoderWith(cols, k.Conventions)
	}
	k.wrong = err
	return err
}
