package kafka

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// OptionTable lists every `kafka.*` setting, in the order of its documentation.
func OptionTable() []connectors.Option {
	return []connectors.Option{
		{Name: "kafka.brokers", Type: connectors.ListOption, Doc: "host:port of one or more brokers, separated by commas; none: a broker in this process"},
		{Name: "kafka.client_id", Type: connectors.TextOption, Default: "streamsql", Doc: "name of this client in the broker's logs and quotas"},
		{Name: "kafka.tls", Type: connectors.BoolOption, Default: "false", Doc: "connect with TLS (implied by the other kafka.tls options)"},
		{Name: "kafka.tls.ca", Type: connectors.PathOption, Doc: "PEM file of the authorities that signed the brokers' certificates; default: the system's"},
		{Name: "kafka.tls.cert", Type: connectors.PathOption, Doc: "PEM file of the client certificate"},
		{Name: "kafka.tls.key", Type: connectors.PathOption, Doc: "PEM file of the client certificate's key"},
		{Name: "kafka.tls.server_name", Type: connectors.TextOption, Doc: "name expected in the brokers' certificates; default: the host"},
		{Name: "kafka.tls.insecure", Type: connectors.BoolOption, Default: "false", Doc: "do not verify the brokers' certificates (never in production)"},
		{Name: "kafka.sasl.mechanism", Type: connectors.TextOption, Default: "PLAIN", Doc: "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"},
		{Name: "kafka.sasl.user", Type: connectors.TextOption, Doc: "user name"},
		{Name: "kafka.sasl.password", Type: connectors.SecretOption, Doc: "password"},
		{Name: "kafka.compression", Type: connectors.TextOption, Default: "lz4", Doc: "of produced batches: none, gzip, snappy, lz4 or zstd"},
		{Name: "kafka.transaction_timeout", Type: connectors.DurationOption, Default: "10s", Doc: "when the broker aborts the transaction of an instance that died"},
		{Name: "kafka.session_timeout", Type: connectors.DurationOption, Default: "10s", Doc: "when the group gives up a member without heartbeats"},
		{Name: "kafka.heartbeat_interval", Type: connectors.DurationOption, Default: "3s", Doc: "between a member's heartbeats"},
		{Name: "kafka.rebalance_timeout", Type: connectors.DurationOption, Default: "60s", Doc: "how long a rebalance waits for a member's open epoch"},
		{Name: "kafka.fetch_max_wait", Type: connectors.DurationOption, Default: "500ms", Doc: "how long a fetch without data waits at the broker"},
		{Name: "kafka.linger", Type: connectors.DurationOption, Default: "1ms", Doc: "how long a produced batch waits for more records"},
		{Name: "kafka.buffer", Type: connectors.IntOption, Default: "500000", Doc: "produced records that may be unsent before producing blocks"},
		{Name: "kafka.max_batch", Type: connectors.IntOption, Default: "2097152", Doc: "largest batch of records, and so the largest record, that is sent (bytes); to a topic no more than its max.message.bytes"},
		{Name: "kafka.start_timeout", Type: connectors.DurationOption, Default: "5s", Doc: "how long to wait for a first answer of a broker"},
	}
}

// setters apply the settings of OptionTable.
func setters() map[string]func(*Options, string) error {
	return map[string]func(*Options, string) error{
		"kafka.brokers":             setBrokers,
		"kafka.client_id":           text(func(o *Options) *string { return &o.ClientID }),
		"kafka.tls":                 setTLS,
		"kafka.tls.ca":              text(func(o *Options) *string { return &tlsOf(o).CAFile }),
		"kafka.tls.cert":            text(func(o *Options) *string { return &tlsOf(o).CertFile }),
		"kafka.tls.key":             text(func(o *Options) *string { return &tlsOf(o).KeyFile }),
		"kafka.tls.server_name":     text(func(o *Options) *string { return &tlsOf(o).ServerName }),
		"kafka.tls.insecure":        setInsecure,
		"kafka.sasl.mechanism":      text(func(o *Options) *string { return &saslOf(o).Mechanism }),
		"kafka.sasl.user":           text(func(o *Options) *string { return &saslOf(o).User }),
		"kafka.sasl.password":       text(func(o *Options) *string { return &saslOf(o).Password }),
		"kafka.compression":         setCompression,
		"kafka.transaction_timeout": span(func(o *Options) *time.Duration { return &o.TransactionTimeout }),
		"kafka.session_timeout":     span(func(o *Options) *time.Duration { return &o.SessionTimeout }),
		"kafka.heartbeat_interval":  span(func(o *Options) *time.Duration { return &o.HeartbeatInterval }),
		"kafka.rebalance_timeout":   span(func(o *Options) *time.Duration { return &o.RebalanceTimeout }),
		"kafka.fetch_max_wait":      span(func(o *Options) *time.Duration { return &o.FetchMaxWait }),
		"kafka.linger":              span(func(o *Options) *time.Duration { return &o.Linger }),
		"kafka.buffer":              setBuffer,
		"kafka.max_batch":           setMaxBatch,
		"kafka.start_timeout":       span(func(o *Options) *time.Duration { return &o.StartTimeout }),
	}
}

// Set applies one setting. It fails on an unknown name, with the nearest known one, and on a value of the wrong type.
func (o *Options) Set(name, value string) error {
	set, ok := setters()[name]
	if !ok {
		var names []string
		for _, e := range OptionTable() {
			names = append(names, e.Name)
		}
		return fmt.Errorf("unknown option %q; %s", name, spell.Hint(name, "there are", names))
	}
	if err := set(o, value); err != nil {
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

// setMaxBatch takes what a topic takes without being configured, up to two thirds of the client's largest request.
func setMaxBatch(o *Options, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < usualLimit || n > 64<<20 {
		return fmt.Errorf("want a number of bytes from %d to %d", usualLimit, 64<<20)
	}
	o.MaxBatch = n
	return nil
}
