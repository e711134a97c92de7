//go:build unix

package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// usage is what this process has used so far: seconds of CPU, user and system, and the largest resident size in bytes.
func usage() (cpu float64, peak int64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	cpu = float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		if peak, ok := highWater(string(status)); ok {
			return cpu, peak
		}
	}
	peak = int64(u.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" { // elsewhere in kilobytes
		peak *= 1024
	}
	return cpu, peak
}

// highWater finds the largest resident size in Linux's /proc/self/status (proc(5), VmHWM). In ru_maxrss Linux also counts
// what the parent had at the time of exec.
func highWater(status string) (bytes int64, ok bool) {
	for line := range strings.Lines(status) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kb * 1024, err == nil
		}
	}
	return 0, false
}
