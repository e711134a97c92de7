package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	encpem "encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

func TestOptionTable(t *testing.T) {
	values := map[connectors.OptionType]string{
		connectors.ListOption: "a:1, b:2", connectors.DurationOption: "42s", connectors.BoolOption: "true", connectors.IntOption: "1500000",
		connectors.PathOption: "/f", connectors.SecretOption: "s", connectors.TextOption: "lz4",
	}
	if len(OptionTable()) != len(setters()) {
		t.Errorf("%d options, %d of them can be set", len(OptionTable()), len(setters()))
	}
	var o Options
	for _, e := range OptionTable() {
		if !strings.HasPrefix(e.Name, "kafka.") || e.Doc == "" {
			t.Errorf("%+v", e)
		}
		v, ok := values[e.Type]
		if !ok {
			t.Errorf("%s has the unknown type %s", e.Name, e.Type)
		}
		if err := o.Set(e.Name, v); err != nil {
			t.Error(err)
		}
		if e.Default != "" {
			var d Options
			if err := d.Set(e.Name, e.Default); err != nil {
				t.Errorf("the default of %s: %v", e.Name, err)
			}
		}
	}
	if len(o.Brokers) != 2 || o.Brokers[1] != "b:2" || o.FetchMaxWait != 42*time.Second || !o.TLS.Insecure || o.TLS.CAFile != "/f" ||
		o.SASL.Password != "s" || o.Buffer != 1_500_000 || o.MaxBatch != 1_500_000 {
		t.Errorf("%+v %+v %+v", o, o.TLS, o.SASL)
	}
	for name, want := range map[string]string{"kafka.linger": "want a duration", "kafka.compression": "want none, gzip", "kafka.x": "unknown option"} {
		if err := o.Set(name, "bad"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Nothing set is what the table says.
	d := Options{}.withDefaults()
	if d.TransactionTimeout != 10*time.Second || d.SessionTimeout != 10*time.Second || d.FetchMaxWait != 500*time.Millisecond || d.Buffer != 500000 {
		t.Errorf("defaults: %+v", d)
	}
}

func certificate(t *testing.T) (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, encpem.EncodeToMemory(&encpem.Block{Type: "CERTIFICATE", Bytes: der})
}

func TestTLS(t *testing.T) {
	cert, ca := certificate(t)
	broker, err := embedded.Start(embedded.Options{Extra: []kfake.Opt{kfake.TLS(&tls.Config{Certificates: []tls.Certificate{cert}})}})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	for _, c := range []struct {
		tls  *TLS
		want string // of the error
	}{
		{&TLS{CA: ca}, ""},
		{&TLS{Insecure: true}, ""},
		{&TLS{}, "set kafka.tls.ca"},
		{&TLS{CA: ca, ServerName: "other"}, "set kafka.tls.server_name"},
		{&TLS{CAFile: "/nowhere"}, "kafka.tls.ca: open /nowhere"},
		{&TLS{CA: ca, Cert: ca}, "needs both kafka.tls.cert and kafka.tls.key"},
		{nil, "kafka.tls = true"},
	} {
		cl, err := New(t.Context(), Options{Brokers: []string{broker.Addr()}, TLS: c.tls, StartTimeout: time.Second, Logger: quiet})
		if err == nil {
			cl.Close()
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.tls, err, c.want)
		}
	}
}
