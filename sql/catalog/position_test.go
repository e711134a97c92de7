package catalog

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPositions(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 500_000_000, time.UTC).UnixMicro()
	for text, want := range map[string]Position{
		"Earliest":                  {Kind: Earliest},
		" latest ":                  {Kind: Latest},
		"offset:123":                {Kind: AtOffset, N: 123},
		"OFFSET: 0 = 5, 2=7 ":       {Kind: AtOffset, Offsets: map[int32]int64{0: 5, 2: 7}},
		"2026-01-01T12:00:00.5Z":    {Kind: AtInstant, N: at},
		"2026-01-01 13:00:00.5+01":  {Kind: AtInstant, N: at},
		"2026-01-01 12:00:00.5":     {Kind: AtInstant, N: at},
		"1767268800500":             {Kind: AtInstant, N: at},
		"1970-01-02":                {Kind: AtInstant, N: 86_400_000_000},
		"-1000":                     {Kind: Back, N: 1000},
		"-1h30m":                    {Kind: Ago, N: 5_400_000_000},
		"-250 ms":                   {Kind: Ago, N: 250_000},
		"group:app.query":           {Kind: OfGroup, Group: "app.query"},
		"Group: with: a colon, a =": {Kind: OfGroup, Group: "with: a colon, a ="},
	} {
		if got, err := ParsePosition(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		"": "not a place", "yesterday": "not a place", "-": "not a place", "--1": "not a place", "-1x": "not a place", "offset:": "has no offset", "offset:-1": "has no offset",
		"offset:0=": "has no offset", "offset:0=1,": "has no offset", "offset:0=1,0=2": "says twice", "offset:5=1=2": "has no offset", "group: ": "names no consumer group",
		"1969-12-31 23:59:59": "not a place", "99999999999999999999": "not a place",
	} {
		if got, err := ParsePosition(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is %+v, %v; want %q", text, got, err, says)
		}
	}
}
