package http

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
)

// number is the number of rows that lie one after the other: the same whenever they are sent.
func (s *sink) number(partition int32, rows []connectors.Record) string {
	n := fmt.Sprintf("%s/%s/%d/%d", s.env.App, s.relation, partition, rows[0].Offset)
	if len(rows) > 1 {
		n += "-" + strconv.FormatInt(rows[len(rows)-1].Offset, 10)
	}
	return n
}

// fill appends the body of a request.
func (s *sink) fill(dst []byte, partition int32, rows []connectors.Record) []byte {
	if s.batch == 1 {
		return s.row(dst, partition, &rows[0])
	}
	dst = append(dst, '[')
	for i := range rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.row(dst, partition, &rows[i])
	}
	return append(dst, ']')
}

// row appends one row: its value, or an envelope around it.
func (s *sink) row(dst []byte, partition int32, r *connectors.Record) []byte {
	if !s.envelope {
		return append(dst, r.Value...)
	}
	dst = append(dst, `{"id":`...)
	dst = appendText(dst, s.number(partition, []connectors.Record{*r}))
	dst = append(dst, `,"key":`...)
	if r.Key == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendText(dst, string(r.Key))
	}
	dst = append(dst, `,"timestamp":`...)
	dst = strconv.AppendInt(dst, r.Timestamp, 10)
	dst = append(dst, `,"value":`...)
	if r.Value == nil {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, r.Value...)
	}
	return append(dst, '}')
}

func appendText(dst []byte, s string) []byte {
	b, _ := json.Marshal(s) // a string: it does not fail
	return append(dst, b...)
}
