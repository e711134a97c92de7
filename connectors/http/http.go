// Package http is the connector 'http', a target: rows are sent as the bodies of requests, one by one or as arrays. Importing it registers
// the connector.
//
// At least once: a row is sent again after a time-out or a crash, always under the same number, by which a receiver can tell that it has it
// already. The header Idempotency-Key is <app>/<relation>/<partition>/<offset>, for an array <first offset>-<last offset>. The rows of an
// array are cut anew after a crash; with http.envelope each of them carries its own number.
package http

import (
	"encoding/json"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

// Table are the connector's options.
var Table = []connectors.Option{
	{Name: "http.url", Type: connectors.SecretOption, Doc: "where to send rows; it is not shown, for many webhooks have their secret in it"},
	{Name: "http.method", Type: connectors.TextOption, Default: "POST", Doc: "POST, PUT or PATCH"},
	{Name: "http.headers", Type: connectors.SecretOption, Default: "{}", Doc: `an object of names and texts, {"Authorization": "Bearer ${token}"}; it is not shown`},
	{Name: "http.batch", Type: connectors.IntOption, Default: "1", Doc: "most rows in a request; 1: the body is the row, more: an array of rows (format json)"},
	{Name: "http.envelope", Type: connectors.BoolOption, Default: "false", Doc: "wrap each row: {\"id\": …, \"key\": …, \"timestamp\": …, \"value\": …}; the value of a removed row is null (format json)"},
	{Name: "http.timeout", Type: connectors.DurationOption, Default: "10s", Doc: "of one request"},
	{Name: "http.backoff", Type: connectors.DurationOption, Default: "500ms", Doc: "wait before the first repetition; it doubles up to http.backoff_max, less a random part of half. Retry-After of the receiver counts when it is longer"},
	{Name: "http.backoff_max", Type: connectors.DurationOption, Default: "30s", Doc: "the longest wait"},
	{Name: "http.give_up", Type: connectors.DurationOption, Default: "0s", Doc: "how long a row is tried while the receiver is away or overloaded (no answer, 408, 425, 429, 5xx) before the query fails; 0s: for ever"},
	{Name: "http.on_reject", Type: connectors.TextOption, Default: "fail", Doc: "when the receiver refuses a row (any other answer but 2xx): fail ends the query, skip leaves it out, dead_letter keeps it in <app>.<relation>.rejected"},
}

func init() {
	endpoint.Register(endpoint.Kind{
		Name: "http", Doc: "rows as the bodies of HTTP requests", Options: Table, Delivery: "at least once, each row under a number that stays",
		Check:   func(r endpoint.Relation) error { _, err := check(r); return err },
		Target:  target,
		NewSink: newSink,
	})
}

// options are the checked options of a relation.
type options struct {
	url      *url.URL
	method   string
	headers  nethttp.Header
	batch    int
	envelope bool
	timeout  time.Duration
	backoff  time.Duration
	longest  time.Duration
	giveUp   time.Duration
	policy   endpoint.Policy
	kind     string // of the content
}

const mostRows = 10_000

func check(r endpoint.Relation) (options, error) {
	given, err := r.Check(Table)
	if err != nil {
		return options{}, err
	}
	micros := func(name string) time.Duration { return time.Duration(given.Duration(name)) * time.Microsecond }
	o := options{
		method: strings.ToUpper(given.Get("http.method")), batch: int(given.Int("http.batch")), envelope: given.Bool("http.envelope"),
		timeout: micros("http.timeout"), backoff: micros("http.backoff"), longest: micros("http.backoff_max"), giveUp: micros("http.give_up"),
	}
	if o.url, err = address(given.Get("http.url")); err != nil {
		return o, err
	}
	if o.headers, err = headers(given.Get("http.headers")); err != nil {
		return o, err
	}
	var known bool
	o.policy, known = map[string]endpoint.Policy{"fail": endpoint.Fail, "skip": endpoint.Skip, "dead_letter": endpoint.DeadLetter}[strings.ToLower(given.Get("http.on_reject"))]
	switch {
	case !known:
		return o, fmt.Errorf("http.on_reject = '%s': use fail, skip or dead_letter", given.Get("http.on_reject"))
	case !slices.Contains([]string{"POST", "PUT", "PATCH"}, o.method):
		return o, fmt.Errorf("http.method = '%s': use POST, PUT or PATCH", given.Get("http.method"))
	case o.batch < 1 || o.batch > mostRows:
		return o, fmt.Errorf("http.batch = %d: use a number of rows from 1 to %d", o.batch, mostRows)
	case o.timeout <= 0 || o.backoff <= 0 || o.longest < o.backoff:
		return o, errors.New("http.timeout and http.backoff must be above zero, and http.backoff_max not below http.backoff")
	case (o.batch > 1 || o.envelope) && r.Format != "json":
		return o, fmt.Errorf("http.batch and http.envelope put rows into JSON, the format is '%s': use format 'json', or send rows one by one", r.Format)
	}
	o.kind = map[string]string{"json": "application/json", "csv": "text/csv", "tsv": "text/tab-separated-values", "string": "text/plain; charset=utf-8"}[r.Format]
	if o.kind == "" {
		o.kind = "application/octet-stream"
	}
	return o, nil
}

// address reads http.url. Its errors do not show it.
func address(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("connector 'http' needs the option http.url = 'https://…'")
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("http.url is not an address such as 'https://host/path'")
	case u.User != nil:
		return nil, errors.New("http.url has a user in it: put that into http.headers as Authorization")
	}
	return u, nil
}

// headers reads http.headers. Its errors do not show values.
func headers(text string) (nethttp.Header, error) {
	var given map[string]string
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return nil, errors.New(`http.headers is not an object of names and texts such as {"X-Api-Key": "…"}`)
	}
	out := nethttp.Header{}
	for name, value := range given {
		if !token(name) || strings.ContainsAny(value, "\r\n\x00") {
			return nil, fmt.Errorf("http.headers: %q is not the name of a header, or its value has line ends in it", name)
		}
		out.Set(name, value)
	}
	return out, nil
}

// token holds RFC 9110's rule for names of headers.
func token(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", c))
	})
}

// target refuses rows that replace each other where a removed one could not be told.
func target(r endpoint.Relation, changes bool) error {
	o, err := check(r)
	if err == nil && changes && !o.envelope {
		return errors.New("the rows of this query replace each other, and a removed row has no body: add http.envelope = true, or send final rows (EMIT FINAL)")
	}
	return err
}
