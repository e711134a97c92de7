package file

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line, in bytes, that a Reader takes.
const MaxLine = 64 << 20

// ErrLineTooLong is wrapped by the error for a line of more than MaxLine bytes.
var ErrLineTooLong = errors.New("the line is longer than 64 MB; is this a file of JSON lines?")

// Reader yields the lines of a text. Lines end in \n or \r\n; the last one may lack that. Blank lines are skipped.
type Reader struct {
	name string
	in   *bufio.Reader
	line int
	most int
}

// NewReader reads from in; name stands for it in errors.
func NewReader(name string, in io.Reader) *Reader {
	return &Reader{name: name, in: bufio.NewReaderSize(in, 256<<10), most: MaxLine}
}

// Line is the number, from 1, of the line that Next returned last.
func (r *Reader) Line() int { return r.line }

// Next returns the next line that is not blank, in memory of its own, without its line end. At the end it returns io.EOF;
// every other error names the file and the line.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.read()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, io.EOF
		}
	}
}

func (r *Reader) read() ([]byte, error) {
	r.line++
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > r.most+2 {
			return nil, ErrLineTooLong
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if r.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // some editors mark UTF-8 with it
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) > r.most {
			return nil, ErrLineTooLong
		}
		return line, err
	}
}

// Buffered says whether another line can be had without waiting for the input.
func (r *Reader) Buffered() bool {
	ahead, _ := r.in.Peek(r.in.Buffered())
	return bytes.IndexByte(ahead, '\n') >= 0
}
