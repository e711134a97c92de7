package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// jsonPath is a MySQL JSON path: $, then .key, ."any key", .*, [n], [last], [last-n], [a to b], [*], **.
type jsonPath []jsonStep

type jsonStep struct {
	key      string
	index    int
	fromLast bool
	to       int // stepRange: the last index
	toLast   bool
	kind     stepKind
}

type stepKind uint8

const (
	stepKey stepKind = iota
	stepIndex
	stepAnyKey
	stepAnyIndex
	stepRange
	stepDeep // the value itself and everything in it
)

// parseJSONPath reads a path; the error shows where it ends to make sense.
func parseJSONPath(s string) (jsonPath, error) {
	rest := strings.TrimSpace(s)
	if !strings.HasPrefix(rest, "$") {
		return nil, fmt.Errorf("JSON path %q must begin with $, as in $.a.b[0]", s)
	}
	rest = rest[1:]
	var p jsonPath
	for rest != "" {
		var step jsonStep
		var ok bool
		switch {
		case strings.HasPrefix(rest, "**"):
			step, rest, ok = jsonStep{kind: stepDeep}, rest[2:], len(rest) > 2
		case rest[0] == '.':
			step, rest, ok = parseKeyStep(strings.TrimLeft(rest[1:], " "))
		case rest[0] == '[':
			step, rest, ok = parseIndexStep(rest[1:])
		}
		if !ok {
			return nil, fmt.Errorf("JSON path %q is not valid; write for example $.a.b[0] or $.\"any key\"", s)
		}
		p = append(p, step)
		rest = strings.TrimLeft(rest, " ")
	}
	return p, nil
}

func parseKeyStep(s string) (step jsonStep, rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, "*"):
		return jsonStep{kind: stepAnyKey}, s[1:], true
	case strings.HasPrefix(s, `"`):
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"':
				key, err := strconv.Unquote(s[:i+1])
				return jsonStep{key: key}, s[i+1:], err == nil
			}
		}
		return step, "", false
	}
	i := strings.IndexAny(s, ".[ ")
	if i < 0 {
		i = len(s)
	}
	return jsonStep{key: s[:i]}, strings.TrimLeft(s[i:], " "), i > 0
}

func parseIndexStep(s string) (step jsonStep, rest string, ok bool) {
	inside, rest, ok := strings.Cut(s, "]")
	if strings.TrimSpace(inside) == "*" {
		return jsonStep{kind: stepAnyIndex}, rest, ok
	}
	step.kind = stepIndex
	from, to, ranged := strings.Cut(inside, " to ")
	var fine bool
	if step.index, step.fromLast, fine = parseIndex(from); !fine {
		return step, "", false
	}
	if ranged {
		step.kind = stepRange
		if step.to, step.toLast, fine = parseIndex(to); !fine {
			return step, "", false
		}
	}
	return step, rest, ok
}

// parseIndex reads n, last or last-n.
func parseIndex(s string) (n int, fromLast, ok bool) {
	s = strings.ReplaceAll(s, " ", "")
	if after, last := strings.CutPrefix(s, "last"); last {
		if after == "" {
			return 0, true, true
		}
		if after[0] != '-' {
			return 0, true, false
		}
		s, fromLast = after[1:], true
	}
	v, err := strconv.ParseUint(s, 10, 31)
	return int(v), fromLast, err == nil
}

// wild says whether the path may match several values.
func (p jsonPath) wild() bool {
	for _, s := range p {
		if s.kind >= stepAnyKey {
			return true
		}
	}
	return false
}

// find is the value at a path without wild cards; nil when there is none.
func (p jsonPath) find(v *fastjson.Value) *fastjson.Value {
	for _, s := range p {
		if v = s.find(v); v == nil {
			return nil
		}
	}
	return v
}

func (s jsonStep) find(v *fastjson.Value) *fastjson.Value {
	if s.kind == stepKey {
		o, err := v.Object()
		if err != nil {
			return nil
		}
		return o.Get(s.key)
	}
	items, err := v.Array()
	if err != nil { // a value that is no array counts as an array of itself
		if s.index == 0 {
			return v
		}
		return nil
	}
	i := at(s.index, s.fromLast, len(items))
	if i < 0 || i >= len(items) {
		return nil
	}
	return items[i]
}

// at is an index into n elements.
func at(index int, fromLast bool, n int) int {
	if fromLast {
		return n - 1 - index
	}
	return index
}

// findAll appends every value at the path.
func (p jsonPath) findAll(v *fastjson.Value, to []*fastjson.Value) []*fastjson.Value {
	for k, s := range p {
		rest := p[k+1:]
		switch s.kind {
		case stepAnyKey:
			if o, err := v.Object(); err == nil {
				o.Visit(func(_ []byte, x *fastjson.Value) { to = rest.findAll(x, to) })
			}
			return to
		case stepAnyIndex:
			items, _ := v.Array()
			for _, x := range items {
				to = rest.findAll(x, to)
			}
			return to
		case stepRange:
			items, err := v.Array()
			if err != nil {
				items = []*fastjson.Value{v}
			}
			for i := max(at(s.index, s.fromLast, len(items)), 0); i <= min(at(s.to, s.toLast, len(items)), len(items)-1); i++ {
				to = rest.findAll(items[i], to)
			}
			return to
		case stepDeep:
			return rest.findDeep(v, to)
		}
		if v = s.find(v); v == nil {
			return to
		}
	}
	return append(to, v)
}

// findDeep appends what the path finds in v and in everything inside v.
func (p jsonPath) findDeep(v *fastjson.Value, to []*fastjson.Value) []*fastjson.Value {
	to = p.findAll(v, to)
	switch v.Type() {
	case fastjson.TypeObject:
		v.GetObject().Visit(func(_ []byte, x *fastjson.Value) { to = p.findDeep(x, to) })
	case fastjson.TypeArray:
		for _, x := range v.GetArray() {
			to = p.findDeep(x, to)
		}
	}
	return to
}
