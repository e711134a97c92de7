package storage

import (
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS is where stores keep their files.
type FS struct {
	fs vfs.FS
}

// Disk is the file system of the machine.
func Disk() *FS { return &FS{vfs.Default} }

// NewMemory is an empty file system in memory.
func NewMemory() *FS { return &FS{vfs.NewMem()} }

// NewCrashable is an empty file system in memory that remembers what was synced, for CrashClone.
func NewCrashable() *FS { return &FS{vfs.NewCrashableMem()} }

// CrashClone is a NewCrashable file system as a crash at this moment could leave it: all that was synced, and of the rest
// each block with a probability of percent.
func (f *FS) CrashClone(percent int, seed uint64) *FS {
	mem := f.fs.(*vfs.MemFS)
	return &FS{mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(seed, seed))})}
}

// Wipe removes a store's directory and all in it. The store must be closed.
func (f *FS) Wipe(dir string) error { return f.fs.RemoveAll(dir) }

// Cache is memory for blocks read from disk, shared by stores.
type Cache struct {
	blocks *pebble.Cache
	files  *pebble.FileCache
}

// NewCache makes a cache of so many bytes for stores that keep at most files files open.
func NewCache(bytes int64, files int) *Cache {
	return &Cache{blocks: pebble.NewCache(bytes), files: pebble.NewFileCache(2, max(files, 16))}
}

// Close frees the cache once the stores that use it are closed.
func (c *Cache) Close() {
	c.files.Unref()
	c.blocks.Unref()
}
