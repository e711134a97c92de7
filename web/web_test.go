package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	_ "github.com/streamsql-go/streamsql/connectors/format/json"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/web"
)

const job = `CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 2);
	CREATE STREAM o AS SELECT id, n FROM s WHERE n > 1;
	INSERT INTO s VALUES ('a', 1), ('b', 2), ('c', 3);`

// served is an engine with a job behind a handler.
func served(t *testing.T, o web.Options) (*streamsql.Engine, *httptest.Server) {
	t.Helper()
	e, err := streamsql.Open(t.Context(), streamsql.Options{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(web.Handler(e, o))
	t.Cleanup(func() { srv.Close(); _ = e.Close() })
	if err := e.Exec(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	return e, srv
}

func ask(t *testing.T, method, url, body string, header ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, string(text)
}

// eventually asks until the answer holds all parts.
func eventually(t *testing.T, url string, parts ...string) {
	t.Helper()
	var text string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, text = ask(t, "GET", url, "")
		missing := false
		for _, p := range parts {
			missing = missing || !strings.Contains(text, p)
		}
		if !missing {
			return
		}
	}
	t.Errorf("%s answers %s\nwant %q", url, text, parts)
}

func TestLooking(t *testing.T) {
	_, srv := served(t, web.Options{})
	eventually(t, srv.URL+"/readyz", "ok")
	eventually(t, srv.URL+"/api/v1/overview", `"name":"o"`, `"in":3`, `"out":2`, `"filtered":1`, `"write":false`)
	eventually(t, srv.URL+"/api/v1/queries/O", `"rows":2`, `"topic":"s","partition":1`, `"lag":0`, "Filter n > 1")
	eventually(t, srv.URL+"/api/v1/catalog", `{"name":"s","kind":"stream","columns":[{"name":"id","type":"VARCHAR"},{"name":"n","type":"INT"}]}`)
	for _, path := range []string{"/", "/page.js", "/draw.js", "/graph.js", "/rows.js", "/editor.js", "/page.css"} {
		if code, text := ask(t, "GET", srv.URL+path, ""); code != 200 || text == "" {
			t.Errorf("%s: %d", path, code)
		}
	}
	if code, text := ask(t, "GET", srv.URL+"/api/v1/queries/none", ""); code != 404 || !strings.Contains(text, "SHOW QUERIES") {
		t.Error(code, text)
	}
}

// Who may only look changes nothing.
func TestReadOnly(t *testing.T) {
	e, srv := served(t, web.Options{})
	for _, c := range [][2]string{
		{"/api/v1/sql", `{"sql": "DROP STREAM s"}`}, {"/api/v1/sql", `{"sql": "SHOW STREAMS; DROP STREAM s"}`}, {"/api/v1/sql", `{"sql": "TERMINATE o"}`}, {"/api/v1/queries/o/terminate", ""},
	} {
		if code, text := ask(t, "POST", srv.URL+c[0], c[1]); code != 403 || !strings.Contains(text, "read-only") {
			t.Errorf("%s: %d %s", c, code, text)
		}
	}
	if q, err := e.Lookup("o"); err != nil || q.State() != streamsql.Running {
		t.Error(q, err)
	}
}

func TestActing(t *testing.T) {
	e, srv := served(t, web.Options{Write: true})
	q, err := e.Lookup("o")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		action string
		state  streamsql.State
	}{{"pause", streamsql.Paused}, {"resume", streamsql.Running}, {"terminate", streamsql.Stopped}} {
		if code, text := ask(t, "POST", srv.URL+"/api/v1/queries/o/"+c.action, ""); code != 200 {
			t.Fatal(code, text)
		}
		for end := time.Now().Add(10 * time.Second); q.State() != c.state && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		}
		if q.State() != c.state {
			t.Errorf("%s: %s", c.action, q.State())
		}
	}
	if code, text := ask(t, "POST", srv.URL+"/api/v1/queries/o/melt", ""); code != 404 {
		t.Error(code, text)
	}
}

func TestSQL(t *testing.T) {
	_, srv := served(t, web.Options{})
	code, text := ask(t, "POST", srv.URL+"/api/v1/sql", `{"sql": "SELECT id FROM s WHERE n >= 2 LIMIT 2", "start": "earliest"}`)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if code != 200 || lines[0] != `{"columns":{"columns":[{"name":"id","type":"VARCHAR"}],"changes":false}}` || !strings.Contains(text, `{"id":"b"}`) || !strings.Contains(text, `{"id":"c"}`) || lines[len(lines)-1] != `{"end":{"error":""}}` {
		t.Error(code, text)
	}
	code, text = ask(t, "POST", srv.URL+"/api/v1/sql", `{"sql": "SELECT id,\n  nn FROM s"}`)
	var p struct {
		Error, Hint  string
		Line, Column int
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil || code != 422 || p.Line != 2 || p.Column != 3 || !strings.Contains(p.Error+p.Hint, "n") {
		t.Error(code, text, err)
	}
	for _, body := range []string{"", "{", `{"sql": "SHOW STREAMS", "limit": 3}`, `{"sql": "SHOW STREAMS", "until": "never"}`} {
		if code, text := ask(t, "POST", srv.URL+"/api/v1/sql", body); code != 400 {
			t.Errorf("%q: %d %s", body, code, text)
		}
	}
}

// A reader of events gets the rows that come, the sentence while none do, and how many were left out.
func TestTail(t *testing.T) {
	e, srv := served(t, web.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", srv.URL+"/api/v1/queries/o/rows?start=earliest", nil)
	r.Header.Set("Accept", "text/event-stream")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	read := func(want string) string {
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return lines.Text()
			}
		}
		t.Fatalf("no %q: %v", want, lines.Err())
		return ""
	}
	read("event: columns")
	read(`{"id":"b","n":2}`)
	read("event: status")
	var many strings.Builder
	many.WriteString("INSERT INTO s VALUES ('x', 9)")
	for range 5000 {
		many.WriteString(", ('x', 9)")
	}
	if err := e.Exec(ctx, many.String()); err != nil {
		t.Fatal(err)
	}
	shown, came := 0, 0
	for came < 5001 {
		var p struct {
			Rows []json.RawMessage
			Of   int
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(read(`"of":`), "data: ")), &p); err != nil {
			t.Fatal(err)
		}
		shown, came = shown+len(p.Rows), came+p.Of
	}
	if shown >= came {
		t.Errorf("%d of %d rows were shown: a page cannot show them all", shown, came)
	}
}

func TestWhoMayAsk(t *testing.T) {
	_, srv := served(t, web.Options{Token: "secret", Hosts: []string{"127.0.0.1"}})
	url := srv.URL + "/api/v1/overview"
	for _, c := range []struct {
		code   int
		header []string
	}{
		{401, nil}, {401, []string{"Authorization", "Bearer wrong"}}, {200, []string{"Authorization", "Bearer secret"}},
		{200, []string{"Authorization", "Basic dXNlcjpzZWNyZXQ="}}, // user:secret
		{421, []string{"Host", "evil.example", "Authorization", "Bearer secret"}},
	} {
		if code, text := ask(t, "GET", url, "", c.header...); code != c.code {
			t.Errorf("%q: %d %s, want %d", c.header, code, text, c.code)
		}
	}
	// Probes have no token.
	eventually(t, srv.URL+"/livez", "ok")
	// Another site's page may not post.
	if code, _ := ask(t, "POST", srv.URL+"/api/v1/sql", `{"sql": "SHOW STREAMS"}`, "Authorization", "Bearer secret", "Sec-Fetch-Site", "cross-site"); code != 403 {
		t.Error(code)
	}
}

// The description names what is served: every path of it answers otherwise than "no such page".
func TestOpenAPI(t *testing.T) {
	_, srv := served(t, web.Options{})
	_, text := ask(t, "GET", srv.URL+"/api/v1/openapi.json", "")
	var doc struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil || len(doc.Paths) < 8 {
		t.Fatal(err, len(doc.Paths))
	}
	for path, methods := range doc.Paths {
		for method := range methods {
			path := strings.NewReplacer("{name}", "none", "{action}", "pause").Replace(path)
			if code, text := ask(t, strings.ToUpper(method), srv.URL+path, "{}"); code == 405 || strings.HasPrefix(text, "404 page") {
				t.Errorf("%s %s: %d %s", method, path, code, text)
			}
		}
	}
}
