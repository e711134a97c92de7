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

// pump hands rows on in parts.
func (s *stream) pump(ctx context.Context, rows *streamsql.Rows) error {
	enc, err := streamsql.NewRowEncoder(rows.Columns())
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	parts, failed := make(chan part), make(chan error, 1)
	go func() { failed <- s.collect(ctx, rows, enc, parts); close(parts) }()
	quiet := time.NewTicker(silent)
	defer quiet.Stop()
	for {
		select {
		case p, more := <-parts:
			if !more {
				return <-failed
			}
			quiet.Reset(silent)
			if err := s.send("rows", p); err != nil {
				return err
			}
		case <-quiet.C:
			if q := rows.Query(); q != nil {
				if err := s.send("status", map[string]string{"status": q.Diagnose(ctx).Sentence}); err != nil {
					return err
				}
			}
		}
	}
}

// collect makes parts of rows: one each time span, or as many as it takes without losing a row.
func (s *stream) collect(ctx context.Context, rows *streamsql.Rows, enc *streamsql.RowEncoder, to chan<- part) error {
	var p part
	give := func() error {
		if p.Of == 0 {
			return nil
		}
		select {
		case to <- p:
			p = part{}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	lines := make(chan streamsql.Row, 256)
	var broken error
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
	for {
		select {
		case row, more := <-lines:
			if !more {
				return errors.Join(give(), broken)
			}
			p.Of++
			if s.events && len(p.Rows) >= sampled {
				continue
			}
			text, err := enc.Append(nil, row)
			if err != nil {
				return err
			}
			if row.Deleted {
				p.Deleted = append(p.Deleted, len(p.Rows))
			}
			p.Rows = append(p.Rows, text)
			if !s.events && len(p.Rows) >= chunk {
				if err := give(); err != nil {
					return err
				}
			}
		case <-tick.C:
			if err := give(); err != nil {
				return err
			}
		}
	}
}
