package registry

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/sr"
)

// Schema is a schema with all it refers to.
type Schema struct {
	ID      int // 0: not registered
	Type    Type
	Text    string
	Subject string // and Version: where it was found, "" by its id
	Version int
	// References are the schemas that the text refers to, each after those it needs itself, by the name under which it is
	// referred to: an Avro type, or the path of an import.
	References []Reference
}

// Type is the kind of a schema.
type Type = sr.SchemaType

// The kinds.
const (
	Avro     = sr.TypeAvro
	Protobuf = sr.TypeProtobuf
	JSON     = sr.TypeJSON
)

// Reference is one schema that another refers to.
type Reference struct {
	Name, Subject string
	Version       int
	Text          string
}

// Origin says in words where the schema is.
func (s Schema) Origin() string {
	if s.Subject == "" {
		return fmt.Sprintf("schema %d of the registry", s.ID)
	}
	return fmt.Sprintf("subject %s, version %d", s.Subject, s.Version)
}

// Client asks one registry and remembers the answers that do not change. It is safe for concurrent use.
type Client struct {
	settings settings
	sr       *sr.Client

	mu struct {
		sync.Mutex
		byID    map[int]Schema
		written map[written]int
	}
}

// written is a schema under a subject.
type written struct{ subject, text string }

var clients struct {
	sync.Mutex
	open map[settings]*Client
}

func open(s settings) (*Client, error) {
	clients.Lock()
	defer clients.Unlock()
	if c, ok := clients.open[s]; ok {
		return c, nil
	}
	opts, err := s.options()
	if err != nil {
		return nil, err
	}
	client, err := sr.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	c := &Client{settings: s, sr: client}
	c.mu.byID, c.mu.written = map[int]Schema{}, map[written]int{}
	if clients.open == nil {
		clients.open = map[settings]*Client{}
	}
	clients.open[s] = c
	return c, nil
}

// String is where the registry is.
func (c *Client) String() string {
	return "the schema registry at " + strings.ReplaceAll(c.settings.urls, " ", ", ")
}

// Known is the schema of an id if it was fetched before. It does not block.
func (c *Client) Known(id int) (Schema, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, ok := c.mu.byID[id]
	return s, ok
}

// ByID fetches the schema of an id, once. ErrNotFound: the registry has none.
func (c *Client) ByID(ctx context.Context, id int) (Schema, error) {
	if s, ok := c.Known(id); ok {
		return s, nil
	}
	var s Schema
	err := c.ask(ctx, func(ctx context.Context) error {
		got, err := c.sr.SchemaByID(ctx, id)
		if err != nil {
			return err
		}
		s, err = c.whole(ctx, got)
		return err
	})
	if err != nil {
		return Schema{}, err
	}
	s.ID = id
	c.remember(s)
	return s, nil
}

func (c *Client) remember(s Schema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Subject != "" { // the same schema may stand under several
		s.Subject, s.Version = "", 0
	}
	c.mu.byID[s.ID] = s
}

// Version fetches a version of a subject, or the Latest. ErrNotFound: there is none.
func (c *Client) Version(ctx context.Context, subject string, version int) (Schema, error) {
	var s Schema
	err := c.ask(ctx, func(ctx context.Context) error {
		got, err := c.sr.SchemaByVersion(ctx, subject, version)
		if err != nil {
			return err
		}
		s, err = c.whole(ctx, got.Schema)
		s.ID, s.Subject, s.Version = got.ID, got.Subject, got.Version
		return err
	})
	if err != nil {
		return Schema{}, fmt.Errorf("subject %s: %w", subject, err)
	}
	c.remember(s)
	return s, nil
}

// Register makes sure that a subject holds a schema, and returns its id.
func (c *Client) Register(ctx context.Context, subject string, s Schema) (int, error) {
	return c.write(ctx, subject, s, func(ctx context.Context, plain sr.Schema) (int, error) {
		got, err := c.sr.RegisterSchema(ctx, subject, plain, -1, -1)
		return got, err
	})
}

// Find is the id of a schema that a subject holds. ErrNotFound: it does not.
func (c *Client) Find(ctx context.Context, subject string, s Schema) (int, error) {
	return c.write(ctx, subject, s, func(ctx context.Context, plain sr.Schema) (int, error) {
		got, err := c.sr.LookupSchema(ctx, subject, plain)
		return got.ID, err
	})
}

func (c *Client) write(ctx context.Context, subject string, s Schema, do func(context.Context, sr.Schema) (int, error)) (int, error) {
	at := written{subject, s.Text}
	c.mu.Lock()
	id, ok := c.mu.written[at]
	c.mu.Unlock()
	if ok {
		return id, nil
	}
	plain := sr.Schema{Schema: s.Text, Type: s.Type}
	for _, r := range s.References {
		plain.References = append(plain.References, sr.SchemaReference{Name: r.Name, Subject: r.Subject, Version: r.Version})
	}
	err := c.ask(ctx, func(ctx context.Context) (err error) {
		id, err = do(ctx, plain)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("subject %s: %w", subject, err)
	}
	c.mu.Lock()
	c.mu.written[at] = id
	c.mu.Unlock()
	return id, nil
}

// mostReferences bounds what one schema may refer to, over all steps.
const mostReferences = 1000

// whole is a schema with what it refers to.
func (c *Client) whole(ctx context.Context, s sr.Schema) (Schema, error) {
	out := Schema{Type: s.Type, Text: s.Schema}
	seen := map[string]bool{}
	var add func(refs []sr.SchemaReference) error
	add = func(refs []sr.SchemaReference) error {
		for _, r := range refs {
			if seen[r.Name] {
				continue
			}
			seen[r.Name] = true
			if len(seen) > mostReferences {
				return fmt.Errorf("the schema refers to more than %d others", mostReferences)
			}
			got, err := c.sr.SchemaByVersion(ctx, r.Subject, r.Version)
			if err != nil {
				return fmt.Errorf("the reference %s to subject %s, version %d: %w", r.Name, r.Subject, r.Version, err)
			}
			if err := add(got.References); err != nil {
				return err
			}
			out.References = append(out.References, Reference{r.Name, r.Subject, r.Version, got.Schema.Schema})
		}
		return nil
	}
	return out, add(s.References)
}
