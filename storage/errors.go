package storage

import (
	"errors"
	"fmt"
)

// ErrCorrupt is what a *CorruptError is: the local files cannot be trusted. Wipe the directory and restore from the
// changelog.
var ErrCorrupt = errors.New("local state is corrupt")

// ErrFingerprint is what a *FingerprintError is: the directory belongs to another plan.
var ErrFingerprint = errors.New("local state belongs to another plan")

// ErrLocked is what a *LockedError is: another process (or another engine of this one) uses the directory.
var ErrLocked = errors.New("state directory is in use")

// CorruptError says which task's directory is corrupt.
type CorruptError struct {
	Dir string
	Err error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the local state in %s is corrupt; remove it and it will be restored from the changelog: %v", e.Dir, e.Err)
}

// Is makes errors.Is(err, ErrCorrupt) true.
func (e *CorruptError) Is(target error) bool { return target == ErrCorrupt }

// Unwrap is the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

// FingerprintError says which directory was written by another plan.
type FingerprintError struct {
	Dir        string
	Have, Want string
}

func (e *FingerprintError) Error() string {
	return fmt.Sprintf("the local state in %s was written by another plan (fingerprint %s, this one has %s); "+
		"give the changed query a new name to run it side by side, or another state directory", e.Dir, e.Have, e.Want)
}

// Is makes errors.Is(err, ErrFingerprint) true.
func (e *FingerprintError) Is(target error) bool { return target == ErrFingerprint }

// LockedError says who holds a state directory.
type LockedError struct {
	Dir    string
	Holder string // the holder's process id, as it wrote it; "" when unknown
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.Holder != "" {
		who = "process " + e.Holder
	}
	return fmt.Sprintf("the state directory %s is in use by %s; stop it, or choose another directory", e.Dir, who)
}

// Is makes errors.Is(err, ErrLocked) true.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// ErrDisk is what a *DiskError is: the disk takes nothing more. What was committed is in the changelog.
var ErrDisk = errors.New("the disk of the state directory fails")

// DiskError says what is wrong with the disk, or with the directory on it. The store is of no further use but for Close.
type DiskError struct {
	Dir    string
	Reason DiskReason
	Err    error // may be nil with Silent
}

// DiskReason is what is wrong with a disk.
type DiskReason uint8

// The reasons of a DiskError.
const (
	Failing DiskReason = iota // it answers with an error
	Gone                      // the directory is not there any more
	Full
	Silent // it does not answer
)

func (e *DiskError) Error() string {
	const safe = "what was committed is in the changelog and will be restored"
	var s string
	switch e.Reason {
	case Gone:
		s = fmt.Sprintf("the state directory %s is gone: it was deleted, or its disk was unmounted; start the query again: %s", e.Dir, safe)
	case Full:
		s = fmt.Sprintf("the disk of the state directory %s is full; free space or move the directory, then start the query again: %s", e.Dir, safe)
	case Silent:
		s = fmt.Sprintf("the disk of the state directory %s does not answer; check it, then start the query again: %s", e.Dir, safe)
	default:
		s = fmt.Sprintf("the state directory %s cannot be written; check the disk, then start the query again: %s", e.Dir, safe)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is makes errors.Is(err, ErrDisk) true.
func (e *DiskError) Is(target error) bool { return target == ErrDisk }

// Unwrap is the cause.
func (e *DiskError) Unwrap() error { return e.Err }
