package infer

import (
	"strconv"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// changeEvents is the format of Debezium's change events.
const changeEvents = "debezium-json"

// changes are what was seen of values that are change events.
type changes struct {
	events int
	rows   guess
	schema []byte // of the last wrapper that had one
}

// look takes a value that is a JSON object.
func (c *changes) look(v *fastjson.Value) {
	if inner := v.Get("payload"); inner != nil && v.Get("op") == nil {
		if s := v.Get("schema"); s != nil && s.Type() == fastjson.TypeObject {
			c.schema = s.MarshalTo(c.schema[:0])
		}
		v = inner
	}
	if op := v.Get("op"); op == nil || op.Type() != fastjson.TypeString || v.Get("before") == nil && v.Get("after") == nil {
		return
	}
	c.events++
	for _, image := range []string{"after", "before"} {
		if row := v.Get(image); row != nil && row.Type() == fastjson.TypeObject {
			c.rows.look(row)
			return
		}
	}
}

// propose makes columns of the schema, else of the rows.
func (p *Proposal) proposeChanges(c *changes) {
	p.format = changeEvents
	if c.schema == nil || !p.declared(c.schema) {
		p.fields(&c.rows)
		p.note("Without a schema, DATEs and DECIMALs of the database look like numbers and texts: correct their types.")
	}
}

// declared makes columns of the fields of a Connect schema of envelopes; false: there are none.
func (p *Proposal) declared(schema []byte) bool {
	s, err := fastjson.ParseBytes(schema)
	if err != nil {
		return false
	}
	for _, f := range s.GetArray("fields") {
		if string(f.GetStringBytes("field")) != "after" {
			continue
		}
		for _, f := range f.GetArray("fields") {
			c := column{name: string(f.GetStringBytes("field"))}
			if c.typ = connectType(f); c.typ.Kind == types.JSON && string(f.GetStringBytes("type")) == "struct" {
				c.remark("%s", f.GetStringBytes("name"))
			}
			if p.column(c.name) < 0 && !hidden[c.name] {
				p.columns = append(p.columns, c)
			}
		}
	}
	return len(p.columns) > 0
}

// connectNames are types of Connect that have a name.
var connectNames = map[string]types.Type{
	"io.debezium.time.Date": types.TDate, "org.apache.kafka.connect.data.Date": types.TDate,
	"io.debezium.time.Time": {Kind: types.Time, Precision: 3}, "org.apache.kafka.connect.data.Time": {Kind: types.Time, Precision: 3},
	"io.debezium.time.MicroTime": {Kind: types.Time, Precision: 6}, "io.debezium.time.NanoTime": {Kind: types.Time, Precision: 6},
	"io.debezium.time.Timestamp": types.TTimestamp, "org.apache.kafka.connect.data.Timestamp": types.TTimestamp,
	"io.debezium.time.MicroTimestamp": {Kind: types.Timestamp, Precision: 6}, "io.debezium.time.NanoTimestamp": {Kind: types.Timestamp, Precision: 6},
	"io.debezium.time.ZonedTimestamp": {Kind: types.Timestamp, Precision: 6}, "io.debezium.data.Json": types.TJSON,
}

// connectBases are types of Connect that have none.
var connectBases = map[string]types.Type{
	"boolean": types.TBoolean, "int8": {Kind: types.Int, Bits: 8}, "int16": {Kind: types.Int, Bits: 16}, "int32": types.TInt, "int64": types.TBigInt,
	"float": {Kind: types.Double, Bits: 32}, "float32": {Kind: types.Double, Bits: 32}, "double": types.TDouble, "float64": types.TDouble, "string": types.TVarchar, "bytes": types.TVarbinary,
}

// connectType is the type of a field of a Connect schema; JSON where it has parts.
func connectType(f *fastjson.Value) types.Type {
	name := string(f.GetStringBytes("name"))
	if t, ok := connectNames[name]; ok {
		return t
	}
	if name == "org.apache.kafka.connect.data.Decimal" {
		scale, err := strconv.Atoi(string(f.GetStringBytes("parameters", "scale")))
		precision, _ := strconv.Atoi(string(f.GetStringBytes("parameters", "connect.decimal.precision")))
		if err == nil && scale >= 0 && scale <= 30 {
			return types.TDecimal(max(precision, scale, 1), scale)
		}
	}
	switch base := string(f.GetStringBytes("type")); base {
	case "array":
		elem := connectType(f.Get("items"))
		return types.Type{Kind: types.Array, Elem: &elem}
	default:
		if t, ok := connectBases[base]; ok {
			return t
		}
	}
	return types.TJSON
}

// changeKey adds the candidate of a key that is an object of columns, in a wrapper or without.
func (p *Proposal) changeKey(key []byte) []int {
	v, err := fastjson.ParseBytes(key)
	if err != nil || p.format != changeEvents {
		return nil
	}
	if inner := v.Get("payload"); inner != nil && inner.Type() == fastjson.TypeObject {
		v = inner
	}
	return p.objectKey(v.MarshalTo(nil))
}

// primary makes the likeliest column the primary key of a table without a declared key.
func (p *Proposal) primary() {
	best := 0
	for i, c := range p.columns {
		if !c.typ.Nested() && (p.columns[best].typ.Nested() || likelihood(c.name) > likelihood(p.columns[best].name)) {
			best = i
		}
	}
	p.columns[best].remark("guessed to be the primary key")
	p.guessed = []int{best}
}

// equal says whether a key is read as the columns of a row.
func (c *candidateKey) equal(key []byte, row []*vector.Vector) bool {
	own := make([]*vector.Vector, len(c.columns))
	for i, at := range c.columns {
		own[i] = vector.New(row[at].Type, 1)
	}
	if c.codec.DecodeKey(key, own) != nil {
		return false
	}
	for i, at := range c.columns {
		if own[i].IsNull(0) || row[at].IsNull(0) || !types.Equal(own[i].Value(0), row[at].Value(0)) {
			return false
		}
	}
	return true
}
