package storage

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Kind is what a state is like.
type Kind uint8

// The kinds of state: see the types of the same names.
const (
	WindowsKind Kind = iota + 1
	MapKind
	VersionsKind
	QueueKind
	SortedKind
)

// Compacted says how the state's changelog topic is kept: compacted, one record per key; or else packed: with
// cleanup.policy=delete and retention.ms=-1, trimmed by the engine to Store.Trim.
func (k Kind) Compacted() bool { return k == MapKind || k == VersionsKind || k == SortedKind }

func (k Kind) String() string {
	switch k {
	case WindowsKind:
		return "windows"
	case MapKind:
		return "map"
	case VersionsKind:
		return "versions"
	case QueueKind:
		return "queue"
	case SortedKind:
		return "sorted"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Spec names a state of a store.
type Spec struct {
	Name string
	Kind Kind
}

// Options opens a store.
type Options struct {
	Dir string
	FS  *FS // nil: Disk()
	// Cache is shared with other stores (64 MB and more for large states); nil: 16 MB of its own.
	Cache *Cache
	// Budget is how much memory the store may use, bytes; 0: 64 MB. It is checked at Commit: an epoch in progress and what
	// cannot be evicted (queues, histories) come on top.
	Budget int64
	// FlushBytes and FlushEvery are how much and how long committed changes may be in memory only; 0: 32 MB, 30 s.
	FlushBytes int64
	FlushEvery time.Duration
	// FullFor is how long a full disk is waited for before the store fails; 0: 60 s.
	FullFor time.Duration
	// Patience is how long Flush and Close wait for the disk; 0: 10 s.
	Patience time.Duration
	// Now is the wall clock; required.
	Now func() time.Time
	// Fingerprint is the plan's: a directory of another is refused.
	Fingerprint string
	// Specs are the states, 1 to 255. The first one's changelog carries the meta record.
	Specs  []Spec
	Logger *slog.Logger // nil: none
}

func (o Options) withDefaults() (Options, error) {
	if len(o.Specs) == 0 || len(o.Specs) > 255 {
		return o, fmt.Errorf("a store has 1 to 255 states, not %d", len(o.Specs))
	}
	names := map[string]bool{}
	for _, s := range o.Specs {
		if names[s.Name] || s.Name == "" {
			return o, fmt.Errorf("two states are called %q, or one has no name", s.Name)
		}
		names[s.Name] = true
		if s.Kind < WindowsKind || s.Kind > SortedKind {
			return o, fmt.Errorf("state %s: unknown kind %d", s.Name, s.Kind)
		}
	}
	if o.Dir == "" {
		return o, errors.New("a store needs a directory")
	}
	if o.FS == nil {
		o.FS = Disk()
	}
	if o.Budget <= 0 {
		o.Budget = 64 << 20
	}
	if o.FlushBytes <= 0 {
		o.FlushBytes = 32 << 20
	}
	if o.FlushEvery <= 0 {
		o.FlushEvery = 30 * time.Second
	}
	if o.FullFor <= 0 {
		o.FullFor = time.Minute
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Now == nil {
		return o, errors.New("a store needs a clock")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
