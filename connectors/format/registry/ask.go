package registry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/streamsql-go/streamsql/connectors/format"
)

// ErrNotFound is wrapped by errors that say that the registry does not hold what was asked for.
var ErrNotFound = format.ErrAbsent

// tries is how often a registry is asked before it counts as away.
const tries = 3

// ask asks the registry. A registry that does not answer is asked again a moment later; when it goes on so, the error is a
// *format.Away. What the registry answers is an error that does not pass, ErrNotFound among them.
func (c *Client) ask(ctx context.Context, question func(context.Context) error) error {
	var err error
	pause := 100 * time.Millisecond
	for n := range tries {
		if err = question(ctx); err == nil || ctx.Err() != nil || !passes(err) || n == tries-1 {
			break
		}
		wait, cancel := context.WithTimeout(ctx, pause)
		<-wait.Done()
		cancel()
		pause *= 3
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case passes(err):
		return &format.Away{What: c.String(), Err: err, Probe: c.probe(question)}
	}
	return c.answer(err)
}

// probe asks again; any answer will do.
func (c *Client) probe(question func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := question(ctx); err != nil && passes(err) {
			return &format.Away{What: c.String(), Err: err, Probe: c.probe(question)}
		}
		return ctx.Err()
	}
}

// passes says whether an error may be another one, or none, a moment later.
func passes(err error) bool {
	var answer *sr.ResponseError
	if errors.As(err, &answer) {
		return answer.StatusCode >= 500 && answer.StatusCode != http.StatusNotImplemented || answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusRequestTimeout
	}
	var certificate *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	return !errors.As(err, &certificate) && !errors.As(err, &notTLS)
}

func (c *Client) answer(err error) error {
	var answer *sr.ResponseError
	if !errors.As(err, &answer) {
		return fmt.Errorf("%s: %w", c, err)
	}
	switch answer.StatusCode {
	case http.StatusNotFound:
		return fmt.Errorf("%w: %s says %w", ErrNotFound, c, err)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s refuses (%d): %w; check registry.user and registry.password, or registry.token", c, answer.StatusCode, err)
	case http.StatusConflict:
		return fmt.Errorf("%s refuses the schema as not compatible with the versions before it: %w; change the query or the subject's compatibility, or write to another topic", c, err)
	}
	return fmt.Errorf("%s refuses (%d): %w", c, answer.StatusCode, err)
}
