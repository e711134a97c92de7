package avro

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// json reads a value as a JSON document: what the format 'json' would write for it. Of a union it is the value alone, not
// Avro's own JSON, which names the branch.
func (r *runner) json(n *node, t *take, v *vector.Vector) error {
	out, err := r.document(v.Bytes.Data, n, t)
	if r.why == "" && err == nil {
		v.Bytes.Data = out
		v.CloseBytes()
	}
	return err
}

// fit reads a value as json does, and brings it into the form of the column's type: fields that it wants, in its order.
func (r *runner) fit(n *node, t *take, v *vector.Vector) error {
	var err error
	if r.doc, err = r.document(r.doc[:0], n, t); r.why != "" || err != nil {
		return err
	}
	return t.docs.Append(v, r.doc)
}

func (r *runner) document(dst []byte, n *node, t *take) ([]byte, error) {
	dst = r.render(dst, n, 0)
	if r.invalid && r.why == "" {
		r.invalid = false
		return dst, t.cell.Bad(format.InvalidUTF8, "it holds text that is not valid UTF-8")
	}
	return dst, nil
}

func (r *runner) render(dst []byte, n *node, depth int) []byte {
	if depth > maxDepth {
		r.fail("values lie too deep in each other")
	}
	if r.why != "" {
		return dst
	}
	switch n.kind {
	case null:
		return append(dst, "null"...)
	case boolean:
		return strconv.AppendBool(dst, r.boolean())
	case integer:
		return r.renderInteger(dst, n)
	case float:
		return appendFloat(dst, r.float(), 32)
	case double:
		return appendFloat(dst, r.double(), 64)
	case text:
		return r.quote(dst, r.bytes())
	case enum:
		return json.AppendString(dst, append(r.scratch[:0], n.symbols[r.choice(len(n.symbols))]...))
	case octets, fixed:
		return r.renderBytes(dst, n)
	case union:
		return r.render(dst, n.branches[r.choice(len(n.branches))], depth+1)
	case record:
		dst = append(dst, '{')
		for i := range n.fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(append(dst, '"'), n.fields[i].name...), '"', ':') // a name of letters, digits and _
			dst = r.render(dst, n.fields[i].node, depth+1)
		}
		return append(dst, '}')
	case array, mapping:
		return r.renderBlocks(dst, n, depth)
	}
	return dst
}

func (r *runner) renderBlocks(dst []byte, n *node, depth int) []byte {
	open, end := byte('['), byte(']')
	if n.kind == mapping {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	first := len(dst)
	var e empties
	for items := r.block(); items > 0 && r.why == ""; items = r.block() {
		for ; items > 0 && r.why == ""; items-- {
			if len(dst) > first {
				dst = append(dst, ',')
			}
			from := r.at
			if n.kind == mapping {
				dst = append(r.quote(dst, r.bytes()), ':')
			}
			dst = r.render(dst, n.items, depth+1)
			e.count(&r.cursor, from)
		}
	}
	return append(dst, end)
}

func (r *runner) quote(dst, s []byte) []byte {
	r.invalid = r.invalid || !utf8.Valid(s)
	return json.AppendString(dst, s)
}

func (r *runner) renderInteger(dst []byte, n *node) []byte {
	x := r.long()
	if n.logical == plain {
		return strconv.AppendInt(dst, x, 10)
	}
	dst = append(dst, '"')
	dst = appendTime(dst, n, x)
	return append(dst, '"')
}

func (r *runner) renderBytes(dst []byte, n *node) []byte {
	b := r.bytesOf(n)
	switch n.logical {
	case decimal:
		return appendDecimal(dst, b, n.scale)
	case uuid:
		return append(appendUUID(append(dst, '"'), b), '"')
	}
	dst = base64.StdEncoding.AppendEncode(append(dst, '"'), b)
	return append(dst, '"')
}

// appendFloat appends a JSON number; NaN and infinities are null.
func appendFloat(dst []byte, x float64, bits uint8) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(dst, "null"...)
	}
	return format.AppendDouble(dst, x, bits)
}

// appendTime appends a date or time as the format 'json' writes it; one outside the calendar as its number.
func appendTime(dst []byte, n *node, x int64) []byte {
	us, ok := toMicros(n.logical, x)
	if !ok || n.logical != timeMillis && n.logical != timeMicros && (us < firstMicro || us >= afterLast) {
		return strconv.AppendInt(dst, x, 10)
	}
	switch n.logical {
	case date:
		return types.AppendDate(dst, x)
	case timeMillis:
		return types.AppendTime(dst, us, 3)
	case timeMicros:
		return types.AppendTime(dst, us, 6)
	case timestampMillis:
		return types.AppendISO(dst, us, 3)
	}
	return types.AppendISO(dst, us, 6)
}

// The calendar of MySQL: years 0000 to 9999.
var (
	firstMicro = types.Civil{Year: 0, Month: 1, Day: 1}.Micros()
	afterLast  = types.Civil{Year: 10000, Month: 1, Day: 1}.Micros()
)

// appendDecimal appends a two's complement number, big-endian, of any length, with a scale.
func appendDecimal(dst, b []byte, scale int) []byte {
	if d, ok := types.FromBigEndian(b); ok && scale <= types.MaxDecimalDigits {
		return types.AppendDecimal(dst, d, uint8(scale))
	}
	x := new(big.Int).SetBytes(b)
	if b[0]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	digits := x.String()
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	if scale == 0 {
		return dst
	}
	return append(append(dst, '.'), digits[len(digits)-scale:]...)
}

// appendUUID appends the text of 16 bytes; of none, after a mistake, nothing.
func appendUUID(dst, b []byte) []byte {
	if len(b) != 16 {
		return dst
	}
	for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return dst
}
