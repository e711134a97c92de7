package file

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest record, in bytes, that a Reader takes.
const MaxLine = 64 << 20

// ErrLineTooLong is wrapped by the error for a record of more than MaxLine bytes.
var ErrLineTooLong = errors.New("the line is longer than 64 MB; is this a file of lines, and is a quote left open?")

// Reader yields the records of a text. Lines end in \n or \r\n; the last one may lack that. Blank lines are skipped.
type Reader struct {
	name  string
	in    *bufio.Reader
	how   Lines
	grows bool // at the end of the input more may come: what has no line end yet is kept
	line  int
	at    int64 // bytes read, those of pending apart
	most  int

	pending []byte // a record that has not ended
	begun   int    // its lines that have
	quotes  int    // in it
	inside  bool   // not at the beginning of the text: no header is to come, and no mark
}

// NewReader reads from in; name stands for it in errors.
func NewReader(name string, in io.Reader, how Lines) *Reader {
	return &Reader{name: name, in: bufio.NewReaderSize(in, 256<<10), how: how, most: MaxLine}
}

// Line is the number, from 1, of the last line of the record that Next returned last.
func (r *Reader) Line() int { return r.line }

// Offset is where that record ends in the text, in bytes.
func (r *Reader) Offset() int64 { return r.at }

// Next returns the next record that is not blank, in memory of its own, without its line end. At the end it returns io.EOF;
// every other error names the file and the line.
func (r *Reader) Next() ([]byte, error) {
	for {
		record, err := r.record()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
		}
		if len(bytes.TrimSpace(record)) > 0 {
			if r.how.Header == nil || r.inside {
				return record, nil
			}
			r.inside = true
			if err := r.how.check(record); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
			}
		}
		if err != nil {
			return nil, io.EOF
		}
	}
}

// record is the next record, blank or not. With io.EOF it is what stands after the last line end; nothing while that may go on.
func (r *Reader) record() ([]byte, error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.pending)+len(part) > r.most+2 {
			r.line++
			return nil, ErrLineTooLong
		}
		r.pending = append(r.pending, part...)
		r.quotes += r.how.quotes(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && (r.grows || len(r.pending) == 0):
			return nil, io.EOF
		case err == nil && r.quotes%2 != 0:
			r.begun++
		case err == nil || errors.Is(err, io.EOF):
			return r.take(err)
		default:
			return nil, err
		}
	}
}

// take is the record that has ended.
func (r *Reader) take(err error) ([]byte, error) {
	record := r.pending
	if r.at == 0 && !r.inside {
		record = bytes.TrimPrefix(record, []byte("\ufeff")) // some editors mark UTF-8 with it
	}
	r.at += int64(len(r.pending))
	if r.line += r.begun; err == nil || !bytes.HasSuffix(record, []byte("\n")) {
		r.line++
	}
	r.pending, r.begun, r.quotes = nil, 0, 0
	record = bytes.TrimSuffix(bytes.TrimSuffix(record, []byte("\n")), []byte("\r"))
	if len(record) > r.most {
		return nil, ErrLineTooLong
	}
	return record, err
}

// Ends lets the last record end without a line end: nothing more comes.
func (r *Reader) Ends() { r.grows = false }

// Buffered says whether another record can be had without waiting for the input.
func (r *Reader) Buffered() bool {
	ahead, _ := r.in.Peek(r.in.Buffered())
	return bytes.IndexByte(ahead, '\n') >= 0 && r.how.Quote == 0
}
