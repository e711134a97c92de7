package story

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// literal computes the constants that test files write: literals, signs, TIMESTAMP(n) of milliseconds, and
// REPEAT(text, n) for long values.
func literal(e ast.Expr) (types.Value, error) {
	switch x := e.(type) {
	case *ast.Literal:
		return constant(x)
	case *ast.Unary:
		v, err := literal(x.X)
		if err != nil || x.Op != "-" {
			return v, err
		}
		return negate(x.Span, v)
	case *ast.Call:
		if x.Name == "REPEAT" && len(x.Args) == 2 {
			return repeat(x)
		}
	}
	return types.Value{}, ast.Errorf(e.Pos(), "a test file takes constants only").
		WithHint("numbers, strings, NULL, TRUE, FALSE, DATE '…', TIMESTAMP '…', X'…', REPEAT('x', n)")
}

func constant(x *ast.Literal) (types.Value, error) {
	at := func(v types.Value, err error) (types.Value, error) {
		if err != nil {
			return v, ast.Errorf(x.Span, "%v", err)
		}
		return v, nil
	}
	switch x.Kind {
	case ast.NullLiteral:
		return types.Value{}, nil
	case ast.BoolLiteral:
		return types.NewBool(strings.EqualFold(x.Text, "true") || x.Text == "1"), nil
	case ast.IntLiteral, ast.DecimalLiteral, ast.FloatLiteral:
		v, _, err := types.ParseLiteral(x.Text)
		return at(v, err)
	case ast.StringLiteral:
		return types.NewString(x.Text), nil
	case ast.HexLiteral:
		return types.NewBinary([]byte(x.Text)), nil
	case ast.DateLiteral:
		return at(types.Cast(types.NewString(x.Text), types.TDate))
	case ast.TimeLiteral:
		return at(types.Cast(types.NewString(x.Text), types.Type{Kind: types.Time, Precision: 6}))
	case ast.TimestampLiteral:
		return at(types.Cast(types.NewString(x.Text), types.Type{Kind: types.Timestamp, Precision: 6}))
	}
	return types.Value{}, ast.Errorf(x.Span, "an interval is not a value")
}

func negate(at ast.Span, v types.Value) (types.Value, error) {
	switch v.Kind {
	case types.Double:
		return types.NewDouble(-v.F), nil
	case types.Int, types.Uint, types.Decimal:
		d, scale, _ := v.Exact()
		n, ok := d.Neg()
		if i, fits := n.Int64(); ok && fits && scale == 0 {
			return types.NewInt(i), nil
		}
		if ok {
			return types.NewDecimal(n, scale), nil
		}
	}
	return v, ast.Errorf(at, "cannot be negated")
}

func repeat(x *ast.Call) (types.Value, error) {
	s, err := literal(x.Args[0])
	if err != nil {
		return s, err
	}
	n, err := literal(x.Args[1])
	if err != nil || n.Kind != types.Int || n.I < 0 {
		return n, ast.Errorf(x.Args[1].Pos(), "REPEAT takes a text and a count")
	}
	return types.NewString(strings.Repeat(s.S, int(n.I))), nil
}

// typed brings a constant to a column's type, to be encoded. Numbers for times are milliseconds.
func typed(v types.Value, t types.Type) (types.Value, error) {
	if v.IsNull() {
		return v, nil
	}
	if t.Nested() && v.Kind == types.Varchar {
		v.Kind = t.Kind
		return v, nil
	}
	if t.Kind == types.Timestamp && v.Kind == types.Int {
		return types.NewTimestamp(v.I * 1000), nil
	}
	return types.Cast(v, t)
}

// same compares an expected constant with an actual value of type t: numbers by value, times with text or milliseconds,
// documents as documents.
func same(want, got types.Value, t types.Type) bool {
	if want.IsNull() || got.IsNull() {
		return want.IsNull() && got.IsNull()
	}
	switch {
	case got.Kind == types.Boolean && want.Kind == types.Varchar:
		b, ok := types.ParseBool(want.S)
		return ok && b == (got.I != 0)
	case got.Kind >= types.JSON:
		return want.Kind == types.Varchar && sameJSON(want.S, got.S) || want.Text() == got.S
	case (types.Type{Kind: got.Kind}).Temporal():
		w, err := typed(want, types.Type{Kind: t.Kind, Precision: 6})
		return err == nil && types.Equal(w, got)
	case got.Kind == types.Double && want.Kind != types.Double:
		f, err := strconv.ParseFloat(want.Text(), 64)
		return err == nil && types.CompareFloat(f, got.F) == 0
	}
	return types.Equal(want, got)
}

func sameJSON(a, b string) bool {
	x, okX := document(a)
	y, okY := document(b)
	return okX && okY && reflect.DeepEqual(x, y)
}

// document reads JSON with numbers as decimals in normal form.
func document(s string) (any, bool) {
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	var x any
	if d.Decode(&x) != nil {
		return nil, false
	}
	return normal(x), true
}

func normal(x any) any {
	switch v := x.(type) {
	case json.Number:
		if d, scale, err := types.ParseNumber(v.String()); err == nil {
			d, scale = types.NormalDecimal(d, scale)
			return types.FormatDecimal(d, scale)
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = normal(v[k])
		}
	}
	return x
}

// instant reads the argument of ADVANCE TIME TO: a timestamp, or milliseconds since the epoch.
func instant(e ast.Expr) (time.Time, error) {
	v, err := literal(e)
	if err != nil {
		return time.Time{}, err
	}
	v, err = typed(v, types.Type{Kind: types.Timestamp, Precision: 6})
	if err != nil || v.IsNull() {
		return time.Time{}, ast.Errorf(e.Pos(), "not an instant").WithHint("TIMESTAMP '2030-01-01 00:00:10', or milliseconds since 1970")
	}
	return time.UnixMicro(v.I).UTC(), nil
}
