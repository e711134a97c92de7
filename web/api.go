package web

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/streamsql-go/streamsql"
)

// overviewReply is GET /api/v1/overview.
type overviewReply struct {
	Now     time.Time           `json:"now"`
	Broker  string              `json:"broker,omitempty"` // of an embedded one
	Write   bool                `json:"write"`            // the page may offer what changes something
	Queries []streamsql.Summary `json:"queries"`
}

func (s *server) overview(w http.ResponseWriter, r *http.Request) {
	out := overviewReply{Now: time.Now().UTC(), Broker: s.e.Address(), Write: s.o.Write, Queries: []streamsql.Summary{}}
	for _, q := range s.e.Queries() {
		out.Queries = append(out.Queries, q.Summary(r.Context()))
	}
	reply(w, http.StatusOK, out)
}

func (s *server) query(w http.ResponseWriter, r *http.Request) {
	q, err := s.e.Lookup(r.PathValue("name"))
	if err != nil {
		refuse(w, http.StatusNotFound, err.Error())
		return
	}
	reply(w, http.StatusOK, q.Report(r.Context()))
}

// relation is one line of GET /api/v1/catalog.
type relation struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // stream, table, view
	Columns []column `json:"columns"`
}

type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func (s *server) catalog(w http.ResponseWriter, r *http.Request) {
	out := []relation{}
	for _, k := range []struct{ show, kind string }{{"SHOW STREAMS", "stream"}, {"SHOW TABLES", "table"}, {"SHOW VIEWS", "view"}} {
		names, err := s.texts(r, k.show)
		if err != nil {
			fail(w, err)
			return
		}
		for _, n := range names {
			rel := relation{Name: n[0], Kind: k.kind, Columns: []column{}}
			columns, err := s.texts(r, "DESCRIBE `"+n[0]+"`")
			if err != nil {
				fail(w, err)
				return
			}
			for _, c := range columns {
				rel.Columns = append(rel.Columns, column{c[0], c[1]})
			}
			out = append(out, rel)
		}
	}
	reply(w, http.StatusOK, out)
}

// texts are the rows of a statement about the engine.
func (s *server) texts(r *http.Request, sql string) ([][]string, error) {
	rows, err := s.e.Query(r.Context(), sql)
	if err != nil {
		return nil, err
	}
	var out [][]string
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		var cells []string
		for i := range row.Values {
			cells = append(cells, row.Text(i))
		}
		out = append(out, cells)
	}
	return out, nil
}

func (s *server) act(w http.ResponseWriter, r *http.Request) {
	if !s.o.Write {
		refuse(w, http.StatusForbidden, readOnly)
		return
	}
	q, err := s.e.Lookup(r.PathValue("name"))
	if err != nil {
		refuse(w, http.StatusNotFound, err.Error())
		return
	}
	switch action := r.PathValue("action"); action {
	case "pause":
		err = q.Pause(r.Context())
	case "resume":
		err = q.Resume(r.Context())
	case "terminate":
		err = q.Stop(r.Context())
	default:
		refuse(w, http.StatusNotFound, fmt.Sprintf("%q is no action: pause, resume and terminate are", action))
		return
	}
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, q.Report(r.Context()))
}

const readOnly = "this server is read-only: start it with --http-write to allow changes"

// sqlRequest is the body of POST /api/v1/sql.
type sqlRequest struct {
	SQL   string `json:"sql"`
	Start string `json:"start"` // of a SELECT: earliest or latest; "": the engine's setting
	Until string `json:"until"` // "": the SELECT goes on; end: until what is there now has been read
}

// largestRequest bounds a body.
const largestRequest = 1 << 20

func (s *server) sql(w http.ResponseWriter, r *http.Request) {
	var in sqlRequest
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, largestRequest))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		refuse(w, http.StatusBadRequest, "the body is no request: "+err.Error())
		return
	}
	opts := []streamsql.StartOption{streamsql.From(in.Start)}
	switch in.Until {
	case "":
	case "end":
		opts = append(opts, streamsql.Bounded(streamsql.UntilEnd))
	default:
		refuse(w, http.StatusBadRequest, fmt.Sprintf("until %q: use \"end\", or leave it out", in.Until))
		return
	}
	if !s.o.Write && !s.e.OnlyReads(in.SQL) {
		refuse(w, http.StatusForbidden, readOnly)
		return
	}
	rows, err := s.e.Query(r.Context(), in.SQL, opts...)
	if err != nil {
		fail(w, err)
		return
	}
	newStream(w, r).rows(r.Context(), rows)
}

func (s *server) tail(w http.ResponseWriter, r *http.Request) {
	q, err := s.e.Lookup(r.PathValue("name"))
	if err != nil {
		refuse(w, http.StatusNotFound, err.Error())
		return
	}
	target := q.Target()
	if target == "" {
		refuse(w, http.StatusNotFound, "query "+q.Name()+" writes no stream or table")
		return
	}
	start := r.URL.Query().Get("start")
	if start == "" {
		start = "latest"
	}
	rows, err := s.e.Query(r.Context(), "SELECT * FROM `"+target+"` EMIT CHANGES", streamsql.From(start))
	if err != nil {
		fail(w, err)
		return
	}
	newStream(w, r).rows(r.Context(), rows)
}

// describe is an error as the API tells it.
func describe(err error) problem {
	var at *streamsql.SQLError
	if !errors.As(err, &at) {
		return problem{Error: err.Error()}
	}
	line, col := at.Place()
	return problem{Error: at.Msg, Line: line, Column: col, Hint: at.Hint}
}

//go:embed openapi.json
var openAPI []byte

func (s *server) openapi(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI)
}

func names(cols []streamsql.Column) []column {
	out := make([]column, 0, len(cols))
	for _, c := range cols {
		out = append(out, column{c.Name, c.Type.String()})
	}
	return out
}
