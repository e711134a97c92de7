package types

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"
)

func TestCast(t *testing.T) {
	for _, c := range []struct {
		v    Value
		t    Type
		want string // text, or ! for an error
	}{
		{NewInt(12), TDecimal(10, 2), "12.00"}, {NewString("0.1"), TDouble, "0.1"}, {NewInt(1500), Type{Kind: Timestamp, Precision: 3}, "1970-01-01 00:00:01.500"},
		{NewString("2024-02-29"), TDate, "2024-02-29"}, {NewDouble(1e300), TBigInt, "!"}, {NewString("x"), TInt, "!"}, {NewInt(1 << 40), TInt, "!"}, {NewUint(1 << 63), TBigInt, "!"},
		{NewJSON(`"7"`), TInt, "7"}, {NewJSON(`1500`), Type{Kind: Timestamp, Precision: 3}, "1970-01-01 00:00:01.500"}, {NewJSON(`{}`), TInt, "!"}, {NewJSON(`null`), TInt, "NULL"},
		{NewString("abc"), Type{Kind: Varchar, Length: 2}, "ab"}, {NewDate(1), TTimestamp, "1970-01-02 00:00:00"}, {NewBool(true), TJSON, "true"}, {Value{}, TInt, "NULL"}, {NewTime(1), TDate, "!"},
		{NewInt(1 << 62), TTimestamp, "!"}, {NewString("TRUE"), TBoolean, "1"}, {NewString("maybe"), TBoolean, "!"},
	} {
		got, err := Cast(c.v, c.t)
		if c.want == "!" {
			if !errors.Is(err, ErrCast) {
				t.Errorf("%s to %s: %s, %v", c.v.Literal(), c.t, got.Text(), err)
			}
			continue
		}
		if err != nil || got.Text() != c.want {
			t.Errorf("%s to %s: %s, %v; want %s", c.v.Literal(), c.t, got.Text(), err, c.want)
		}
	}
}

func TestCompareValues(t *testing.T) {
	order := []Value{{}, NewInt(-1), NewDecimal(FromInt64(15), 1), NewUint(1 << 63), NewDouble(1e30), NewString("A"), NewString("a"), NewString("a "), NewDate(0), NewTimestamp(1)}
	for i, a := range order {
		for j, b := range order {
			want := 0
			if i < j {
				want = -1
			}
			if i > j {
				want = 1
			}
			if got := Compare(a, b); got != want {
				t.Errorf("%s with %s: %d", a.Literal(), b.Literal(), got)
			}
		}
	}
	if !Equal(NewInt(1), NewDecimal(FromInt64(100), 2)) || !Equal(NewDouble(0), NewInt(0)) {
		t.Error("equal numbers of two types differ")
	}
}

func TestGoValues(t *testing.T) {
	for _, x := range []any{nil, true, int64(-5), uint64(1 << 63), 1.5, "a", []byte{0, 1}, json.RawMessage(`{"a":1}`), time.UnixMicro(1_234_567).UTC()} {
		v, err := FromAny(x)
		if err != nil || !reflect.DeepEqual(v.ToAny(), x) {
			t.Errorf("%v becomes %v, %v", x, v.ToAny(), err)
		}
	}
	if v, err := FromAny(map[string]int{"a": 1}); err != nil || v.Kind != JSON || v.S != `{"a":1}` {
		t.Errorf("a map: %v, %v", v, err)
	}
	if _, err := FromAny(make(chan int)); err == nil {
		t.Error("a channel was accepted")
	}
}

func TestLiterals(t *testing.T) {
	for want, v := range map[string]Value{`'a''b\\c'`: NewString(`a'b\c`), "1.50": NewDecimal(FromInt64(150), 2), "1e0": NewDouble(1), "X'00FF'": NewBinary([]byte{0, 255}), "TRUE": NewBool(true), "NULL": {}, "TIMESTAMP '1970-01-01 00:00:00.001'": NewTimestamp(1000)} {
		if got := v.Literal(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
