package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	nethttp "net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// sink sends rows, one request at a time.
type sink struct {
	options
	env      endpoint.Env
	relation string
	client   *nethttp.Client
	chance   func() float64 // of [0,1): jitter
	done     endpoint.Progress
	trouble  map[int32]trouble // of partitions that cannot be delivered now
	body     []byte
}

// trouble is how often a row was tried in vain, and since when.
type trouble struct {
	tries int
	since time.Time
}

var _ endpoint.Sink = (*sink)(nil)

func newSink(r endpoint.Relation, env endpoint.Env) (endpoint.Sink, error) {
	o, err := check(r)
	if err != nil {
		return nil, err
	}
	transport := nethttp.DefaultTransport.(*nethttp.Transport).Clone()
	client := &nethttp.Client{Timeout: o.timeout, Transport: transport, CheckRedirect: func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }}
	return &sink{options: o, env: env, relation: r.Name, client: client, chance: rand.Float64, done: endpoint.Progress{}, trouble: map[int32]trouble{}}, nil
}

// Begin implements endpoint.Sink.
func (s *sink) Begin(_ context.Context, partition int32, committed int64) (int64, error) {
	return s.done.Begin(partition, committed), nil
}

// mostBody is the size at which a body takes no more rows.
const mostBody = 1 << 20

// Deliver implements endpoint.Sink.
func (s *sink) Deliver(ctx context.Context, partition int32, records []connectors.Record) error {
	records = s.done.New(partition, records)
	for len(records) > 0 {
		n, size := 0, 0
		for n < len(records) && n < s.batch && (n == 0 || size < mostBody) {
			size += len(records[n].Value)
			n++
		}
		if err := s.send(ctx, partition, records[:n]); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// send sends rows in one request. When the receiver refuses an array, its halves are sent, down to the row that it will not have.
func (s *sink) send(ctx context.Context, partition int32, rows []connectors.Record) error {
	err := s.request(ctx, partition, rows)
	var no *refusal
	switch {
	case err == nil:
		s.done.Delivered(partition, rows)
		delete(s.trouble, partition)
		return nil
	case errors.As(err, &no) && len(rows) > 1:
		half := len(rows) / 2
		if err := s.send(ctx, partition, rows[:half]); err != nil {
			return err
		}
		return s.send(ctx, partition, rows[half:])
	case errors.As(err, &no):
		if s.policy != endpoint.Fail {
			s.done.Delivered(partition, rows)
		}
		return &endpoint.Rejected{Records: rows, Policy: s.policy, Err: fmt.Errorf("row %s: %w", s.number(partition, rows), err)}
	}
	return err
}

// refusal is an answer that will be the same the next time.
type refusal struct {
	status string
	says   string
}

// Error shows what the receiver says.
func (r *refusal) Error() string {
	if r.says == "" {
		return "the receiver answers " + r.status
	}
	return "the receiver answers " + r.status + ": " + r.says
}

// request sends one request and judges the answer.
func (s *sink) request(ctx context.Context, partition int32, rows []connectors.Record) error {
	s.body = s.fill(s.body[:0], partition, rows)
	req, err := nethttp.NewRequestWithContext(ctx, s.method, s.url.String(), bytes.NewReader(s.body))
	if err != nil {
		return hide(err)
	}
	req.Header = s.headers.Clone()
	standard := map[string]string{"Content-Type": s.kind, "User-Agent": "streamsql", "Idempotency-Key": s.number(partition, rows)}
	for name, value := range standard {
		if req.Header.Get(name) == "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := s.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.later(partition, 0, fmt.Errorf("%s: %w", s.url.Host, hide(err)))
	}
	defer resp.Body.Close()
	says, _ := io.ReadAll(io.LimitReader(resp.Body, 512)) // it is only shown
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, mostBody))
	answer := &refusal{resp.Status, strings.ToValidUTF8(strings.TrimSpace(string(says)), "\ufffd")}
	switch code := resp.StatusCode; {
	case code/100 == 2:
		return nil
	case code/100 == 5, code == nethttp.StatusTooManyRequests, code == nethttp.StatusRequestTimeout, code == nethttp.StatusTooEarly:
		return s.later(partition, s.retryAfter(resp.Header.Get("Retry-After")), fmt.Errorf("%s: %s", s.url.Host, answer))
	default:
		return answer
	}
}

// hide leaves the address out of an error: it may have a secret in it.
func hide(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// later says when to try again, or that it has been tried for long enough.
func (s *sink) later(partition int32, asked time.Duration, cause error) error {
	now := s.env.Clock.Now()
	t := s.trouble[partition]
	if t.tries == 0 {
		t.since = now
	}
	t.tries++
	s.trouble[partition] = t
	if s.giveUp > 0 && now.Sub(t.since) >= s.giveUp {
		return fmt.Errorf("%w (tried %d times in %v, http.give_up = '%v')", cause, t.tries, now.Sub(t.since).Round(time.Second), s.giveUp)
	}
	wait := s.longest
	if t.tries <= 20 { // beyond that the doubling would overflow
		wait = min(s.longest, s.backoff<<(t.tries-1))
	}
	wait -= time.Duration(s.chance() * float64(wait) / 2)
	return &endpoint.Retry{After: max(wait, asked), Err: cause}
}

// retryAfter reads the header Retry-After: seconds, or a date (RFC 9110).
func (s *sink) retryAfter(text string) time.Duration {
	if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	if at, err := nethttp.ParseTime(text); err == nil {
		return max(0, at.Sub(s.env.Clock.Now()))
	}
	return 0
}

// Settle implements endpoint.Sink: what was sent has been answered.
func (s *sink) Settle(context.Context, bool) (map[int32]int64, error) { return maps.Clone(s.done), nil }

// Leave implements endpoint.Sink.
func (s *sink) Leave(partition int32) {
	delete(s.done, partition)
	delete(s.trouble, partition)
}

// Close implements endpoint.Sink.
func (s *sink) Close() error {
	s.client.CloseIdleConnections()
	return nil
}
