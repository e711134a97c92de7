package kafka

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
)

// Cluster is a connectors.Cluster. Its one client, outside any group, serves administration, direct reads and writes;
// each Session has a client of its own.
type Cluster struct {
	o    Options
	opts []kgo.Opt // of every client
	cl   *kgo.Client
	adm  *kadm.Client

	limits *limits
}

var _ connectors.Cluster = (*Cluster)(nil)

// New connects to a cluster. It fails when no broker answers within Options.StartTimeout, and at once when a broker
// refuses the login or the TLS handshake.
func New(ctx context.Context, o Options) (*Cluster, error) {
	o = o.withDefaults()
	opts, err := o.clientOpts()
	if err != nil {
		return nil, err
	}
	limits := newLimits(o.MaxBatch)
	opts = append([]kgo.Opt{kgo.ProducerBatchMaxBytesFn(limits.of), kgo.WithHooks(newPresence(o))}, opts...)
	dials := &dialErrors{}
	cl, err := kgo.NewClient(with(opts, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.WithHooks(dials))...)
	if err != nil {
		return nil, err
	}
	if err := firstAnswer(ctx, cl, dials, o); err != nil {
		cl.Close()
		return nil, err
	}
	return &Cluster{o: o, opts: opts, cl: cl, adm: kadm.NewClient(cl), limits: limits}, nil
}

// firstAnswer waits for any broker, trying again while the address refuses: it may be starting.
func firstAnswer(ctx context.Context, cl *kgo.Client, dials *dialErrors, o Options) error {
	start, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	for {
		err := cl.Ping(start)
		if err == nil {
			return nil
		}
		if isContext(err) {
			err = orDefault(dials.get(), err)
		}
		var refused *net.OpError
		again := errors.As(err, &refused) && refused.Op == "dial"
		if !again || wait(start, 200*time.Millisecond) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return unreachable(err, o.Brokers, o)
		}
	}
}

// dialErrors remembers why the last connection failed: the client answers a time-out with only the context's error.
type dialErrors struct {
	mu   sync.Mutex
	last error
}

func (d *dialErrors) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err == nil || isContext(err) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = err
}

func (d *dialErrors) get() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// Close ends the client. Sessions are closed by their owners, before.
func (c *Cluster) Close() error {
	c.cl.Close()
	return nil
}

// wait sleeps for d or until ctx ends, and then returns its error.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// patience bounds the retries of requests whose errors pass by themselves: leader moves, new topics, open transactions.
const patience = 30 * time.Second

// retry calls do until it neither fails with a passing error nor ctx or patience runs out.
func retry(ctx context.Context, do func() error) error {
	end, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	backoff := 20 * time.Millisecond
	for {
		err := do()
		if err == nil || !passing(err) {
			return err
		}
		if wait(end, backoff) != nil {
			return err
		}
		backoff = min(2*backoff, 500*time.Millisecond)
	}
}

// passing: a topic that does not exist passes only after its creation, which waits by itself.
func passing(err error) bool {
	return kerr.IsRetriable(err) && !errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.UnstableOffsetCommit) || errors.Is(err, kerr.ConcurrentTransactions)
}
