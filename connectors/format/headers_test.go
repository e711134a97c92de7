package format

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/streamsql-go/streamsql/sql/vector"
)

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		text string
		want []vector.Header
		back string // "": text
	}{
		{`{}`, nil, ""},
		{`{"b":"1","a":"<é\""}`, []vector.Header{{Key: "b", Value: []byte("1")}, {Key: "a", Value: []byte(`<é"`)}}, ""},
		{` { "n" : 1.50 , "t" : true, "none":null } `, []vector.Header{{Key: "n", Value: []byte("1.50")}, {Key: "t", Value: []byte("true")}, {Key: "none"}}, `{"n":"1.50","t":"true","none":null}`},
		{`{"a":"1","b":"2","a":"3"}`, []vector.Header{{Key: "a", Value: []byte("1")}, {Key: "b", Value: []byte("2")}, {Key: "a", Value: []byte("3")}}, `{"b":"2","a":"3"}`},
	} {
		got, err := ParseHeaders([]byte(c.text))
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", c.text, err, d)
		}
		want := c.back
		if want == "" {
			want = c.text
		}
		if back := string(AppendHeaders(nil, got)); back != want {
			t.Errorf("%s comes back as %s", c.text, back)
		}
	}
}

func TestHeadersThatAreNone(t *testing.T) {
	for text, says := range map[string]string{
		`["a"]`: "not \"[\\\"a\\\"]\"", `"a"`: "an object of names and texts", ``: "an object", `{"a":{}}`: `header "a" is an object or array`, `{"a":[1]}`: `header "a"`,
		`{"a"`: "headers:", `{"a":1`: "headers:", `{} x`: "after the object",
	} {
		if got, err := ParseHeaders([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
