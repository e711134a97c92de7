package storage

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Lock is a state directory held by this process. The operating system frees it when the process dies.
type Lock struct {
	dir      string
	file     *os.File
	instance string
}

// errHeld is what tryLock returns when another holds the lock.
var errHeld = errors.New("held")

// LockDir takes the first free slot of base: base/0, base/1, …
func LockDir(base string) (dir string, lock *Lock, err error) {
	for slot := 0; ; slot++ {
		dir = filepath.Join(base, strconv.Itoa(slot))
		lock, err = LockExact(dir)
		if err == nil || !errors.Is(err, ErrLocked) {
			return dir, lock, err
		}
	}
}

// LockExact takes a directory, which is made when it is missing. Errors: *LockedError, or what the file system says.
func LockExact(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		f.Close()
		if !errors.Is(err, errHeld) {
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		holder, _ := os.ReadFile(path)
		return nil, &LockedError{dir, strings.TrimSpace(string(holder))}
	}
	l := &Lock{dir: dir, file: f}
	err = errors.Join(f.Truncate(0), writeAt(f, strconv.Itoa(os.Getpid())+"\n"))
	if err == nil {
		l.instance, err = instance(dir)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func writeAt(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

// instance reads the directory's instance id, or makes one.
func instance(dir string) (string, error) {
	path := filepath.Join(dir, "instance")
	b, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(b)); err == nil && id != "" {
		return id, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id := make([]byte, 8)
	rand.Read(id)
	s := hex.EncodeToString(id)
	tmp := path + ".tmp" // a crash leaves the whole id or none
	if err := os.WriteFile(tmp, []byte(s+"\n"), 0o644); err != nil {
		return "", err
	}
	return s, os.Rename(tmp, path)
}

// Dir is the directory.
func (l *Lock) Dir() string { return l.dir }

// InstanceID is the random id of the directory, made at first use and kept: 16 hexadecimal digits.
func (l *Lock) InstanceID() string { return l.instance }

// Release frees the directory.
func (l *Lock) Release() error { return l.file.Close() }
