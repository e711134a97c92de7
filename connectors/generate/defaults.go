package generate

import (
	"encoding/binary"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/connectors/random"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// defaultKind is the rule of a column that has none, by its type.
func defaultKind(c types.Column, keys int64) (kind, error) {
	t := c.Type
	switch t.Kind {
	case types.Boolean:
		return newChoice(t, []string{"false", "true"})
	case types.Int, types.Uint:
		lo, width := integers(t)
		most := width - 1 + uint64(lo) // the largest value
		return evenly(0, min(uint64(keys)-1, most)), nil
	case types.Double:
		return newUniform(t, []string{"0", "100"})
	case types.Decimal:
		most := types.Pow10(min(int(t.Precision), 18)) // all that DECIMAL(3,3) can hold is below 1
		if t.Precision >= t.Scale+3 {
			most, _ = types.Rescale(types.FromInt64(100), 0, min(t.Scale, 15))
		}
		steps, _ := most.Uint64()
		return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) {
			v.AppendDec(types.FromUint64(r.Below(steps)))
		}, nil
	case types.Varchar:
		return refTo(c.Name+"-", uint64(keys)), nil
	case types.Varbinary:
		return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) {
			v.Bytes.Data = binary.BigEndian.AppendUint64(v.Bytes.Data, r.Next())
			v.CloseBytes()
		}, nil
	case types.Date, types.Time, types.Timestamp:
		return newTime(t, nil)
	case types.JSON, types.Array, types.Map, types.Struct:
		return newDocument(c, keys)
	}
	return nil, fmt.Errorf("a column of type %s cannot be generated", t)
}

// part is a value inside a document, made by the rule of its type.
type part struct {
	name string
	kind kind
	own  *vector.Vector
}

func newPart(name string, t types.Type, keys int64) (part, error) {
	k, err := defaultKind(types.Column{Name: name, Type: t}, keys)
	return part{name, k, vector.New(t, 1)}, err
}

func (p *part) append(dst []byte, r *random.Source, n uint64, us int64) []byte {
	p.own.Reset()
	p.kind(p.own, r, n, us)
	return json.AppendValue(dst, p.own, 0)
}

func appendName(dst []byte, name string) []byte {
	v := vector.FromValues(types.TVarchar, types.NewString(name))
	return append(json.AppendValue(dst, v, 0), ':')
}

// newDocument makes STRUCTs of all their fields, ARRAYs and MAPs of up to three elements, and JSON as {"n":…}.
func newDocument(c types.Column, keys int64) (kind, error) {
	switch t := c.Type; t.Kind {
	case types.Array:
		return newSeveral(c.Name, *t.Elem, keys, "[]", func(dst []byte, _ uint64) []byte { return dst })
	case types.Map:
		return newSeveral(c.Name, *t.Elem, keys, "{}", func(dst []byte, i uint64) []byte { return appendName(dst, fmt.Sprint("k", i)) })
	case types.Struct:
		return newObject(t.Fields, keys)
	}
	return newObject([]types.Field{{Name: "n", Type: types.TBigInt}}, keys)
}

func newSeveral(name string, elem types.Type, keys int64, brackets string, prefix func([]byte, uint64) []byte) (kind, error) {
	p, err := newPart(name, elem, keys)
	return func(v *vector.Vector, r *random.Source, n uint64, us int64) {
		dst := append(v.Bytes.Data, brackets[0])
		for i := range r.Below(4) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = p.append(prefix(dst, i), r, n, us)
		}
		v.Bytes.Data = append(dst, brackets[1])
		v.CloseBytes()
	}, err
}

func newObject(fields []types.Field, keys int64) (kind, error) {
	var parts []part
	for _, f := range fields {
		p, err := newPart(f.Name, f.Type, keys)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return func(v *vector.Vector, r *random.Source, n uint64, us int64) {
		dst := append(v.Bytes.Data, '{')
		for i := range parts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = parts[i].append(appendName(dst, parts[i].name), r, n, us)
		}
		v.Bytes.Data = append(dst, '}')
		v.CloseBytes()
	}, nil
}
