package streamsql_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/sql/types"
)

type word struct {
	Text   string `json:"text"`
	At     *int64 `json:"at"`
	hidden int
	Parts  []string `json:"parts"`
}

// words are the words of a text; one that begins with a letter of "EPI" fails in the middle, panics, or never ends.
func words(s string) iter.Seq[word] {
	return func(yield func(word) bool) {
		for i, w := range strings.Fields(s) {
			at := int64(i)
			if w == "none" {
				if !yield(word{Text: w}) {
					return
				}
				continue
			}
			if !yield(word{w, &at, 0, strings.Split(w, "")}) {
				return
			}
			if w == "PANIC" {
				panic("at the last word")
			}
			for w == "ENDLESS" && yield(word{}) {
			}
		}
	}
}

func tableFunctions(t *testing.T, l *lab) {
	t.Helper()
	mustRegister(t,
		l.RegisterTableFunction("words", words, streamsql.Describe("A row of each word.")),
		l.RegisterTableFunction("letters", func(s string) []string { return strings.Split(s, "") }),
		l.RegisterTableFunction("up_to", func(n *int64) (iter.Seq[int64], error) {
			switch {
			case n == nil:
				return slices.Values([]int64{-1}), nil
			case *n < 0:
				return nil, errors.New("below zero")
			case *n == 0:
				return nil, nil
			}
			return func(yield func(int64) bool) {
				for i := range *n {
					if !yield(i + 1) {
						return
					}
				}
			}, nil
		}),
		l.RegisterTableFunction("halves", func(n int64) iter.Seq2[*word, error] {
			return func(yield func(*word, error) bool) {
				for ; n%2 == 0; n /= 2 {
					if !yield(&word{Text: "half", At: &n}, nil) {
						return
					}
				}
				if n == 1 {
					yield(nil, nil)
					return
				}
				yield(nil, errors.New("an odd number is left"))
			}
		}),
		l.RegisterTableFunction("priced", func(_ string, v ...streamsql.Value) [][]streamsql.Value {
			var out [][]streamsql.Value
			for i, x := range v {
				out = append(out, []streamsql.Value{types.NewInt(int64(i)), x})
			}
			if len(v) == 1 {
				out = append(out, v) // a row of one value
			}
			return out
		}, streamsql.Signature("(VARCHAR, DECIMAL(10,2)) -> STRUCT<at INT, price DECIMAL(10,2)>")),
	)
}

// TestTableFunctions: every form of rows, where table functions stand, NULLs, errors.
func TestTableFunctions(t *testing.T) {
	l := open(t, streamsql.Options{})
	tableFunctions(t, l)
	l.exec("CREATE STREAM s (id VARCHAR, line VARCHAR, n BIGINT) WITH (topic = 's', partitions = 1);" +
		"INSERT INTO s VALUES ('a', 'to be', 2), ('b', NULL, NULL), ('c', '', 0), ('d', 'not', -1), ('e', 'x PANIC', 6), ('f', 'ENDLESS', 4);" +
		"CREATE TABLE t (id VARCHAR PRIMARY KEY, line VARCHAR) WITH (topic = 't', partitions = 1, key = 'id');" +
		"INSERT INTO t (id, line, _timestamp) VALUES ('1', 'to be to', 1), ('2', 'be', 2), ('1', 'be', 3)")
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT s.id, w.text, w.at, w.parts FROM s CROSS JOIN WORDS(s.line) AS w", []string{`a be 1 ["b","e"]`, `a to 0 ["t","o"]`, `d not 0 ["n","o","t"]`}},
		{"SELECT s.id, w.text FROM s LEFT JOIN words(s.line) AS w ON TRUE WHERE id < 'e'", []string{"a be", "a to", "b NULL", "c NULL", "d not"}},
		{"SELECT id, b + 1 AS x FROM s, WORDS(line) AS w (a, b, c) WHERE a <> 'to'", []string{"a 2", "d 1"}},
		{"SELECT id, text FROM s, LATERAL WORDS(CONCAT(line, ' none')) w WHERE at IS NULL", []string{"a none", "c none", "d none"}},
		{"SELECT id, q.u FROM s, LATERAL (SELECT UPPER(text) AS u FROM WORDS(line) w WHERE at = 0) AS q", []string{"a TO", "d NOT"}},
		{"SELECT id, l FROM s JOIN LETTERS(line) AS l ON l > 'n' WHERE id < 'e'", []string{"a o", "a t", "d o", "d t"}},
		{"SELECT id, letters FROM s, LETTERS(id) WHERE id < 'b'", []string{"a a"}},
		{"SELECT id, w.text, l FROM s, WORDS(line) AS w, LETTERS(w.text) AS l WHERE id = 'a'", []string{"a be b", "a be e", "a to o", "a to t"}},
		{"SELECT id, i FROM s, UP_TO(n) AS i WHERE id < 'e'", []string{"a 1", "a 2", "b -1"}},
		{"SELECT id, h.text, h.at FROM s, HALVES(n + 2) AS h WHERE id IN ('a', 'c', 'd')", []string{"a NULL NULL", "a half 2", "a half 4", "c NULL NULL", "c half 2", "d NULL NULL"}},
		{"SELECT id, p.at, p.price FROM s, PRICED('x', n, 1.5) AS p WHERE id IN ('a', 'b')", []string{"a 0 2.00", "a 1 1.50", "b 0 NULL", "b 1 1.50"}},
		{"SELECT id, p.at FROM s, PRICED('x', 1) AS p", []string{}}, // a row of one value for two columns
		{"SELECT COUNT(*) AS n FROM s, UP_TO(1048576) AS i WHERE id = 'a' WINDOW TUMBLING(1h) EMIT FINAL", []string{"1048576"}},
		{"SELECT COUNT(*) AS n FROM s, UP_TO(1048577) AS i WHERE id = 'a' WINDOW TUMBLING(1h) EMIT FINAL", []string{}},
	} {
		if got := l.query(c.sql); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%s: %q, want %q", c.sql, got, c.want)
		}
	}
	if got, want := l.final("SELECT w.text, COUNT(*) AS n FROM t, WORDS(line) AS w GROUP BY w.text"), []string{"be 2", "to 0"}; !slices.Equal(got[:1], want[:1]) {
		t.Errorf("over a table: %q, want %q", got, want)
	}
	if got := l.query("SHOW FUNCTIONS"); !slices.Contains(got, "WORDS WORDS(VARCHAR) -> TABLE(text VARCHAR, at BIGINT, parts ARRAY<VARCHAR>) A row of each word.  ") {
		t.Error("SHOW FUNCTIONS does not list them")
	}
}

// TestTableFunctionErrors: none of the rows of a row that fails count, and it goes the way of on_error.
func TestTableFunctionErrors(t *testing.T) {
	l := open(t, streamsql.Options{})
	tableFunctions(t, l)
	l.exec("CREATE STREAM s (id VARCHAR, line VARCHAR) WITH (topic = 's', partitions = 1, on_error = 'dead_letter', dead_letter_topic = 'dead');" +
		"INSERT INTO s VALUES ('a', 'to be'), ('b', 'x PANIC y'), ('c', 'not'), ('d', 'ENDLESS'); CREATE STREAM dead (id VARCHAR) WITH (topic = 'dead', partitions = 1)")
	q, err := l.Start(l.ctx, "CREATE STREAM o AS SELECT id, text FROM s, WORDS(line) AS w", streamsql.Bounded(streamsql.UntilEnd))
	mustRegister(t, err, q.Wait(l.ctx))
	l.wants("SELECT id, text FROM o", "a be", "a to", "c not")
	l.wants("SELECT id FROM dead", "b", "d")
	if s := q.Stats(); s.Bad != 2 {
		t.Errorf("counted as bad: %+v", s)
	}
	l.exec("CREATE STREAM strict (line VARCHAR) WITH (topic = 's', on_error = 'fail')")
	if q, err = l.Start(l.ctx, "CREATE STREAM p AS SELECT text FROM strict, WORDS(line) AS w"); err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(l.ctx); err == nil || !strings.Contains(err.Error(), "function WORDS panicked: at the last word (tablefunctions_test.go:") {
		t.Error(err)
	}
}

// TestTableFunctionRestart: a query with a table function goes on after a restart where it was; one whose columns are of other types is refused.
func TestTableFunctionRestart(t *testing.T) {
	broker := open(t, streamsql.Options{})
	broker.exec("CREATE STREAM s (line VARCHAR) WITH (topic = 's', partitions = 2)")
	dir := t.TempDir()
	const query = "CREATE STREAM s (line VARCHAR) WITH (topic = 's'); CREATE TABLE counts AS SELECT w.text, COUNT(*) AS n FROM s CROSS JOIN WORDS(line) AS w GROUP BY w.text"
	for run, want := range [][]string{{"be 1", "to 1"}, {"be 2", "not 1", "to 3"}} {
		e, err := streamsql.Open(broker.ctx, streamsql.Options{Brokers: []string{broker.Address()}, StateDir: dir, Name: "app"})
		if err != nil {
			t.Fatal(err)
		}
		l := &lab{e, t, broker.ctx}
		tableFunctions(t, l)
		broker.exec([]string{"INSERT INTO s (line, _partition) VALUES ('to be', 0)", "INSERT INTO s (line, _partition) VALUES ('to be to', 1), ('not', 0)"}[run])
		l.exec(query)
		l.eventually("counts", func() bool { return slices.Equal(l.pull("SELECT text, n FROM counts ORDER BY text"), want) })
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	other := open(t, streamsql.Options{Brokers: []string{broker.Address()}, StateDir: dir, Name: "app"})
	mustRegister(t, other.RegisterTableFunction("words", func(string) []struct {
		Text []byte `json:"text"`
	} {
		return nil
	}))
	create, as, _ := strings.Cut(query, "; ")
	other.exec(create)
	q, err := other.Start(other.ctx, as)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(other.ctx); err == nil || !strings.Contains(err.Error(), "was begun with another plan") {
		t.Error(err)
	}
}

func TestBadTableFunctions(t *testing.T) {
	l := open(t, streamsql.Options{})
	ok := func(string) []string { return nil }
	mustRegister(t, l.RegisterTableFunction("taken", ok))
	for says, err := range map[string]error{
		"TAKEN is registered already":                                       l.RegisterTableFunction("Taken", ok),
		"TAKEN is registered":                                               l.RegisterFunction("taken", ok),
		"UNNEST is a function of the language":                              l.RegisterTableFunction("unnest", ok),
		`function "a b"`:                                                    l.RegisterTableFunction("a b", ok),
		"table function t1: int is not a function":                          l.RegisterTableFunction("t1", 1),
		"table function t2: it returns 0 values":                            l.RegisterTableFunction("t2", func(string) {}),
		"table function t3: it returns string: return a slice, an iter.Seq": l.RegisterTableFunction("t3", func(string) string { return "" }),
		"it returns iter.Seq2[int,string]":                                  l.RegisterTableFunction("t4", func(string) iter.Seq2[int, string] { return nil }),
		"it returns 2 values: return rows, or rows and an error":            l.RegisterTableFunction("t5", func(string) ([]string, int) { return nil, 0 }),
		"parameter 1: Go type chan int has no SQL type":                     l.RegisterTableFunction("t6", func(chan int) []string { return nil }),
		"rows: Go type chan int has no SQL type":                            l.RegisterTableFunction("t7", func() []chan int { return nil }),
		"rows: []Value does not say which columns it has: give a signature": l.RegisterTableFunction("t8", func() [][]streamsql.Value { return nil }),
		"rows: Go type string holds VARCHAR, not BIGINT":                    l.RegisterTableFunction("t9", ok, streamsql.Signature("(VARCHAR) -> BIGINT")),
		"rows: Go type struct { a int } has no fields that SQL could name":  l.RegisterTableFunction("t10", func() []struct{ a int } { return nil }),
		"its signature has 2 parameters, the Go function 1":                 l.RegisterTableFunction("t11", ok, streamsql.Signature("(VARCHAR, INT) -> VARCHAR")),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}
