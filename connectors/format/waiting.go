package format

import (
	"context"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// Waiting is returned by a decoder whose value cannot be read before something was fetched, such as the schema it was
// written with. The record is not bad. Whoever may block fetches it and decodes again: Decode.
type Waiting struct {
	For string // in words
	// Fetch gets what is missing. An *Away means that it may come later; any other error that it never will.
	Fetch func(context.Context) error
}

// Error says what is waited for.
func (w *Waiting) Error() string { return "waiting for " + w.For }

// Preparer is an encoder or key format that needs something from outside the process before it writes, such as a schema
// that is registered. Reading needs no preparing.
type Preparer interface {
	// Prepare gets it, once. An *Away means that it may come later.
	Prepare(context.Context) error
}

// Prepare prepares what needs it to write: encoders, key formats and codecs.
func Prepare(ctx context.Context, codec any) error {
	if k, ok := codec.(*KeyCodec); ok {
		codec = k.KeyFormat
	}
	if p, ok := codec.(Preparer); ok {
		return p.Prepare(ctx)
	}
	return nil
}

// Decode is d.Decode by one who may block: what it waits for is fetched. Besides a *BadRecord, an error is a *FetchError.
func Decode(ctx context.Context, d Decoder, value []byte, cols []*vector.Vector) error {
	for {
		if err := await(ctx, d.Decode(value, cols)); err != errFetched {
			return err
		}
	}
}

// DecodeKey is k.DecodeKey, as Decode.
func DecodeKey(ctx context.Context, k KeyFormat, key []byte, cols []*vector.Vector) error {
	for {
		if err := await(ctx, k.DecodeKey(key, cols)); err != errFetched {
			return err
		}
	}
}

// errFetched says that decoding again will bring more.
var errFetched = errors.New("fetched")

func await(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var w *Waiting
	if !errors.As(err, &w) {
		return err
	}
	if err := w.Fetch(ctx); err != nil {
		return &FetchError{w.For, err}
	}
	return errFetched
}

// FetchError is the failure of a Waiting's Fetch. No record is bad: the reader cannot go on.
type FetchError struct {
	For string
	Err error
}

// Error names what was fetched.
func (e *FetchError) Error() string { return fmt.Sprintf("%s: %v", e.For, e.Err) }

// Unwrap is Err.
func (e *FetchError) Unwrap() error { return e.Err }

// Away is an error of a service beside the brokers that cannot be reached, or that answers that it cannot answer now.
type Away struct {
	What string // "the schema registry at http://registry:8081"
	Err  error
	// Probe asks again for what was asked for; nil once there is an answer.
	Probe func(context.Context) error
}

// Error names the service.
func (a *Away) Error() string { return fmt.Sprintf("%s cannot be reached: %v", a.What, a.Err) }

// Unwrap is Err.
func (a *Away) Unwrap() error { return a.Err }
