package expr

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
)

// drawArgument is a column, a constant that some function finds interesting, or an array.
func drawArgument(t *rapid.T) Expr {
	texts := []string{"", "a", "é", "a,b", "-1", "0x", "2024-02-29", "2024-02-29 23:59:59.999999", "10:11:12", "-838:59:59", "UTC", "+02:00", "Europe/Berlin",
		"$.a", "$[0]", "$**.b", `{"a":[1,{"b":null}]}`, "[1,2]", "null", "one", "all", "^(a)|b", "(", "i", "%Y-%m-%d", "%H:%i", "%", "MONTH", "WEEK", "DAY_SECOND", "10.0.0.1",
		"10.0.0.0/8", "::1", "https://u@h:1/p%zz?q=%zz&q=1#f", "6ccd780c-baba-1026-9564-5b8c656024db", "dns", "utf8", "en_US", "DESC", "BOTH"}
	numbers := []string{"0", "1", "2", "-1", "7", "10", "36", "64", "1000", "202402", "9223372036854775807", "18446744073709551615", "1.5", "0.000001", "1e300", "99999999999999999999999999999999999999"}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return testColumns[rapid.IntRange(0, len(testColumns)-1).Draw(t, "column")]
	case 1:
		return Literal(types.NewString(rapid.SampledFrom(texts).Draw(t, "text")))
	case 2:
		k, err := NumberLiteral(rapid.SampledFrom(numbers).Draw(t, "number"))
		if err != nil {
			t.Fatal(err)
		}
		return k
	case 3:
		return NullOf(rapid.SampledFrom([]types.Type{types.TNull, types.TVarchar, types.TBigInt, types.TTimestamp, types.TJSON}).Draw(t, "null"))
	}
	a, err := NewCall("ARRAY", []Expr{testColumns[rapid.IntRange(0, 6).Draw(t, "element")], NullOf(types.TNull)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAnyCall calls every function with whatever arguments it takes: nothing panics, a row is computed as it is alone, and what
// fails is NULL.
func TestAnyCall(t *testing.T) {
	now := func() time.Time { return time.Unix(1_700_000_000, 0) }
	called, computed := 0, 0
	for _, f := range Functions() {
		if f.lambda || f.random {
			continue
		}
		bound := false
		t.Run(f.Name, rapid.MakeCheck(func(t *rapid.T) {
			most := f.Max
			if most < 0 {
				most = f.Min + 3
			}
			var args []Expr
			for range rapid.IntRange(f.Min, most).Draw(t, "arguments") {
				args = append(args, drawArgument(t))
			}
			e, err := NewCall(f.Name, args)
			if err != nil {
				return
			}
			bound = true
			rowByRow(t, e, &Ctx{Now: now})
		}))
		called++
		if bound {
			computed++
		}
	}
	if computed < called*4/5 {
		t.Errorf("only %d of %d functions took arguments that were drawn", computed, called)
	}
}
