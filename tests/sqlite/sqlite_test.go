package sqlite

import (
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/types"
)

func TestRows(t *testing.T) {
	db, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Load("t", []string{"a", "b"}, [][]any{{2, "x"}, {1, nil}, {2, "x"}}); err != nil {
		t.Fatal(err)
	}
	got, err := db.Rows("SELECT b, a FROM t")
	if want := []string{"NULL | 1", "x | 2", "x | 2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	if _, err := db.Rows("SELECT c FROM t"); err == nil {
		t.Error("a column that is not there")
	}
	row := Row([]types.Value{{}, types.NewInt(1), types.NewTimestamp(1_000_000), types.NewTimestamp(1_000_500)})
	if want := "NULL | 1 | 1970-01-01 00:00:01.000 | 1970-01-01 00:00:01.000500"; row != want {
		t.Errorf("%q, want %q", row, want)
	}
}

func TestDifference(t *testing.T) {
	if d := Difference([]string{"a", "b", "b"}, []string{"a", "b", "b"}); d != "" {
		t.Error(d)
	}
	for _, c := range []struct{ want, got, says string }{
		{"a b b", "a b", "missing: b"}, {"a b", "a b b", "extra: b"}, {"a", "b", "extra: b"}, {"", "a", "extra: a"}, {"a", "", "missing: a"},
	} {
		if d := Difference(strings.Fields(c.want), strings.Fields(c.got)); !strings.Contains(d, c.says) {
			t.Errorf("%s against %s: %q does not say %s", c.want, c.got, d, c.says)
		}
	}
}
