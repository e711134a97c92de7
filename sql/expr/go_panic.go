package expr

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// PanicError is the end of a query: an aggregate of the program panicked, and its state may be half changed.
type PanicError struct {
	Func  string
	Value any
	Stack []byte
}

// Error names the function.
func (p *PanicError) Error() string {
	return fmt.Sprintf("function %s panicked: %v\n%s", p.Func, p.Value, p.Stack)
}

// guard turns the panic of an aggregate of the program into one that says which.
func guard(name string) {
	if p := recover(); p != nil {
		panic(&PanicError{name, p, debug.Stack()})
	}
}

// recovered turns the panic of a function into an error of the row it was called for. The function keeps nothing between rows, so the others are as good as before.
func recovered(name string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("function %s panicked: %v (%s)", name, p, panicPlace())
	}
}

// panicPlace is where the panic that is being recovered began: the first frame below it that is not the runtime's.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicking := false
	for {
		f, more := frames.Next()
		panicking = panicking || f.Function == "runtime.gopanic"
		if panicking && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "at an unknown place"
		}
	}
}
