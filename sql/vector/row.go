package vector

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/streamsql-go/streamsql/sql/types"
)

// ErrCorrupt is returned for a stored row that cannot be read.
var ErrCorrupt = errors.New("corrupt row encoding")

// AppendRow appends row i of cols in a compact form: a null bitmap, then each value that is not NULL (integers and
// lengths as varints, decimals as 16 bytes, floats as 8). The types are not stored: the reader must know them.
func AppendRow(dst []byte, cols []*Vector, i int) []byte {
	at := len(dst)
	for range (len(cols) + 7) / 8 {
		dst = append(dst, 0)
	}
	for c, v := range cols {
		if v.Nulls != nil && v.Nulls[i] || v.Type.Kind == types.Null {
			dst[at+c/8] |= 1 << (c % 8)
			continue
		}
		switch v.Type.Physical() {
		case types.PhysInt:
			dst = binary.AppendVarint(dst, v.Ints[i])
		case types.PhysFloat:
			dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Floats[i]))
		case types.PhysDec:
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v.Decs[i].Hi))
			dst = binary.LittleEndian.AppendUint64(dst, v.Decs[i].Lo)
		case types.PhysBytes:
			b := v.Bytes.At(i)
			dst = binary.AppendUvarint(dst, uint64(len(b)))
			dst = append(dst, b...)
		}
	}
	return dst
}

// DecodeRow reads a row of AppendRow from the start of data, appends its values to into (whose types must be those it
// was written with) and returns the rest of data.
func DecodeRow(data []byte, into []*Vector) ([]byte, error) {
	n := (len(into) + 7) / 8
	if len(data) < n {
		return nil, ErrCorrupt
	}
	nulls := data[:n]
	data = data[n:]
	for c, v := range into {
		if nulls[c/8]&(1<<(c%8)) != 0 {
			v.AppendNull()
			continue
		}
		var err error
		if data, err = v.appendEncoded(data); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (v *Vector) appendEncoded(data []byte) ([]byte, error) {
	switch v.Type.Physical() {
	case types.PhysInt:
		x, n := binary.Varint(data)
		if n <= 0 {
			return nil, ErrCorrupt
		}
		v.Ints = append(v.Ints, x)
		data = data[n:]
	case types.PhysFloat:
		if len(data) < 8 {
			return nil, ErrCorrupt
		}
		v.Floats = append(v.Floats, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		data = data[8:]
	case types.PhysDec:
		if len(data) < 16 {
			return nil, ErrCorrupt
		}
		v.Decs = append(v.Decs, types.Int128{Hi: int64(binary.LittleEndian.Uint64(data)), Lo: binary.LittleEndian.Uint64(data[8:])})
		data = data[16:]
	case types.PhysBytes:
		l, n := binary.Uvarint(data)
		if n <= 0 || uint64(len(data)-n) < l {
			return nil, ErrCorrupt
		}
		v.Bytes.Append(data[n : n+int(l)])
		data = data[n+int(l):]
	}
	if v.Nulls != nil {
		v.Nulls = append(v.Nulls, false)
	}
	return data, nil
}
