package debezium

import (
	"strconv"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// encoder writes envelopes.
type encoder struct {
	row    *json.Encoder
	prefix string // of the wrapper; "": none
}

var _ format.ChangeEncoder = (*encoder)(nil)

func appendText(dst []byte, s string) []byte { return json.AppendString(dst, []byte(s)) }

func newEncoder(s format.Spec, ordinals []int) (*encoder, error) {
	o, err := optionsOf(s)
	if err != nil {
		return nil, err
	}
	cols := make([]format.Column, len(s.Columns))
	for i, c := range s.Columns {
		cols[i] = usual(c)
	}
	e := &encoder{}
	if o.schema {
		e.prefix = `{"schema":` + o.envelopeSchema(s.Columns, s.Topic) + `,"payload":`
	}
	e.row, err = json.NewEncoderWith(cols, ordinals, o.Conventions)
	return e, err
}

// Encode implements format.Encoder.
func (e *encoder) Encode(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	dst, err := e.row.Encode(append(append(dst, e.prefix...), `{"before":null,"after":`...), b, row)
	return e.end(dst, b, row, 'c'), err
}

// EncodeDeleted implements format.ChangeEncoder.
func (e *encoder) EncodeDeleted(dst []byte, b *vector.Batch, row int) ([]byte, error) {
	dst, err := e.row.Encode(append(append(dst, e.prefix...), `{"before":`...), b, row)
	return e.end(append(dst, `,"after":null`...), b, row, 'd'), err
}

// end appends what follows the rows.
func (e *encoder) end(dst []byte, b *vector.Batch, row int, op byte) []byte {
	at := types.FloorDiv(b.Time[row], types.MicrosPerMilli)
	dst = strconv.AppendInt(append(dst, `,"source":{"connector":"streamsql","ts_ms":`...), at, 10)
	dst = append(append(append(dst, `},"op":"`...), op), `","ts_ms":`...)
	dst = append(strconv.AppendInt(dst, at, 10), '}')
	if e.prefix != "" {
		dst = append(dst, '}')
	}
	return dst
}
