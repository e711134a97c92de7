package infer

import (
	"context"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// key is what the Kafka keys hold.
type key struct {
	format  string
	columns []int // of the proposal
	own     bool  // they are in no value: columns were added for them
	some    bool  // some records have no key
	// partitioner is the hash that put the records where they are: "murmur2", "crc32" or "unknown".
	partitioner string
}

// keys finds out what the Kafka keys are: columns of the value, or something of their own.
func (p *Proposal) keys(ctx context.Context, distinct int) error {
	if distinct == 0 {
		return nil
	}
	var keyed []*connectors.Record
	for _, run := range p.sample.Runs {
		for i := range run {
			if run[i].Key != nil {
				keyed = append(keyed, &run[i])
			}
		}
	}
	some := slices.ContainsFunc(p.records, func(r *connectors.Record) bool { return r.Key == nil })
	k, err := p.fromValue(ctx, keyed)
	if err != nil {
		return err
	}
	if k == nil && (p.format == "csv" || p.format == "tsv") {
		p.note("The Kafka keys are in no field of the values, and %s has no room for a column beside them: _key reads them.", p.format)
		return nil
	}
	if k == nil {
		k = p.ofItsOwn(keyed)
	}
	k.some, k.partitioner = some, partitioner(keyed, p.sample.Partitions)
	p.key = k
	return nil
}

// partitioner is the first hash that explains the place of every record.
func partitioner(keyed []*connectors.Record, partitions int32) string {
	for _, name := range []string{"murmur2", "crc32"} {
		hash := partition.Of(name)
		if !slices.ContainsFunc(keyed, func(r *connectors.Record) bool { return hash(r.Key, partitions) != r.Partition }) {
			return name
		}
	}
	return "unknown"
}

// keyFormats are tried in this order: what many producers write comes first.
var keyFormats = []string{"string", "json", "int", "bigint", "bytes"}

// fromValue is the key as columns of the value whose serialisation it is in every record that has both; nil: it is not.
func (p *Proposal) fromValue(ctx context.Context, keyed []*connectors.Record) (*key, error) {
	d, err := format.NewDecoder(p.format, p.spec())
	if err != nil {
		return nil, err
	}
	columns := p.spec().Columns
	candidates := p.candidates(keyed)
	row, pairs := vectors(columns), 0
	for _, r := range keyed {
		reset(row)
		if r.Value == nil || format.Decode(ctx, d, r.Value, row) != nil {
			continue
		}
		pairs++
		if c, ok := d.(format.ChangeDecoder); ok && c.Change().Deleted {
			continue // what it tells of the row may be nothing
		}
		candidates = slices.DeleteFunc(candidates, func(c candidateKey) bool { return !c.same(r.Key, row) })
	}
	if pairs == 0 || len(candidates) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(candidates, func(a, b candidateKey) int { return b.rank - a.rank })
	return &candidates[0].key, nil
}

// candidateKey is a way in which the key could be columns.
type candidateKey struct {
	key
	codec *format.KeyCodec
	rank  int // higher is likelier
}

func (c *candidateKey) same(bytes []byte, row []*vector.Vector) bool {
	if c.format == changeEvents { // a wrapper is not of our own writing
		return c.equal(bytes, row)
	}
	cols := make([]*vector.Vector, len(c.columns))
	for i, at := range c.columns {
		cols[i] = row[at]
	}
	return c.codec.SameBytes(bytes, cols, 0)
}

// candidates are single columns in every format, and the fields of a key that is an object.
func (p *Proposal) candidates(keyed []*connectors.Record) []candidateKey {
	var out []candidateKey
	add := func(name string, rank int, at ...int) {
		s := format.Spec{}
		for _, i := range at {
			s.Columns = append(s.Columns, format.Column{Name: p.columns[i].name, Type: p.columns[i].typ})
		}
		if codec, err := format.NewKeyCodec(name, s); err == nil {
			out = append(out, candidateKey{key{format: name, columns: at}, codec, rank})
		}
	}
	if at := p.changeKey(keyed[0].Key); len(at) > 0 {
		add(changeEvents, 10, at...)
	}
	if at := p.objectKey(keyed[0].Key); len(at) > 1 {
		add("json", 9, at...)
	}
	for f, name := range keyFormats {
		for i, c := range p.columns {
			if t := c.typ; t.Kind == types.Double || t.Nested() {
				continue
			}
			add(name, 2*likelihood(c.name)-min(f, 1), i)
		}
	}
	return out
}

// likelihood that a column of a name is a key.
func likelihood(name string) int {
	switch low := strings.ToLower(name); {
	case low == "id" || low == "key":
		return 3
	case strings.HasSuffix(low, "id"):
		return 2
	case strings.Contains(low, "key"):
		return 1
	}
	return 0
}

// objectKey are the columns that the fields of a JSON object name, in its order; nil when one is none.
func (p *Proposal) objectKey(bytes []byte) []int {
	v, err := fastjson.ParseBytes(bytes)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil
	}
	var at []int
	o, _ := v.Object()
	o.Visit(func(name []byte, _ *fastjson.Value) {
		at = append(at, slices.IndexFunc(p.columns, func(c column) bool { return c.name == string(name) }))
	})
	if slices.Contains(at, -1) {
		return nil
	}
	return at
}

// ofItsOwn adds columns for a key that no value repeats.
func (p *Proposal) ofItsOwn(keyed []*connectors.Record) *key {
	for _, name := range []string{"json", "string", "int", "bigint"} {
		own := p.ownColumns(name, keyed)
		if len(own) == 0 || !written(name, own, keyed) {
			continue
		}
		return p.addOwn(name, own)
	}
	return p.addOwn("bytes", []column{{typ: types.TVarbinary}})
}

func (p *Proposal) addOwn(name string, own []column) *key {
	k := &key{format: name, own: true}
	for _, c := range own {
		c.remark("the Kafka key; no field of the value repeats it")
		if c.name == "" {
			c.name = "record_key"
		}
		for p.column(c.name) >= 0 {
			c.name += "_"
		}
		k.columns = append(k.columns, len(p.columns))
		p.columns = append(p.columns, c)
	}
	return k
}

// ownColumns are the columns that keys would be in a format; nil when they cannot be that.
func (p *Proposal) ownColumns(name string, keyed []*connectors.Record) []column {
	switch name {
	case "int":
		return []column{{typ: types.TInt}}
	case "bigint":
		return []column{{typ: types.TBigInt}}
	case "string":
		if slices.ContainsFunc(keyed, func(r *connectors.Record) bool { return !plainText(r.Key) }) {
			return nil
		}
		return []column{{typ: types.TVarchar}}
	}
	g := &guess{}
	for _, r := range keyed {
		v, err := fastjson.ParseBytes(r.Key)
		if err != nil || v.Type() != fastjson.TypeObject && v.Type() != fastjson.TypeString {
			return nil
		}
		g.look(v)
	}
	if g.objects == 0 {
		return []column{{typ: types.TVarchar}}
	}
	var own []column
	for _, m := range g.members {
		c := column{name: m.name}
		if c.typ, _ = m.typ(); c.typ.Nested() {
			return nil
		}
		own = append(own, c)
	}
	return own
}

// written says whether all keys are what a format writes for columns.
func written(name string, columns []column, keyed []*connectors.Record) bool {
	s := format.Spec{}
	for _, c := range columns {
		if c.name == "" {
			c.name = "key"
		}
		s.Columns = append(s.Columns, format.Column{Name: c.name, Type: c.typ})
	}
	codec, err := format.NewKeyCodec(name, s)
	if err != nil {
		return false
	}
	row := vectors(s.Columns)
	for _, r := range keyed {
		reset(row)
		if codec.DecodeKey(r.Key, row) != nil || !codec.SameBytes(r.Key, row, 0) {
			return false
		}
	}
	return true
}
