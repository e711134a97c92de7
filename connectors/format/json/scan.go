package json

// kind is what a field holds.
type kind uint8

const (
	missing kind = iota
	null
	truth
	lie
	number
	text      // without escapes
	escaped   // a text with escapes
	container // an object or array
	orphaned  // inside something that is neither an object nor null
)

// span is a value in the record: its text, of strings without the quotes.
type span struct {
	kind     kind
	from, to int
}

// maxDepth is how deep objects and arrays may lie in each other; encoding/json has the same limit.
const maxDepth = 10000

// scanner reads one JSON text. A position of -1 says that it failed: at and why tell.
type scanner struct {
	s   []byte
	at  int
	why string
}

func (d *scanner) fail(at int, why string) int {
	d.at, d.why = at, why
	return -1
}

// space skips blanks.
func (d *scanner) space(i int) int {
	for i < len(d.s) && d.s[i] <= ' ' && (d.s[i] == ' ' || d.s[i] == '\n' || d.s[i] == '\r' || d.s[i] == '\t') {
		i++
	}
	return i
}

// value reads the value that starts at i and returns the position after it. Objects and arrays are checked and skipped.
func (d *scanner) value(i, depth int, v *span) int {
	if i >= len(d.s) {
		return d.fail(i, "it ends where a value is expected")
	}
	switch c := d.s[i]; c {
	case '"':
		end, esc, at := stringEnd(d.s, i+1)
		if end < 0 {
			return d.failString(at)
		}
		v.kind, v.from, v.to = text, i+1, end
		if esc {
			v.kind = escaped
		}
		return end + 1
	case '{', '[':
		end := d.container(i, depth)
		v.kind, v.from, v.to = container, i, end
		return end
	case 't':
		return d.word(i, "true", truth, v)
	case 'f':
		return d.word(i, "false", lie, v)
	case 'n':
		return d.word(i, "null", null, v)
	default:
		end := d.number(i)
		v.kind, v.from, v.to = number, i, end
		return end
	}
}

func (d *scanner) failString(at int) int {
	switch {
	case at >= len(d.s):
		return d.fail(at, "it ends inside a string")
	case d.s[at] == '\\':
		return d.fail(at, "an escape that JSON does not have")
	}
	return d.fail(at, "a control character inside a string")
}

func (d *scanner) word(i int, w string, k kind, v *span) int {
	if len(d.s)-i < len(w) || string(d.s[i:i+len(w)]) != w {
		return d.fail(i, "expected a value: an object, array, string in double quotes, number, true, false or null")
	}
	v.kind, v.from, v.to = k, i, i+len(w)
	return i + len(w)
}

// number reads RFC 8259's number: no leading zeros, plus sign, or bare point.
func (d *scanner) number(i int) int {
	s, start := d.s, i
	if s[i] == '-' {
		i++
	}
	switch {
	case i < len(s) && s[i] == '0':
		i++
	case i < len(s) && s[i]-'1' <= 8:
		i = digits(s, i)
	case i == start:
		return d.fail(i, "expected a value: an object, array, string in double quotes, number, true, false or null")
	default:
		return d.fail(i, "a number without digits")
	}
	if i < len(s) && s[i] == '.' {
		from := i + 1
		if i = digits(s, from); i == from {
			return d.fail(i, "a number without digits after its point")
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		from := i
		if i = digits(s, from); i == from {
			return d.fail(i, "a number without digits in its exponent")
		}
	}
	return i
}

func digits(s []byte, i int) int {
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return i
}

// container checks the object or array at i and returns the position after it.
func (d *scanner) container(i, depth int) int {
	if depth >= maxDepth {
		return d.fail(i, "objects and arrays lie too deep in each other")
	}
	closing := byte(']')
	if d.s[i] == '{' {
		closing = '}'
	}
	i = d.space(i + 1)
	if i < len(d.s) && d.s[i] == closing {
		return i + 1
	}
	var v span
	for {
		if closing == '}' {
			var name span
			if i = d.name(i, &name); i < 0 {
				return i
			}
		}
		if i = d.value(i, depth+1, &v); i < 0 {
			return i
		}
		i = d.space(i)
		if i < len(d.s) && d.s[i] == closing {
			return i + 1
		}
		if i = d.comma(i); i < 0 {
			return i
		}
	}
}

// comma reads a comma and the blanks after it.
func (d *scanner) comma(i int) int {
	switch {
	case i >= len(d.s):
		return d.fail(i, "it ends inside an object or array")
	case d.s[i] != ',':
		return d.fail(i, "expected a comma, or the end of the object or array")
	}
	return d.space(i + 1)
}

// name reads a member's name, its colon and the blanks around them.
func (d *scanner) name(i int, v *span) int {
	switch {
	case i >= len(d.s):
		return d.fail(i, "it ends inside an object")
	case d.s[i] != '"':
		return d.fail(i, "expected a field name in double quotes")
	}
	if i = d.value(i, 0, v); i < 0 {
		return i
	}
	return d.colon(i)
}

func (d *scanner) colon(i int) int {
	if i = d.space(i); i >= len(d.s) {
		return d.fail(i, "it ends after a field name")
	}
	if d.s[i] != ':' {
		return d.fail(i, "expected a colon after the field name")
	}
	return d.space(i + 1)
}
