//go:build !unix

package main

// usage is not known on this system.
func usage() (cpu float64, peak int64) { return 0, 0 }
