package render

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/sql/types"
)

// engine has a stream s of three rows.
func engine(t *testing.T) *streamsql.Engine {
	t.Helper()
	e, err := streamsql.Open(t.Context(), streamsql.Options{StateDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	err = e.Exec(t.Context(), `CREATE STREAM s (id VARCHAR, n INT, txt VARCHAR) WITH (topic = 's', partitions = 1);
		INSERT INTO s (id, n, txt) VALUES ('a|b', 1, 'x'), ('日本語', NULL, 'one\ntwo'), ('🎉', 333, '`+strings.Repeat("long ", 20)+`');`)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// shown is what a terminal of a width shows of a SELECT to its end; width 0: a pipe.
func shown(t *testing.T, e *streamsql.Engine, sql string, cols int, set Settings) string {
	t.Helper()
	var out bytes.Buffer
	term := Terminal{Out: &out, Err: &out, Rows: cols > 0, Now: time.Now, Size: func() (int, int) { return cols, 40 }}
	rows, err := e.QueryUntil(t.Context(), sql, streamsql.UntilEnd)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := term.Show(t.Context(), rows, set); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestForms: the same rows in every form.
func TestForms(t *testing.T) {
	e := engine(t)
	two := "SELECT id, n, txt FROM s WHERE n IS NULL OR n = 1"
	empty := ""
	for _, x := range []struct {
		form string
		null *string
		want string
	}{
		{"table", nil, " id     |    n | txt\n--------+------+----------\n a|b    |    1 | x\n 日本語 | NULL | one\\ntwo\n"},
		{"table", &empty, " id     | n | txt\n--------+---+----------\n a|b    | 1 | x\n 日本語 |   | one\\ntwo\n"},
		{"vertical", nil, "-[ 1 ]\nid  | a|b\nn   | 1\ntxt | x\n-[ 2 ]\nid  | 日本語\nn   | NULL\ntxt | one\\ntwo\n"},
		{"markdown", nil, "| id | n | txt |\n| --- | --: | --- |\n| a\\|b | 1 | x |\n| 日本語 | NULL | one<br>two |\n"},
		{"csv", nil, "id,n,txt\na|b,1,x\n日本語,,\"one\ntwo\"\n"},
		{"jsonl", nil, `{"id":"a|b","n":1,"txt":"x"}` + "\n" + `{"id":"日本語","n":null,"txt":"one\ntwo"}` + "\n"},
	} {
		if got := shown(t, e, two, 0, Settings{Form: x.form, Null: x.null}); got != x.want {
			t.Errorf("%s\n got %q\nwant %q", x.form, got, x.want)
		}
	}
}

// TestWidths: a table fits the terminal unless it is to be whole, and one that does not may stand one value a line.
func TestWidths(t *testing.T) {
	e := engine(t)
	all := "SELECT id, n, txt FROM s"
	for line := range strings.Lines(shown(t, e, all, 40, Settings{Form: "table"})) {
		if width(strings.TrimRight(line, "\n")) > 40 {
			t.Errorf("too wide: %q", line)
		}
	}
	if got := shown(t, e, all, 40, Settings{Form: "table", Full: true}); !strings.Contains(got, strings.TrimSpace(strings.Repeat("long ", 20))) {
		t.Errorf("cut: %s", got)
	}
	rows, err := e.Query(t.Context(), "SHOW STREAMS")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	term := Terminal{Out: &out, Err: &out, Rows: true, Now: time.Now, Size: func() (int, int) { return 20, 40 }}
	if _, err := term.Show(t.Context(), rows, Settings{Form: "table", Auto: true}); err != nil || !strings.HasPrefix(out.String(), "-[ 1 ]") {
		t.Errorf("%v: %s", err, &out)
	}
}

// TestKept: the last rows can be shown again, whole.
func TestKept(t *testing.T) {
	e := engine(t)
	var k Kept
	_ = shown(t, e, "SELECT txt FROM s", 20, Settings{Form: "table", Keep: &k})
	var out bytes.Buffer
	if err := (Terminal{Out: &out, Now: time.Now}).Replay(&k, Settings{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "…") || strings.Count(out.String(), "\n") != 5 {
		t.Errorf("%s", &out)
	}
}

// TestFigures: what the status line says, and nothing of what is zero.
func TestFigures(t *testing.T) {
	at := time.Date(2030, 1, 1, 10, 15, 3, 0, time.UTC).UnixMicro()
	for _, x := range []struct {
		s    streamsql.Stats
		want string
	}{
		{streamsql.Stats{Watermark: types.Never, Due: types.Forever}, "in 0 · out 0"},
		{streamsql.Stats{In: 1240113, Out: 912, Lag: 3104, Tasks: 2, Watermark: at, Holding: "orders/3", Due: at + 7*types.MicrosPerSecond - 1, Late: 2, LateAfterIdle: 1, Bad: 1, Waiting: 5},
			"in 1,240,113 · out 912 · 3,104 behind · watermark 10:15:03 held by orders/3 · next rows at 10:15:10 · 3 late · 1 bad · 5 wait for a table"},
	} {
		if got := strings.Join(figures(x.s, meter{}), " · "); got != x.want {
			t.Errorf("\n got %s\nwant %s", got, x.want)
		}
	}
	var m meter
	start := time.Unix(0, 0)
	m.observe(start, streamsql.Stats{})
	m.observe(start.Add(500*time.Millisecond), streamsql.Stats{In: 500})
	m.observe(start.Add(2*time.Second), streamsql.Stats{In: 3000, Out: 10})
	if m.inS != 1500 || m.outS != 5 {
		t.Errorf("%+v", m)
	}
}

// TestScreen: the region below the rows is taken off before rows are written, also where the terminal has wrapped it.
func TestScreen(t *testing.T) {
	var out bytes.Buffer
	cols := 40
	s := &screen{t: Terminal{Out: &out, Rows: true, Control: true, Size: func() (int, int) { return cols, 10 }}}
	step := func(want string) {
		t.Helper()
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		out.Reset()
	}
	s.region = []string{"table", strings.Repeat("s", 50)}
	step("table\r\n" + strings.Repeat("s", 38) + "…")
	step("") // nothing new
	cols = 20
	_, _ = s.Write([]byte("row\n"))
	step("\r\x1b[2A\x1b[Jrow\ntable\r\n" + strings.Repeat("s", 18) + "…")
	if err := s.close(); err != nil || out.String() != "\r\x1b[1A\x1b[J" {
		t.Errorf("%q, %v", &out, err)
	}
}

// TestLive: what a sequence of changes comes to, by key and without one.
func TestLive(t *testing.T) {
	cols := []streamsql.Column{{Name: "k", Type: types.TVarchar}, {Name: "n", Type: types.TBigInt}}
	row := func(k string, n int64, deleted bool) streamsql.Row {
		return streamsql.Row{Values: []streamsql.Value{types.NewString(k), types.NewInt(n)}, Deleted: deleted}
	}
	changes := []streamsql.Row{row("b", 1, false), row("a", 1, false), row("b", 2, false), row("c", 9, false), row("c", 9, true), row("d", 1, true), row("a", 1, false), row("a", 1, true)}
	for _, x := range []struct {
		name string
		s    shape
		want []string
	}{
		{"upserts", shape{columns: cols, key: []int{0}, changes: true, endless: true}, []string{"b 2"}},
		{"deltas", shape{columns: cols, changes: true, endless: true}, []string{"b 1", "a 1", "b 2"}},
	} {
		p := newLivePrinter(&bytes.Buffer{}, x.s, look{null: "NULL"})
		for _, r := range changes {
			p.apply(r, []string{r.Values[0].S, r.Values[1].Literal()})
		}
		p.order()
		var got []string
		for _, r := range p.rows {
			got = append(got, strings.Join(r.cells, " "))
		}
		if strings.Join(got, ",") != strings.Join(x.want, ",") {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}
