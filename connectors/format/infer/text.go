package infer

import (
	"regexp"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

// text is what was seen of texts.
type text struct {
	seen                 int
	stamps, dates, times int
	fraction             int // digits of fractions of seconds, at most
}

var (
	stampForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}`)
	dateForm  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	timeForm  = regexp.MustCompile(`^\d{2}:\d{2}:\d{2}(\.\d+)?$`)
	fraction  = regexp.MustCompile(`:\d{2}\.(\d+)`)
)

func (t *text) look(s string) {
	t.seen++
	var err error
	switch {
	case stampForm.MatchString(s):
		if _, err = types.ParseTimestamp(s); err == nil {
			t.stamps++
		}
	case dateForm.MatchString(s):
		if _, err = types.ParseTimestamp(s); err == nil {
			t.dates++
		}
	case timeForm.MatchString(s):
		if _, err = types.ParseTime(s); err == nil {
			t.times++
		}
	}
	if m := fraction.FindStringSubmatch(s); m != nil {
		t.fraction = max(t.fraction, len(strings.TrimRight(m[1], "0")))
	}
}

func (t *text) add(o *text) {
	t.seen += o.seen
	t.stamps += o.stamps
	t.dates += o.dates
	t.times += o.times
	t.fraction = max(t.fraction, o.fraction)
}

func (t *text) typ() types.Type {
	digits := uint8(min(t.fraction, 6))
	switch t.seen {
	case t.dates:
		return types.TDate
	case t.times:
		return types.Type{Kind: types.Time, Precision: digits}
	case t.stamps, t.stamps + t.dates:
		return types.Type{Kind: types.Timestamp, Precision: max(digits, 3)} // Kafka's own have milliseconds
	}
	return types.TVarchar
}
