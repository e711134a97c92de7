package avro

import (
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Decoder reads Avro values straight into columns. What is not wanted of a record is passed over, but checked.
type Decoder struct {
	runner
	cols   []registry.Target
	file   *plan // of a schema file; nil: by the header of each value
	plans  *registry.Plans[plan]
	reader *node
}

// NewDecoder makes the decoder of a topic's values.
func NewDecoder(s format.Spec) (*Decoder, error) {
	place, err := registry.ValuePlace(s)
	if err != nil {
		return nil, err
	}
	return newDecoder(place, s.Columns)
}

func newDecoder(place registry.Place, cols []format.Column) (*Decoder, error) {
	d := &Decoder{}
	var err error
	if d.cols, err = registry.Targets(cols); err != nil {
		return nil, err
	}
	if place.File != "" {
		n, err := parseFile(place.File)
		if err != nil {
			return nil, err
		}
		d.file, err = compile(n, n, d.cols)
		return d, err
	}
	d.plans = registry.NewPlans(place, d.expect, d.plan)
	return d, nil
}

// expect keeps the schema that readers go by.
func (d *Decoder) expect(s registry.Schema) (err error) {
	d.reader, err = usable(s)
	return err
}

func (d *Decoder) plan(s registry.Schema) (*plan, error) {
	n, err := usable(s)
	if err != nil {
		return nil, err
	}
	return compile(n, d.reader, d.cols)
}

// Decode implements format.Decoder.
func (d *Decoder) Decode(value []byte, cols []*vector.Vector) error {
	if d.file != nil {
		return d.run(d.file, value, cols)
	}
	id, rest, err := registry.Split(value)
	if err != nil {
		return err
	}
	p, err := d.plans.Of(id)
	if err != nil {
		return err
	}
	return d.run(p, rest, cols)
}
