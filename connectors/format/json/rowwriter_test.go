package json_test

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors/format"
	_ "github.com/streamsql-go/streamsql/connectors/format/primitive"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/sql/types"
)

func target() format.Target {
	return format.Target{
		Topic: "t", Partitions: 100, Format: "json", KeyFormat: "string", Key: []int{1}, Partitioner: "crc32",
		Columns: []format.Column{{Name: "at", Type: types.TTimestamp, TimestampFormat: "s"}, {Name: "k", Type: types.TVarchar}},
	}
}

func TestRowWriter(t *testing.T) {
	w, err := format.NewRowWriter(target())
	if err != nil {
		t.Fatal(err)
	}
	seven, beyond := int32(7), int32(100)
	row := []types.Value{types.NewTimestamp(5_000_000), types.NewString("a")}
	for name, test := range map[string]struct {
		values    []types.Value
		envelope  format.Envelope
		value     string
		key       []byte
		partition int32
	}{
		"key of the columns": {row, format.Envelope{Timestamp: 9}, `{"at":5,"k":"a"}`, []byte("a"), partition.CRC32([]byte("a"), 100)},
		"key given":          {row, format.Envelope{KeyGiven: true, Key: []byte("b")}, `{"at":5,"k":"a"}`, []byte("b"), partition.CRC32([]byte("b"), 100)},
		"no key wanted":      {row, format.Envelope{KeyGiven: true}, `{"at":5,"k":"a"}`, nil, -1},
		"key of NULL":        {[]types.Value{{}, {}}, format.Envelope{}, `{"at":null,"k":null}`, nil, -1},
		"empty key":          {[]types.Value{{}, types.NewString("")}, format.Envelope{}, `{"at":null,"k":""}`, []byte{}, partition.CRC32(nil, 100)},
		"partition given":    {row, format.Envelope{Partition: &seven}, `{"at":5,"k":"a"}`, []byte("a"), 7},
	} {
		r, err := w.Record(test.values, test.envelope)
		if err != nil || string(r.Value) != test.value || string(r.Key) != string(test.key) || (r.Key == nil) != (test.key == nil) ||
			r.Partition != test.partition || r.Topic != "t" || r.Timestamp != test.envelope.Timestamp {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if _, err := w.Record(row, format.Envelope{Partition: &beyond}); err == nil || !strings.Contains(err.Error(), "has 100") {
		t.Errorf("partition 100 of 100: %v", err)
	}
}

func TestRowWriterErrors(t *testing.T) {
	for name, change := range map[string]func(*format.Target){
		"format":           func(t *format.Target) { t.Format = "none" },
		"key format":       func(t *format.Target) { t.KeyFormat = "int" },
		"timestamp_format": func(t *format.Target) { t.Columns[0].TimestampFormat = "minutes" },
	} {
		of := target()
		change(&of)
		if _, err := format.NewRowWriter(of); err == nil {
			t.Errorf("a wrong %s was accepted", name)
		}
	}
}
