package expr

import (
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// MaxCollected is how many bytes the result of an aggregate that lists values may have: about what a broker takes in one
// record. What is longer is an error of its row, never cut off.
const MaxCollected = 1 << 20

var errListTooLong = errors.New("too long")

// tooLong says what to do about a result over MaxCollected.
func tooLong(call string) error {
	return fmt.Errorf("%s is longer than %d bytes in one group, which no result may be; list fewer values with FILTER (WHERE …), DISTINCT or a window, or take TOPK or COUNT", call, MaxCollected)
}

// listWriter appends keys of one or more values to a text result as a list. No values: NULL.
type listWriter struct {
	out    *vector.Vector
	from   int
	vals   []*vector.Vector
	listed bool
	form   listForm
}

// listForm is how a list is written.
type listForm struct {
	open, sep, end string
	// value appends the values of one entry, which are in row 0 of vals.
	value func(dst []byte, vals []*vector.Vector) []byte
}

var arrayForm = listForm{"[", ",", "]", func(dst []byte, vals []*vector.Vector) []byte { return appendJSONValue(dst, vals[0], 0) }}

func newArrayWriter(elem types.Type, out *vector.Vector) *listWriter {
	return newListWriter(arrayForm, []types.Type{elem}, out)
}

func newListWriter(form listForm, values []types.Type, out *vector.Vector) *listWriter {
	w := &listWriter{out: out, from: len(out.Bytes.Data), form: form}
	for _, t := range values {
		w.vals = append(w.vals, vector.New(t, 1))
	}
	return w
}

// add appends the values at the start of key. The error is errListTooLong, or that of a corrupt key.
func (w *listWriter) add(key []byte) error {
	for _, v := range w.vals {
		v.Reset()
	}
	if _, err := keys.Decode(key, w.vals); err != nil {
		return err
	}
	sep := w.form.sep
	if !w.listed {
		sep, w.listed = w.form.open, true
	}
	d := append(w.out.Bytes.Data, sep...)
	w.out.Bytes.Data = w.form.value(d, w.vals)
	if len(w.out.Bytes.Data)-w.from+len(w.form.end) > MaxCollected {
		return errListTooLong
	}
	return nil
}

// close ends the list.
func (w *listWriter) close() error {
	if !w.listed {
		w.out.AppendNull()
		return nil
	}
	w.out.Bytes.Data = append(w.out.Bytes.Data, w.form.end...)
	w.out.CloseBytes()
	return nil
}

// fail gives the list up: NULL is appended. It returns err.
func (w *listWriter) fail(err error) error {
	w.out.Bytes.Data = w.out.Bytes.Data[:w.from]
	w.out.AppendNull()
	return err
}
