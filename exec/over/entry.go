package over

import (
	"encoding/binary"

	"github.com/streamsql-go/streamsql/exec/op"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// Key is one key of an order. NULL comes first, with Desc last.
type Key struct {
	Expr expr.Expr
	Desc bool
}

func exprs(order []Key) []expr.Expr {
	var out []expr.Expr
	for _, k := range order {
		out = append(out, k.Expr)
	}
	return out
}

// encoder makes the entries of a sorted state: rows in an order.
//
//	key:   the order's keys | ts | source and partition | offset, 8 bytes each | the row
//	value: how often it stands, a varint | length of the order's keys, a uvarint
//
// Rows with equal keys are in the order of (ts, origin); the row itself makes entries of different rows different.
type encoder struct {
	order []Key
	key   []byte
	val   []byte
	from  int // length of the order's keys in key
}

// entry is the key of row i; order holds the values of the order's keys.
func (e *encoder) entry(b *vector.Batch, i int, order []*vector.Vector) []byte {
	e.key = e.key[:0]
	for k, v := range order {
		at := len(e.key)
		e.key = keys.Append(e.key, v, i)
		if e.order[k].Desc {
			for x := at; x < len(e.key); x++ {
				e.key[x] = ^e.key[x]
			}
		}
	}
	e.from = len(e.key)
	var o types.Origin
	if b.Origin != nil {
		o = b.Origin[i]
	}
	e.key = keys.AppendTime(e.key, b.Time[i])
	e.key = keys.AppendTime(e.key, int64(o.Source)<<32|int64(uint32(o.Partition)))
	e.key = keys.AppendTime(e.key, o.Offset)
	e.key = vector.AppendRow(e.key, b.Cols, i)
	return e.key
}

// value is the value of the row that entry was called for last, standing n times.
func (e *encoder) value(n int64) []byte {
	e.val = binary.AppendUvarint(binary.AppendVarint(e.val[:0], n), uint64(e.from))
	return e.val
}

// standing is how often the row of an entry stands (below 0 when its removal came first), and the length of the order's keys.
func standing(value []byte) (n int64, order int) {
	r := vector.Reader{Rest: value}
	n = r.Varint()
	return n, int(r.Uvarint())
}

// readRow appends the row of an entry to the first columns of b, its ts and origin. order is the length of the order's keys.
func readRow(b *vector.Batch, width int, key []byte, order int) error {
	const fixed = 3 * 8
	if len(key) < order+fixed {
		return op.ErrRow
	}
	rest := key[order:]
	place := keys.Time(rest[8:])
	r := vector.Reader{Rest: rest[fixed:]}
	r.Row(b.Cols[:width])
	if r.Err() != nil {
		return op.ErrRow
	}
	b.Time = append(b.Time, keys.Time(rest))
	b.Origin = append(b.Origin, types.Origin{Source: int32(place >> 32), Partition: int32(uint32(place)), Offset: keys.Time(rest[16:])})
	b.N++
	return nil
}
