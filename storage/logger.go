package storage

import (
	"fmt"
	"runtime"
	"strings"
)

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
	h.set(h.fatalCause(err, args))
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
