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
