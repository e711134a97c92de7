package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const ownCache = 16 << 20 // bytes, of a store without a shared cache

// disk is a task's Pebble. Every error that means bad files is a *CorruptError.
type disk struct {
	*health
	db    *pebble.DB
	opts  *pebble.Options
	lock  *pebble.Lock
	point *pebble.Iterator // for get; Pebble changes at flushes only, so it lives from one to the next
	// single is for entry, with bounds; behind is the upper one.
	single *pebble.Iterator
	behind []byte
	group  []*groupCursor // each with an iterator that lives as long
	ssts   int
}

// openDisk opens or creates the database in o.Dir.
func openDisk(o Options) (d *disk, err error) {
	d = &disk{health: newHealth(o)}
	defer d.recovered(&err)
	d.opts = &pebble.Options{
		FS:                 o.FS.fs,
		DisableWAL:         true, // the changelog is the log
		FormatMajorVersion: pebble.FormatVirtualSSTables,
		Logger:             d.health,
		EventListener:      d.listener(),
		MemTableSize:       4 << 20,
		// Pebble's own limit makes a write wait for the flush of a large batch, on a full disk for ever; settled bounds what
		// is unflushed to one batch.
		MemTableStopWritesThreshold: 1 << 20,
		CompactionConcurrencyRange:  func() (int, int) { return 1, 2 },
	}
	groupFilters(d.opts, o.Specs)
	for i := range d.opts.Levels {
		d.opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
		// A filter is one block per file and has to fit a shard of the cache: with files of 128 MB, the default of the last
		// level, every get read a megabyte of filter.
		d.opts.TargetFileSizes[i] = 4 << 20
	}
	if o.Cache != nil {
		d.opts.Cache, d.opts.FileCache = o.Cache.blocks, o.Cache.files
	} else {
		d.opts.CacheSize = ownCache
	}
	d.opts.EnsureDefaults()
	if err := o.FS.fs.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	if d.lock, err = pebble.LockDirectory(o.Dir, o.FS.fs); err != nil {
		return nil, fmt.Errorf("the local state in %s is in use: %w", o.Dir, err)
	}
	d.opts.Lock = d.lock
	if d.db, err = pebble.Open(o.Dir, d.opts); err != nil {
		d.lock.Close()
		return nil, d.openError(err)
	}
	return d, nil
}

// openError tells what the environment refused from files that are wrong.
func (d *disk) openError(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != syscall.ENOENT || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("cannot open the local state in %s: %w", d.dir, err)
	}
	return &CorruptError{d.dir, err}
}

// recovered turns a panic inside Pebble, which bad files can cause, into an error.
func (d *disk) recovered(err *error) {
	if r := recover(); r != nil {
		cause, ok := r.(error)
		if !ok {
			cause = fmt.Errorf("%v", r)
		}
		d.fatal.Store(true)
		d.log.Error("panic in local state", "dir", d.dir, "err", cause, "stack", string(debug.Stack()))
		d.set(&CorruptError{d.dir, cause})
		*err = d.health.err()
	}
}

// wrap says what an error of Pebble means. Bad files and a directory that is gone fail the store.
func (d *disk) wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case pebble.IsCorruptionError(err), errors.Is(err, fs.ErrNotExist):
		d.set(d.judge(err))
		return d.health.err()
	case d.health.err() != nil:
		return d.health.err()
	case vfs.IsNoSpaceError(err):
		return d.judge(err)
	}
	return fmt.Errorf("local state in %s: %w", d.dir, err)
}

// get reads a key by way of the bloom filters of all levels. The value is valid until the next call.
func (d *disk) get(key []byte) (value []byte, ok bool, err error) {
	defer d.recovered(&err)
	if err := d.health.err(); err != nil {
		return nil, false, err
	}
	if err := d.begin(&d.point); err != nil {
		return nil, false, err
	}
	if !d.point.SeekPrefixGE(key) || !bytes.Equal(d.point.Key(), key) {
		return nil, false, d.wrap(d.point.Error())
	}
	value, err = d.point.ValueAndErr()
	return value, err == nil, d.wrap(err)
}

// begin makes an iterator that uses the filters of all levels, unless there is one.
func (d *disk) begin(it **pebble.Iterator) (err error) {
	if *it == nil {
		*it, err = d.db.NewIter(&pebble.IterOptions{UseL6Filters: true})
	}
	return d.wrap(err)
}

// cursor walks over the keys with a prefix.
type cursor struct {
	d     *disk
	it    *pebble.Iterator
	begun bool
}

func (d *disk) cursor(prefix []byte) (c *cursor, err error) {
	defer d.recovered(&err)
	if err := d.health.err(); err != nil {
		return nil, err
	}
	it, err := d.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: successor(prefix)})
	if err != nil {
		return nil, d.wrap(err)
	}
	return &cursor{d: d, it: it}, nil
}

// next returns the next key and its value, valid until the next call; ok false at the end.
func (c *cursor) next() (key, value []byte, ok bool, err error) {
	defer c.d.recovered(&err)
	if c.begun {
		ok = c.it.Next()
	} else {
		c.begun = true
		ok = c.it.First()
	}
	if !ok {
		return nil, nil, false, c.d.wrap(c.it.Error())
	}
	value, err = c.it.ValueAndErr()
	return c.it.Key(), value, err == nil, c.d.wrap(err)
}

func (c *cursor) close() {
	var err error
	defer c.d.recovered(&err)
	c.it.Close()
}

// successor is the smallest key above all that begin with prefix.
func successor(prefix []byte) []byte {
	s := bytes.Clone(prefix)
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != math.MaxUint8 {
			s[i]++
			return s[:i+1]
		}
	}
	return nil
}

// writer takes the changes of a flush: keys ascending, ranges ascending, a range before the keys put into it again.
type writer interface {
	set(key, value []byte) error
	remove(key []byte) error
	removeRange(from, to []byte) error
}

type batchWriter struct{ b *pebble.Batch }

func (w batchWriter) set(k, v []byte) error         { return w.b.Set(k, v, nil) }
func (w batchWriter) remove(k []byte) error         { return w.b.Delete(k, nil) }
func (w batchWriter) removeRange(a, b []byte) error { return w.b.DeleteRange(a, b, nil) }

// write commits one batch and starts to flush it; done is closed once it is durable.
func (d *disk) write(fill func(w writer) error) (done <-chan struct{}, err error) {
	defer d.recovered(&err)
	d.forget()
	b := d.db.NewBatch()
	defer b.Close()
	if err := fill(batchWriter{b}); err != nil {
		return nil, err
	}
	if err := b.Commit(pebble.NoSync); err != nil {
		return nil, d.wrap(err)
	}
	done, err = d.db.AsyncFlush()
	return done, d.wrap(err)
}

type tableWriter struct {
	w *sstable.Writer
	n int
}

func (w *tableWriter) set(k, v []byte) error         { w.n++; return w.w.Set(k, v) }
func (w *tableWriter) remove(k []byte) error         { w.n++; return w.w.Delete(k) }
func (w *tableWriter) removeRange(a, b []byte) error { w.n++; return w.w.DeleteRange(a, b) }

// ingest writes one sorted table file and puts it above all else: several times as fast as a batch. What was written
// before is durable first, because an ingested file survives a crash that earlier batches do not.
func (d *disk) ingest(fill func(w writer) error) (err error) {
	defer d.recovered(&err)
	d.forget()
	if err := d.flush(d.fullFor); err != nil {
		return err
	}
	d.ssts++
	path := d.opts.FS.PathJoin(d.dir, fmt.Sprintf("restore-%d.tmp", d.ssts))
	f, err := d.opts.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return d.wrap(err)
	}
	// Not with the options of the last level: there a writer marks deletions as obsolete, and they would not be seen.
	w := &tableWriter{w: sstable.NewWriter(objstorageprovider.NewFileWritable(f), d.opts.MakeWriterOptions(0, d.db.TableFormat()))}
	if err := fill(w); err != nil {
		w.w.Close()
		return errors.Join(err, d.opts.FS.Remove(path))
	}
	if err := w.w.Close(); err != nil {
		return d.wrap(err)
	}
	if w.n == 0 {
		return d.opts.FS.Remove(path)
	}
	return d.wrap(d.db.Ingest(context.Background(), []string{path}))
}

// flush makes all batches durable, within limit.
func (d *disk) flush(limit time.Duration) (err error) {
	defer d.recovered(&err)
	done, err := d.db.AsyncFlush()
	if err != nil {
		return d.wrap(err)
	}
	return d.wait(done, limit)
}

// wait waits for the end of a flush. After limit it gives up with a *DiskError; the flush goes on.
func (d *disk) wait(done <-chan struct{}, limit time.Duration) error {
	if done == nil {
		return d.health.err()
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
		return d.health.err()
	case <-d.broken:
		return d.health.err()
	case <-t.C:
	}
	if !d.fullSince().IsZero() {
		return &DiskError{d.dir, Full, nil}
	}
	return &DiskError{d.dir, Silent, nil}
}

// settled waits for the end of the flush before: Pebble would make the next one wait anyway, but also for ever. It says
// false when the disk is full, which is when nothing more should be written.
func (d *disk) settled(done <-chan struct{}) (bool, error) {
	full := d.whenFull()
	select {
	case <-full:
		return false, d.health.err()
	default:
	}
	if done == nil {
		return true, d.health.err()
	}
	t := time.NewTimer(d.fullFor)
	defer t.Stop()
	select {
	case <-done:
	case <-d.broken:
	case <-full:
		return false, d.health.err()
	case <-t.C:
		d.set(&DiskError{d.dir, Silent, nil})
	}
	return true, d.health.err()
}

// forget closes the iterators that live between flushes: they show the state of before.
func (d *disk) forget() {
	for _, it := range []**pebble.Iterator{&d.point, &d.single} {
		if *it != nil {
			(*it).Close()
			*it = nil
		}
	}
	for _, c := range d.group {
		c.forget()
	}
}

// close releases the files, within limit. Batches that are not durable yet may be lost. After a fatal error Pebble is left
// as it is: its own goroutines are gone and closing would wait for them. One that does not end in time, because the disk
// hangs, is left alone too; the directory stays locked until it has ended.
func (d *disk) close(limit time.Duration) error {
	if d.fatal.Load() {
		return errors.Join(d.health.err(), d.lock.Close())
	}
	closed := make(chan error, 1)
	time.AfterFunc(0, func() { closed <- d.shut() })
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case err := <-closed:
		return err
	case <-t.C:
		return &DiskError{d.dir, Silent, nil}
	}
}

func (d *disk) shut() (err error) {
	defer d.recovered(&err)
	d.forget()
	err = d.db.Close()
	return d.wrap(errors.Join(err, d.lock.Close()))
}
