// Package web serves an engine over HTTP: a page that shows its queries at work, and the API that the page is made of. A program
// mounts Handler where it likes; streamsql does so at --http.
package web

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql"
)

// Options say who may do what. The zero value: everybody who reaches the handler may look, and nobody may change anything.
type Options struct {
	// Write allows statements that change something and the stopping of queries.
	Write bool
	// Token is wanted as "Authorization: Bearer …", or as the password of basic authentication with any user. "": none is.
	Token string
	// Hosts are the names by which the handler may be asked, without port; others are refused, so that no page of another site can
	// ask by a name that it lets point here. Nil: any name.
	Hosts []string
}

// Handler serves the engine. It holds nothing that outlives a request.
func Handler(e *streamsql.Engine, o Options) http.Handler {
	s := &server{e: e, o: o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", s.livez)
	mux.HandleFunc("GET /readyz", s.readyz)
	api := http.NewServeMux()
	api.HandleFunc("GET /api/v1/overview", s.overview)
	api.HandleFunc("GET /api/v1/catalog", s.catalog)
	api.HandleFunc("GET /api/v1/queries/{name}", s.query)
	api.HandleFunc("GET /api/v1/queries/{name}/rows", s.tail)
	api.HandleFunc("POST /api/v1/queries/{name}/{action}", s.act)
	api.HandleFunc("POST /api/v1/sql", s.sql)
	api.HandleFunc("GET /api/v1/openapi.json", s.openapi)
	api.HandleFunc("GET /", s.page)
	mux.Handle("/", s.guard(http.NewCrossOriginProtection().Handler(api)))
	return mux
}

type server struct {
	e *streamsql.Engine
	o Options
}

// guard lets in who may look.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		switch {
		case !s.named(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this server is not known as "+r.Host)
		case !s.known(r):
			h.Set("WWW-Authenticate", `Basic realm="streamsql"`)
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong: send it as Authorization: Bearer …, or as the password")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (s *server) named(host string) bool {
	if s.o.Hosts == nil {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	for _, h := range s.o.Hosts {
		if strings.EqualFold(h, strings.Trim(host, "[]")) {
			return true
		}
	}
	return false
}

func (s *server) known(r *http.Request) bool {
	if s.o.Token == "" {
		return true
	}
	given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if _, password, ok := r.BasicAuth(); ok {
		given = password
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.o.Token)) == 1
}

// livez says that the program answers.
func (s *server) livez(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }

// readyz says whether all queries run or have ended well.
func (s *server) readyz(w http.ResponseWriter, _ *http.Request) {
	var wrong []string
	for _, q := range s.e.Queries() {
		switch {
		case q.State() == streamsql.Failed:
			wrong = append(wrong, q.Name()+": "+q.Status())
		case q.State() == streamsql.Running && q.Stats().Tasks == 0 && time.Since(q.Started()) < joining:
			wrong = append(wrong, q.Name()+": joins its group")
		}
	}
	if len(wrong) > 0 {
		http.Error(w, strings.Join(wrong, "\n"), http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

// joining is how long a query without tasks is taken to be on its way into its group. Afterwards it has none because other
// instances have them all.
const joining = 30 * time.Second

// problem is the body of every answer that is no success.
type problem struct {
	Error string `json:"error"`
	// Of a mistake in a statement: where it is, line and column (in characters) from 1, and what may help.
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Hint   string `json:"hint,omitempty"`
}

func refuse(w http.ResponseWriter, code int, text string) { reply(w, code, problem{Error: text}) }

// fail answers with an error of the engine.
func fail(w http.ResponseWriter, err error) {
	code := http.StatusInternalServerError
	var at *streamsql.SQLError
	if errors.As(err, &at) {
		code = http.StatusUnprocessableEntity
	}
	reply(w, code, describe(err))
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(body) // the reader may be gone
}
