package vector

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/sql/types"
)

// Reader reads the fields of a stored record: what the Append functions here and those of encoding/binary wrote. After the
// first field that is not there all others are zero and Err says so; slices share the memory of the record.
type Reader struct {
	Rest []byte // what is still to be read
	bad  bool
}

// Err is ErrCorrupt after a field that could not be read.
func (r *Reader) Err() error {
	if r.bad {
		return ErrCorrupt
	}
	return nil
}

// Fail makes the rest unreadable: a field has a value that cannot be.
func (r *Reader) Fail() { r.bad, r.Rest = true, nil }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.Rest) == 0 {
		r.Fail()
		return 0
	}
	x := r.Rest[0]
	r.Rest = r.Rest[1:]
	return x
}

// Varint reads a signed number of binary.AppendVarint.
func (r *Reader) Varint() int64 {
	x, n := binary.Varint(r.Rest)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return x
}

// Uvarint reads a number of binary.AppendUvarint.
func (r *Reader) Uvarint() uint64 {
	x, n := binary.Uvarint(r.Rest)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return x
}

// Count reads the Uvarint that is the number of elements which follow; one of more elements than bytes is corrupt, so
// that memory for them may be taken.
func (r *Reader) Count() int {
	n := r.Uvarint()
	if n > uint64(len(r.Rest)) {
		r.Fail()
		return 0
	}
	return int(n)
}

// Bytes reads what AppendBytes wrote; never nil but on an error.
func (r *Reader) Bytes() []byte { return r.take(r.Uvarint()) }

// Nullable reads what AppendNullable wrote.
func (r *Reader) Nullable() []byte {
	n := r.Uvarint()
	if n == 0 {
		return nil
	}
	return r.take(n - 1)
}

func (r *Reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.Rest)) {
		r.Fail()
		return nil
	}
	x := r.Rest[:n:n]
	r.Rest = r.Rest[n:]
	return x
}

// Origin reads what AppendOrigin wrote.
func (r *Reader) Origin() types.Origin {
	return types.Origin{Source: int32(r.Varint()), Partition: int32(r.Varint()), Offset: r.Varint()}
}

// Row reads what AppendRow wrote, and appends its values to into as DecodeRow does.
func (r *Reader) Row(into []*Vector) {
	if r.bad {
		return
	}
	rest, err := DecodeRow(r.Rest, into)
	if r.Rest = rest; err != nil {
		r.Fail()
	}
}

// AppendBytes appends x with its length before it.
func AppendBytes(dst, x []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(x))), x...)
}

// AppendNullable appends length+1, 0 for nil, and x: a null key is not an empty one.
func AppendNullable(dst, x []byte) []byte {
	if x == nil {
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(len(x))+1), x...)
}

// AppendOrigin appends the three parts as varints.
func AppendOrigin(dst []byte, o types.Origin) []byte {
	dst = binary.AppendVarint(dst, int64(o.Source))
	dst = binary.AppendVarint(dst, int64(o.Partition))
	return binary.AppendVarint(dst, o.Offset)
}
