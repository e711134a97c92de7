package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash/crc32"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/streamsql-go/streamsql/sql/types"
)

// digestFunctions are hashes, and bytes written as text.
func digestFunctions() []Function {
	hexed := func(sum func([]byte) []byte) func(*row) error {
		return func(r *row) error {
			dst := r.build()
			*dst = hex.AppendEncode(*dst, sum(r.text(0)))
			return r.done()
		}
	}
	sha := Function{Name: "SHA1", Min: 1, Max: 1, Signature: "SHA1(text) -> VARCHAR", Doc: "SHA-1 digest in hexadecimal.",
		Example: "SHA1('abc')", Result: "a9993e364706816aba3e25717850c26c9cd0d89d", bind: simple(types.TVarchar, hexed(func(b []byte) []byte { s := sha1.Sum(b); return s[:] }), asText)}
	return family("digest", []Function{
		sha, synonym(sha, "SHA"),
		{Name: "MD5", Min: 1, Max: 1, Signature: "MD5(text) -> VARCHAR", Doc: "MD5 digest in hexadecimal.",
			Example: "MD5('abc')", Result: "900150983cd24fb0d6963f7d28e17f72", bind: simple(types.TVarchar, hexed(func(b []byte) []byte { s := md5.Sum(b); return s[:] }), asText)},
		{Name: "CRC32", Min: 1, Max: 1, Signature: "CRC32(text) -> BIGINT", Doc: "Cyclic redundancy check of 32 bits (IEEE), not negative.",
			Example: "CRC32('MySQL')", Result: "3259397556", bind: simple(types.TBigInt, func(r *row) error { return r.retInt(int64(crc32.ChecksumIEEE(r.text(0)))) }, asText)},
		{Name: "XXHASH64", Min: 1, Max: 1, Signature: "XXHASH64(text) -> BIGINT UNSIGNED", Doc: "The quick hash XXH64 with seed 0, for sampling and sharding; not against an adversary.",
			Example: "XXHASH64('abc')", Result: "4952883123889572249", bind: simple(types.TUBigInt, func(r *row) error { return r.retInt(int64(xxhash.Sum64(r.text(0)))) }, asText)},
		{Name: "SHA2", Min: 2, Max: 2, Signature: "SHA2(text, bits) -> VARCHAR", Doc: "SHA-2 digest of 224, 256 (or 0), 384 or 512 bits in hexadecimal; NULL for other lengths.",
			Example: "SHA2('abc', 256)", Result: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", bind: simple(types.TVarchar, sha2Kernel, asText, asInt)},
		{Name: "HEX", Min: 1, Max: 1, Signature: "HEX(x) -> VARCHAR", Doc: "The bytes of a text, or an integer, in hexadecimal.",
			Example: "HEX('abc')", Result: "616263", bind: bindHex},
		{Name: "UNHEX", Min: 1, Max: 1, Signature: "UNHEX(text) -> VARBINARY", Doc: "The bytes of a hexadecimal text; NULL when it is none.",
			Example: "UNHEX('616263')", Result: "abc", bind: simple(types.TVarbinary, func(r *row) error {
				dst, at := r.build(), len(r.out.Bytes.Data)
				digits := r.text(0)
				if len(digits)%2 == 1 { // a leading 0 is missing
					d := digitValue(digits[0])
					if d > 15 {
						return r.retNull()
					}
					*dst, digits = append(*dst, byte(d)), digits[1:]
				}
				var err error
				if *dst, err = hex.AppendDecode(*dst, digits); err != nil {
					*dst = (*dst)[:at]
					return r.retNull()
				}
				return r.done()
			}, asText)},
		{Name: "TO_BASE64", Min: 1, Max: 1, Signature: "TO_BASE64(text) -> VARCHAR", Doc: "In base 64, without line breaks.",
			Example: "TO_BASE64('abc')", Result: "YWJj", bind: simple(types.TVarchar, func(r *row) error {
				dst := r.build()
				*dst = base64.StdEncoding.AppendEncode(*dst, r.text(0))
				return r.done()
			}, asText)},
		{Name: "FROM_BASE64", Min: 1, Max: 1, Signature: "FROM_BASE64(text) -> VARBINARY", Doc: "The bytes of a base 64 text; NULL when it is none.",
			Example: "FROM_BASE64('YWJj')", Result: "abc", bind: simple(types.TVarbinary, func(r *row) error {
				dst, at := r.build(), len(r.out.Bytes.Data)
				var err error
				if *dst, err = base64.StdEncoding.AppendDecode(*dst, r.text(0)); err != nil {
					*dst = (*dst)[:at]
					return r.retNull()
				}
				return r.done()
			}, asText)},
	})
}

func sha2Kernel(r *row) error {
	var sum []byte
	s := r.text(0)
	switch r.int(1) {
	case 224:
		d := sha256.Sum224(s)
		sum = d[:]
	case 0, 256:
		d := sha256.Sum256(s)
		sum = d[:]
	case 384:
		d := sha512.Sum384(s)
		sum = d[:]
	case 512:
		d := sha512.Sum512(s)
		sum = d[:]
	default:
		return r.retNull()
	}
	dst := r.build()
	*dst = hex.AppendEncode(*dst, sum)
	return r.done()
}

func bindHex(f *Function, args []Expr) (Expr, error) {
	if args[0].Type().Numeric() {
		return simple(types.TVarchar, func(r *row) error {
			dst, at := r.build(), len(r.out.Bytes.Data)
			*dst = strconv.AppendUint(*dst, uint64(r.int(0)), 16)
			upperHex((*dst)[at:])
			return r.done()
		}, asBits)(f, args)
	}
	return simple(types.TVarchar, func(r *row) error {
		dst, at := r.build(), len(r.out.Bytes.Data)
		*dst = hex.AppendEncode(*dst, r.text(0))
		upperHex((*dst)[at:])
		return r.done()
	}, asText)(f, args)
}

func upperHex(b []byte) {
	for i, c := range b {
		if c >= 'a' {
			b[i] = c - 'a' + 'A'
		}
	}
}
