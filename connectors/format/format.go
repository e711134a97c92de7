// Package format turns the bytes of records into columns and rows into bytes. Formats live in packages below it and
// register by import, so that a program carries only those it names.
package format

import (
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Column is one column that a decoder fills or an encoder writes.
type Column struct {
	Name string
	// Path is the way to the value for formats with fields: the field's name, then names inside it. Nil: Name.
	Path []string
	Type types.Type
	// TimestampFormat says how a DATE, TIME or TIMESTAMP stands in a record: "ms", "s", "us", "ns" for numbers since the
	// epoch (TIME: since midnight) and "days" for a DATE, where ISO 8601 and MySQL text is understood as well; "iso" for text alone; a format
	// string of MySQL's STR_TO_DATE ("%d.%m.%Y %H:%i:%s"); "": read as "ms", written as "iso".
	TimestampFormat string
}

// FieldPath is Path, or the name when there is none.
func (c Column) FieldPath() []string {
	if len(c.Path) == 0 {
		return []string{c.Name}
	}
	return c.Path
}

// Decoder reads record values. It belongs to one goroutine.
type Decoder interface {
	// Decode appends one row to cols, which are parallel to the columns given at construction. On an error, a *BadRecord
	// or a *Waiting, nothing is appended. It never panics and does not keep value.
	Decode(value []byte, cols []*vector.Vector) error
}

// Encoder writes record values. It belongs to one goroutine. One that is a Preparer is prepared first.
type Encoder interface {
	// Encode appends the value of one row of b to dst. It does not allocate when dst has room. A row that the format cannot
	// hold is a *BadRecord, and what was appended means nothing.
	Encode(dst []byte, b *vector.Batch, row int) ([]byte, error)
}

// Change is what a value says beside the columns of its row.
type Change struct {
	Deleted bool // the row of its key is gone
	// Time is the event time, microseconds, if Timed; else it is that of other formats.
	Time  int64
	Timed bool
}

// ChangeDecoder is a Decoder of values that tell changes of a table's rows. Of a deleted row it fills what the value says of it,
// and NULL. A null value repeats the deletion that was told before it.
type ChangeDecoder interface {
	Decoder
	// Change is of the value that was decoded last.
	Change() Change
	// Timed says whether changes have times of their own.
	Timed() bool
}

// ChangeEncoder is an Encoder of values that tell changes of a table's rows. A row that is gone is told by a value, and then by
// Kafka's null, so that compaction may forget it.
type ChangeEncoder interface {
	Encoder
	// EncodeDeleted appends the value that tells that the row is gone, as Encode.
	EncodeDeleted(dst []byte, b *vector.Batch, row int) ([]byte, error)
}

// NullEncoder is an Encoder of a format that holds one column, where NULL is Kafka's null value.
type NullEncoder interface {
	Encoder
	// Null says whether a row's value is null; then Encode has nothing to append.
	Null(b *vector.Batch, row int) bool
}

// Null says whether the value of one row of b is Kafka's null.
func Null(e Encoder, b *vector.Batch, row int) bool {
	n, ok := e.(NullEncoder)
	return ok && n.Null(b, row)
}

// Reason says in one word why a record is bad; records are counted by it.
type Reason string

// The reasons a format gives.
const (
	Malformed      Reason = "malformed"       // the bytes are not a text of the format
	NotObject      Reason = "not_an_object"   // well-formed, but not a row
	Empty          Reason = "empty"           // no bytes, or only blanks
	WrongType      Reason = "wrong_type"      // a value that does not convert to the column's type
	OutOfRange     Reason = "out_of_range"    // a number or time the column cannot hold
	InvalidUTF8    Reason = "invalid_utf8"    // text for a VARCHAR that is not UTF-8
	AmbiguousField Reason = "ambiguous_field" // several fields match a column but for their case
)

// BadRecord is a record that cannot be decoded.
type BadRecord struct {
	Reason Reason
	Field  string // the column's path, dotted; "" when the whole record is meant
	Err    error  // what is wrong with it, in words
}

// Error says what is wrong, with the field when there is one.
func (b *BadRecord) Error() string {
	if b.Field != "" {
		return fmt.Sprintf("field %q: %v", b.Field, b.Err)
	}
	return b.Err.Error()
}

// Unwrap is Err.
func (b *BadRecord) Unwrap() error { return b.Err }

// bad wraps an error of a conversion; a *BadRecord without field gets one.
func bad(field string, err error) *BadRecord {
	var b *BadRecord
	if errors.As(err, &b) {
		if b.Field == "" {
			b.Field = field
		}
		return b
	}
	reason := WrongType
	if errors.Is(err, types.ErrOutOfRange) {
		reason = OutOfRange
	}
	return &BadRecord{Reason: reason, Field: field, Err: err}
}

// Shown is at most 60 bytes of a text for a message.
func Shown(s []byte) string {
	if len(s) > 60 {
		return fmt.Sprintf("%.60q…", s[:60])
	}
	return fmt.Sprintf("%q", s)
}

// Truncate cuts cols back to n rows: a decoder takes back a row it could not finish.
func Truncate(cols []*vector.Vector, n int) {
	for _, v := range cols {
		if v.Nulls != nil && len(v.Nulls) > n {
			v.Nulls = v.Nulls[:n]
		}
		switch v.Type.Physical() {
		case types.PhysInt:
			v.Ints = v.Ints[:min(n, len(v.Ints))]
		case types.PhysFloat:
			v.Floats = v.Floats[:min(n, len(v.Floats))]
		case types.PhysDec:
			v.Decs = v.Decs[:min(n, len(v.Decs))]
		case types.PhysBytes:
			if len(v.Bytes.Off) > n {
				v.Bytes.Off = v.Bytes.Off[:n+1]
				v.Bytes.Data = v.Bytes.Data[:v.Bytes.Off[n]]
			}
		}
	}
}
