package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

// PositionKind says what a Position counts from.
type PositionKind uint8

// The kinds of position.
const (
	Earliest  PositionKind = iota
	Latest                 // the end as it is when the query begins
	AtOffset               // N, the same in every partition; Offsets, where each has its own
	AtInstant              // the first record with a timestamp >= N, microseconds
	Back                   // N records before the end of each partition
	Ago                    // N microseconds before the moment when the query begins
	OfGroup                // what the consumer group Group has committed
)

// Position is a place in a topic, as the options start and end say it.
type Position struct {
	Kind    PositionKind
	N       int64
	Offsets map[int32]int64 // by partition; nil: N is for all
	Group   string
}

const positionForms = "earliest, latest, 'offset:123' (or 'offset:0=123,1=456' by partition), an instant like '2030-01-01T00:00:00Z', '-1000' for the last 1000 records, '-1h', or 'group:NAME'"

// ParsePosition reads a position. A number alone is an instant in milliseconds since the epoch.
func ParsePosition(text string) (Position, error) {
	text = strings.TrimSpace(text)
	kind, rest, tagged := strings.Cut(text, ":")
	switch low := strings.ToLower(text); {
	case low == "earliest":
		return Position{Kind: Earliest}, nil
	case low == "latest":
		return Position{Kind: Latest}, nil
	case tagged && strings.EqualFold(kind, "offset"):
		return parseOffsets(strings.TrimSpace(rest))
	case tagged && strings.EqualFold(kind, "group"):
		if rest = strings.TrimSpace(rest); rest == "" {
			return Position{}, fmt.Errorf("%q names no consumer group: 'group:NAME'", text)
		}
		return Position{Kind: OfGroup, Group: rest}, nil
	case strings.HasPrefix(text, "-"):
		if n, err := strconv.ParseInt(text[1:], 10, 64); err == nil && n >= 0 {
			return Position{Kind: Back, N: n}, nil
		}
		if us, err := types.ParseDuration(text[1:]); err == nil && us >= 0 {
			return Position{Kind: Ago, N: us}, nil
		}
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms >= 0 && ms <= types.Forever/types.MicrosPerMilli {
		return Position{Kind: AtInstant, N: ms * types.MicrosPerMilli}, nil
	}
	if us, err := types.ParseTimestamp(text); err == nil && us >= 0 {
		return Position{Kind: AtInstant, N: us}, nil
	}
	return Position{}, fmt.Errorf("%q is not a place in a topic: %s", text, positionForms)
}

// parseOffsets reads 123, or 0=123,1=456.
func parseOffsets(text string) (Position, error) {
	p := Position{Kind: AtOffset}
	wrong := func() (Position, error) {
		return Position{}, fmt.Errorf("'offset:%s' has no offset: 'offset:123', or one for each partition: 'offset:0=123,1=456'", text)
	}
	if !strings.Contains(text, "=") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return wrong()
		}
		p.N = n
		return p, nil
	}
	p.Offsets = map[int32]int64{}
	for part := range strings.SplitSeq(text, ",") {
		partition, offset, _ := strings.Cut(part, "=")
		i, err := strconv.ParseInt(strings.TrimSpace(partition), 10, 32)
		n, err2 := strconv.ParseInt(strings.TrimSpace(offset), 10, 64)
		if err != nil || err2 != nil || i < 0 || n < 0 {
			return wrong()
		}
		if _, twice := p.Offsets[int32(i)]; twice {
			return Position{}, fmt.Errorf("'offset:%s' says twice where partition %d is", text, i)
		}
		p.Offsets[int32(i)] = n
	}
	return p, nil
}

// setStart and setEnd keep the text: where it is in the topic is found out when the query begins.
func setStart(d *definition, v string) error {
	p, err := ParsePosition(v)
	d.r.Start = written(p, v)
	return err
}

func setEnd(d *definition, v string) error {
	p, err := ParsePosition(v)
	d.r.End = written(p, v)
	if err == nil && p.Kind == Earliest {
		return fmt.Errorf("'earliest' leaves nothing to read")
	}
	return err
}

// written is the text of a position, in lower case where that does not matter.
func written(p Position, text string) string {
	if text = strings.TrimSpace(text); p.Kind == Earliest || p.Kind == Latest {
		return strings.ToLower(text)
	}
	return text
}
