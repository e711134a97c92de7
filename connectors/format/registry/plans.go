package registry

import (
	"context"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
)

// The reasons of records whose schema is of no use.
const (
	UnknownSchema  format.Reason = "unknown_schema"  // the registry has no schema of the record's id
	UnusableSchema format.Reason = "unusable_schema" // it is of another kind, or cannot be read
)

// Plans keeps what a decoder made of the schemas its records were written with, by their ids. It belongs to one goroutine.
type Plans[P any] struct {
	place  Place
	client *Client
	use    func(Schema) (*P, error)
	expect func(Schema) error // nil once it was called, or not wanted
	byID   map[int]outcome[P]
	lastID int
	last   *P
}

type outcome[P any] struct {
	plan *P
	err  error
}

// NewPlans makes the keeper. use turns a schema into a plan. expect, if there is one, is told before the first use which schema the
// topic's readers go by; it is not called when the registry holds none.
func NewPlans[P any](place Place, expect func(Schema) error, use func(Schema) (*P, error)) *Plans[P] {
	return &Plans[P]{place: place, use: use, expect: expect, byID: map[int]outcome[P]{}}
}

// Of is the plan for an id. The error is a *format.BadRecord, or a *format.Waiting for a schema that was not fetched yet.
func (p *Plans[P]) Of(id int) (*P, error) {
	if p.last != nil && id == p.lastID {
		return p.last, nil
	}
	known, ok := p.byID[id]
	if !ok {
		if known, ok = p.make(id); !ok {
			return nil, &format.Waiting{For: fmt.Sprintf("schema %d", id), Fetch: func(ctx context.Context) error { return p.fetch(ctx, id) }}
		}
		p.keep(id, known)
	}
	if known.err == nil {
		p.lastID, p.last = id, known.plan
	}
	return known.plan, known.err
}

// make makes the plan of a schema that is at hand.
func (p *Plans[P]) make(id int) (outcome[P], bool) {
	if p.expect != nil || p.client == nil {
		return outcome[P]{}, false
	}
	s, ok := p.client.Known(id)
	if !ok {
		return outcome[P]{}, false
	}
	plan, err := p.use(s)
	if err != nil {
		return outcome[P]{err: &format.BadRecord{Reason: UnusableSchema, Err: fmt.Errorf("schema %d: %w", id, err)}}, true
	}
	return outcome[P]{plan: plan}, true
}

// mostPlans bounds how many are kept: ids of broken records are any numbers.
const mostPlans = 1000

func (p *Plans[P]) keep(id int, o outcome[P]) {
	if len(p.byID) >= mostPlans {
		clear(p.byID)
	}
	p.byID[id] = o
}

func (p *Plans[P]) fetch(ctx context.Context, id int) (err error) {
	if p.client, err = p.place.Open(); err != nil {
		return err
	}
	if p.expect != nil {
		if err := p.fetchCurrent(ctx); err != nil {
			return err
		}
	}
	_, err = p.client.ByID(ctx, id)
	if errors.Is(err, ErrNotFound) {
		p.keep(id, outcome[P]{err: &format.BadRecord{Reason: UnknownSchema, Err: fmt.Errorf("%s has no schema %d", p.client, id)}})
		return nil
	}
	return err
}

func (p *Plans[P]) fetchCurrent(ctx context.Context) error {
	if !p.place.named() {
		p.expect = nil
		return nil
	}
	s, err := p.place.Current(ctx)
	switch {
	case errors.Is(err, ErrNotFound) && p.place.Version <= Derived:
	case err != nil:
		return err
	default:
		if err := p.expect(s); err != nil {
			return fmt.Errorf("%s: %w", s.Origin(), err)
		}
	}
	p.expect = nil
	return nil
}
