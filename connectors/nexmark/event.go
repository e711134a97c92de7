package nexmark

import (
	"strconv"
	"time"

	"github.com/streamsql-go/streamsql/connectors/random"
)

// event is what is known of an event before its fields are drawn.
type event struct {
	ms       int64  // event time, milliseconds
	people   uint64 // persons up to and with it
	auctions uint64 // auctions before it
	r        *random.Source
}

const (
	activePeople     = 1000
	auctionsInFlight = 100
	lead             = 10  // ids that may be named before they exist
	hot              = 100 // of so many persons or auctions one is hot
	channels         = 10_000
)

var (
	firstNames  = [...]string{"Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter"}
	lastNames   = [...]string{"Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris"}
	places      = [...][2]string{{"Phoenix", "AZ"}, {"Los Angeles", "CA"}, {"San Francisco", "CA"}, {"Boise", "ID"}, {"Portland", "OR"}, {"Bend", "OR"}, {"Redmond", "WA"}, {"Seattle", "WA"}, {"Kent", "WA"}, {"Cheyenne", "WY"}}
	hotChannels = [...]string{"Google", "Facebook", "Baidu", "Apple"}
)

// at is event i but for its time.
func at(i uint64, r *random.Source) event {
	epoch, offset := i/perEpoch, i%perEpoch
	before := uint64(0)
	if offset > 0 {
		before = min(offset-1, auctionsPerEpoch)
	}
	return event{people: epoch*personsPerEpoch + 1, auctions: epoch*auctionsPerEpoch + before, r: r}
}

func (e event) personID() uint64 { return firstID + e.people - 1 }

func (e event) auctionID() uint64 { return firstID + e.auctions }

// bidOn draws the auction of a bid.
func (e event) bidOn() uint64 { return recent(e.r, e.auctions, auctionsInFlight, 2, 0) }

func (g *Generator) person(dst []byte, id uint64, e event) []byte {
	r := e.r
	place := places[r.Below(uint64(len(places)))]
	dst = strconv.AppendUint(append(dst, `{"id":`...), id, 10)
	dst = append(dst, `,"name":"`...)
	dst = append(dst, firstNames[r.Below(uint64(len(firstNames)))]...)
	dst = append(append(dst, ' '), lastNames[r.Below(uint64(len(lastNames)))]...)
	dst = letters(append(dst, `","emailAddress":"`...), r, 7)
	dst = letters(append(dst, '@'), r, 5)
	dst = append(dst, `.com","creditCard":"`...)
	for k := range 4 {
		if k > 0 {
			dst = append(dst, ' ')
		}
		dst = digits(dst, r.Below(10_000), 4)
	}
	dst = append(append(dst, `","city":"`...), place[0]...)
	dst = append(append(dst, `","state":"`...), place[1]...)
	return g.rest(dst, e, `"`, 50)
}

func (g *Generator) auction(dst []byte, id uint64, e event) []byte {
	r := e.r
	seller := recent(r, e.people, activePeople, 4, 0)
	dst = strconv.AppendUint(append(dst, `{"id":`...), id, 10)
	dst = letters(append(dst, `,"itemName":"`...), r, 12)
	dst = letters(append(dst, `","description":"`...), r, 60)
	initial := price(r)
	dst = strconv.AppendUint(append(dst, `","initialBid":`...), initial, 10)
	dst = strconv.AppendUint(append(dst, `,"reserve":`...), initial+price(r), 10)
	dst = moment(append(dst, `,"expires":"`...), e.ms+1+int64(r.Below(g.open)))
	dst = strconv.AppendUint(append(dst, `","seller":`...), seller, 10)
	dst = strconv.AppendUint(append(dst, `,"category":`...), firstCategory+r.Below(categories), 10)
	return g.rest(dst, e, "", 50)
}

func (g *Generator) bid(dst []byte, auction uint64, e event) []byte {
	r := e.r
	dst = strconv.AppendUint(append(dst, `{"auction":`...), auction, 10)
	dst = strconv.AppendUint(append(dst, `,"bidder":`...), recent(r, e.people, activePeople, 4, 1), 10)
	dst = strconv.AppendUint(append(dst, `,"price":`...), price(r), 10)
	dst = append(dst, `,"channel":"`...)
	own := r.Below(2) == 0
	channel := r.Below(channels)
	if own {
		dst = strconv.AppendUint(append(dst, "channel-"...), channel, 10)
	} else {
		dst = append(dst, hotChannels[channel%uint64(len(hotChannels))]...)
	}
	dst = append(dst, `","url":"https://www.nexmark.com`...)
	for range 3 {
		dst = letters(append(dst, '/'), r, 5)
	}
	dst = append(dst, "/item.htm?query=1"...)
	if own {
		dst = strconv.AppendUint(append(dst, "&channel_id="...), r.Below(1<<20), 10)
	}
	return g.rest(dst, e, `"`, 40)
}

// recent draws an id among the last ones of n: in all but one of odds cases the hot one, else one of the last active ones or
// of those that come next.
func recent(r *random.Source, n, active, odds, shift uint64) uint64 {
	last := max(n, 1) - 1
	if r.Below(odds) > 0 {
		return firstID + last/hot*hot + shift
	}
	first := last - min(last, active)
	return firstID + first + r.Below(last-first+1+lead)
}

// price is 100 to 100,000,000, as often in each power of ten. It is drawn without floating point, so it is the same on all
// machines.
func price(r *random.Source) uint64 {
	low := uint64(100)
	for range r.Below(6) {
		low *= 10
	}
	return low + r.Below(9*low)
}

// rest ends an object: the event's time, and extra text of a length. Before says what closes the field before it.
func (g *Generator) rest(dst []byte, e event, before string, length int) []byte {
	dst = append(dst, before...)
	dst = moment(append(dst, `,"dateTime":"`...), e.ms)
	dst = letters(append(dst, `","extra":"`...), e.r, length)
	return append(dst, `"}`...)
}

// letters appends n of a…z.
func letters(dst []byte, r *random.Source, n int) []byte {
	bits := uint64(0)
	for i := range n {
		if i%8 == 0 {
			bits = r.Next()
		}
		dst = append(dst, 'a'+byte(bits&0xff*26>>8))
		bits >>= 8
	}
	return dst
}

func digits(dst []byte, n uint64, width int) []byte {
	for div := pow10(width - 1); div > 0; div /= 10 {
		dst = append(dst, '0'+byte(n/div%10))
	}
	return dst
}

func pow10(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// moment appends 2026-01-01 00:00:00.000.
func moment(dst []byte, ms int64) []byte {
	return time.UnixMilli(ms).UTC().AppendFormat(dst, "2006-01-02 15:04:05.000")
}
