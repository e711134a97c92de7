package registry

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/streamsql-go/streamsql/connectors/format"
)

func spec(topic string, options ...string) format.Spec {
	s := format.Spec{Topic: topic, Options: map[string]string{}}
	for i := 0; i < len(options); i += 2 {
		s.Options[options[i]] = options[i+1]
	}
	return s
}

func valuePlace(t *testing.T, topic string, options ...string) Place {
	t.Helper()
	p, err := ValuePlace(spec(topic, options...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestHeader(t *testing.T) {
	b := append(AppendHeader(nil, 1<<24+7), 'x')
	if id, rest, err := Split(b); string(b) != "\x00\x01\x00\x00\x07x" || id != 1<<24+7 || string(rest) != "x" || err != nil {
		t.Errorf("%x: %d, %q, %v", b, id, rest, err)
	}
	for value, want := range map[string]format.Reason{"": format.Empty, "\x00\x00\x00\x01": format.Malformed, "\x01\x00\x00\x00\x01x": format.Malformed} {
		_, _, err := Split([]byte(value))
		var bad *format.BadRecord
		if !errors.As(err, &bad) || bad.Reason != want {
			t.Errorf("%x: %v", value, err)
		}
	}
}

func TestSubjects(t *testing.T) {
	for want, p := range map[string]Place{
		"t-value":   valuePlace(t, "t"),
		"r.Order":   valuePlace(t, "t", "registry.subject_strategy", "record"),
		"t-r.Order": valuePlace(t, "t", "registry.subject_strategy", "topic_record"),
		"mine":      valuePlace(t, "t", "registry.subject_strategy", "record", "schema.subject", "mine"),
	} {
		if got := p.Subject("r.Order"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	k, err := KeyPlace(spec("a.b-c", "schema.subject", "value's"))
	if err != nil || k.Subject("x") != "a.b-c-key" || k.recordName() != "a_b_c_key" {
		t.Errorf("%s, %s, %v", k.Subject("x"), k.recordName(), err)
	}
	if got := valuePlace(t, "1st").recordName(); got != "_st" {
		t.Errorf("the name of a record of topic 1st is %s", got)
	}
}

func TestMistakes(t *testing.T) {
	for want, options := range map[string][]string{
		"'latest' or a number":          {"schema.version", "newest"},
		"topic, record or topic_record": {"registry.subject_strategy", "table"},
		"leave one of them out":         {"schema.file", "x.avsc", "schema.version", "1"},
		"exclude each other":            {"registry.token", "a", "registry.user", "b"},
		"goes with registry.user":       {"registry.password", "geheim"},
		"belong together":               {"registry.tls.cert", "x.pem"},
		"http://host:port":              {"registry.url", "registry:8081"},
		"holds a user":                  {"registry.url", "http://u:geheim@registry:8081"},
		"above zero":                    {"registry.timeout", "0s"},
		"true or false":                 {"registry.auto_register", "maybe"},
	} {
		_, err := ValuePlace(spec("t", options...))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%v: %v, want %q", options, err, want)
		}
	}
	if _, err := valuePlace(t, "t").Open(); err == nil || !strings.Contains(err.Error(), "registry.url") {
		t.Errorf("no registry: %v", err)
	}
	for name, p := range map[string]Place{
		"ca":   valuePlace(t, "t", "registry.url", "https://x", "registry.tls.ca", "none.pem"),
		"cert": valuePlace(t, "t", "registry.url", "https://x", "registry.tls.cert", "none.pem", "registry.tls.key", "none.pem"),
	} {
		if _, err := p.Open(); err == nil || !strings.Contains(err.Error(), "registry.tls."+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a registry answers is not asked again; one that does not answer is.
func TestAnswers(t *testing.T) {
	r := srfake.New(srfake.WithAuth("Bearer geheim"))
	defer r.Close()
	p := valuePlace(t, "t", "registry.url", r.URL(), "registry.token", "geheim")
	c, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := p.Open(); again != c {
		t.Error("the same settings have two clients")
	}
	var asked atomic.Int64
	status := 0
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if asked.Add(1); status == 0 {
			return false
		}
		w.WriteHeader(status)
		return true
	})
	ctx := context.Background()
	id, err := c.Register(ctx, "t-value", Schema{Type: Avro, Text: `"string"`})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if again, err := c.Register(ctx, "t-value", Schema{Type: Avro, Text: `"string"`}); again != id || err != nil {
			t.Errorf("%d, %v", again, err)
		}
		if s, err := c.ByID(ctx, id); s.Text != `"string"` || err != nil {
			t.Errorf("%v, %v", s, err)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("%d requests for what does not change", asked.Load())
	}
	if _, err := c.ByID(ctx, 99); !errors.Is(err, ErrNotFound) {
		t.Errorf("an id that is not there: %v", err)
	}
	var away *format.Away
	for code, passing := range map[int]bool{http.StatusBadGateway: true, http.StatusTooManyRequests: true, http.StatusUnauthorized: false, http.StatusConflict: false, http.StatusUnprocessableEntity: false} {
		status = code
		asked.Store(0)
		_, err := c.ByID(ctx, 98)
		if errors.As(err, &away) != passing || (asked.Load() == tries) != passing || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%d: %v after %d requests", code, err, asked.Load())
		}
	}
	status = http.StatusBadGateway
	if err := away.Probe(ctx); err == nil {
		t.Error("the probe passes while the registry is away")
	}
	status = 0
	if err := away.Probe(ctx); err != nil {
		t.Errorf("the probe says %v while the registry answers", err)
	}
}

func TestTLS(t *testing.T) {
	r := srfake.NewRegistry()
	s := httptest.NewTLSServer(r.Handler())
	defer s.Close()
	if _, _, err := r.RegisterSchema("t-value", sr.Schema{Schema: `"string"`}); err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	var away *format.Away
	if _, err := valuePlace(t, "t", "registry.url", s.URL).Current(t.Context()); err == nil || errors.As(err, &away) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate nobody knows: %v", err)
	}
	for _, option := range [][]string{{"registry.tls.ca", ca}, {"registry.tls.insecure", "true"}} {
		got, err := valuePlace(t, "t", "registry.url", s.URL, option[0], option[1]).Current(t.Context())
		if err != nil || got.Origin() != "subject t-value, version 1" {
			t.Errorf("%s: %v, %v", option[0], got, err)
		}
	}
}
