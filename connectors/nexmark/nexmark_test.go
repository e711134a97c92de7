package nexmark

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/types"
)

// fakeClock moves when someone sleeps.
type fakeClock struct{ now time.Time }

func (c *fakeClock) Now() time.Time { return c.now }

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// run collects all records of a type; options are name, value, …
func run(t *testing.T, kind string, options ...string) (records []connectors.Record, clock *fakeClock) {
	t.Helper()
	given := map[string]string{"nexmark.type": kind, "nexmark.events": "5000", "nexmark.start": "2026-01-01T00:00:00Z"}
	for i := 0; i < len(options); i += 2 {
		given["nexmark."+options[i]] = options[i+1]
	}
	clock = &fakeClock{start}
	g, err := New(nil, "json", given, clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	err = NewFeed(g, clock).Run(t.Context(), func(rs []connectors.Record) error {
		records = append(records, rs...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records, clock
}

func same(a, b connectors.Record) bool {
	return string(a.Value) == string(b.Value) && string(a.Key) == string(b.Key) && a.Timestamp == b.Timestamp
}

func TestTheSeedDecides(t *testing.T) {
	for _, k := range kinds {
		a, _ := run(t, k.name)
		b, clock := run(t, k.name, "rate", "1000", "interval", "100us")
		if !slices.EqualFunc(a, b, same) {
			t.Errorf("%s: the rate changes the events", k.name)
		}
		if took := clock.now.Sub(start); took < 4900*time.Millisecond || took > 5010*time.Millisecond {
			t.Errorf("%s: 5000 events at 1000 a second took %v", k.name, took)
		}
		longer, _ := run(t, k.name, "events", "6000")
		if !slices.EqualFunc(a, longer[:len(a)], same) {
			t.Errorf("%s: more events change the first ones", k.name)
		}
		other, _ := run(t, k.name, "seed", "2")
		if slices.ContainsFunc(other[1:], func(r connectors.Record) bool { return same(r, a[1]) }) {
			t.Errorf("%s: another seed makes the same events", k.name)
		}
	}
}

type person struct {
	ID                                                           int64
	Name, EmailAddress, CreditCard, City, State, DateTime, Extra string
}

type auction struct {
	ID, InitialBid, Reserve, Seller, Category       int64
	ItemName, Description, DateTime, Expires, Extra string
}

type bid struct {
	Auction, Bidder, Price        int64
	Channel, URL, DateTime, Extra string
}

// read decodes records, whose JSON must have exactly the fields of their type, and checks key and timestamp.
func read[T any](t *testing.T, kind string, key func(T) int64, dateTime func(T) string, options ...string) []T {
	t.Helper()
	records, _ := run(t, kind, options...)
	k, err := kindNamed(kind)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for _, r := range records {
		var fields map[string]any
		var x T
		if err := errors.Join(json.Unmarshal(r.Value, &fields), json.Unmarshal(r.Value, &x)); err != nil {
			t.Fatalf("%s: %v", r.Value, err)
		}
		if got, want := slices.Sorted(maps.Keys(fields)), slices.Sorted(slices.Values(k.fields)); !slices.Equal(got, want) {
			t.Fatalf("%s has fields %q, want %q", kind, got, want)
		}
		if string(r.Key) != strconv.FormatInt(key(x), 10) || millis(t, dateTime(x)) != r.Timestamp {
			t.Fatalf("key %s at %d: %s", r.Key, r.Timestamp, r.Value)
		}
		out = append(out, x)
	}
	return out
}

func millis(t *testing.T, s string) int64 {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05.000", s)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// TestWorld: the parts that three relations see belong together.
func TestWorld(t *testing.T) {
	const n = "100000"
	people := read(t, "person", func(p person) int64 { return p.ID }, func(p person) string { return p.DateTime }, "events", n)
	auctions := read(t, "auction", func(a auction) int64 { return a.ID }, func(a auction) string { return a.DateTime }, "events", n)
	bids := read(t, "bid", func(b bid) int64 { return b.Auction }, func(b bid) string { return b.DateTime }, "events", n)
	if len(people) != 2000 || len(auctions) != 6000 || len(bids) != 92000 {
		t.Fatalf("%d persons, %d auctions, %d bids of 100,000 events", len(people), len(auctions), len(bids))
	}
	for i, p := range people {
		// 50 events of 100 µs are 5 ms.
		if p.ID != int64(1000+i) || millis(t, p.DateTime) != start.UnixMilli()+int64(5*i) {
			t.Fatalf("person %d: %+v", i, p)
		}
	}
	inCategory, open := map[int64]int{}, 0
	for i, a := range auctions {
		at, expires := millis(t, a.DateTime), millis(t, a.Expires)
		// 100 auctions come in 1666 events, 166 ms; they are open for up to twice that.
		if a.ID != int64(1000+i) || a.Seller < 1000 || a.Seller > 1000+int64(i/3)+lead || a.Reserve <= a.InitialBid || expires <= at || expires > at+334 {
			t.Fatalf("auction %d: %+v", i, a)
		}
		inCategory[a.Category]++
	}
	hotBids, priced := 0, map[int]int{}
	for i, b := range bids {
		last := int64(i/46*3 + 2) // of the auctions before it
		if b.Auction < 1000+last-auctionsInFlight && b.Auction%100 != 0 || b.Auction > 1000+last+lead || b.Price < 100 || b.Price >= 100_000_000 {
			t.Fatalf("bid %d: %+v", i, b)
		}
		if b.Auction == 1000+last/100*100 {
			hotBids++
		}
		priced[len(strconv.FormatInt(b.Price, 10))]++
		if _, id, own := strings.Cut(b.URL, "channel_id="); own != strings.HasPrefix(b.Channel, "channel-") || own && id == "" {
			t.Fatalf("bid %d: channel %s, url %s", i, b.Channel, b.URL)
		}
		if a := b.Auction - 1000; a < int64(len(auctions)) && b.DateTime >= auctions[a].DateTime && b.DateTime <= auctions[a].Expires {
			open++
		}
	}
	// Six standard deviations of binomial counts around what is expected.
	for name, in := range map[string][3]int{
		"auctions of category 12": {inCategory[12], 1200 - 186, 1200 + 186}, "categories": {len(inCategory), 5, 5},
		"bids on the hot auction": {hotBids, 46000 - 910, 46000 + 910 + 92000/100}, // now and then the others meet it, too
		"prices of five digits":   {priced[5], 92000/6 - 680, 92000/6 + 680}, "powers of ten": {len(priced), 6, 6},
	} {
		if in[0] < in[1] || in[0] > in[2] {
			t.Errorf("%s: %d is not in %d…%d", name, in[0], in[1], in[2])
		}
	}
	if open < len(bids)/4 || open == len(bids) {
		t.Errorf("%d of %d bids fall into their auction's time: queries over it need both", open, len(bids))
	}
}

func TestDisorder(t *testing.T) {
	plain, _ := run(t, "bid")
	records, _ := run(t, "bid", "disorder", "40ms")
	backwards := 0
	for i, r := range records {
		if earlier := plain[i].Timestamp - r.Timestamp; earlier < 0 || earlier > 40 {
			t.Fatalf("event %d is %d ms earlier", i, earlier)
		}
		if i > 0 && r.Timestamp < records[i-1].Timestamp {
			backwards++
		}
	}
	if backwards < len(records)/4 {
		t.Errorf("%d of %d events are out of order", backwards, len(records))
	}
}

func TestEndless(t *testing.T) {
	clock := &fakeClock{start}
	g, err := New(nil, "json", map[string]string{"nexmark.type": "auction"}, clock.Now())
	if err != nil || !g.Endless() {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n, long := 0, 0
	err = NewFeed(g, clock).Run(ctx, func(rs []connectors.Record) error {
		for _, r := range rs {
			var a auction
			if err := json.Unmarshal(r.Value, &a); err != nil {
				t.Fatal(err)
			}
			if r.Timestamp != clock.now.UnixMilli() {
				t.Fatalf("an event at %d, the clock stands at %d", r.Timestamp, clock.now.UnixMilli())
			}
			if millis(t, a.Expires) > r.Timestamp+100 {
				long++
			}
		}
		if n += len(rs); n >= 5000 {
			cancel()
		}
		clock.now = clock.now.Add(time.Second)
		return nil
	})
	if !errors.Is(err, context.Canceled) || long < n/2 {
		t.Errorf("%d events, %d of them open for a while: %v", n, long, err)
	}
	full := errors.New("full")
	if err := NewFeed(g, clock).Run(t.Context(), func([]connectors.Record) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ column, format, options, says string }{
		{"id", "json", "seed=1", "needs option nexmark.type"},
		{"id", "json", "type=sale", "'sale': it is 'person', 'auction' or 'bid'"},
		{"id", "json", "type=person event=1", "did you mean 'nexmark.events'"},
		{"id", "json", "type=person events=-1", "a whole number from 0"},
		{"id", "json", "type=person start=soon", "option 'nexmark.start': 'soon' is not an instant"},
		{"id", "csv", "type=person", "writes format 'json', not 'csv'"},
		{"sellr", "json", "type=auction", "did you mean seller"},
		{"quantity", "json", "type=bid", "it has auction, bidder, price"},
	} {
		given := map[string]string{}
		for o := range strings.FieldsSeq(c.options) {
			name, value, _ := strings.Cut(o, "=")
			given["nexmark."+name] = value
		}
		_, err := New([]types.Column{{Name: c.column, Type: types.TBigInt}}, c.format, given, start)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", c.options, err, c.says)
		}
	}
}

func BenchmarkBids(b *testing.B) {
	g, err := New(nil, "json", map[string]string{"nexmark.type": "bid", "nexmark.start": "0"}, start)
	if err != nil {
		b.Fatal(err)
	}
	f := NewFeed(g, &fakeClock{start})
	records := make([]connectors.Record, 0, 1000)
	b.ReportAllocs()
	for n := uint64(0); b.Loop(); n += 1050 {
		records = f.make(records[:0], n, n+1050)
	}
}
