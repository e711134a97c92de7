package expr

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

// codeFunctions are about the codes of characters.
func codeFunctions() []Function {
	return family("string", []Function{
		{Name: "ORD", Min: 1, Max: 1, Signature: "ORD(text) -> BIGINT", Doc: "The bytes of the first character as one number; 0 for the empty text.",
			Example: "ORD('é')", Result: "50089", bind: simple(types.TBigInt, func(r *row) error {
				s, n := r.text(0), int64(0)
				for _, b := range s[:charOffset(s, 1)] {
					n = n<<8 | int64(b)
				}
				return r.retInt(n)
			}, asText)},
		{Name: "CHAR", Min: 1, Max: -1, Signature: "CHAR(n, … [USING utf8mb4]) -> VARBINARY", Doc: "The bytes of the numbers, most significant first; a VARCHAR with USING. NULLs are left out.",
			Example: "CHAR(77, 121 USING utf8mb4)", Result: "My", bind: bindChar},
		{Name: "BIT_LENGTH", Min: 1, Max: 1, Signature: "BIT_LENGTH(text) -> BIGINT", Doc: "Length in bits.",
			Example: "BIT_LENGTH('é')", Result: "16", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(int64(len(r.text(0))) * 8) }, asText)},
	})
}

// baseFunctions write numbers in other bases, and look at their bits.
func baseFunctions() []Function {
	return family("number", []Function{
		{Name: "BIN", Min: 1, Max: 1, Signature: "BIN(number) -> VARCHAR", Doc: "An integer in base 2; a negative one as its 64 bits.",
			Example: "BIN(12)", Result: "1100", bind: simple(types.TVarchar, inBase(2), asBits)},
		{Name: "OCT", Min: 1, Max: 1, Signature: "OCT(number) -> VARCHAR", Doc: "An integer in base 8; a negative one as its 64 bits.",
			Example: "OCT(12)", Result: "14", bind: simple(types.TVarchar, inBase(8), asBits)},
		{Name: "CONV", Min: 3, Max: 3, Signature: "CONV(number, from, to) -> VARCHAR", Doc: "From one base to another, 2 to 36; signed when to is negative. NULL when a base is none.",
			Example: "CONV('ff', 16, 10)", Result: "255", bind: simple(types.TVarchar, convKernel, asText, asInt)},
		{Name: "BIT_COUNT", Min: 1, Max: 1, Signature: "BIT_COUNT(number) -> BIGINT", Doc: "Number of bits that are set.",
			Example: "BIT_COUNT(29)", Result: "4", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(int64(bits.OnesCount64(uint64(r.int(0))))) }, asBits)},
	})
}

func inBase(base int) func(*row) error {
	return func(r *row) error {
		dst := r.build()
		*dst = strconv.AppendUint(*dst, uint64(r.int(0)), base)
		return r.done()
	}
}

// bindChar takes the character set that the grammar puts behind the numbers: ” for none.
func bindChar(f *Function, args []Expr) (Expr, error) {
	t := types.TVarbinary
	if last := args[len(args)-1]; last.Type().Text() {
		args = args[:len(args)-1]
		switch v, _ := constant(last); strings.ToLower(v.S) {
		case "":
		case "utf8", "utf8mb3", "utf8mb4":
			t = types.TVarchar
		case "binary":
		default:
			return nil, &UnsupportedError{"the character set " + v.S, "strings are UTF-8: USING utf8mb4"}
		}
	}
	if len(args) == 0 {
		return nil, errors.New("takes a number")
	}
	return seesNull(t, func(r *row) error {
		dst, at := r.build(), len(r.out.Bytes.Data)
		for k := range r.args {
			if r.null(k) {
				continue
			}
			n := uint32(r.int(k))
			for shift := (max(bits.Len32(n), 1) - 1) / 8 * 8; shift >= 0; shift -= 8 {
				*dst = append(*dst, byte(n>>shift))
			}
		}
		if t.Kind == types.Varchar {
			return r.doneText(at)
		}
		return r.done()
	}, asBits)(f, args)
}

// convKernel reads as much of a number as there is, as MySQL does: 'z' is 0.
func convKernel(r *row) error {
	s, from, to := strings.TrimSpace(string(r.text(0))), r.int(1), r.int(2)
	if abs := max(from, -from); abs < 2 || abs > 36 {
		return r.retNull()
	}
	if abs := max(to, -to); abs < 2 || abs > 36 {
		return r.retNull()
	}
	negative := strings.HasPrefix(s, "-")
	s = strings.TrimLeft(s, "+-")
	n := uint64(0)
	base := uint64(max(from, -from))
	for _, c := range []byte(s) {
		d := digitValue(c)
		if d >= base {
			break
		}
		hi, lo := bits.Mul64(n, base)
		sum, carry := bits.Add64(lo, d, 0)
		if n = sum; hi != 0 || carry != 0 {
			n, negative = 1<<64-1, false
			break
		}
	}
	if negative {
		n = -n
	}
	dst, at := r.build(), len(r.out.Bytes.Data)
	if to < 0 {
		*dst = strconv.AppendInt(*dst, int64(n), int(-to))
	} else {
		*dst = strconv.AppendUint(*dst, n, int(to))
	}
	upperHex((*dst)[at:])
	return r.done()
}

// digitValue is 0 to 35, or 255 for what is no digit.
func digitValue(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c >= 'a' && c <= 'z':
		return uint64(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return uint64(c-'A') + 10
	}
	return 255
}
