package kafka

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// ClientOptions are franz-go options for programs that need one this package does not name. They are applied last to
// every client; those that a Session depends on (group, transactions, isolation, partitioner) are set again after them.
type ClientOptions []kgo.Opt

// Options reaches a cluster. The zero value of a field is its default.
type Options struct {
	Brokers  []string // host:port; default localhost:9092
	ClientID string   // default streamsql
	TLS      *TLS
	SASL     *SASL
	// Compression of produced batches: none, gzip, snappy, lz4 (default) or zstd.
	Compression string
	// Dialer replaces TCP (and TLS), for a broker in the same process.
	Dialer func(ctx context.Context, network, address string) (net.Conn, error)
	// Logger gets the client's warnings and errors; default slog.Default().
	Logger *slog.Logger

	// StartTimeout bounds the wait for a first answer of a broker in New; default 5 s.
	StartTimeout time.Duration
	// TransactionTimeout is when the broker aborts the transaction of an instance that died, which is also the longest
	// that read_committed readers wait for it; default 10 s. A commit interval must stay well below it.
	TransactionTimeout time.Duration
	// SessionTimeout and HeartbeatInterval of group members; default 10 s and 3 s.
	SessionTimeout    time.Duration
	HeartbeatInterval time.Duration
	// RebalanceTimeout is how long a rebalance waits for a member's open epoch; default 60 s.
	RebalanceTimeout time.Duration
	// FetchMaxWait is how long a fetch without data waits at the broker, and so how long a resumed partition may wait
	// for its first fetch; default 500 ms.
	FetchMaxWait time.Duration
	// Linger is how long a produced batch waits for more records; default 1 ms.
	Linger time.Duration
	// Buffer is how many produced records may be unsent before Produce blocks; default 500,000.
	Buffer int
	// MaxBatch is the largest batch of records that is sent, and so the largest record, in bytes before compression; default
	// 2 MiB. To each topic no more is sent than its max.message.bytes.
	MaxBatch int

	ClientOptions ClientOptions
}

// TLS settings. Files are PEM; the bytes, if set, are taken instead of the files.
type TLS struct {
	CAFile, CertFile, KeyFile string
	CA, Cert, Key             []byte
	ServerName                string
	Insecure                  bool // the broker's certificate is not verified
}

// SASL settings.
type SASL struct {
	Mechanism string // PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512
	User      string
	Password  string
}

func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func (o Options) withDefaults() Options {
	if len(o.Brokers) == 0 {
		o.Brokers = []string{"localhost:9092"}
	}
	o.ClientID = orDefault(o.ClientID, "streamsql")
	o.Compression = orDefault(o.Compression, "lz4")
	o.Logger = orDefault(o.Logger, slog.Default())
	o.StartTimeout = orDefault(o.StartTimeout, 5*time.Second)
	o.TransactionTimeout = orDefault(o.TransactionTimeout, 10*time.Second)
	o.SessionTimeout = orDefault(o.SessionTimeout, 10*time.Second)
	o.HeartbeatInterval = orDefault(o.HeartbeatInterval, 3*time.Second)
	o.RebalanceTimeout = orDefault(o.RebalanceTimeout, 60*time.Second)
	o.FetchMaxWait = orDefault(o.FetchMaxWait, 500*time.Millisecond)
	o.Linger = orDefault(o.Linger, time.Millisecond)
	o.Buffer = orDefault(o.Buffer, 500_000)
	o.MaxBatch = orDefault(o.MaxBatch, 2<<20)
	return o
}
