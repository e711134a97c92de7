package storage

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// The record of a store on disk: format version, fingerprint, the states, wall clock, meta, and per state position and
// topic id.
var metaKey = []byte{0}

const (
	diskVersion = 1
	stateID     = 1 // the keys of a state begin with it and the state's number
)

func (s *Store) appendMeta(dst []byte, now time.Time) []byte {
	dst = append(dst, diskVersion)
	dst = vector.AppendBytes(dst, []byte(s.o.Fingerprint))
	dst = binary.AppendVarint(dst, now.UnixMicro())
	dst = vector.AppendBytes(dst, s.meta)
	dst = binary.AppendUvarint(dst, uint64(len(s.states)))
	for _, st := range s.states {
		dst = vector.AppendBytes(dst, []byte(st.Name))
		dst = append(dst, byte(st.Kind))
		dst = binary.AppendVarint(dst, st.position)
		dst = vector.AppendBytes(dst, []byte(st.topicID))
	}
	return dst
}

func (s *Store) readMeta(b []byte) error {
	r := vector.Reader{Rest: b}
	if v := r.Byte(); v != diskVersion {
		return &FingerprintError{s.o.Dir, fmt.Sprintf("format %d", v), fmt.Sprintf("format %d", diskVersion)}
	}
	if f := string(r.Bytes()); r.Err() == nil && f != s.o.Fingerprint {
		return &FingerprintError{s.o.Dir, f, s.o.Fingerprint}
	}
	s.written = time.UnixMicro(r.Varint())
	s.meta = append([]byte{}, r.Bytes()...)
	n := r.Uvarint()
	if r.Err() != nil {
		return &CorruptError{s.o.Dir, errRecord}
	}
	if n != uint64(len(s.states)) {
		return &FingerprintError{s.o.Dir, fmt.Sprintf("%d states", n), fmt.Sprintf("%d states", len(s.states))}
	}
	for i := range s.states {
		st := &s.states[i]
		name, kind := string(r.Bytes()), Kind(r.Byte())
		st.position, st.topicID = r.Varint(), string(r.Bytes())
		if r.Err() != nil {
			return &CorruptError{s.o.Dir, errRecord}
		}
		if name != st.Name || kind != st.Kind {
			return &FingerprintError{s.o.Dir, fmt.Sprintf("%s %s", kind, name), fmt.Sprintf("%s %s", st.Kind, st.Name)}
		}
	}
	return nil
}

func (s *Store) named(name string) *named {
	for i := range s.states {
		if s.states[i].Name == name {
			return &s.states[i]
		}
	}
	return nil
}

// Position is the changelog offset to replay from; -1 is the start of the log.
func (s *Store) Position(name string) int64 {
	if st := s.named(name); st != nil {
		return st.position
	}
	return -1
}

// Stale says that what is on disk cannot be brought up to date by replaying from Position: a changelog topic was created
// anew (its id changed), the log has been trimmed past the position, or tombstones written since may have been compacted
// away (delete.retention.ms, of which half is trusted; 0: not checked). Then close the store, wipe its directory and
// restore from the start. Otherwise the topic ids are noted for the next time.
func (s *Store) Stale(topicIDs map[string]string, logStarts map[string]int64, deleteRetention time.Duration) bool {
	for _, st := range s.states {
		if st.position < 0 {
			continue
		}
		if id := topicIDs[st.Name]; st.topicID != "" && id != "" && id != st.topicID || st.position < logStarts[st.Name] {
			return true
		}
		if st.Kind.Compacted() && deleteRetention > 0 && s.o.Now().Sub(s.written) > deleteRetention/2 {
			return true
		}
	}
	for i := range s.states {
		if id := topicIDs[s.states[i].Name]; id != "" {
			s.states[i].topicID = id
		}
	}
	return false
}

// Apply replays a committed changelog record. Records of a state come in the order of their offsets.
func (s *Store) Apply(name string, key, value []byte, offset int64) error {
	st := s.named(name)
	if st == nil {
		return fmt.Errorf("store %s has no state %q", s.o.Dir, name)
	}
	s.unsaved = true
	var err error
	if st.Kind.Compacted() {
		err = s.applyRow(st, key, value)
	} else {
		err = s.applyPacked(st, value, offset)
	}
	if err != nil {
		return fmt.Errorf("changelog of %s at offset %d: %w", name, offset, err)
	}
	st.position = offset + 1
	if s.mem > s.evictAt {
		return s.spill()
	}
	return nil
}

func (s *Store) applyRow(st *named, key, value []byte) error {
	if string(key) == compactedMeta {
		s.meta = append(s.meta[:0], value...)
		return nil
	}
	if len(key) == 0 || key[0] != compactedEntry {
		return errRecord
	}
	return st.state.(interface{ applyRow(key, value []byte) error }).applyRow(key[1:], value)
}

func (s *Store) applyPacked(st *named, record []byte, offset int64) error {
	r := &vector.Reader{Rest: record}
	if r.Byte() != packedVersion {
		return errRecord
	}
	start := int64(0)
	for len(r.Rest) > 0 && r.Err() == nil {
		kind := r.Byte()
		if kind == entryMeta {
			s.meta = append(s.meta[:0], r.Bytes()...)
			s.metaFrom = offset
			continue
		}
		var err error
		switch x := st.state.(type) {
		case *Windows:
			err = x.apply(kind, r, &start, offset)
		case *Queue:
			err = x.apply(kind, r, offset)
		}
		if err != nil {
			return err
		}
	}
	if r.Err() != nil {
		return errRecord
	}
	return nil
}

// spill writes what was restored so far into a sorted file and frees the memory. The meta record is in the same file: what
// survives a crash is all or nothing.
func (s *Store) spill() error {
	now := s.o.Now()
	if err := s.disk.ingest(func(w writer) error { return s.flushTo(w, now) }); err != nil {
		return err
	}
	s.saved(now, nil)
	s.durable = append(s.durable[:0], s.flushed...)
	s.evict()
	return nil
}

// Restored ends the replay: the changelogs have been read up to ends (by state name; others up to their last record).
// Meta is then that of the last epoch.
func (s *Store) Restored(ends map[string]int64) error {
	for i := range s.states {
		st := &s.states[i]
		if end, ok := ends[st.Name]; ok && end > st.position {
			st.position = end
			s.unsaved = true
		}
		st.commit(max(st.position, 0))
	}
	return s.disk.err()
}
