package file

import (
	"strings"
	"testing"
)

// TestByteOrderMark: a mark at the beginning is no part of the first line; anywhere else it is data.
func TestByteOrderMark(t *testing.T) {
	r := NewReader("f", strings.NewReader("\ufeff{}\r\n\ufeff[]\n"), Lines{})
	for _, want := range []string{"{}", "\ufeff[]"} {
		if got, err := r.Next(); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
