package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }
func (c *clock) Sleep(context.Context, time.Duration) error {
	return errors.New("a sink does not sleep")
}

// receiver answers with the codes it is given, one after the other, then with 204.
type receiver struct {
	*httptest.Server
	codes  []string // "503", "429 Retry-After=7", "400 why"
	bodies []string
	keys   []string
	last   *nethttp.Request
}

func newReceiver(t *testing.T, codes ...string) *receiver {
	r := &receiver{codes: codes}
	r.Server = httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, req *nethttp.Request) {
		b, _ := io.ReadAll(req.Body)
		r.bodies = append(r.bodies, string(b))
		r.keys = append(r.keys, req.Header.Get("Idempotency-Key"))
		r.last = req
		if len(r.codes) == 0 {
			w.WriteHeader(nethttp.StatusNoContent)
			return
		}
		code, says, _ := strings.Cut(r.codes[0], " ")
		r.codes = r.codes[1:]
		if after, ok := strings.CutPrefix(says, "Retry-After="); ok {
			w.Header().Set("Retry-After", after)
			says = ""
		}
		if to, ok := strings.CutPrefix(says, "Location="); ok {
			w.Header().Set("Location", to)
		}
		n := 0
		_, _ = fmt.Sscan(code, &n)
		w.WriteHeader(n)
		_, _ = io.WriteString(w, says)
	}))
	t.Cleanup(r.Close)
	return r
}

func relation(url string, given ...string) endpoint.Relation {
	r := endpoint.Relation{Name: "hook", Connector: "http", Format: "json", Options: map[string]string{"http.url": url}}
	for _, g := range given {
		name, value, _ := strings.Cut(g, "=")
		r.Options["http."+name] = value
	}
	return r
}

var began = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func newTestSink(t *testing.T, r endpoint.Relation) (*sink, *clock) {
	t.Helper()
	c := &clock{began}
	x, err := newSink(r, endpoint.Env{App: "app", Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	s := x.(*sink)
	s.chance = func() float64 { return 0 }
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if at, err := s.Begin(t.Context(), 3, 5); at != 5 || err != nil {
		t.Fatal(at, err)
	}
	return s, c
}

func rows(values ...string) []connectors.Record {
	var out []connectors.Record
	for i, v := range values {
		out = append(out, connectors.Record{Partition: 3, Offset: int64(5 + i), Timestamp: 1000, Key: []byte("k" + v), Value: []byte(v)})
	}
	return out
}

func (r *receiver) got(t *testing.T, keys, bodies string) {
	t.Helper()
	if !slices.Equal(r.keys, strings.Fields(keys)) || !slices.Equal(r.bodies, strings.Fields(bodies)) {
		t.Errorf("received %q\n%q\nwant %s\n%s", r.keys, r.bodies, keys, bodies)
	}
}

func TestOneByOne(t *testing.T) {
	r := newReceiver(t)
	s, _ := newTestSink(t, relation(r.URL+"/in?x=y", `headers={"Authorization":"Bearer geheim"}`, "method=put"))
	if err := s.Deliver(t.Context(), 3, rows("1", "2")); err != nil {
		t.Fatal(err)
	}
	if err := s.Deliver(t.Context(), 3, rows("1", "2", "3")); err != nil { // what was delivered is not sent again
		t.Fatal(err)
	}
	r.got(t, "app/hook/3/5 app/hook/3/6 app/hook/3/7", "1 2 3")
	if h := r.last.Header; r.last.Method != "PUT" || r.last.URL.String() != "/in?x=y" || h.Get("Authorization") != "Bearer geheim" || h.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s %v", r.last.Method, r.last.URL, h)
	}
	if safe, err := s.Settle(t.Context(), false); safe[3] != 8 || err != nil {
		t.Error(safe, err)
	}
	s.Leave(3)
	if safe, _ := s.Settle(t.Context(), true); len(safe) != 0 {
		t.Error(safe)
	}
}

func TestBatchAndEnvelope(t *testing.T) {
	r := newReceiver(t)
	s, _ := newTestSink(t, relation(r.URL, "batch=2", "envelope=true"))
	in := rows("1", "2", "3")
	in[1].Value, in[2].Key = nil, nil
	if err := s.Deliver(t.Context(), 3, in); err != nil {
		t.Fatal(err)
	}
	r.got(t, "app/hook/3/5-6 app/hook/3/7",
		`[{"id":"app/hook/3/5","key":"k1","timestamp":1000,"value":1},{"id":"app/hook/3/6","key":"k2","timestamp":1000,"value":null}] [{"id":"app/hook/3/7","key":null,"timestamp":1000,"value":3}]`)
}

// TestRetry: what passes is tried again, later and later, or when the receiver says; with what is left to send.
func TestRetry(t *testing.T) {
	date := began.Add(90 * time.Second).Format(nethttp.TimeFormat)
	r := newReceiver(t, "204", "503 busy", "429 Retry-After=7", "500 Retry-After="+date, "408", "425", "502", "504")
	s, _ := newTestSink(t, relation(r.URL, "backoff=1s", "backoff_max=20s"))
	for i, want := range []time.Duration{1, 7, 90, 8, 16, 20, 20} {
		err := s.Deliver(t.Context(), 3, rows("1", "2"))
		var later *endpoint.Retry
		if !errors.As(err, &later) || later.After != want*time.Second {
			t.Errorf("try %d: %v, want to wait %v", i, err, want*time.Second)
		}
		if safe, _ := s.Settle(t.Context(), true); safe[3] != 6 {
			t.Errorf("try %d: settled up to %d", i, safe[3])
		}
	}
	if err := s.Deliver(t.Context(), 3, rows("1", "2")); err != nil {
		t.Error(err)
	}
	r.codes = []string{"503"}
	s.chance = func() float64 { return 0.5 }
	var later *endpoint.Retry
	if err := s.Deliver(t.Context(), 3, rows("1", "2", "3")); !errors.As(err, &later) || later.After != 750*time.Millisecond {
		t.Errorf("after a success, with jitter: %v", err)
	}
	if got := len(r.bodies); got != 10 || r.bodies[0] != "1" || r.bodies[8] != "2" || r.bodies[9] != "3" {
		t.Errorf("received %q", r.bodies)
	}
}

func TestNoAnswer(t *testing.T) {
	r := newReceiver(t)
	r.Close()
	s, c := newTestSink(t, relation(r.URL+"/geheim", "give_up=1m"))
	var later *endpoint.Retry
	err := s.Deliver(t.Context(), 3, rows("1"))
	if !errors.As(err, &later) || strings.Contains(err.Error(), "geheim") || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("%v", err)
	}
	c.now = c.now.Add(time.Minute)
	if err := s.Deliver(t.Context(), 3, rows("1")); err == nil || errors.As(err, &later) || !strings.Contains(err.Error(), "tried 2 times in 1m0s") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Deliver(ctx, 3, rows("1")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestReject: of an array the rows that are not wanted are found; what becomes of them is an option.
func TestReject(t *testing.T) {
	for policy, want := range map[string]endpoint.Policy{"fail": endpoint.Fail, "skip": endpoint.Skip, "dead_letter": endpoint.DeadLetter} {
		r := newReceiver(t, "400", "204", "400", "422 no 3")
		s, _ := newTestSink(t, relation(r.URL, "batch=4", "on_reject="+policy))
		in := rows("1", "2", "3", "4")
		err := s.Deliver(t.Context(), 3, in)
		var no *endpoint.Rejected
		if !errors.As(err, &no) || no.Policy != want || len(no.Records) != 1 || string(no.Records[0].Value) != "3" || !strings.Contains(err.Error(), "row app/hook/3/7: the receiver answers 422 Unprocessable Entity: no 3") {
			t.Fatalf("%s: %v", policy, err)
		}
		if err := s.Deliver(t.Context(), 3, in); err != nil {
			t.Error(err)
		}
		last, number := "[4]", "8"
		if want == endpoint.Fail {
			last, number = "[3,4]", "7-8"
		}
		r.got(t, "app/hook/3/5-8 app/hook/3/5-6 app/hook/3/7-8 app/hook/3/7 app/hook/3/"+number, "[1,2,3,4] [1,2] [3,4] [3] "+last)
	}
	r := newReceiver(t, "308 Location=https://elsewhere")
	s, _ := newTestSink(t, relation(r.URL))
	var no *endpoint.Rejected
	if err := s.Deliver(t.Context(), 3, rows("1")); !errors.As(err, &no) {
		t.Errorf("a redirect is no delivery: %v", err)
	}
}

func TestCheck(t *testing.T) {
	bad := func(r endpoint.Relation, says string) {
		t.Helper()
		_, err := check(r)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%v: %v, want %s", r.Options, err, says)
		}
	}
	bad(relation(""), "needs the option http.url")
	bad(relation("ftp://host/geheim"), "is not an address")
	bad(relation("https:///geheim"), "is not an address")
	bad(relation("https://user:geheim@host/"), "http.url has a user in it")
	bad(relation("http://host", "headers={geheim"), "not an object of names and texts")
	bad(relation("http://host", `headers={"a b":"geheim"}`), "is not the name of a header")
	bad(relation("http://host", "headers={\"a\":\"geheim\\n\"}"), "line ends")
	bad(relation("http://host", "method=GET"), "use POST, PUT or PATCH")
	bad(relation("http://host", "batch=0"), "from 1 to 10000")
	bad(relation("http://host", "backoff=1m", "backoff_max=1s"), "not below http.backoff")
	bad(relation("http://host", "on_reject=ignore"), "use fail, skip or dead_letter")
	csv := relation("http://host", "batch=2")
	csv.Format = "csv"
	bad(csv, "the format is 'csv'")
	if err := target(relation("http://host"), true); err == nil || !strings.Contains(err.Error(), "http.envelope") {
		t.Error(err)
	}
	if err := target(relation("http://host", "envelope=true"), true); err != nil {
		t.Error(err)
	}
}
