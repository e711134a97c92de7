package streamsql_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql"
	_ "github.com/streamsql-go/streamsql/connectors/http"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

// hook is a receiver of rows.
type hook struct {
	*httptest.Server
	sync.Mutex
	down  int // requests to refuse with 503; below 0: all
	no    string
	rows  []string
	seen  map[string]bool // numbers of rows
	twice int
}

func newHook(t *testing.T) *hook {
	h := &hook{seen: map[string]bool{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		h.Lock()
		defer h.Unlock()
		switch {
		case h.down != 0:
			h.down--
			w.WriteHeader(http.StatusServiceUnavailable)
		case h.no != "" && strings.Contains(string(b), h.no):
			w.WriteHeader(http.StatusUnprocessableEntity)
		case h.seen[r.Header.Get("Idempotency-Key")]:
			h.twice++
		default:
			h.seen[r.Header.Get("Idempotency-Key")] = true
			h.rows = append(h.rows, string(b))
		}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) wants(t *testing.T, want ...string) {
	t.Helper()
	h.Lock()
	defer h.Unlock()
	if !slices.Equal(h.rows, want) {
		t.Errorf("received %q, want %q", h.rows, want)
	}
}

const hookRows = "CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('a', 1), ('b', 2), ('c', 3);"

// TestWebhook: a bounded query has ended once the receiver has all rows, although it was away at first.
func TestWebhook(t *testing.T) {
	h := newHook(t)
	h.down = 3
	l := open(t, streamsql.Options{})
	l.exec(hookRows)
	q, err := l.Start(l.ctx, "CREATE STREAM sent WITH (connector = 'http', http.url = '"+h.URL+"', http.backoff = '1ms') AS SELECT id, n * 2 AS twice FROM s", streamsql.Bounded(streamsql.UntilEnd))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(l.ctx); err != nil {
		t.Fatal(err)
	}
	h.wants(t, `{"id":"a","twice":2}`, `{"id":"b","twice":4}`, `{"id":"c","twice":6}`)
	if plan := q.Explain(); !strings.Contains(plan, "Sink sent (connector http, at least once, each row under a number that stays, by topic streamsql.sent.outbox, json)") {
		t.Error(plan)
	}
	for _, sql := range []string{"SHOW CREATE sent", "DESCRIBE EXTENDED sent"} {
		rows, err := l.Query(l.ctx, sql)
		if err != nil {
			t.Fatal(err)
		}
		got, err := lines(rows, -1)
		if err != nil || strings.Contains(strings.Join(got, " "), h.URL) {
			t.Errorf("%s shows the address: %v %v", sql, got, err)
		}
		if sql[0] == 'D' && !strings.Contains(strings.Join(got, "\n"), "(delivery) at least once") {
			t.Errorf("%s: %v", sql, got)
		}
	}
}

// TestWebhookIsDown: queries do not wait for a receiver; what it missed is delivered by the next program.
func TestWebhookIsDown(t *testing.T) {
	b, err := embedded.Start(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	h := newHook(t)
	h.down = -1
	o := streamsql.Options{Name: "app", Brokers: []string{b.Addr()}, StateDir: t.TempDir()}
	create := "CREATE STREAM sent (id VARCHAR) WITH (connector = 'http', http.url = '" + h.URL + "', http.backoff = '1ms');"
	first := open(t, o)
	first.exec(hookRows + create + "INSERT INTO sent SELECT id FROM s")
	first.sent("sent", 3)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	h.wants(t)
	h.Lock()
	h.down = 0
	h.Unlock()
	second := open(t, o)
	second.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's');" + create)
	q, err := second.Start(second.ctx, "INSERT INTO sent SELECT id FROM s", streamsql.Bounded(streamsql.UntilEnd))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Wait(second.ctx); err != nil {
		t.Fatal(err)
	}
	h.wants(t, `{"id":"a"}`, `{"id":"b"}`, `{"id":"c"}`)
	if h.twice > 0 {
		t.Errorf("%d rows came twice", h.twice)
	}
}

// sent waits until a query has committed so many rows.
func (l *lab) sent(query string, n int64) {
	l.t.Helper()
	q, err := l.Lookup(query)
	if err != nil {
		l.t.Fatal(err)
	}
	for q.Stats().Out < n {
		if l.ctx.Err() != nil {
			l.t.Fatalf("%s does not send %d rows: %s", query, n, q.Status())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestWebhookRefuses(t *testing.T) {
	h := newHook(t)
	h.no = `"b"`
	l := open(t, streamsql.Options{})
	l.exec(hookRows)
	start := func(name, option string) error {
		q, err := l.Start(l.ctx, "CREATE STREAM "+name+" WITH (connector = 'http', http.url = '"+h.URL+"'"+option+") AS SELECT id FROM s", streamsql.Bounded(streamsql.UntilEnd))
		if err != nil {
			t.Fatal(err)
		}
		return q.Wait(l.ctx)
	}
	if err := start("x", ""); err == nil || !strings.Contains(err.Error(), "target x: row streamsql/x/0/1: the receiver answers 422") {
		t.Error(err)
	}
	h.wants(t, `{"id":"a"}`)
	if err := start("y", ", http.on_reject = 'dead_letter'"); err != nil {
		t.Error(err)
	}
	h.wants(t, `{"id":"a"}`, `{"id":"a"}`, `{"id":"c"}`)
	l.exec("CREATE STREAM rejected (id VARCHAR) WITH (topic = 'streamsql.y.rejected')")
	if got := l.query("SELECT id, HEADER('streamsql.offset') AS at FROM rejected"); !slices.Equal(got, []string{"b 1"}) {
		t.Error(got)
	}
	l.refuses("CREATE STREAM z WITH (connector = 'http') AS SELECT id FROM s", "needs the option http.url")
	l.refuses("CREATE TABLE z WITH (connector = 'http', http.url = '"+h.URL+"') AS SELECT id, COUNT(*) AS c FROM s GROUP BY id", "replace each other", "http.envelope")
	l.refuses("CREATE TABLE z WITH (connector = 'file', file.path = 'x') AS SELECT id, COUNT(*) AS c FROM s GROUP BY id", "replace each other", "EMIT FINAL")
}

// TestFileTarget: lines are in the file when a bounded query has ended, and when an engine is closed.
func TestFileTarget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	l := open(t, streamsql.Options{})
	l.exec(hookRows)
	l.exec("CREATE STREAM o WITH (connector = 'file', file.path = '" + path + "', format = 'csv', file.header = true) AS SELECT id, n FROM s")
	l.sent("o", 3)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "id,n\na,1\nb,2\nc,3\n" {
		t.Errorf("%q %v", text, err)
	}
}
