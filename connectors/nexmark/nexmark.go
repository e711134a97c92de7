// Package nexmark is the connector 'nexmark': the persons, auctions and bids of the Nexmark benchmark (Tucker et al. 2008, and
// the generator of Apache Beam after it), the same for the same seed.
//
// There is one sequence of events. Of fifty in a row the first is a new person, the next three are new auctions and the other
// forty-six bids; a relation takes the events of its nexmark.type. So three relations with the same seed and number of events
// hold parts of one world: a bid's bidder is a person, its auction an auction, an auction's seller a person.
//
// Event i (from 0) happens at start + i × interval, less a random part of disorder; that is its dateTime and the record's
// timestamp, in milliseconds. Values are JSON objects with all fields of the type, the Kafka key is the id (of a bid its
// auction's) as text.
//
//	person   id, name, emailAddress, creditCard, city, state, dateTime, extra
//	auction  id, itemName, description, initialBid, reserve, dateTime, expires, seller, category, extra
//	bid      auction, bidder, price, channel, url, dateTime, extra
//
// As in Beam's generator three in four sellers and bidders, and one bid's auction in two, are the "hot" one of the last
// hundred, the others are among the last 1000 persons and 100 auctions or up to ten ids ahead of them; ids begin at 1000,
// categories are 10 to 14; an auction is open for up to twice the time that 100 auctions take to come; prices are spread
// over six orders of magnitude. Times and disorder of the three types do not depend on the rate.
package nexmark

import (
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/pace"
	"github.com/streamsql-go/streamsql/connectors/random"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Table are the connector's options.
var Table = []connectors.Option{
	{Name: "nexmark.type", Type: connectors.TextOption, Doc: "whose events the relation holds: person, auction or bid"},
	{Name: "nexmark.events", Type: connectors.IntOption, Default: "0", Doc: "how many events of all three types there are, of fifty 1 person, 3 auctions, 46 bids; 0: without end"},
	{Name: "nexmark.rate", Type: connectors.IntOption, Default: "0", Doc: "events of all three types per second; 0: as fast as they are taken"},
	{Name: "nexmark.seed", Type: connectors.IntOption, Default: "1", Doc: "equal seeds make equal events; give the relations of one world the same"},
	{Name: "nexmark.start", Type: connectors.TextOption, Doc: "event time of the first event: 'now', '2026-01-01T00:00:00Z', or milliseconds since the epoch; without it no event is ahead of the clock: nexmark.events end now, endless events follow the clock. Give the relations of one world the same"},
	{Name: "nexmark.interval", Type: connectors.DurationOption, Doc: "event time from event to event; default: 1 / nexmark.rate, or else 100us (endless events: the clock)"},
	{Name: "nexmark.disorder", Type: connectors.DurationOption, Default: "0s", Doc: "events are up to this much earlier in event time than their place says; declare it as the relation's disorder, too"},
}

const (
	defaultInterval  = 100 // microseconds: 10,000 events a second
	perEpoch         = 50
	personsPerEpoch  = 1
	auctionsPerEpoch = 3
	firstID          = 1000
	firstCategory    = 10
	categories       = 5
)

// kind is a type of event: where in an epoch its events are, its fields, and how one is written.
type kind struct {
	name        string
	first, last uint64 // of the epoch's events
	fields      []string
	key         func(e event) uint64 // of the record, and the object's first field; it is drawn first
	append      func(g *Generator, dst []byte, key uint64, e event) []byte
}

var kinds = []kind{
	{"person", 0, 0, []string{"id", "name", "emailAddress", "creditCard", "city", "state", "dateTime", "extra"}, event.personID, (*Generator).person},
	{"auction", 1, 3, []string{"id", "itemName", "description", "initialBid", "reserve", "dateTime", "expires", "seller", "category", "extra"}, event.auctionID, (*Generator).auction},
	{"bid", 4, 49, []string{"auction", "bidder", "price", "channel", "url", "dateTime", "extra"}, event.bidOn, (*Generator).bid},
}

// Generator makes the events of one relation. It belongs to one goroutine.
type Generator struct {
	kind   kind
	events int64
	rate   int64
	seed   uint64
	times  pace.Times
	random random.Source // of the event at hand: here, so that it need not be allocated
	open   uint64        // how many milliseconds an auction is open at most
}

// New checks the options of a relation, its columns and its format, and makes its generator. Now is the start when none is given.
func New(cols []types.Column, formatName string, given map[string]string, now time.Time) (*Generator, error) {
	o, err := connectors.CheckOptions(Table, nil, given)
	if err != nil {
		return nil, err
	}
	g := &Generator{events: o.Int("nexmark.events"), rate: o.Int("nexmark.rate"), seed: uint64(o.Int("nexmark.seed"))}
	if g.kind, err = kindNamed(o.Get("nexmark.type")); err != nil {
		return nil, err
	}
	if formatName != "json" {
		return nil, fmt.Errorf("connector 'nexmark' writes format 'json', not '%s'", formatName)
	}
	for _, c := range cols {
		if err := g.kind.check(c.Name); err != nil {
			return nil, err
		}
	}
	g.times, err = pace.NewTimes(pace.Spec{Options: o, Owner: "nexmark", Count: "nexmark.events", Interval: defaultInterval}, now)
	g.open = longest(&g.times)
	return g, err
}

// longest is how many milliseconds an auction is open at most: twice as long as it takes for 100 auctions to come.
func longest(times *pace.Times) uint64 {
	const events = auctionsInFlight * perEpoch / auctionsPerEpoch
	span := times.Span(events)
	if span == 0 { // events follow the clock
		span = events * defaultInterval
	}
	return uint64(max(1, 2*span/types.MicrosPerMilli))
}

// Endless says whether the events have no end.
func (g *Generator) Endless() bool { return g.events == 0 }

func kindNamed(name string) (kind, error) {
	if name == "" {
		return kind{}, fmt.Errorf("connector 'nexmark' needs option nexmark.type = 'person', 'auction' or 'bid'")
	}
	for _, k := range kinds {
		if strings.EqualFold(k.name, name) {
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("option 'nexmark.type' = '%s': it is 'person', 'auction' or 'bid'", name)
}

func (k kind) check(column string) error {
	for _, f := range k.fields {
		if strings.EqualFold(f, column) {
			return nil
		}
	}
	if best := spell.Closest(column, k.fields); best != "" {
		return fmt.Errorf("a %s of Nexmark has no field %s: did you mean %s?", k.name, column, best)
	}
	return fmt.Errorf("a %s of Nexmark has no field %s: it has %s", k.name, column, strings.Join(k.fields, ", "))
}

// holds says whether event i is of the kind.
func (k kind) holds(i uint64) bool { return i%perEpoch >= k.first && i%perEpoch <= k.last }
