package storage

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// state is what a store does with each of its states.
type state interface {
	dirty() bool            // something changed in this epoch
	unflushed() int64       // about how many bytes the next flush writes
	log(r *emitter) error   // emits the epoch's changes
	commit(next int64)      // ends the epoch; the next one's changelog offsets are >= next
	flush(w writer) error   // writes what changed since the last flush
	evict(limit int64)      // frees clean memory while the store uses more than limit
	load(limit int64) error // reads what is on disk into memory while the store uses no more than limit
}

// named is a state and where it is in its changelog.
type named struct {
	Spec
	state
	position int64 // the next changelog offset to replay; -1: the start of the log
	topicID  string
}

// Store is the state of one task. Calls come from one goroutine.
type Store struct {
	shared
	o        Options
	states   []named
	meta     []byte
	metaFrom int64 // the last meta record does not lie below this changelog offset
	out      emitter

	unsaved   bool      // something was committed since the last flush
	lastFlush time.Time // wall clock
	written   time.Time // wall clock of what was on disk when the store was opened; zero when it was empty
	evictAt   int64     // memory use that asks for an eviction: Budget, or more when that much cannot be evicted

	durable []int64 // positions that survive a crash
	flushed []int64 // positions that do once done is closed
	done    <-chan struct{}
}

// Open opens or creates a task's store and reads what is on disk. Then the changelog is replayed from Position on with
// Apply, and Restored ends that. Errors: *FingerprintError, *CorruptError, or what the file system says.
func Open(o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	d, err := openDisk(o)
	if err != nil {
		return nil, err
	}
	s := &Store{shared: shared{disk: d}, o: o, evictAt: o.Budget, lastFlush: o.Now()}
	s.out.reset()
	for i, spec := range o.Specs {
		s.states = append(s.states, named{Spec: spec, state: s.newState(spec.Kind, []byte{stateID, byte(i)}), position: -1})
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, d.close(o.Patience))
	}
	return s, nil
}

func (s *Store) newState(k Kind, id []byte) state {
	switch k {
	case WindowsKind:
		return newWindows(&s.shared, id)
	case MapKind:
		return newMap(&s.shared, id)
	case VersionsKind:
		return newVersions(&s.shared, id)
	case SortedKind:
		return newSorted(&s.shared, id)
	}
	return newQueue(&s.shared, id, func() int64 { return s.o.Now().UnixMicro() })
}

// load reads the meta record and the states.
func (s *Store) load() error {
	value, ok, err := s.disk.get(metaKey)
	if err != nil {
		return err
	}
	if ok {
		if err := s.readMeta(value); err != nil {
			return err
		}
		for _, st := range slices.Backward(s.states) { // queues are not bounded by the limit
			if err := st.load(s.o.Budget * 3 / 4); err != nil {
				return err
			}
		}
	}
	for i := range s.states {
		st := &s.states[i]
		s.durable = append(s.durable, st.position)
		st.commit(max(st.position, 0))
	}
	s.metaFrom = max(s.states[0].position, 0)
	return nil
}

func get[T any](s *Store, name string) T {
	for _, st := range s.states {
		if st.Name == name {
			if x, ok := st.state.(T); ok {
				return x
			}
		}
	}
	panic(fmt.Sprintf("store %s has no such state %q", s.o.Dir, name))
}

// Windows returns a state. It panics when Options.Specs has none of that name and kind.
func (s *Store) Windows(name string) *Windows { return get[*Windows](s, name) }

// Map returns a state. It panics when Options.Specs has none of that name and kind.
func (s *Store) Map(name string) *Map { return get[*Map](s, name) }

// Versions returns a state. It panics when Options.Specs has none of that name and kind.
func (s *Store) Versions(name string) *Versions { return get[*Versions](s, name) }

// Queue returns a state. It panics when Options.Specs has none of that name and kind.
func (s *Store) Queue(name string) *Queue { return get[*Queue](s, name) }

// Sorted returns a state. It panics when Options.Specs has none of that name and kind.
func (s *Store) Sorted(name string) *Sorted { return get[*Sorted](s, name) }

// Meta is the meta record of the last Commit, or nil.
func (s *Store) Meta() []byte { return s.meta }

// Dirty says whether a state changed since the last Commit.
func (s *Store) Dirty() bool {
	for _, st := range s.states {
		if st.dirty() {
			return true
		}
	}
	return false
}

// Bytes is the memory in use.
func (s *Store) Bytes() int64 { return s.mem + s.out.mem }

// Changes emits the changelog records of the open epoch: the changes, and meta. name is the state's; a nil value removes
// the key; a nil key is a packed record. The bytes stay as they are until Commit. Nothing may change between Changes and
// Commit.
func (s *Store) Changes(meta []byte, emit func(name string, key, value []byte) error) error {
	r := &s.out
	r.emit = emit
	for i, st := range s.states {
		r.name = st.Name
		if i == 0 {
			if err := s.logMeta(st.Kind, meta); err != nil {
				return err
			}
		}
		if st.dirty() {
			if err := st.log(r); err != nil {
				return err
			}
		}
		if err := r.flush(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) logMeta(k Kind, meta []byte) error {
	if k.Compacted() {
		return s.out.emit(s.out.name, []byte(compactedMeta), append([]byte{}, meta...))
	}
	if _, err := s.out.begin(len(meta) + 16); err != nil {
		return err
	}
	s.out.buf = vector.AppendBytes(append(s.out.buf, entryMeta), meta)
	return nil
}

// Commit ends the epoch once its transaction is committed. ends are the offsets after the last record of the changelogs
// written to, by state name. It flushes and evicts when it is time to. While the disk is full it does neither, and memory
// grows beyond the budget, until there is space again or Options.FullFor is over. Errors: *DiskError, *CorruptError.
func (s *Store) Commit(meta []byte, ends map[string]int64) error {
	if err := s.disk.err(); err != nil {
		return err
	}
	s.meta = append(s.meta[:0], meta...)
	s.metaFrom = max(s.states[0].position, 0)
	for i := range s.states {
		st := &s.states[i]
		if end, ok := ends[st.Name]; ok {
			st.position = end
		}
		st.commit(max(st.position, 0))
	}
	s.out.reset()
	s.unsaved = true
	if s.mem <= s.o.Budget {
		s.evictAt = s.o.Budget
	}
	if s.mem <= s.evictAt && s.unflushed() <= s.o.FlushBytes && s.o.Now().Sub(s.lastFlush) < s.o.FlushEvery {
		return nil
	}
	if ok, err := s.disk.settled(s.done); !ok || err != nil {
		return err
	}
	if err := s.save(); err != nil {
		return err
	}
	s.evict()
	return nil
}

func (s *Store) unflushed() int64 {
	n := int64(0)
	for _, st := range s.states {
		n += st.unflushed()
	}
	return n
}

// evict frees memory down to half of the budget, if it is exceeded and as far as that is possible: what stays is copied, so
// that a new entry pays for one copy.
func (s *Store) evict() {
	if s.mem <= s.evictAt {
		return
	}
	for _, st := range s.states {
		st.evict(s.o.Budget / 2)
	}
	s.evictAt = max(s.o.Budget, s.mem+s.mem/4)
}

// Flush writes what is committed to disk and waits until it is durable, for Options.Patience at most: then it fails with a
// *DiskError, and the flush goes on by itself. It is an error within an epoch.
func (s *Store) Flush() error {
	if s.Dirty() {
		return errors.New("a store cannot be flushed within an epoch; commit or discard first")
	}
	if err := s.disk.wait(s.done, s.o.Patience); err != nil {
		return err
	}
	if ok, err := s.disk.settled(s.done); err != nil {
		return err
	} else if !ok {
		return &DiskError{s.o.Dir, Full, nil}
	}
	if err := s.save(); err != nil {
		return err
	}
	if err := s.disk.flush(s.o.Patience); err != nil {
		return err
	}
	s.durable = append(s.durable[:0], s.flushed...)
	return nil
}

// save writes one batch of all that changed since the last, with the positions.
func (s *Store) save() error {
	now := s.o.Now()
	done, err := s.disk.write(func(w writer) error { return s.flushTo(w, now) })
	if err != nil {
		return err
	}
	s.saved(now, done)
	return nil
}

// flushTo writes the meta record, whose key is the first, and the states.
func (s *Store) flushTo(w writer, now time.Time) error {
	if err := w.set(metaKey, s.appendMeta(nil, now)); err != nil {
		return err
	}
	for _, st := range s.states {
		if err := st.flush(w); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) saved(now time.Time, done <-chan struct{}) {
	s.lastFlush, s.done, s.unsaved = now, done, false
	s.flushed = s.flushed[:0]
	for _, st := range s.states {
		s.flushed = append(s.flushed, st.position)
	}
}

// Trim is the changelog offset below which nothing is needed any more: not by a live window or waiting row, not for the
// last meta record, not to bring what is on this disk up to date. ok is false when nothing can go, and for compacted
// changelogs.
func (s *Store) Trim(name string) (offset int64, ok bool) {
	select {
	case <-s.done:
		s.durable = append(s.durable[:0], s.flushed...)
		s.done = nil
	default:
	}
	for i, st := range s.states {
		if st.Name != name || st.Kind.Compacted() {
			continue
		}
		offset = s.durable[i]
		if oldest, some := st.state.(interface{ oldest() (int64, bool) }).oldest(); some {
			offset = min(offset, oldest)
		}
		if i == 0 {
			offset = min(offset, s.metaFrom)
		}
	}
	return offset, offset > 0
}

// Close flushes what is committed and closes the store. Changes of an open epoch are lost. A disk that does not answer, or
// is full, is waited for as Flush does, and for Options.Patience once more to close; then the store is left alone with its
// directory locked, and the error is a *DiskError.
func (s *Store) Close() error {
	err := s.disk.err()
	if s.unsaved && !s.Dirty() && err == nil {
		err = s.Flush() // Pebble does not flush at Close when its log is off
	}
	return errors.Join(err, s.Discard())
}

// Discard closes the store and forgets what is in memory only: the open epoch, and committed ones that the changelog has.
func (s *Store) Discard() error {
	s.states, s.out = nil, emitter{}
	return s.disk.close(s.o.Patience)
}
