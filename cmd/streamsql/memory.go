package main

import "runtime/debug"

// besideState is the memory that a process wants besides its state: fetched and produced records, batches, caches.
const besideState = 200 << 20

// boundMemory has the collector work harder before the process takes more than its state's budget and what it wants
// besides, instead of letting the heap double. GOMEMLIMIT, if set, decides alone.
func (a *app) boundMemory() {
	if a.getenv("GOMEMLIMIT") != "" {
		return
	}
	state := a.config.options.Memory
	if state == 0 {
		state = 256 << 20
	}
	debug.SetMemoryLimit(state + besideState)
}
