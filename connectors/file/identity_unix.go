//go:build unix

package file

import (
	"os"
	"strconv"
	"syscall"
)

// inode tells a file from others in its file system, whatever its name is now.
func inode(i os.FileInfo) string {
	if s, ok := i.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(s.Ino), 36)
	}
	return ""
}
