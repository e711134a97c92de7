// Package embedded runs a Kafka broker in this process (kfake), for trying things out and for tests. It keeps
// everything in memory, also with a data directory, which only makes it survive a restart: it is no place for much data.
package embedded

import (
	"context"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Options of a broker. The zero value listens on a free local port, in memory.
type Options struct {
	// DataDir persists topics, records and groups, and is read at Start. It is for one broker at a time.
	DataDir string
	// Port on localhost; 0 takes a free one.
	Port int
	// Partitions of topics created without a count; default 1.
	Partitions int
	// Virtual replaces TCP by pipes in the process, which testing/synctest can wait for; connect with Broker.Dial.
	// Build with -tags synctests, or the client's locks stop the fake clock.
	Virtual bool
	// Extra options of kfake, applied last.
	Extra []kfake.Opt
}

// Broker is a running broker.
type Broker struct {
	cluster *kfake.Cluster
	network *kfake.VirtualNetwork // nil: TCP
}

// Start runs a broker. Topics are not created by using them. The address is given by Addr.
func Start(o Options) (*Broker, error) {
	b := &Broker{}
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.Ports(o.Port),
		kfake.DefaultNumPartitions(max(1, o.Partitions)),
	}
	if o.DataDir != "" {
		opts = append(opts, kfake.DataDir(o.DataDir))
	}
	if o.Virtual {
		b.network = &kfake.VirtualNetwork{}
		opts = append(opts, kfake.ListenFn(b.network.Listen))
	}
	var err error
	if b.cluster, err = kfake.NewCluster(append(opts, o.Extra...)...); err != nil {
		return nil, fmt.Errorf("cannot start the embedded broker on port %d: is it in use? %w", o.Port, err)
	}
	return b, nil
}

// Addr is host:port.
func (b *Broker) Addr() string { return b.cluster.ListenAddrs()[0] }

// Dial connects to a broker started with Virtual; it fits kafka.Options.Dialer. It is nil otherwise.
func (b *Broker) Dial() func(ctx context.Context, network, address string) (net.Conn, error) {
	if b.network == nil {
		return nil
	}
	return b.network.DialContext
}

// Cluster is the fake behind it, for faults in tests.
func (b *Broker) Cluster() *kfake.Cluster { return b.cluster }

// Close stops the broker; what is not in a data directory is gone.
func (b *Broker) Close() { b.cluster.Close() }
