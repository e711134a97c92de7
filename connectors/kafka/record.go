package kafka

import (
	"time"
	"unsafe"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// Both header types are struct{ Key string; Value []byte }; the conversions do not compile if that ever changes.
var (
	_ = vector.Header(kgo.RecordHeader{})
	_ = kgo.RecordHeader(vector.Header{})
)

func headersFrom(h []kgo.RecordHeader) []vector.Header {
	return unsafe.Slice((*vector.Header)(unsafe.Pointer(unsafe.SliceData(h))), len(h))
}

func headersTo(h []vector.Header) []kgo.RecordHeader {
	return unsafe.Slice((*kgo.RecordHeader)(unsafe.Pointer(unsafe.SliceData(h))), len(h))
}

// fromClient shares the record's bytes.
func fromClient(r *kgo.Record) connectors.Record {
	return connectors.Record{
		Topic:     r.Topic,
		Partition: r.Partition,
		Offset:    r.Offset,
		Timestamp: r.Timestamp.UnixMilli(),
		Key:       r.Key,
		Value:     r.Value,
		Headers:   headersFrom(r.Headers),
	}
}

// toClient overwrites dst, whatever it held.
func toClient(dst *kgo.Record, r *connectors.Record) {
	*dst = kgo.Record{
		Topic:     r.Topic,
		Partition: r.Partition,
		Timestamp: time.UnixMilli(r.Timestamp),
		Key:       r.Key,
		Value:     r.Value,
		Headers:   headersTo(r.Headers),
	}
}
