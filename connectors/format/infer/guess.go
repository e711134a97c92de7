package infer

import (
	"fmt"
	"math"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
)

// guess is what was seen of the values in one place.
type guess struct {
	values, nulls int
	bools         int
	numbers       number
	texts         text
	arrays        int
	elem          *guess
	objects       int
	members       []*member // in the order of their appearance
}

// member is a field of the objects in one place.
type member struct {
	name string
	guess
}

// look takes one JSON value.
func (g *guess) look(v *fastjson.Value) {
	if v.Type() == fastjson.TypeNull {
		g.nulls++
		return
	}
	g.values++
	switch v.Type() {
	case fastjson.TypeTrue, fastjson.TypeFalse:
		g.bools++
	case fastjson.TypeNumber:
		g.numbers.look(string(v.MarshalTo(nil)))
	case fastjson.TypeString:
		s, _ := v.StringBytes()
		g.texts.look(string(s))
	case fastjson.TypeArray:
		g.arrays++
		if g.elem == nil {
			g.elem = &guess{}
		}
		elems, _ := v.Array()
		for _, e := range elems {
			g.elem.look(e)
		}
	case fastjson.TypeObject:
		g.objects++
		o, _ := v.Object()
		o.Visit(func(name []byte, v *fastjson.Value) { g.member(string(name)).look(v) })
	}
}

func (g *guess) member(name string) *member {
	for _, m := range g.members {
		if m.name == name {
			return m
		}
	}
	m := &member{name: name}
	g.members = append(g.members, m)
	return m
}

// kinds is how many kinds of values there were.
func (g *guess) kinds() int {
	n := 0
	for _, seen := range []int{g.bools, g.numbers.seen, g.texts.seen, g.arrays, g.objects} {
		if seen > 0 {
			n++
		}
	}
	return n
}

// typ is the narrowest type that holds what was seen, and a remark where that was a guess.
func (g *guess) typ() (types.Type, string) {
	switch {
	case g.values == 0:
		return types.TVarchar, "always null in the sample"
	case g.kinds() > 1 && g.arrays+g.objects > 0:
		return types.TJSON, "values of several kinds"
	case g.kinds() > 1:
		if g.texts.seen == 0 && g.numbers.bits() {
			return types.TBoolean, "true, false, 0 and 1"
		}
		return types.TVarchar, "numbers, texts or truth values"
	case g.bools > 0:
		return types.TBoolean, ""
	case g.numbers.seen > 0:
		return g.numbers.typ()
	case g.texts.seen > 0:
		return g.texts.typ(), ""
	case g.arrays > 0:
		return g.array()
	}
	return g.object()
}

func (g *guess) array() (types.Type, string) {
	if g.elem.values == 0 {
		return types.TJSON, "always empty in the sample"
	}
	elem, note := g.elem.typ()
	return types.Type{Kind: types.Array, Elem: &elem}, note
}

// Objects with at least so many names of which most are missing in each are maps: the names are data.
const mapNames, mapPresence = 12, 0.5

func (g *guess) object() (types.Type, string) {
	if len(g.members) == 0 {
		return types.TJSON, "always empty in the sample"
	}
	if t, ok := g.asMap(); ok {
		return t, fmt.Sprintf("a MAP, because %d different names were seen", len(g.members))
	}
	t := types.Type{Kind: types.Struct}
	for i, m := range g.members {
		for _, o := range g.members[:i] {
			if strings.EqualFold(m.name, o.name) {
				return types.TJSON, fmt.Sprintf("its fields %s and %s differ in case only", o.name, m.name)
			}
		}
		ft, _ := m.typ()
		t.Fields = append(t.Fields, types.Field{Name: m.name, Type: ft})
	}
	return t, ""
}

func (g *guess) asMap() (types.Type, bool) {
	all := guess{}
	present := 0
	for _, m := range g.members {
		all.add(&m.guess)
		present += m.values + m.nulls
	}
	if len(g.members) < mapNames || float64(present) > mapPresence*float64(len(g.members)*g.objects) || all.kinds() != 1 {
		return types.Type{}, false
	}
	elem, _ := all.typ()
	return types.Type{Kind: types.Map, Elem: &elem}, true
}

// add takes what was seen in another place.
func (g *guess) add(o *guess) {
	g.values += o.values
	g.nulls += o.nulls
	g.bools += o.bools
	g.numbers.add(&o.numbers)
	g.texts.add(&o.texts)
	g.arrays += o.arrays
	if o.elem != nil {
		if g.elem == nil {
			g.elem = &guess{}
		}
		g.elem.add(o.elem)
	}
	g.objects += o.objects
	for _, m := range o.members {
		g.member(m.name).add(&m.guess)
	}
}

// number is what was seen of numbers.
type number struct {
	seen     int
	floats   int // with an exponent
	digits   int // before the point, at most
	scale    int // after it, at most
	outside  int // not int64
	unsigned int // of those, those that are uint64
	min, max int64
}

func (n *number) look(s string) {
	o := number{seen: 1}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(s, "+-"), ".")
	o.digits, o.scale = len(strings.TrimLeft(whole, "0")), len(fraction)
	if strings.ContainsAny(s, "eE") {
		o.floats, o.digits, o.scale = 1, 0, 0
	} else if x, err := types.ParseInt([]byte(s)); err == nil {
		o.min, o.max = x, x
	} else if o.scale == 0 {
		o.outside = 1
		if _, err := types.ParseUint([]byte(s)); err == nil {
			o.unsigned = 1
		}
	}
	n.add(&o)
}

func (n *number) add(o *number) {
	if o.seen == 0 {
		return
	}
	if n.seen == 0 {
		n.min, n.max = o.min, o.max
	}
	n.seen += o.seen
	n.floats += o.floats
	n.digits, n.scale = max(n.digits, o.digits), max(n.scale, o.scale)
	n.outside += o.outside
	n.unsigned += o.unsigned
	n.min, n.max = min(n.min, o.min), max(n.max, o.max)
}

// bits says whether all were 0 or 1.
func (n *number) bits() bool {
	return n.floats+n.scale+n.outside == 0 && n.min >= 0 && n.max <= 1
}

// Digits after the point beyond these are of a measurement, not of an amount.
const mostScale = 6

func (n *number) typ() (types.Type, string) {
	const spare = math.MaxInt32 / 10
	switch {
	case n.floats > 0 || n.scale > mostScale:
		return types.TDouble, ""
	case n.scale > 0:
		return n.decimal()
	case n.outside > 0 && n.unsigned == n.outside && n.min >= 0:
		return types.TUBigInt, ""
	case n.outside > 0:
		return n.decimal()
	case n.min >= -spare && n.max <= spare:
		return types.TInt, ""
	}
	return types.TBigInt, ""
}

// decimal leaves room for four digits more before the point.
func (n *number) decimal() (types.Type, string) {
	for _, precision := range []int{10, 18, types.MaxDecimalDigits} {
		if n.digits+4+n.scale <= precision {
			return types.TDecimal(precision, n.scale), ""
		}
	}
	if n.digits+n.scale <= types.MaxDecimalDigits {
		return types.TDecimal(types.MaxDecimalDigits, n.scale), ""
	}
	return types.TVarchar, fmt.Sprintf("numbers of more than %d digits, as they are written", types.MaxDecimalDigits)
}
