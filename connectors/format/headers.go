package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// ParseHeaders reads record headers from a JSON object: a string is a header's value, null a header without one, a number or
// truth value is taken as it is written. The headers keep the object's order and share no memory with text.
func ParseHeaders(text []byte) ([]vector.Header, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("headers are an object of names and texts, not %s", Shown(text))
	}
	var out []vector.Header
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("headers: %w", err)
		}
		value, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("headers: %w", err)
		}
		h := vector.Header{Key: name.(string)} // the decoder lets nothing else stand there
		switch v := value.(type) {
		case nil:
		case string:
			h.Value = []byte(v)
		case json.Number:
			h.Value = []byte(v)
		case bool:
			h.Value = fmt.Append(nil, v)
		default:
			return nil, fmt.Errorf("header %q is an object or array: a header's value is a text", h.Key)
		}
		out = append(out, h)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("headers: %w", err)
	}
	if d.More() {
		return nil, errors.New("headers: something stands after the object")
	}
	return out, nil
}

// AppendHeaders appends headers as the object that ParseHeaders reads. Of several with one name the last counts, as in
// HEADER('name'); bytes that are not UTF-8 become U+FFFD.
func AppendHeaders(dst []byte, hs []vector.Header) []byte {
	dst = append(dst, '{')
	first := true
	for i, h := range hs {
		if hidden(h.Key, hs[i+1:]) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendQuoted(dst, h.Key), ':')
		if h.Value == nil {
			dst = append(dst, "null"...)
			continue
		}
		dst = appendQuoted(dst, string(h.Value))
	}
	return append(dst, '}')
}

// hidden says whether a header of that name follows.
func hidden(name string, later []vector.Header) bool {
	for _, h := range later {
		if h.Key == name {
			return true
		}
	}
	return false
}

// appendQuoted appends a JSON string.
func appendQuoted(dst []byte, s string) []byte {
	out := bytes.NewBuffer(dst)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string and a buffer: neither fails
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
