package expr

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
)

// uuid is the 16 bytes of RFC 9562.
type uuid [16]byte

func uuidFunctions() []Function {
	list := family("digest", []Function{
		{Name: "UUID_V5", Min: 2, Max: 2, Signature: "UUID_V5(namespace, name) -> VARCHAR", Doc: "The UUID of a name in a namespace, which is a UUID or 'dns', 'url', 'oid' or 'x500': the same for the same name, for ever.",
			Example: "UUID_V5('dns', 'www.example.com')", Result: "2ed6657d-e927-568b-95e1-2665a8aea6a2", bind: simple(types.TVarchar, uuidV5Kernel, asText)},
		{Name: "IS_UUID", Min: 1, Max: 1, Signature: "IS_UUID(text) -> BOOLEAN", Doc: "Whether a text is a UUID: with dashes, without, or in braces.",
			Example: "IS_UUID('6ccd780c-baba-1026-9564-5b8c656024db')", Result: "1", bind: simple(types.TBoolean, func(r *row) error {
				_, ok := parseUUID(r.text(0))
				return r.retBool(ok)
			}, asText)},
		{Name: "UUID_TO_BIN", Min: 1, Max: 2, Signature: "UUID_TO_BIN(uuid [, swap]) -> VARBINARY", Doc: "The 16 bytes of a UUID; with swap 1 its time parts come first, high to low.",
			Example: "HEX(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 1))", Result: "1026BABA6CCD780C95645B8C656024DB", bind: simple(types.TVarbinary, func(r *row) error {
				u, ok := parseUUID(r.text(0))
				if !ok {
					return fmt.Errorf("UUID_TO_BIN: %q is not a UUID", r.text(0))
				}
				if r.number(1, 0) != 0 {
					u = u.swapped()
				}
				return r.retText(u[:])
			}, asText, asInt)},
		{Name: "BIN_TO_UUID", Min: 1, Max: 2, Signature: "BIN_TO_UUID(bytes [, swap]) -> VARCHAR", Doc: "The UUID of 16 bytes; with swap 1 they are as UUID_TO_BIN(…, 1) makes them.",
			Example: "BIN_TO_UUID(UNHEX('6CCD780CBABA102695645B8C656024DB'))", Result: "6ccd780c-baba-1026-9564-5b8c656024db", bind: simple(types.TVarchar, func(r *row) error {
				if len(r.text(0)) != len(uuid{}) {
					return fmt.Errorf("BIN_TO_UUID: %d bytes are no UUID, which has 16", len(r.text(0)))
				}
				u := uuid(r.text(0))
				if r.number(1, 0) != 0 {
					u = u.unswapped()
				}
				return r.retUUID(u)
			}, asText, asInt)},
	})
	return append(list, Function{Name: "UUID", Family: "digest", Signature: "UUID() -> VARCHAR", Doc: "A random UUID (version 4). UUID_V5 makes one of the row.",
		Example: "IS_UUID(UUID())", Result: "1", random: true, bind: simple(types.TVarchar, func(r *row) error {
			var u uuid
			rand.Read(u[:])
			return r.retUUID(u.versioned(4))
		})},
		Function{Name: "RANDOM_BYTES", Family: "digest", Min: 1, Max: 1, Signature: "RANDOM_BYTES(n) -> VARBINARY", Doc: "n random bytes, 1 to 1024.",
			Example: "LENGTH(RANDOM_BYTES(8))", Result: "8", random: true, bind: simple(types.TVarbinary, func(r *row) error {
				if r.int(0) < 1 || r.int(0) > 1024 {
					return errors.New("RANDOM_BYTES: the number must be 1 to 1024")
				}
				b := make([]byte, r.int(0))
				rand.Read(b)
				return r.retText(b)
			}, asInt)})
}

func (u uuid) versioned(version byte) uuid {
	u[6] = u[6]&0x0f | version<<4
	u[8] = u[8]&0x3f | 0x80
	return u
}

// swapped brings the time of a version 1 UUID into order: its high part first.
func (u uuid) swapped() uuid {
	s := u
	copy(s[0:2], u[6:8])
	copy(s[2:4], u[4:6])
	copy(s[4:8], u[0:4])
	return s
}

func (u uuid) unswapped() uuid {
	s := u
	copy(s[6:8], u[0:2])
	copy(s[4:6], u[2:4])
	copy(s[0:4], u[4:8])
	return s
}

func (r *row) retUUID(u uuid) error {
	dst := r.build()
	for i, part := range [][]byte{u[0:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			*dst = append(*dst, '-')
		}
		*dst = hex.AppendEncode(*dst, part)
	}
	return r.done()
}

// parseUUID reads 32 hexadecimal digits, with dashes after 8, 12, 16 and 20 of them or none, and then perhaps in braces.
func parseUUID(s []byte) (u uuid, ok bool) {
	if len(s) == 38 && s[0] == '{' && s[37] == '}' {
		s = s[1:37]
	}
	if len(s) == 36 {
		var plain [32]byte
		n := 0
		for i, c := range s {
			if i == 8 || i == 13 || i == 18 || i == 23 {
				if c != '-' {
					return u, false
				}
				continue
			}
			plain[n] = c
			n++
		}
		s = plain[:]
	}
	if len(s) != 32 {
		return u, false
	}
	_, err := hex.Decode(u[:], s)
	return u, err == nil
}

// namespaces are those of RFC 9562; they differ in one byte.
var namespaces = map[string]byte{"dns": 0x10, "url": 0x11, "oid": 0x12, "x500": 0x14}

func uuidV5Kernel(r *row) error {
	u, ok := parseUUID(r.text(0))
	if !ok {
		last, known := namespaces[string(r.text(0))]
		if !known {
			return fmt.Errorf("UUID_V5: the namespace %q is neither a UUID nor 'dns', 'url', 'oid' or 'x500'", r.text(0))
		}
		u = uuid{0x6b, 0xa7, 0xb8, last, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	}
	s := r.json()
	s.buf = append(append(s.buf[:0], u[:]...), r.text(1)...)
	sum := sha1.Sum(s.buf)
	return r.retUUID(uuid(sum[:16]).versioned(5))
}
