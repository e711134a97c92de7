package generate

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	_ "github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// fakeClock moves when someone sleeps.
type fakeClock struct{ now time.Time }

func (c *fakeClock) Now() time.Time { return c.now }

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var loaderColumns = []types.Column{
	{Name: "message_id", Type: types.TVarchar}, {Name: "user_id", Type: types.TBigInt}, {Name: "amount", Type: types.TDecimal(12, 2)},
	{Name: "kind", Type: types.TVarchar}, {Name: "note", Type: types.TVarchar},
}

func loaderOptions(more ...string) map[string]string {
	o := map[string]string{
		"generate.message_id": "id(m-,12) repeat(10)", "generate.user_id": "uniform(1,100)", "generate.amount": "uniform(-1.00,1.00)",
		"generate.kind": "choice(view,cart,buy,noop)", "generate.note": "words(12) null(5)", "generate.rows": "5000",
		"generate.start": "2026-01-01T00:00:00Z", "generate.interval": "1ms",
	}
	for i := 0; i < len(more); i += 2 {
		o[more[i]] = more[i+1]
	}
	return o
}

// spec is of columns in the default form.
func spec(cols []types.Column) format.Spec {
	var s format.Spec
	for _, c := range cols {
		s.Columns = append(s.Columns, format.Column{Name: c.Name, Type: c.Type})
	}
	return s
}

// run collects all records of a feed.
func run(t *testing.T, cols []types.Column, options map[string]string) (records []connectors.Record, batches int, clock *fakeClock) {
	t.Helper()
	clock = &fakeClock{start}
	g, err := New(cols, options, clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFeed(g, "json", spec(cols), clock)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Run(t.Context(), func(rs []connectors.Record) error {
		batches++
		records = append(records, rs...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, batches, clock
}

func TestRowsDependOnTheSeedOnly(t *testing.T) {
	a, _, _ := run(t, loaderColumns, loaderOptions())
	b, batches, clock := run(t, loaderColumns, loaderOptions("generate.rate", "1000"))
	for i := range min(len(a), len(b)) {
		if string(a[i].Value) != string(b[i].Value) || a[i].Timestamp != b[i].Timestamp {
			t.Fatalf("row %d: the rate changes %s into %s", i, a[i].Value, b[i].Value)
		}
	}
	if len(a) != 5000 || len(b) != 5000 || batches < 100 {
		t.Errorf("%d rows, in %d batches at 1000 per second", len(a), batches)
	}
	if took := clock.now.Sub(start); took < 4990*time.Millisecond || took > 5010*time.Millisecond {
		t.Errorf("5000 rows at 1000 per second took %v", took)
	}
	c, _, _ := run(t, loaderColumns, loaderOptions("generate.seed", "2"))
	if string(a[0].Value) == string(c[0].Value) && string(a[1].Value) == string(c[1].Value) {
		t.Error("another seed makes the same rows")
	}
	fewer, _, _ := run(t, loaderColumns[:2], map[string]string{
		"generate.message_id": "id(m-,12) repeat(10)", "generate.user_id": "uniform(1,100)", "generate.rows": "5000"})
	for i := range fewer {
		if prefix := strings.TrimSuffix(string(fewer[i].Value), "}"); !strings.HasPrefix(string(a[i].Value), prefix) {
			t.Fatalf("row %d: further columns change %s into %s", i, fewer[i].Value, a[i].Value)
		}
	}
}

func TestRules(t *testing.T) {
	records, _, _ := run(t, loaderColumns, loaderOptions())
	type row struct {
		ID     string             `json:"message_id"`
		User   int                `json:"user_id"`
		Amount stdjson.RawMessage `json:"amount"`
		Kind   string
		Note   *string
	}
	first := map[string]int{}
	kinds, users, repeats, nulls, negative := map[string]int{}, map[int]int{}, 0, 0, 0
	for i, r := range records {
		var x row
		if err := stdjson.Unmarshal(r.Value, &x); err != nil {
			t.Fatal(err)
		}
		if r.Key != nil || r.Timestamp != start.UnixMilli()+int64(i) {
			t.Fatalf("row %d: key %q, timestamp %d", i, r.Key, r.Timestamp)
		}
		if at, ok := first[x.ID]; ok {
			repeats++
			if i-at > 4*recentRows { // a repeat of a repeat may reach back further than one step
				t.Errorf("row %d repeats row %d", i, at)
			}
		} else {
			first[x.ID] = i
		}
		if len(x.ID) != len("m-000000000001") || x.User < 1 || x.User > 100 || !strings.Contains(string(x.Amount), ".") {
			t.Fatalf("row %d: %s", i, r.Value)
		}
		if x.Note == nil {
			nulls++
		} else if n := len(strings.Fields(*x.Note)); n != 12 {
			t.Fatalf("%d words", n)
		}
		if x.Amount[0] == '-' {
			negative++
		}
		kinds[x.Kind]++
		users[x.User]++
	}
	// 5000 draws: six standard deviations around what is expected.
	for name, in := range map[string][3]int{
		"repeats": {repeats, 500 - 130, 500 + 130}, "nulls": {nulls, 250 - 95, 250 + 95}, "negative": {negative, 2500 - 215, 2500 + 215},
		"kinds": {len(kinds), 4, 4}, "views": {kinds["view"], 1250 - 185, 1250 + 185}, "users": {len(users), 100, 100},
	} {
		if in[0] < in[1] || in[0] > in[2] {
			t.Errorf("%s: %d is not in %d…%d", name, in[0], in[1], in[2])
		}
	}
}

func TestEventTime(t *testing.T) {
	cols := []types.Column{{Name: "ts", Type: types.TTimestamp}, {Name: "day", Type: types.TDate}, {Name: "at", Type: types.TBigInt}}
	records, _, _ := run(t, cols, map[string]string{
		"generate.rows": "3", "generate.start": "2026-03-04T05:06:07Z", "generate.interval": "12h", "generate.at": "time"})
	want := []string{
		`{"ts":"2026-03-04T05:06:07.000Z","day":"2026-03-04","at":1772600767000}`,
		`{"ts":"2026-03-04T17:06:07.000Z","day":"2026-03-04","at":1772643967000}`,
		`{"ts":"2026-03-05T05:06:07.000Z","day":"2026-03-05","at":1772687167000}`,
	}
	for i, r := range records {
		if string(r.Value) != want[i] {
			t.Errorf("got %s, want %s", r.Value, want[i])
		}
	}
	records, _, _ = run(t, cols, map[string]string{"generate.rows": "2000", "generate.start": "1000000", "generate.disorder": "100ms"})
	disordered := false
	for i, r := range records {
		place := 1_000_000 + int64(i)
		if r.Timestamp < place-100 || r.Timestamp > place {
			t.Fatalf("row %d at %d", i, r.Timestamp)
		}
		disordered = disordered || i > 0 && r.Timestamp < records[i-1].Timestamp
	}
	if !disordered {
		t.Error("rows are in order")
	}
}

func TestDefaults(t *testing.T) {
	elem := types.TVarchar
	cols := []types.Column{
		{Name: "b", Type: types.TBoolean}, {Name: "tiny", Type: types.Type{Kind: types.Int, Bits: 8}}, {Name: "u", Type: types.TUBigInt},
		{Name: "f", Type: types.TDouble}, {Name: "d", Type: types.TDecimal(3, 3)}, {Name: "e", Type: types.TDecimal(38, 20)},
		{Name: "s", Type: types.TVarchar}, {Name: "x", Type: types.TVarbinary}, {Name: "t", Type: types.Type{Kind: types.Time}},
		{Name: "j", Type: types.TJSON}, {Name: "a", Type: types.Type{Kind: types.Array, Elem: &elem}},
		{Name: "m", Type: types.Type{Kind: types.Map, Elem: &elem}},
		{Name: "st", Type: types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "id", Type: types.TBigInt}, {Name: "c", Type: types.TVarchar}}}},
	}
	records, _, _ := run(t, cols, map[string]string{"generate.rows": "500", "generate.keys": "200"})
	for _, r := range records {
		var row struct {
			Tiny int
			U    uint
			D    float64
			E    float64
			S    string
			J    struct{ N int }
			A    []string
			M    map[string]string
			St   struct {
				ID int
				C  string
			}
		}
		if err := stdjson.Unmarshal(r.Value, &row); err != nil {
			t.Fatalf("%s: %v", r.Value, err)
		}
		if row.Tiny < 0 || row.Tiny > 127 || row.U >= 200 || row.D < 0 || row.D >= 1 || row.E < 0 || row.E >= 100 ||
			!strings.HasPrefix(row.S, "s-") || row.J.N >= 200 || len(row.A) > 3 || len(row.M) > 3 || !strings.HasPrefix(row.St.C, "c-") {
			t.Fatalf("%s", r.Value)
		}
	}
}

func TestSequences(t *testing.T) {
	cols := []types.Column{
		{Name: "i", Type: types.TBigInt}, {Name: "s", Type: types.TVarchar}, {Name: "d", Type: types.TDecimal(5, 1)},
		{Name: "f", Type: types.TDouble}, {Name: "tiny", Type: types.Type{Kind: types.Int, Bits: 8}}, {Name: "r", Type: types.TVarchar},
	}
	records, _, _ := run(t, cols, map[string]string{"generate.rows": "2", "generate.i": "SEQUENCE", "generate.s": "sequence(10)",
		"generate.d": "sequence(0)", "generate.f": "sequence", "generate.tiny": "sequence(127)", "generate.r": "ref( c- , 1 )"})
	for i, want := range []string{`{"i":1,"s":"10","d":0.0,"f":1,"tiny":127,"r":"c-1"}`, `{"i":2,"s":"11","d":1.0,"f":2,"tiny":-128,"r":"c-1"}`} {
		if got := string(records[i].Value); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	cols := []types.Column{{Name: "s", Type: types.TVarchar}, {Name: "n", Type: types.TInt}, {Name: "d", Type: types.TDecimal(4, 2)}}
	for _, test := range []struct{ name, value, says string }{
		{"generate.row", "1", "did you mean 'generate.rows'"},
		{"generate.x", "words(1)", "unknown option"},
		{"generate.keys", "0", "at least 1"},
		{"generate.start", "soon", "is not an instant"},
		{"generate.s", "word(3)", "unknown rule 'word': known are sequence"},
		{"generate.s", "words(0)", "from 1 to"},
		{"generate.s", "words(3", "')' is missing"},
		{"generate.s", "uniform(1,2)", "the column is VARCHAR"},
		{"generate.s", "words(1) id(a)", "cannot follow another rule"},
		{"generate.s", "repeat(100)", "from 0 to below 100"},
		{"generate.n", "uniform(5,1)", "5 is above 1"},
		{"generate.n", "uniform(0,3000000000)", "'3000000000' is not a value of INT"},
		{"generate.n", "choice(1,x)", "'x' is not a value of INT"},
		{"generate.n", "time", "TIMESTAMP, DATE, TIME or BIGINT"},
		{"generate.d", "uniform(0,100)", "'100' is not a value of DECIMAL(4,2)"},
	} {
		_, err := New(cols, map[string]string{test.name: test.value}, start)
		if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), test.name) {
			t.Errorf("%s = %s: got %v, want %q", test.name, test.value, err, test.says)
		}
	}
}

// An endless feed ends with its context, and with a failing writer.
func TestRunEnds(t *testing.T) {
	g, err := New(loaderColumns, nil, start)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewFeed(g, "json", spec(loaderColumns), &fakeClock{start})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err = f.Run(ctx, func(rs []connectors.Record) error {
		if n += len(rs); n >= 3000 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != 3000 {
		t.Errorf("%d rows, %v", n, err)
	}
	full := errors.New("full")
	if err := f.Run(t.Context(), func([]connectors.Record) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	g, err := New(loaderColumns, loaderOptions(), start)
	if err != nil {
		b.Fatal(err)
	}
	kinds := make([]types.Type, len(loaderColumns))
	for i, c := range loaderColumns {
		kinds[i] = c.Type
	}
	batch := vector.NewBatch(kinds, 1024)
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n++ {
		if n%1024 == 0 {
			batch.Reset()
		}
		g.Append(batch.Cols, n)
	}
}

func BenchmarkFeed(b *testing.B) {
	g, err := New(loaderColumns, loaderOptions("generate.rows", "0"), start)
	if err != nil {
		b.Fatal(err)
	}
	f, err := NewFeed(g, "json", spec(loaderColumns), &fakeClock{start})
	if err != nil {
		b.Fatal(err)
	}
	records := make([]connectors.Record, 0, mostRecords)
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n += mostRecords {
		f.make(records[:0], n, n+mostRecords)
	}
}
