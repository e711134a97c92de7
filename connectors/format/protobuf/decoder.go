package protobuf

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// OtherMessage is the reason of records whose message is not the one of schema.name.
const OtherMessage format.Reason = "other_message"

// Decoder reads messages straight into columns.
type Decoder struct {
	runner
	cols  []registry.Target
	name  string // of the message; "": whichever it is
	file  *step  // of a schema file; nil: by the header of each value
	plans *registry.Plans[schema]
}

// schema is a registered file, and what was planned for its messages.
type schema struct {
	file  *file
	made  map[string]planned // by the bytes of the index
	last  string
	again *step
}

type planned struct {
	step *step
	err  error
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
	d := &Decoder{name: place.Name}
	var err error
	if d.cols, err = registry.Targets(cols); err != nil {
		return nil, err
	}
	if place.File == "" {
		d.plans = registry.NewPlans(place, nil, func(s registry.Schema) (*schema, error) {
			f, err := usable(s)
			return &schema{file: f, made: map[string]planned{}}, err
		})
		return d, nil
	}
	f, err := parseFile(place.File)
	if err != nil {
		return nil, err
	}
	m, err := f.named(place.Name)
	if err != nil {
		return nil, fmt.Errorf("schema.file %s: %w", place.File, err)
	}
	d.file, err = planFor(m, d.cols)
	return d, err
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
	s, err := d.plans.Of(id)
	if err != nil {
		return err
	}
	n := indexLength(rest)
	if n < 0 {
		return malformed("the place of the message in its schema is missing")
	}
	p, err := d.plan(s, rest[:n])
	if err != nil {
		return err
	}
	return d.run(p, rest[n:], cols)
}

// plan is the plan for the message of an index.
func (d *Decoder) plan(s *schema, index []byte) (*step, error) {
	if s.again != nil && string(index) == s.last {
		return s.again, nil
	}
	p, ok := s.made[string(index)]
	if !ok {
		if p.step, p.err = d.make(s.file, readIndex(index)); p.err == nil || len(s.made) < mostIndexes {
			s.made[string(index)] = p
		}
	}
	if p.err == nil {
		s.last, s.again = string(index), p.step
	}
	return p.step, p.err
}

// mostIndexes bounds how many wrong ones are remembered.
const mostIndexes = 100

func (d *Decoder) make(f *file, index []int) (*step, error) {
	m, err := f.at(index)
	if err == nil && d.name != "" && !isNamed(m, d.name) {
		return nil, &format.BadRecord{Reason: OtherMessage, Err: fmt.Errorf("the message is %s, not %s", m.desc.FullName(), d.name)}
	}
	var p *step
	if err == nil {
		p, err = planFor(m, d.cols)
	}
	if err != nil {
		return nil, &format.BadRecord{Reason: registry.UnusableSchema, Err: err}
	}
	return p, nil
}

func isNamed(m *message, name string) bool {
	full := string(m.desc.FullName())
	return full == name || !strings.Contains(name, ".") && string(m.desc.Name()) == name
}

// indexLength is how many bytes the index takes: a count and so many places, each a zigzag varint; a count of 0 means the first message. -1:
// it is broken.
func indexLength(b []byte) int {
	count, n := binary.Varint(b)
	if n <= 0 || count < 0 || count > maxDepth {
		return -1
	}
	for range count {
		_, k := binary.Varint(b[n:])
		if k <= 0 {
			return -1
		}
		n += k
	}
	return n
}

func readIndex(b []byte) []int {
	count, n := binary.Varint(b)
	if count == 0 {
		return []int{0}
	}
	var out []int
	for range count {
		i, k := binary.Varint(b[n:])
		out = append(out, int(i))
		n += k
	}
	return out
}

// appendIndex appends an index; the first message's is one byte.
func appendIndex(dst []byte, index []int) []byte {
	if slices.Equal(index, []int{0}) {
		return append(dst, 0)
	}
	dst = binary.AppendVarint(dst, int64(len(index)))
	for _, i := range index {
		dst = binary.AppendVarint(dst, int64(i))
	}
	return dst
}
