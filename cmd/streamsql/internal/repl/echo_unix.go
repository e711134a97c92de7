//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package repl

import (
	"os"

	"golang.org/x/sys/unix"
)

// silence keeps a terminal from showing keys, which would stand among rows; Ctrl-C still is a signal. The function returned ends that.
func silence(f *os.File) (restore func()) {
	fd := int(f.Fd())
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	quiet := *old
	quiet.Lflag &^= unix.ECHO | unix.ICANON
	quiet.Lflag |= unix.ISIG
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 1, 0
	if unix.IoctlSetTermios(fd, setTermios, &quiet) != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, old) } // what can be done about it?
}
