package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql"
)

// stream writes rows as they come: as server-sent events when the reader asks for them, else as lines of JSON. An event is
//
//	columns  {"columns": [{"name", "type"}], "changes": bool}   once, at first
//	rows     {"rows": [object…], "deleted": [index…], "of": n}  of: the rows that came, of which at most some are shown
//	status   {"status": sentence}                               while none come
//	end      {"error"?: text}                                   at last
//
// A line of JSON has the event's name and data as its one field. Only events are sampled: a page cannot show more, and says so.
type stream struct {
	w      http.ResponseWriter
	events bool
	buf    bytes.Buffer
}

const (
	// every is how often rows are sent, sampled how many of them at most to a reader of events.
	every   = 200 * time.Millisecond
	sampled = 40
	// silent is after how long without rows the reader is told why.
	silent = 3 * time.Second
	// chunk is how many rows a line of JSON holds at most.
	chunk = 500
)

func newStream(w http.ResponseWriter, r *http.Request) *stream {
	return &stream{w: w, events: strings.Contains(r.Header.Get("Accept"), "text/event-stream")}
}

// send writes one event and sees to it that it goes out.
func (s *stream) send(event string, data any) error {
	s.buf.Reset()
	enc := json.NewEncoder(&s.buf)
	enc.SetEscapeHTML(false)
	if s.events {
		s.buf.WriteString("event: " + event + "\ndata: ")
		if err := enc.Encode(data); err != nil {
			return err
		}
		s.buf.WriteString("\n")
	} else if err := enc.Encode(map[string]any{event: data}); err != nil {
		return err
	}
	if _, err := s.w.Write(s.buf.Bytes()); err != nil {
		return err
	}
	return http.NewResponseController(s.w).Flush()
}

type head struct {
	Columns []column `json:"columns"`
	Changes bool     `json:"changes"`
}

type part struct {
	Rows    []json.RawMessage `json:"rows"`
	Deleted []int             `json:"deleted,omitempty"`
	Of      int               `json:"of"`
}

// rows sends a result until it ends or the reader is gone, and closes it.
func (s *stream) rows(ctx context.Context, rows *streamsql.Rows) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	kind := "application/x-ndjson"
	if s.events {
		kind = "text/event-stream"
	}
	s.w.Header().Set("Content-Type", kind)
	err := s.send("columns", head{names(rows.Columns()), rows.Changes()})
	if err == nil {
		err = s.pump(ctx, rows)
	}
	end := problem{}
	if err != nil && !errors.Is(err, context.Canceled) {
		end = describe(err)
	}
	_ = s.send("end", end)
}

// pump hands rows on in parts: one each time span, or as soon as a line of JSON is full. One that ends early leaves the reading of
// the rows to ctx.
func (s *stream) pump(ctx context.Context, rows *streamsql.Rows) error {
	enc, err := streamsql.NewRowEncoder(rows.Columns())
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	var (
		p      part
		broken error // valid once lines is closed
	)
	lines := make(chan streamsql.Row, 256)
	go func() {
		defer close(lines)
		for row, err := range rows.All() {
			if broken = err; err != nil {
				return
			}
			select {
			case lines <- row:
			case <-ctx.Done():
				return
			}
		}
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for quiet := time.Duration(0); ; {
		select {
		case row, more := <-lines:
			if !more {
				return errors.Join(s.give(&p), broken)
			}
			if err := s.take(&p, enc, row); err != nil {
				return err
			}
			if s.events || len(p.Rows) < chunk {
				continue
			}
		case <-tick.C:
		}
		if p.Of == 0 {
			quiet += every
		} else {
			quiet = 0
		}
		if err := s.give(&p); err != nil {
			return err
		}
		if q := rows.Query(); q != nil && quiet >= silent {
			quiet = 0
			if err := s.send("status", map[string]string{"status": q.Diagnose(ctx).Sentence}); err != nil {
				return err
			}
		}
	}
}

// take adds a row to a part, or only counts it.
func (s *stream) take(p *part, enc *streamsql.RowEncoder, row streamsql.Row) error {
	p.Of++
	if s.events && len(p.Rows) >= sampled {
		return nil
	}
	text, err := enc.Append(nil, row)
	if err != nil {
		return err
	}
	if row.Deleted {
		p.Deleted = append(p.Deleted, len(p.Rows))
	}
	p.Rows = append(p.Rows, text)
	return nil
}

// give sends a part, if there is anything in it, and begins another one.
func (s *stream) give(p *part) error {
	if p.Of == 0 {
		return nil
	}
	err := s.send("rows", *p)
	*p = part{}
	return err
}
