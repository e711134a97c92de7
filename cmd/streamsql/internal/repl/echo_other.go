//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package repl

import "os"

// silence would keep a terminal from showing keys.
func silence(*os.File) (restore func()) { return func() {} }
