// Package registry is what formats share whose schemas are kept outside the records: where a topic's schema is (a file, or
// a subject of a schema registry that speaks Confluent's protocol), the header in front of such values, and a client with a
// cache. It is imported by the formats that need it.
//
// A program talks to few registries, and all readers and writers of one share what was learnt: Open returns the same client
// for the same settings.
package registry

import (
	"encoding/binary"
	"fmt"

	"github.com/streamsql-go/streamsql/connectors/format"
)

// headerSize is the magic byte and the id.
const headerSize = 5

// Split takes the header off a value: a byte 0 and the id of its schema, four bytes, big-endian. A value without one is a
// *format.BadRecord.
func Split(value []byte) (id int, rest []byte, err error) {
	switch {
	case len(value) == 0:
		return 0, nil, &format.BadRecord{Reason: format.Empty, Err: fmt.Errorf("the value is empty; expected the header of a schema registry")}
	case len(value) < headerSize || value[0] != 0:
		return 0, nil, &format.BadRecord{Reason: format.Malformed, Err: fmt.Errorf("%s does not begin with the header of a schema registry, a byte 0 and a schema's id; for values without one name the schema's file: schema.file = '…'", format.Shown(value))}
	}
	return int(binary.BigEndian.Uint32(value[1:])), value[headerSize:], nil
}

// AppendHeader appends the header of a schema's id.
func AppendHeader(dst []byte, id int) []byte {
	return binary.BigEndian.AppendUint32(append(dst, 0), uint32(id))
}
