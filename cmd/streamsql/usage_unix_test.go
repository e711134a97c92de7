//go:build unix

package main

import "testing"

func TestHighWater(t *testing.T) {
	// proc(5): sizes are in kB, which means KiB there.
	if n, ok := highWater("Name:\tx\nVmPeak:\t 900 kB\nVmHWM:\t   5120 kB\nVmRSS:\t 4000 kB\n"); n != 5120*1024 || !ok {
		t.Errorf("%d %v", n, ok)
	}
	for _, status := range []string{"", "VmRSS:\t 4000 kB\n", "VmHWM:\t many kB\n"} {
		if n, ok := highWater(status); ok {
			t.Errorf("%q: %d", status, n)
		}
	}
}
