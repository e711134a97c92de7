package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// jsonPath is a MySQL JSON path: $, then .key, ."any key", .*, [n], [last], [last-n], [*].
type jsonPath []jsonStep

type jsonStep struct {
	key      string
	index    int
	kind     stepKind
	fromLast bool
}

type stepKind uint8

const (
	stepKey stepKind = iota
	stepIndex
	stepAnyKey
	stepAnyIndex
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
			return nil, fmt.Errorf("JSON path %q: ** is not supported", s)
		case rest[0] == '.':
			step, rest, ok = parseKeyStep(strings.TrimLeft(rest[1:], " "))
		case rest[0] == '[':
			step, rest, ok = parseIndexStep(rest[1:])
		}
		if !ok {
			return nil, fmt.Errorf("JSON path %q is not valid; write for example $.a.b[0] or $.\"any key\"", s)
		}
		p = append(p, step)
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
	inside = strings.ReplaceAll(inside, " ", "")
	step.kind = stepIndex
	switch {
	case inside == "*":
		return jsonStep{kind: stepAnyIndex}, rest, ok
	case strings.HasPrefix(inside, "last"):
		step.fromLast = true
		if inside = inside[len("last"):]; inside == "" {
			return step, rest, ok
		}
		if inside[0] != '-' {
			return step, "", false
		}
		inside = inside[1:]
	}
	n, err := strconv.ParseUint(inside, 10, 31)
	step.index = int(n)
	return step, rest, ok && err == nil
}

// wild says whether the path may match several values.
func (p jsonPath) wild() bool {
	for _, s := range p {
		if s.kind == stepAnyKey || s.kind == stepAnyIndex {
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
	i := s.index
	if s.fromLast {
		i = len(items) - 1 - i
	}
	if i < 0 || i >= len(items) {
		return nil
	}
	return items[i]
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
		}
		if v = s.find(v); v == nil {
			return to
		}
	}
	return append(to, v)
}
