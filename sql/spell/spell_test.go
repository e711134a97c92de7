package spell

import (
	"testing"

	"pgregory.net/rapid"
)

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"form", "from", 1}, {"selct", "select", 1}, {"ca", "abc", 3},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%s to %s: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

// A distance is a symmetric one, zero between equals alone, and never more than the longer word.
func TestDistanceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[a-c]{0,6}`).Draw(t, "a"), rapid.StringMatching(`[a-c]{0,6}`).Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("%s to %s: %d, back %d", a, b, d, distance(b, a))
		}
	})
}

func TestClosest(t *testing.T) {
	names := []string{"user_id", "amount", "k"}
	for word, want := range map[string]string{"userid": "user_id", "USER_DI": "user_id", "amuont": "amount", "price": "", "x": "", "K": "k"} {
		if got := Closest(word, names); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	names = []string{"message_id", "user_id", "amount", "kind"}
	for word, want := range map[string]string{"mesage_id": "message_id", "USERID": "user_id", "amuont": "amount", "knid": "kind", "zzz": "", "x": ""} {
		if got := Closest(word, names); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if got := Within("amuonts", 1, names); got != "" {
		t.Errorf("two edits where one is allowed: %s", got)
	}
}

func TestHint(t *testing.T) {
	many := []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3", "b4"}
	for _, test := range []struct {
		word  string
		names []string
		want  string
	}{
		{"userid", []string{"user_id"}, "did you mean user_id?"},
		{"price", []string{"user_id", "k"}, "columns: user_id, k"},
		{"price", nil, "there are no columns yet"},
		{"something", many, "columns: a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, …"},
	} {
		if got := Hint(test.word, "columns", test.names); got != test.want {
			t.Errorf("%s: got %q, want %q", test.word, got, test.want)
		}
	}
}
