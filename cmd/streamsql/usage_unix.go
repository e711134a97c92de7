//go:build unix

package main

import (
	"runtime"
	"syscall"
)

// usage is what this process has used so far: seconds of CPU, user and system, and the largest resident size in bytes.
func usage() (cpu float64, peak int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	cpu = float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	peak = int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" { // elsewhere in kilobytes
		peak *= 1024
	}
	return cpu, peak
}
