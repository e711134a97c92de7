package expr

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func jsonBuildFunctions() []Function {
	return family("json", []Function{
		{Name: "JSON_ARRAY", Min: 0, Max: -1, Signature: "JSON_ARRAY(x, …) -> JSON", Doc: "The arguments as a JSON array.",
			Example: "JSON_ARRAY(1, 'a', NULL, TRUE)", Result: `[1,"a",null,true]`, bind: seesNull(types.TJSON, arrayKernel)},
		{Name: "JSON_OBJECT", Min: 0, Max: -1, Signature: "JSON_OBJECT(key, value, …) -> JSON", Doc: "Keys and values as a JSON object.",
			Example: "JSON_OBJECT('a', 1, 'b', 'x')", Result: `{"a":1,"b":"x"}`, bind: bindJSONObject},
		{Name: "JSON_QUOTE", Min: 1, Max: 1, Signature: "JSON_QUOTE(text) -> VARCHAR", Doc: "A text as a JSON string.",
			Example: `JSON_QUOTE('a"b')`, Result: `"a\"b"`, bind: simple(types.TVarchar, func(r *row) error {
				dst := r.build()
				*dst = appendJSONString(*dst, r.text(0))
				return r.done()
			}, asText)},
	})
}

func arrayKernel(r *row) error {
	dst := r.build()
	*dst = append(*dst, '[')
	for k := range r.args {
		if k > 0 {
			*dst = append(*dst, ',')
		}
		*dst = r.appendJSON(*dst, k)
	}
	*dst = append(*dst, ']')
	return r.done()
}

func bindJSONObject(f *Function, args []Expr) (Expr, error) {
	if len(args)%2 != 0 {
		return nil, errors.New("needs a value for every key")
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = a
		if i%2 == 0 {
			var err error
			if out[i], err = asText(a); err != nil {
				return nil, err
			}
		}
	}
	return seesNull(types.TJSON, objectKernel)(f, out)
}

// objectKernel makes an object of keys and values in turn; equal keys are written once, with the last value.
func objectKernel(r *row) error {
	dst := r.build()
	*dst = append(*dst, '{')
	first := true
	for k := 0; k < len(r.args); k += 2 {
		if r.null(k) {
			return errors.New(r.fn.Name + ": a key is NULL")
		}
		if r.keyFollows(k) {
			continue
		}
		if !first {
			*dst = append(*dst, ',')
		}
		first = false
		*dst = append(appendJSONString(*dst, r.text(k)), ':')
		*dst = r.appendJSON(*dst, k+1)
	}
	*dst = append(*dst, '}')
	return r.done()
}

// keyFollows says whether the key at argument k comes again.
func (r *row) keyFollows(k int) bool {
	for j := k + 2; j < len(r.args); j += 2 {
		if !r.null(j) && bytes.Equal(r.text(j), r.text(k)) {
			return true
		}
	}
	return false
}

// appendJSON appends an argument as a JSON value.
func (r *row) appendJSON(dst []byte, arg int) []byte {
	return appendJSONValue(dst, r.args[arg].v, r.at(arg))
}

// appendJSONValue appends row i of v as a JSON value: numbers with all their digits, times and bytes as strings.
func appendJSONValue(dst []byte, v *vector.Vector, i int) []byte {
	switch t := v.Type; {
	case v.IsNull(i) || t.Kind == types.Null:
		return append(dst, "null"...)
	case t.Kind == types.Boolean && v.Ints[i] != 0:
		return append(dst, "true"...)
	case t.Kind == types.Boolean:
		return append(dst, "false"...)
	case t.Text():
		return appendJSONString(dst, v.Bytes.At(i))
	case t.Temporal():
		return append(appendText(append(dst, '"'), v, i, t), '"')
	case t.Kind == types.Double && !finite(v.Floats[i]):
		return append(dst, "null"...)
	default:
		return appendText(dst, v, i, t)
	}
}

// appendJSONString appends a JSON string (RFC 8259); bytes that are not UTF-8 become U+FFFD.
func appendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		c, size := utf8.DecodeRune(s)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = utf8.AppendRune(dst, c)
		}
		s = s[size:]
	}
	return append(dst, '"')
}
