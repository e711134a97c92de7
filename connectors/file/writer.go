package file

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
)

// Writer writes values as lines. It belongs to one goroutine. What was written is in the file after Flush.
type Writer struct {
	name  string
	out   *bufio.Writer
	close func() error
}

// NewWriter writes to out; name stands for it in errors. Close does not close out.
func NewWriter(name string, out io.Writer) *Writer {
	return &Writer{name: name, out: bufio.NewWriterSize(out, 64<<10), close: func() error { return nil }}
}

// Create opens the file of the options for appending, creating it when there is none; "-" is stdout.
func Create(o Options, stdout io.Writer) (*Writer, error) {
	if o.Path == "-" {
		return NewWriter("standard output", stdout), nil
	}
	f, err := os.OpenFile(o.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("file.path: %w", err)
	}
	w := NewWriter(o.Path, f)
	w.close = f.Close
	return w, nil
}

// Write adds one value as a line. Line breaks, which JSON has only between tokens, become blanks.
func (w *Writer) Write(value []byte) error {
	for {
		i := bytes.IndexAny(value, "\r\n")
		if i < 0 {
			break
		}
		w.out.Write(value[:i])
		w.out.WriteByte(' ')
		value = value[i+1:]
	}
	w.out.Write(value)
	return w.wrap(w.out.WriteByte('\n')) // a bufio.Writer keeps its first error
}

// Flush hands everything to the file: call it after each batch.
func (w *Writer) Flush() error { return w.wrap(w.out.Flush()) }

// Close flushes, and closes the file that Create opened.
func (w *Writer) Close() error {
	err := w.Flush()
	if closing := w.close(); err == nil {
		err = w.wrap(closing)
	}
	return err
}

func (w *Writer) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("writing %s: %w", w.name, err)
}
