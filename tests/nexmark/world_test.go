package nexmark

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/nexmark"
	"github.com/streamsql-go/streamsql/connectors/partition"
)

const (
	examples   = "../../examples/queries/nexmark/"
	partitions = 4
	span       = 100 * time.Second // of event time
)

// The span crosses midnight, and for q14, which looks at hours, the hour in which the day begins. Both begin a window of ten seconds.
const (
	evening = "2026-01-01T23:59:10Z"
	morning = "2026-01-01T07:59:10Z"
)

// world is all records of the source topics, in the order of their partitions.
type world map[string][]connectors.Record

// makeWorld is a number of events, by key or, where it is not to be relied on, in turn over the partitions.
func makeWorld(t testing.TB, events int, start string, keyed bool) world {
	t.Helper()
	w := world{}
	for _, kind := range []string{"person", "auction", "bid"} {
		g, err := nexmark.New(nil, "json", map[string]string{
			"nexmark.type": kind, "nexmark.events": strconv.Itoa(events), "nexmark.start": start,
			"nexmark.interval": fmt.Sprintf("%dus", span.Microseconds()/int64(events)), "nexmark.disorder": "1s", "nexmark.seed": "7",
		}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		topic := "nexmark_" + kind
		err = nexmark.NewFeed(g, still{}).Run(context.Background(), func(rs []connectors.Record) error {
			for _, r := range rs {
				r.Topic, r.Partition = topic, int32(len(w[topic])%partitions)
				if keyed {
					r.Partition = partition.Murmur2(r.Key, partitions)
				}
				w[topic] = append(w[topic], r)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const firstAuction, ahead = 1000, 11 // some bids are on auctions that come later, or never
	for k := firstAuction; k < firstAuction+events*3/50+ahead; k++ {
		w["nexmark_side"] = append(w["nexmark_side"], connectors.Record{
			Topic: "nexmark_side", Key: fmt.Append(nil, k), Value: fmt.Appendf(nil, `{"key":%d,"value":"side-%d"}`, k, k), Timestamp: 1,
		})
	}
	for _, rs := range w {
		var next [partitions]int64
		for i, r := range rs {
			rs[i].Offset = next[r.Partition]
			next[r.Partition]++
		}
	}
	return w
}

// still is a clock that nobody looks at.
type still struct{}

func (still) Now() time.Time                             { return time.Time{} }
func (still) Sleep(context.Context, time.Duration) error { return nil }

func file(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var declaredKey = regexp.MustCompile(`, key = '[^']*'`)

// ddl declares the sources; unless they are keyed, nothing is said about the Kafka key, and rows must move.
func ddl(t testing.TB, keyed bool) string {
	t.Helper()
	s := file(t, examples+"kafka.sql")
	if !keyed {
		s = declaredKey.ReplaceAllString(s, "")
	}
	return s
}

var options = regexp.MustCompile(`(?s)\) WITH \(.*?\);|--[^\n]*`)

// TestSourcesAgree: what the two DDL files declare differs in where it comes from only.
func TestSourcesAgree(t *testing.T) {
	made := strings.Fields(options.ReplaceAllString(file(t, examples+"sources.sql"), ""))
	read := strings.Fields(options.ReplaceAllString(file(t, examples+"kafka.sql"), ""))
	if a, b := strings.Join(made, " "), strings.Join(read, " "); a != b {
		t.Errorf("sources.sql declares\n%s\nand kafka.sql\n%s", a, b)
	}
}
