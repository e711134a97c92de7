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
	lines Lines
	close func() error
}

// NewWriter writes to out; name stands for it in errors. Close does not close out.
func NewWriter(name string, out io.Writer) *Writer {
	return &Writer{name: name, out: bufio.NewWriterSize(out, 64<<10), close: func() error { return nil }}
}

// Create opens the file of the options for appending, creating it when there is none; "-" is stdout. What is written begins with a
// header if the options say so, and the file is new.
func Create(o Options, stdout io.Writer) (*Writer, error) {
	if o.Path == "-" {
		w := NewWriter("standard output", stdout)
		w.lines = o.Lines
		return w, w.head(0)
	}
	f, err := os.OpenFile(o.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("file.path: %w", err)
	}
	w := NewWriter(o.Path, f)
	w.close, w.lines = f.Close, o.Lines
	i, err := f.Stat()
	if err == nil {
		err = w.head(i.Size())
	}
	if err != nil {
		_ = f.Close()
		return nil, w.wrap(err)
	}
	return w, nil
}

// head writes the header, where one is wanted and nothing is there yet.
func (w *Writer) head(size int64) error {
	if w.lines.Header == nil || size > 0 {
		return nil
	}
	return w.Write(w.lines.header())
}

// Write adds one value as a line. Line breaks, which JSON has only between tokens, become blanks; in the quotes of CSV they stay.
func (w *Writer) Write(value []byte) error {
	for w.lines.Quote == 0 {
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
