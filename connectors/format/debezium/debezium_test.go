package debezium

import (
	stdjson "encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/tests/trial"
)

func col(name string, t types.Type) format.Column { return format.Column{Name: name, Type: t} }

func vectors(cols []format.Column) []*vector.Vector {
	out := make([]*vector.Vector, len(cols))
	for i, c := range cols {
		out[i] = vector.New(c.Type, 1)
	}
	return out
}

// Stories show what is read and written; here is that what is written is read back, whatever the options, and without memory.
func TestRoundTrip(t *testing.T) {
	tags := types.Type{Kind: types.Array, Elem: &types.Type{Kind: types.Decimal, Precision: 10, Scale: 2}}
	cols := []format.Column{
		col("id", types.TBigInt), col("u", types.TUBigInt), col("price", types.TDecimal(38, 10)), col("f", types.TDouble), col("ok", types.TBoolean), col("s", types.TVarchar), col("b", types.TVarbinary),
		col("d", types.TDate), col("t", types.Type{Kind: types.Time}), col("ts", types.TTimestamp), col("us", types.Type{Kind: types.Timestamp, Precision: 6}), col("doc", types.TJSON), col("tags", tags),
	}
	values := []types.Value{
		types.NewInt(-9007199254740993), types.NewUint(1 << 62), types.NewDecimal(types.FromInt64(-12345), 10), types.NewDouble(0.1), types.NewBool(true), types.NewString("a\"b"), types.NewBinary([]byte{0, 255}),
		types.NewDate(-1), {Kind: types.Time, I: -5_000_000}, types.NewTimestamp(1714979289250000), types.NewTimestamp(1714979289250001), {Kind: types.JSON, S: `{"a":["\""]}`}, {Kind: types.Array, S: `[12.34,null,-0.01]`},
	}
	for _, options := range []map[string]string{nil, {"debezium.schema": "true"}, {"debezium.decimals": "string", "debezium.schema": "true", "debezium.time": "source"}} {
		s := format.Spec{Columns: cols, Topic: `top"ic`, Options: options}
		e, err := newEncoder(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := newDecoder(s)
		if err != nil {
			t.Fatal(err)
		}
		b := &vector.Batch{N: 1, Time: []int64{7000}}
		for i, c := range cols {
			b.Cols = append(b.Cols, vector.FromValues(c.Type, values[i]))
		}
		for _, deleted := range []bool{false, true} {
			encode := e.Encode
			if deleted {
				encode = e.EncodeDeleted
			}
			text, err := encode(nil, b, 0)
			if err != nil || !stdjson.Valid(text) {
				t.Fatalf("%s, %v", text, err)
			}
			into := vectors(cols)
			if err := d.Decode(text, into); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for i, v := range into {
				if got, want := v.Value(0).Text(), values[i].Text(); got != want {
					t.Errorf("%s: read back as %s, not %s", cols[i].Name, got, want)
				}
			}
			if c := d.Change(); c.Deleted != deleted || c.Timed != d.Timed() || c.Timed && c.Time != 7000 {
				t.Errorf("the change is %+v", c)
			}
			buf := make([]byte, 0, 1<<16)
			if n := testing.AllocsPerRun(100, func() {
				for _, v := range into {
					v.Reset()
				}
				_ = d.Decode(text, into)
				_, _ = encode(buf, b, 0)
			}); n != 0 {
				t.Errorf("%v allocations per row with %v", n, options)
			}
		}
	}
}

func TestKeys(t *testing.T) {
	cols := []format.Column{col("id", types.TInt), col("at", types.TTimestamp)}
	k, err := format.NewKeyCodec("debezium-json", format.Spec{Columns: cols, Topic: "t", Options: map[string]string{"debezium.schema": "true"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":{"type":"struct","fields":[{"type":"int32","optional":false,"field":"id"},{"type":"int64","name":"io.debezium.time.Timestamp","version":1,"optional":false,"field":"at"}],"optional":false,"name":"t.Key"},"payload":{"id":5,"at":7}}`
	into := vectors(cols)
	if err := k.DecodeKey([]byte(want), into); err != nil || into[0].Ints[0] != 5 || into[1].Ints[0] != 7000 {
		t.Errorf("got %v, %v, %v", into[0].Ints, into[1].Ints, err)
	}
	if got, ok := k.AppendKey(nil, into, 0); string(got) != want || !ok {
		t.Errorf("got %s", got)
	}
	for key, says := range map[string]string{`5`: "expected a JSON object", `{"schema":{"fields":[{"field":"at","name":"io.debezium.time.Date"}]},"payload":{"id":1,"at":1}}`: "is a date in the database", `{"id":"x"}`: "INT"} {
		var bad *format.BadRecord
		if err := k.DecodeKey([]byte(key), into); !errors.As(err, &bad) || !strings.Contains(err.Error(), says) || into[0].Len() != 1 {
			t.Errorf("%s: %v", key, err)
		}
	}
	if _, err := format.NewKeyCodec("debezium-json", format.Of(col("f", types.TDouble))); err == nil || !strings.Contains(err.Error(), "does not hold column 'f'") {
		t.Errorf("a DOUBLE: %v", err)
	}
}

// Nothing panics, an error is a *BadRecord and leaves nothing.
func FuzzDecode(f *testing.F) {
	cols := []format.Column{col("id", types.TInt), col("price", types.TDecimal(10, 2)), col("doc", types.TJSON), col("at", types.TTimestamp)}
	d, err := newDecoder(format.Spec{Columns: cols, Options: map[string]string{"debezium.time": "payload"}})
	if err != nil {
		f.Fatal(err)
	}
	trial.Fuzz(f, func(t testing.TB, value []byte) {
		into := vectors(cols)
		err := d.Decode(value, into)
		var bad *format.BadRecord
		for _, v := range into {
			if err != nil && (!errors.As(err, &bad) || v.Len() != 0) || err == nil && v.Len() != 1 {
				t.Fatalf("%q: %v leaves %d", value, err, v.Len())
			}
		}
		if err == nil && !into[2].IsNull(0) && !stdjson.Valid(into[2].Bytes.At(0)) {
			t.Fatalf("%q: kept %q", value, into[2].Bytes.At(0))
		}
	},
		`{"op":"c","after":{"id":1,"price":"BNI=","doc":"{}","at":5}}`, `{"op":"d","before":null,"ts_ms":5}`, `{"schema":{"fields":[{"field":"after","fields":[{"field":"at","name":"io.debezium.time.MicroTimestamp"}]}]},"payload":{"op":"u","after":{"at":1}}}`,
		`{"payload":{"payload":{}}}`, `{"op":"\u0063","after":{}}`, `{"source":{"ts_ms":1e3},"op":"r","after":{"doc":"[1"}}`)
}

func BenchmarkDecode(b *testing.B) {
	cols := []format.Column{col("id", types.TInt), col("name", types.TVarchar), col("price", types.TDecimal(10, 2))}
	d, err := newDecoder(format.Spec{Columns: cols})
	if err != nil {
		b.Fatal(err)
	}
	value := []byte(`{"before":null,"after":{"id":1004,"name":"Anne","price":"BNI=","email":"annek@noanswer.org"},"source":{"version":"3.0.0","connector":"mysql","name":"mysql-server-1","ts_ms":1465491411000,"snapshot":"false","db":"inventory","table":"customers","server_id":0,"file":"mysql-bin.000003","pos":154,"row":0},"op":"c","ts_ms":1465491411815}`)
	into := vectors(cols)
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		for _, v := range into {
			v.Reset()
		}
		if err := d.Decode(value, into); err != nil {
			b.Fatal(err)
		}
	}
}
