package file

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// tail is a file that is read on.
type tail struct {
	path   string
	id     string
	name   []byte // of headers: the path
	label  []byte // and the id with the generation
	start  place
	file   *os.File
	reader *Reader
	plain  bool
}

// openTail opens a file behind what was read of it.
func openTail(path, id string, at place, o Options) (*tail, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &tail{path: path, id: id, name: []byte(path), label: fmt.Appendf(nil, "%s+%d", id, at.generation), start: at, file: f, plain: !o.gzipped(path)}
	in, err := t.behind(at.offset)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	name := path
	if at.offset > 0 {
		name = fmt.Sprintf("%s from byte %d", path, at.offset)
	}
	t.reader = NewReader(name, in, o.Lines)
	t.reader.grows, t.reader.inside = o.Follow, at.offset > 0
	return t, nil
}

// behind is the text from an offset on.
func (t *tail) behind(offset int64) (io.Reader, error) {
	if t.plain {
		_, err := t.file.Seek(offset, io.SeekStart)
		return t.file, err
	}
	z, err := gzip.NewReader(t.file)
	switch {
	case errors.Is(err, io.EOF): // an empty file is no gzip file, and has no records
		return t.file, nil
	case err != nil:
		return nil, t.ended(err)
	}
	if _, err = io.CopyN(io.Discard, z, offset); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%d bytes of it were read before, and now it has fewer", offset)
	}
	return z, t.ended(err)
}

func (t *tail) next() ([]byte, error) { return t.reader.Next() }

// ended is nil for the end of the file.
func (t *tail) ended(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: is the compressed file whole?", err)
	}
	return err
}

// place is where the last record ended.
func (t *tail) place() place {
	return place{t.start.generation, t.start.offset + t.reader.Offset()}
}

// read is how much of the file was read, a record that has not ended included.
func (t *tail) read() int64 { return t.place().offset + int64(len(t.reader.pending)) }

func (t *tail) close() { _ = t.file.Close() } // it was only read

// headBytes is how much of a file's first line tells it from another one that has its inode after it.
const headBytes = 1 << 10

// identity names a file whatever its path is, by inode and first line; "" while the first line of one that grows has no end. size
// is its length in bytes.
func identity(path string, grows bool) (id string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	i, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", 0, err
	}
	line, _, ended := bytes.Cut(head[:n], []byte("\n"))
	if grows && !ended && n < headBytes {
		return "", i.Size(), nil
	}
	h := fnv.New64a()
	_, _ = h.Write(line) // a hash takes everything
	if inode(i) == "" {
		_, _ = h.Write([]byte(path))
	}
	return fmt.Sprintf("%s-%016x", inode(i), h.Sum64()), i.Size(), nil
}
