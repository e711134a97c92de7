package parquet

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
)

// part puts a column of a file, or a part of a nested one, together again as JSON.
type part struct {
	kind        partKind
	def         int // the definition level at which there is something
	first, last int // its leaves: [first, last)
	names       [][]byte
	parts       []part // of a group; the element of a list; key and value of a map
	rep, more   int    // of a list or map: the repetition level of its elements, and the definition level at which there is one
	leaf        func(dst []byte, v parquet.Value) []byte
}

type partKind uint8

const (
	leafPart partKind = iota
	groupPart
	listPart
	mapPart
)

// window are the values of all leaves of a file that belong to what is put together.
type window [][]parquet.Value

// newPart is the way to read a column; want is what it is declared as.
func newPart(c *parquet.Column, want types.Type) (part, error) {
	p := part{def: c.MaxDefinitionLevel()}
	p.first, p.last = leavesOf(c)
	if c.Repeated() { // a list of old, without the groups around it
		return repeated(p, c, c, want)
	}
	return bare(p, c, want)
}

// bare is a column without regard to its being repeated.
func bare(p part, c *parquet.Column, want types.Type) (part, error) {
	if c.Leaf() {
		if want.Kind == types.Array || want.Kind == types.Map || want.Kind == types.Struct {
			return p, fmt.Errorf("it is %s, not %s", described(c), want)
		}
		p.leaf = leaf(c.Type(), want)
		return p, nil
	}
	switch inner := repeats(c); {
	case inner != nil && isMap(c):
		return keyed(p, inner, want)
	case inner != nil:
		return repeated(p, inner, element(c, inner), want)
	}
	if want.Kind != types.Struct && want.Kind != types.JSON && want.Kind != types.Varchar {
		return p, fmt.Errorf("it is a group, not %s", want)
	}
	p.kind = groupPart
	for _, x := range c.Columns() {
		n, err := newPart(x, fieldOf(want, x.Name()))
		if err != nil {
			return p, fmt.Errorf("field %s: %w", x.Name(), err)
		}
		p.names = append(p.names, append(json.AppendString(nil, []byte(x.Name())), ':'))
		p.parts = append(p.parts, n)
	}
	return p, nil
}

// repeated is a list: repeats is the repeated column, of which each time is one element.
func repeated(p part, repeats, of *parquet.Column, want types.Type) (part, error) {
	if want.Kind != types.Array && want.Kind != types.JSON && want.Kind != types.Varchar {
		return p, fmt.Errorf("it is a list, not %s", want)
	}
	p.kind, p.rep, p.more = listPart, repeats.MaxRepetitionLevel(), repeats.MaxDefinitionLevel()
	if p.def == p.more { // the column itself repeats: that it is not there and that it is empty is one
		p.def--
	}
	e := part{def: of.MaxDefinitionLevel()}
	e.first, e.last = leavesOf(of)
	build := bare
	if of != repeats && of.Repeated() {
		build = func(_ part, c *parquet.Column, want types.Type) (part, error) { return newPart(c, want) }
	}
	e, err := build(e, of, elem(want))
	p.parts = []part{e}
	return p, err
}

// keyed is a map: inner is the repeated group of key and value.
func keyed(p part, inner *parquet.Column, want types.Type) (part, error) {
	if want.Kind != types.Map && want.Kind != types.JSON && want.Kind != types.Varchar {
		return p, fmt.Errorf("it is a map, not %s", want)
	}
	p.kind, p.rep, p.more = mapPart, inner.MaxRepetitionLevel(), inner.MaxDefinitionLevel()
	kv := inner.Columns()
	if !kv[0].Leaf() {
		return p, fmt.Errorf("the keys of its map are %s", described(kv[0]))
	}
	key, err := newPart(kv[0], types.TVarchar)
	if err != nil {
		return p, err
	}
	v, err := newPart(kv[1], elem(want))
	p.parts = []part{key, v}
	return p, err
}

// repeats is the repeated column in a group that is annotated as a list or map, or built like one; nil for other groups.
func repeats(c *parquet.Column) *parquet.Column {
	if inner := c.Columns(); len(inner) == 1 && inner[0].Repeated() && annotated(c) != "" {
		return inner[0]
	}
	return nil
}

func isMap(c *parquet.Column) bool {
	return annotated(c) == "MAP" && !c.Columns()[0].Leaf() && len(c.Columns()[0].Columns()) == 2
}

func annotated(c *parquet.Column) string {
	t := c.Type().LogicalType()
	if t == nil {
		return ""
	}
	switch t.Value.(type) {
	case *format.MapType:
		return "MAP"
	case *format.ListType:
		return "LIST"
	}
	return ""
}

// element is what one repetition of a list holds: the repeated column itself in files of older writers (Parquet format, LogicalTypes.md,
// backward-compatibility rules).
func element(list, inner *parquet.Column) *parquet.Column {
	if inner.Leaf() || len(inner.Columns()) != 1 || inner.Name() == "array" || inner.Name() == list.Name()+"_tuple" {
		return inner
	}
	return inner.Columns()[0]
}

func leavesOf(c *parquet.Column) (first, last int) {
	if c.Leaf() {
		return c.Index(), c.Index() + 1
	}
	inner := c.Columns()
	if len(inner) == 0 {
		return 0, 0
	}
	first, _ = leavesOf(inner[0])
	_, last = leavesOf(inner[len(inner)-1])
	return first, last
}

func elem(t types.Type) types.Type {
	if t.Elem != nil {
		return *t.Elem
	}
	return types.TJSON
}

func fieldOf(t types.Type, name string) types.Type {
	for _, f := range t.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Type
		}
	}
	return types.TJSON
}

func described(c *parquet.Column) string {
	if c.Leaf() {
		return c.Type().String()
	}
	return "a group"
}

// append appends what stands in a window.
func (p *part) append(dst []byte, w window) []byte {
	if w[p.first][0].DefinitionLevel() < p.def {
		return append(dst, "null"...)
	}
	switch p.kind {
	case groupPart:
		dst = append(dst, '{')
		for i := range p.parts {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = p.parts[i].append(append(dst, p.names[i]...), w)
		}
		return append(dst, '}')
	case listPart:
		return p.each(append(dst, '['), w, ']', func(dst []byte) []byte { return p.parts[0].append(dst, w) })
	case mapPart:
		return p.each(append(dst, '{'), w, '}', func(dst []byte) []byte {
			at := len(dst)
			dst = p.parts[0].append(dst, w)
			if dst[at] != '"' { // a number, a truth value
				dst = json.AppendString(dst[:at:at], dst[at:])
			}
			return p.parts[1].append(append(dst, ':'), w)
		})
	}
	return p.leaf(dst, w[p.first][0])
}

// each calls one for every element, with the window set on it.
func (p *part) each(dst []byte, w window, closing byte, one func(dst []byte) []byte) []byte {
	if w[p.first][0].DefinitionLevel() < p.more {
		return append(dst, closing)
	}
	whole := make(window, p.last-p.first)
	copy(whole, w[p.first:p.last])
	rest := make(window, len(whole))
	copy(rest, whole)
	for n := 0; len(rest[0]) > 0; n++ {
		if n > 0 {
			dst = append(dst, ',')
		}
		for i, vs := range rest {
			end := 1
			for end < len(vs) && vs[end].RepetitionLevel() > p.rep {
				end++
			}
			w[p.first+i], rest[i] = vs[:end], vs[end:]
		}
		dst = one(dst)
	}
	copy(w[p.first:p.last], whole)
	return append(dst, closing)
}
