package kafka

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// presence watches the connections of all clients of a cluster, and tells when no broker can be reached any more and when
// one can again. A connection that is open says nothing: the client notices its end when it uses it.
type presence struct {
	log     *slog.Logger
	at      string
	patient time.Duration // for so long attempts fail and nobody answers before it is told

	mu     sync.Mutex
	met    bool      // a broker answered before
	failed time.Time // the first failed attempt since the last answer; zero: none
	away   bool
}

var (
	_ kgo.HookBrokerConnect = (*presence)(nil)
	_ kgo.HookBrokerRead    = (*presence)(nil)
)

// newPresence is patient enough for a broker with nothing to send to answer a fetch: others may still be there.
func newPresence(o Options) *presence {
	return &presence{log: o.Logger, at: strings.Join(o.Brokers, ", "), patient: max(time.Second, 2*o.FetchMaxWait)}
}

// OnBrokerConnect is told of every attempt to connect.
func (p *presence) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	p.heard(err)
}

// OnBrokerRead is told of every answer.
func (p *presence) OnBrokerRead(_ kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	if err == nil { // a connection that broke was there before; the attempts to connect tell the rest
		p.heard(nil)
	}
}

func (p *presence) heard(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.met, p.failed = true, time.Time{}
		if p.away {
			p.away = false
			p.log.Warn("a broker answers again at " + p.at + ": going on")
		}
		return
	}
	now := time.Now()
	if p.failed.IsZero() {
		p.failed = now
	}
	if p.met && !p.away && now.Sub(p.failed) >= p.patient {
		p.away = true
		p.log.Warn("no broker answers at "+p.at+": waiting; nothing is lost", "cause", err)
	}
}
