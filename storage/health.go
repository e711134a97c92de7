package storage

import (
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// health is what a Pebble instance reported about itself. It is its Logger, which must not end the process: Pebble calls
// Fatalf for corruption and for MANIFEST write errors.
//
// Pebble tries a flush or compaction that failed again at once and for ever. A full disk may have space again, so it is
// given time; every other error is for good. Either way the attempts are slowed down.
type health struct {
	log     *slog.Logger
	dir     string
	fs      vfs.FS
	now     func() time.Time
	fullFor time.Duration

	cause  atomic.Pointer[error]
	broken chan struct{} // closed when a cause is set
	fatal  atomic.Bool   // Pebble's own goroutines may be gone: it cannot be closed

	errors  atomic.Int64 // background errors since the last success
	quietTo atomic.Int64 // no background error is logged before

	mu    sync.Mutex
	full  [2]time.Time  // since when flushes and compactions find the disk full; zero: they do not
	last  time.Time     // when one of them did last
	stuck chan struct{} // closed while the disk is full
}

// What finds the disk full.
const (
	flushing = iota
	compacting
)

func newHealth(o Options) *health {
	return &health{log: o.Logger, dir: o.Dir, fs: o.FS.fs, now: o.Now, fullFor: o.FullFor, broken: make(chan struct{}), stuck: make(chan struct{})}
}

// set notes the first cause, a *CorruptError or *DiskError.
func (h *health) set(err error) {
	if h.cause.CompareAndSwap(nil, &err) {
		close(h.broken)
		h.log.Error("local state failed", "err", err.Error())
	}
}

// err is the error of a store that failed, or nil.
func (h *health) err() error {
	if p := h.cause.Load(); p != nil {
		return *p
	}
	return nil
}

// judge tells files that cannot be trusted from a disk that does not work.
func (h *health) judge(err error) error {
	switch {
	case vfs.IsNoSpaceError(err):
		return &DiskError{h.dir, Full, err}
	case errors.Is(err, fs.ErrNotExist):
		if _, e := h.fs.Stat(h.dir); errors.Is(e, fs.ErrNotExist) {
			return &DiskError{h.dir, Gone, err}
		}
		return &CorruptError{h.dir, err}
	case pebble.IsCorruptionError(err):
		return &CorruptError{h.dir, err}
	}
	return &DiskError{h.dir, Failing, err}
}

// fatalCause judges what Pebble calls fatal: corruption, unless the disk is full or gone.
func (h *health) fatalCause(said error, args []any) error {
	for _, a := range args {
		if err, ok := a.(error); ok {
			if d, ok := errors.AsType[*DiskError](h.judge(err)); ok && d.Reason != Failing {
				return d
			}
		}
	}
	return &CorruptError{h.dir, said}
}

func (h *health) listener() *pebble.EventListener {
	return &pebble.EventListener{
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			h.set(h.judge(errors.Join(pebble.ErrCorruption, i.Details)))
		},
		FlushEnd:        func(i pebble.FlushInfo) { h.ended(flushing, i.Err) },
		CompactionEnd:   func(i pebble.CompactionInfo) { h.ended(compacting, i.Err) },
		BackgroundError: h.failed,
	}
}

// ended notes how a flush or compaction went.
func (h *health) ended(what int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.since()
	switch {
	case err == nil:
		h.errors.Store(0)
		h.full[what] = time.Time{}
	case vfs.IsNoSpaceError(err):
		h.last = h.now()
		if h.full[what].IsZero() {
			h.full[what] = h.last
		}
	}
	h.turned(was)
}

// turned tells of a change of what since was before.
func (h *health) turned(was time.Time) {
	switch is := h.since(); {
	case was.IsZero() && !is.IsZero():
		close(h.stuck)
		h.log.Warn("the disk is full: state stays in memory until there is space again", "dir", h.dir, "fails after", h.fullFor)
	case !was.IsZero() && is.IsZero():
		h.stuck = make(chan struct{})
		h.log.Info("the disk has space again", "dir", h.dir)
	}
}

// since is when the disk was found full; zero: it is not.
func (h *health) since() time.Time {
	a, b := h.full[flushing], h.full[compacting]
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// believed is how long a compaction that found the disk full is believed in: unlike a flush, Pebble may give it up.
const believed = 5 * time.Second

// whenFull is closed while the disk is full.
func (h *health) whenFull() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if was := h.since(); !h.full[compacting].IsZero() && h.now().Sub(h.last) > believed {
		h.full[compacting] = time.Time{}
		h.turned(was)
	}
	return h.stuck
}

// fullSince is zero when the disk is not full.
func (h *health) fullSince() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.since()
}

// slowest is the longest pause before Pebble tries again.
const slowest = 100 * time.Millisecond

// failed is told of background errors on the goroutine that is going to try again, which holds Pebble's lock. It keeps it
// for a while: there is no other way to slow the attempts down (they come 40,000 times a second). Logged is the text of
// the error alone: its %+v, which slog prefers, is a stack.
func (h *health) failed(err error) {
	n, now := h.errors.Add(1), h.now()
	since := h.fullSince()
	if !vfs.IsNoSpaceError(err) || !since.IsZero() && now.Sub(since) > h.fullFor {
		h.set(h.judge(err))
	} else if quiet := h.quietTo.Load(); now.UnixNano() >= quiet && h.quietTo.CompareAndSwap(quiet, now.Add(10*time.Second).UnixNano()) {
		h.log.Warn("the disk is full, writing is tried again", "dir", h.dir, "times", n, "err", err.Error())
	}
	t := time.NewTimer(min(slowest, time.Millisecond<<min(n, 10)))
	defer t.Stop()
	<-t.C
}
