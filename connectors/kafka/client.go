package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// clientOpts are the options that every client has: how to reach the cluster, and how to write to it.
func (o Options) clientOpts() ([]kgo.Opt, error) {
	compression, err := compression(o.Compression)
	if err != nil {
		return nil, err
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(o.Brokers...),
		kgo.ClientID(o.ClientID),
		kgo.WithLogger(bridge{o.Logger}),
		compression,
		kgo.ProducerLinger(o.Linger),
		kgo.MaxBufferedRecords(o.Buffer),
		kgo.FetchMaxWait(o.FetchMaxWait),
		kgo.FetchMaxPartitionBytes(fetchPartitionBytes),
		kgo.WithDecompressor(newDecompressor()),
	}
	switch {
	case o.Dialer != nil:
		opts = append(opts, kgo.Dialer(o.Dialer))
	case o.TLS != nil:
		c, err := o.TLS.config()
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(c))
	}
	if o.SASL != nil {
		m, err := o.SASL.option()
		if err != nil {
			return nil, err
		}
		opts = append(opts, m)
	}
	return append(opts, o.ClientOptions...), nil
}

// compression makes the compressor once: the client sorts a list of codecs in place, and sessions share these options.
func compression(name string) (kgo.Opt, error) {
	codecs, err := codec(name)
	if err != nil {
		return nil, err
	}
	c, err := kgo.DefaultCompressor(codecs...)
	if err != nil || c == nil {
		return kgo.ProducerBatchCompression(), err // none
	}
	return kgo.WithCompressor(c), nil
}

func codec(name string) ([]kgo.CompressionCodec, error) {
	switch strings.ToLower(name) {
	case "none":
		return []kgo.CompressionCodec{kgo.NoCompression()}, nil
	case "gzip":
		return []kgo.CompressionCodec{kgo.GzipCompression(), kgo.NoCompression()}, nil
	case "snappy":
		return []kgo.CompressionCodec{kgo.SnappyCompression(), kgo.NoCompression()}, nil
	case "lz4":
		return []kgo.CompressionCodec{kgo.Lz4Compression(), kgo.NoCompression()}, nil
	case "zstd":
		return []kgo.CompressionCodec{kgo.ZstdCompression(), kgo.NoCompression()}, nil
	}
	return nil, fmt.Errorf("unknown compression %q: want none, gzip, snappy, lz4 or zstd", name)
}

func (t *TLS) config() (*tls.Config, error) {
	c := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.Insecure}
	ca, err := pem(t.CA, t.CAFile, "kafka.tls.ca")
	if err != nil {
		return nil, err
	}
	if ca != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(ca) {
			return nil, fmt.Errorf("kafka.tls.ca holds no certificate in PEM form")
		}
	}
	cert, err := pem(t.Cert, t.CertFile, "kafka.tls.cert")
	if err != nil {
		return nil, err
	}
	key, err := pem(t.Key, t.KeyFile, "kafka.tls.key")
	if err != nil {
		return nil, err
	}
	if (cert == nil) != (key == nil) {
		return nil, fmt.Errorf("a client certificate needs both kafka.tls.cert and kafka.tls.key")
	}
	if cert != nil {
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("kafka.tls.cert and kafka.tls.key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func pem(bytes []byte, file, option string) ([]byte, error) {
	if bytes != nil || file == "" {
		return bytes, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", option, err)
	}
	return b, nil
}

func (s *SASL) option() (kgo.Opt, error) {
	if s.User == "" {
		return nil, fmt.Errorf("SASL needs kafka.sasl.user")
	}
	switch s.Mechanism {
	case "", "PLAIN":
		return kgo.SASL(plain.Auth{User: s.User, Pass: s.Password}.AsMechanism()), nil
	case "SCRAM-SHA-256":
		return kgo.SASL(scram.Auth{User: s.User, Pass: s.Password}.AsSha256Mechanism()), nil
	case "SCRAM-SHA-512":
		return kgo.SASL(scram.Auth{User: s.User, Pass: s.Password}.AsSha512Mechanism()), nil
	}
	return nil, fmt.Errorf("unknown kafka.sasl.mechanism %q: want PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", s.Mechanism)
}

// with appends to a copy, so that callers can share base.
func with(base []kgo.Opt, more ...kgo.Opt) []kgo.Opt {
	return append(slices.Clip(slices.Clone(base)), more...)
}

// fetchPartitionBytes bounds what a fetch brings of one partition, compressed. Little waits decoded in memory then, and a
// partition with news is not far behind one that is being caught up with; a larger batch is still brought whole.
const fetchPartitionBytes = 512 << 10
