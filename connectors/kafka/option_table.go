package kafka

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Option is one `kafka.*` setting as users write it.
type Option struct {
	Name    string
	Type    string // string, list, duration, bool, int, path, secret
	Default string
	Doc     string

	set func(o *Options, value string) error
}

// OptionTable lists every `kafka.*` setting, in the order of its documentation.
func OptionTable() []Option {
	return []Option{
		{"kafka.brokers", "list", "localhost:9092", "host:port of one or more brokers, separated by commas", setBrokers},
		{"kafka.client_id", "string", "streamsql", "name of this client in the broker's logs and quotas",
			text(func(o *Options) *string { return &o.ClientID })},
		{"kafka.tls", "bool", "false", "connect with TLS (implied by the other kafka.tls options)", setTLS},
		{"kafka.tls.ca", "path", "", "PEM file of the authorities that signed the brokers' certificates; default: the system's",
			text(func(o *Options) *string { return &tlsOf(o).CAFile })},
		{"kafka.tls.cert", "path", "", "PEM file of the client certificate",
			text(func(o *Options) *string { return &tlsOf(o).CertFile })},
		{"kafka.tls.key", "path", "", "PEM file of the client certificate's key",
			text(func(o *Options) *string { return &tlsOf(o).KeyFile })},
		{"kafka.tls.server_name", "string", "", "name expected in the brokers' certificates; default: the host",
			text(func(o *Options) *string { return &tlsOf(o).ServerName })},
		{"kafka.tls.insecure", "bool", "false", "do not verify the brokers' certificates (never in production)", setInsecure},
		{"kafka.sasl.mechanism", "string", "PLAIN", "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
			text(func(o *Options) *string { return &saslOf(o).Mechanism })},
		{"kafka.sasl.user", "string", "", "user name", text(func(o *Options) *string { return &saslOf(o).User })},
		{"kafka.sasl.password", "secret", "", "password", text(func(o *Options) *string { return &saslOf(o).Password })},
		{"kafka.compression", "string", "lz4", "of produced batches: none, gzip, snappy, lz4 or zstd", setCompression},
		{"kafka.transaction_timeout", "duration", "10s", "when the broker aborts the transaction of an instance that died",
			span(func(o *Options) *time.Duration { return &o.TransactionTimeout })},
		{"kafka.session_timeout", "duration", "10s", "when the group gives up a member without heartbeats",
			span(func(o *Options) *time.Duration { return &o.SessionTimeout })},
		{"kafka.heartbeat_interval", "duration", "3s", "between a member's heartbeats",
			span(func(o *Options) *time.Duration { return &o.HeartbeatInterval })},
		{"kafka.rebalance_timeout", "duration", "60s", "how long a rebalance waits for a member's open epoch",
			span(func(o *Options) *time.Duration { return &o.RebalanceTimeout })},
		{"kafka.fetch_max_wait", "duration", "500ms", "how long a fetch without data waits at the broker",
			span(func(o *Options) *time.Duration { return &o.FetchMaxWait })},
		{"kafka.linger", "duration", "1ms", "how long a produced batch waits for more records",
			span(func(o *Options) *time.Duration { return &o.Linger })},
		{"kafka.buffer", "int", "500000", "produced records that may be unsent before producing blocks", setBuffer},
		{"kafka.start_timeout", "duration", "5s", "how long to wait for a first answer of a broker",
			span(func(o *Options) *time.Duration { return &o.StartTimeout })},
	}
}

// Set applies one setting. It fails on an unknown name, with the nearest known one, and on a value of the wrong type.
func (o *Options) Set(name, value string) error {
	table := OptionTable()
	i := slices.IndexFunc(table, func(e Option) bool { return e.Name == name })
	if i < 0 {
		names := make([]string, len(table))
		for i, e := range table {
			names[i] = e.Name
		}
		return fmt.Errorf("unknown option %q; %s", name, spell.Hint(name, "there are", names))
	}
	if err := table[i].set(o, value); err != nil {
		return fmt.Errorf("option %s = %q: %w", name, value, err)
	}
	return nil
}

func text(field func(*Options) *string) func(*Options, string) error {
	return func(o *Options, v string) error { *field(o) = v; return nil }
}

func span(field func(*Options) *time.Duration) func(*Options, string) error {
	return func(o *Options, v string) error {
		d, err := types.ParseGoDuration(v)
		if err != nil || d <= 0 {
			return fmt.Errorf("want a duration above zero, such as 250ms or 10s")
		}
		*field(o) = d
		return nil
	}
}

func tlsOf(o *Options) *TLS {
	if o.TLS == nil {
		o.TLS = &TLS{}
	}
	return o.TLS
}

func saslOf(o *Options) *SASL {
	if o.SASL == nil {
		o.SASL = &SASL{Mechanism: "PLAIN"}
	}
	return o.SASL
}

func setBrokers(o *Options, v string) error {
	o.Brokers = nil
	for b := range strings.SplitSeq(v, ",") {
		if b = strings.TrimSpace(b); b != "" {
			o.Brokers = append(o.Brokers, b)
		}
	}
	if len(o.Brokers) == 0 {
		return fmt.Errorf("want host:port")
	}
	return nil
}

func setTLS(o *Options, v string) error {
	on, err := strconv.ParseBool(v)
	switch {
	case err != nil:
		return fmt.Errorf("want true or false")
	case on:
		tlsOf(o)
	default:
		o.TLS = nil
	}
	return nil
}

func setInsecure(o *Options, v string) error {
	on, err := strconv.ParseBool(v)
	if err != nil {
		return fmt.Errorf("want true or false")
	}
	tlsOf(o).Insecure = on
	return nil
}

func setCompression(o *Options, v string) error {
	if _, err := codec(v); err != nil {
		return err
	}
	o.Compression = v
	return nil
}

func setBuffer(o *Options, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n <= 0 {
		return fmt.Errorf("want a number above zero")
	}
	o.Buffer = n
	return nil
}
