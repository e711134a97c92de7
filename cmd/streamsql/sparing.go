package main

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// sparing drops a line that says what another one said less than ten seconds before: a broker that is away makes a client
// say so five times a second.
type sparing struct {
	slog.Handler
	seen *seen
}

type seen struct {
	sync.Mutex
	lines map[string]time.Time
}

const repeatAfter = 10 * time.Second

func newSparing(h slog.Handler) sparing { return sparing{h, &seen{lines: map[string]time.Time{}}} }

func (s sparing) Handle(ctx context.Context, r slog.Record) error {
	text := r.Level.String() + r.Message
	r.Attrs(func(a slog.Attr) bool { text += "\x00" + a.String(); return true })
	s.seen.Lock()
	last, again := s.seen.lines[text]
	again = again && r.Time.Sub(last) < repeatAfter
	if !again {
		if len(s.seen.lines) > 1000 {
			clear(s.seen.lines)
		}
		s.seen.lines[text] = r.Time
	}
	s.seen.Unlock()
	if again {
		return nil
	}
	return s.Handler.Handle(ctx, r)
}

func (s sparing) WithAttrs(as []slog.Attr) slog.Handler {
	return sparing{s.Handler.WithAttrs(as), s.seen}
}

func (s sparing) WithGroup(name string) slog.Handler {
	return sparing{s.Handler.WithGroup(name), s.seen}
}
