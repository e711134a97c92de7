package storage

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// health is what a Pebble instance reported about itself. Its Logger must not end the process: Pebble calls Fatalf for
// corruption and for MANIFEST write errors.
type health struct {
	log     *slog.Logger
	dir     string
	now     func() time.Time
	cause   atomic.Pointer[error]
	broken  chan struct{} // closed when a cause is set
	fatal   atomic.Bool   // Pebble's own goroutines may be gone: it cannot be closed
	quietTo atomic.Int64  // no background error is logged before (they come 40,000 times a second on a full disk)
}

func newHealth(o Options) *health {
	return &health{log: o.Logger, dir: o.Dir, now: o.Now, broken: make(chan struct{})}
}

// set notes the first cause.
func (h *health) set(err error) {
	if h.cause.CompareAndSwap(nil, &err) {
		close(h.broken)
		h.log.Error("local state failed", "dir", h.dir, "err", err)
	}
}

// err is the error of a store that failed, or nil.
func (h *health) err() error {
	if p := h.cause.Load(); p != nil {
		return &CorruptError{h.dir, *p}
	}
	return nil
}

// Infof, Errorf and Fatalf are pebble.Logger.
func (h *health) Infof(format string, args ...any) {}

func (h *health) Errorf(format string, args ...any) {
	h.log.Warn("pebble: "+fmt.Sprintf(format, args...), "dir", h.dir)
}

type fatalError struct{ error }

// Fatalf must not return. Under a call of ours it panics and the call returns the error; in a goroutine of Pebble it ends
// that goroutine.
func (h *health) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	h.fatal.Store(true)
	h.set(err)
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "streamsql/storage.(*disk)") || strings.Contains(f.Function, "streamsql/storage.openDisk") {
			panic(fatalError{err})
		}
		if !more {
			runtime.Goexit()
		}
	}
}

func (h *health) listener() *pebble.EventListener {
	return &pebble.EventListener{
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			h.set(fmt.Errorf("%s: %w", i.Path, i.Details))
		},
		BackgroundError: func(err error) {
			now := h.now().UnixNano()
			if pebble.IsCorruptionError(err) {
				h.set(err)
			}
			if quiet := h.quietTo.Load(); now >= quiet && h.quietTo.CompareAndSwap(quiet, now+int64(10*time.Second)) {
				h.log.Error("writing local state fails, it will be tried again", "dir", h.dir, "err", err)
			}
		},
	}
}
