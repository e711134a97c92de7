package expr

import (
	"math"
	"strconv"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

var mariaColumns = map[string]*Column{
	"n": {Index: 0, Name: "n", Typ: types.TInt}, "u": {Index: 1, Name: "u", Typ: types.TUBigInt}, "d": {Index: 2, Name: "d", Typ: types.TDecimal(10, 2)},
	"f": {Index: 3, Name: "f", Typ: types.TDouble}, "s": {Index: 4, Name: "s", Typ: types.TVarchar}, "i": {Index: 5, Name: "i", Typ: types.TInt},
}

func mariaRows(t *testing.T) *vector.Batch {
	t.Helper()
	b := vector.NewBatch([]types.Type{types.TInt, types.TUBigInt, types.TDecimal(10, 2), types.TDouble, types.TVarchar, types.TInt}, 6)
	for i, row := range [][5]string{
		{"1", "12", "10.10", "0.1", "b"}, {"2", "10", "-3.25", "0.2", "a"}, {"2", "6", "10.10", "0.3", "b"}, {},
		{"-7", "18446744073709551615", "99999999.99", "-1e15", "abc"}, {"1000000", "7", "0.01", "3.5", "B"},
	} {
		for c, text := range row {
			v := types.Value{}
			if row[0] != "" {
				var err error
				if v, err = types.Cast(types.NewString(text), b.Cols[c].Type); err != nil {
					t.Fatal(err)
				}
			}
			b.Cols[c].Append(v)
		}
		b.Cols[5].AppendInt(int64(i + 1))
		b.Time = append(b.Time, int64(i))
		b.N++
	}
	return b
}

// TestAggregatesOfMariaDB: values that MariaDB 10.11 gave for the same rows. Ours differ in type for STDDEV and the like,
// which it gives as DECIMAL of a few digits, and in the blanks of JSON.
func TestAggregatesOfMariaDB(t *testing.T) {
	b := mariaRows(t)
	everything, first, none, null := []int{0, 1, 2, 3, 4, 5}, []int{0}, []int{}, []int{3}
	for _, c := range []struct {
		call, want string
		rows       []int
	}{
		{"COUNT(*)", "6", everything}, {"COUNT(n)", "5", everything}, {"COUNT(DISTINCT n)", "4", everything}, {"COUNT(DISTINCT n, s)", "5", everything},
		{"SUM(n)", "999998", everything}, {"SUM(DISTINCT n)", "999996", everything}, {"AVG(n)", "199999.6000", everything}, {"AVG(DISTINCT n)", "249999.0000", everything},
		{"SUM(d)", "100000016.95", everything}, {"AVG(d)", "20000003.390000", everything}, {"SUM(DISTINCT d)", "100000006.85", everything},
		{"STDDEV_SAMP(n)", "NULL", first}, {"VAR_SAMP(n)", "NULL", first}, {"VAR_POP(n)", "0", first},
		{"STD(n)", "NULL", null}, {"VAR_SAMP(n)", "NULL", null}, {"BIT_AND(n)", "18446744073709551615", null}, {"BIT_OR(n)", "0", null}, {"BIT_XOR(n)", "0", null},
		{"SUM(n)", "NULL", null}, {"COUNT(DISTINCT n)", "0", null}, {"GROUP_CONCAT(n)", "NULL", null}, {"JSON_ARRAYAGG(n)", "[null]", null},
		{"STD(n)", "NULL", none}, {"BIT_AND(n)", "18446744073709551615", none}, {"BIT_OR(n)", "0", none}, {"BIT_XOR(n)", "0", none}, {"JSON_ARRAYAGG(n)", "NULL", none},
		{"JSON_OBJECTAGG(s, n)", "NULL", none}, {"GROUP_CONCAT(s)", "NULL", none},
		{"BIT_AND(u)", "0", everything}, {"BIT_OR(u)", "18446744073709551615", everything}, {"BIT_XOR(u)", "18446744073709551608", everything},
		{"BIT_AND(n)", "0", everything}, {"BIT_OR(n)", "18446744073709551611", everything}, {"BIT_XOR(n)", "18446744073708551608", everything},
		{"BIT_OR(d)", "18446744073709551615", []int{0, 1}}, {"BIT_XOR(d)", "18446744073709551607", []int{0, 1}}, {"BIT_AND(d)", "8", []int{0, 1}},
		{"GROUP_CONCAT(n ORDER BY i)", "1,2,2,-7,1000000", everything}, {"GROUP_CONCAT(DISTINCT n ORDER BY n DESC SEPARATOR '; ')", "1000000; 2; 1; -7", everything},
		{"GROUP_CONCAT(n, s ORDER BY i SEPARATOR '|')", "1b|2a|2b|-7abc|1000000B", everything}, {"GROUP_CONCAT(s ORDER BY n DESC, s)", "B,a,b,b,abc", everything},
		{"GROUP_CONCAT(d ORDER BY i)", "10.10,-3.25,10.10,99999999.99,0.01", everything}, {"GROUP_CONCAT(s ORDER BY i SEPARATOR '')", "bababcB", everything},
		{"JSON_ARRAYAGG(n ORDER BY i)", "[1,2,2,null,-7,1000000]", everything}, {"JSON_ARRAYAGG(d ORDER BY i)", "[10.10,-3.25,10.10,null,99999999.99,0.01]", everything},
		{"JSON_ARRAYAGG(s ORDER BY i)", `["b","a","b",null,"abc","B"]`, everything},
		{"MIN(d)", "-3.25", everything}, {"MAX(u)", "18446744073709551615", everything},
	} {
		for _, in := range []Input{Appends, Deltas} {
			g := newGroup([]*Aggregate{parseAggregate(t, c.call, mariaColumns)}, in)
			g.add(t, b, c.rows...)
			if got := g.results(t)[0]; got != c.want {
				t.Errorf("%s of rows %v: %s, want %s", c.call, c.rows, got, c.want)
			}
		}
	}
	for call, want := range map[string]float64{
		"STDDEV_POP(n)": 400000.2000, "STDDEV_SAMP(n)": 447213.8191, "VARIANCE(n)": 160000160011.4400, "VAR_SAMP(n)": 200000200014.3000,
		"STDDEV_POP(d)": 39999998.300000, "STDDEV_SAMP(d)": 44721357.649338, "VAR_POP(d)": 1599999864000031.200000, "VAR_SAMP(d)": 1999999830000039.000000,
	} {
		g := newGroup([]*Aggregate{parseAggregate(t, call, mariaColumns)}, Appends)
		g.add(t, b, everything...)
		got, err := strconv.ParseFloat(g.results(t)[0], 64)
		if err != nil || math.Abs(got-want) > 0.00005*math.Max(1, math.Abs(want)*1e-10) {
			t.Errorf("%s: %v, want %v", call, got, want)
		}
	}
	for call, want := range map[string]string{"STDDEV_POP(f)": "0.0816496580927726", "VAR_SAMP(f)": "0.009999999999999998"} {
		g := newGroup([]*Aggregate{parseAggregate(t, call, mariaColumns)}, Appends)
		g.add(t, b, 0, 1, 2)
		if got := g.results(t)[0]; got != want {
			t.Errorf("%s: %s, want the exact %s, rounded once", call, got, want)
		}
	}
}
