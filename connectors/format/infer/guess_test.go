package infer

import (
	"testing"

	"github.com/valyala/fastjson"

	"github.com/streamsql-go/streamsql/sql/types"
)

// Types are widened over all values of a place.
func TestWidening(t *testing.T) {
	for _, test := range []struct {
		values []string
		want   string
	}{
		{[]string{`1`, `-1`, `214748364`}, "INT"},
		{[]string{`1`, `214748365`}, "BIGINT"},
		{[]string{`9223372036854775807`}, "BIGINT"},
		{[]string{`9223372036854775808`, `0`}, "BIGINT UNSIGNED"},
		{[]string{`9223372036854775808`, `-1`}, "DECIMAL(38,0)"},
		{[]string{`12.50`, `100`}, "DECIMAL(10,2)"},
		{[]string{`123456789.5`}, "DECIMAL(18,1)"},
		{[]string{`0.1234567`}, "DOUBLE"},
		{[]string{`1`, `1e-3`}, "DOUBLE"},
		{[]string{`123456789012345678901234567890123456789`}, "VARCHAR"},
		{[]string{`1`, `"x"`}, "VARCHAR"},
		{[]string{`true`, `0`}, "BOOLEAN"},
		{[]string{`true`, `2`}, "VARCHAR"},
		{[]string{`"2024-05-06T07:08:09Z"`, `"2024-05-06 07:08:09"`}, "TIMESTAMP(3)"},
		{[]string{`"2024-05-06T07:08:09.123456Z"`, `"2024-05-06"`}, "TIMESTAMP(6)"},
		{[]string{`"2024-05-06"`}, "DATE"},
		{[]string{`"2024-05-06"`, `"2024-13-06"`}, "VARCHAR"},
		{[]string{`"07:08:09"`}, "TIME"},
		{[]string{`"07:08:09.5"`}, "TIME(1)"},
		{[]string{`"x"`, `null`}, "VARCHAR"},
		{[]string{`null`}, "VARCHAR"},
		{[]string{`[]`, `[1]`, `[null, 2.5]`}, "ARRAY<DECIMAL(10,1)>"},
		{[]string{`[]`}, "JSON"},
		{[]string{`{}`}, "JSON"},
		{[]string{`{"a":1}`, `{"b":[{"c":"x"}],"a":null}`}, "STRUCT<a INT, b ARRAY<STRUCT<c VARCHAR>>>"},
		{[]string{`{"a":1}`, `[1]`}, "JSON"},
		{[]string{`{"a":1,"A":2}`}, "JSON"},
	} {
		g := &guess{}
		for _, v := range test.values {
			g.look(fastjson.MustParse(v))
		}
		if got, note := g.typ(); got.String() != test.want {
			t.Errorf("%s: got %s (%s), want %s", test.values, got, note, test.want)
		}
	}
}

func TestEpochs(t *testing.T) {
	for _, test := range []struct {
		name, value, unit string
	}{
		{"ts", `1714979289000`, "ms"}, {"created_at", `1714979289000`, "ms"}, {"createdAt", `1714979289000`, "ms"}, {"eventTime", `1714979289000`, "ms"},
		{"timestamp_ms", `1714979289000`, "ms"}, {"ts", `1714979289`, "s"}, {"ts", `1714979289000000`, "us"}, {"ts", `1714979289000000000`, "ns"},
		{"id", `1714979289000`, ""}, {"parts", `1714979289000`, ""}, {"cat", `1714979289000`, ""}, {"format", `1714979289000`, ""}, {"ts", `5`, ""}, {"ts", `1714979289000.5`, ""}, {"ts", `"1714979289000"`, ""},
	} {
		m := &member{name: test.name}
		m.look(fastjson.MustParse(test.value))
		got := otherUnit(m)
		if epoch(m) != "" {
			got += "ms"
		}
		if got != test.unit {
			t.Errorf("%s = %s: got %q, want %q", test.name, test.value, got, test.unit)
		}
	}
}

func TestRounded(t *testing.T) {
	for micros, want := range map[int64]string{1: "1ms", 1000: "1ms", 1001: "2ms", 99_000: "99ms", 123_456: "130ms", 1_250_000: "1s300ms", 59_999_000: "1m"} {
		if got := rounded(micros); got != want {
			t.Errorf("%d: got %s, want %s", micros, got, want)
		}
		if back, err := types.ParseDuration(rounded(micros)); err != nil || back < micros {
			t.Errorf("%d: %d, %v", micros, back, err)
		}
	}
}
