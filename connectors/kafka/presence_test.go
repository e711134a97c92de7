package kafka

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

// gate is a network that can be cut.
type gate struct {
	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func (g *gate) dial(ctx context.Context, network, address string) (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cut {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	g.conns = append(g.conns, c)
	return c, err
}

func (g *gate) set(cut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cut = cut
	for _, c := range g.conns {
		if cut && c != nil {
			c.Close()
		}
	}
}

type logLines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logLines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSpace(l.b.String()), "\n")
}

// TestOutageIsToldInPlainWords: one warning when no broker answers, one when they are back, and nothing else.
func TestOutageIsToldInPlainWords(t *testing.T) {
	b, err := embedded.Start(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	g, logs := &gate{}, &logLines{}
	e := connect(t, Options{Brokers: []string{b.Addr()}, Dialer: g.dial}, b, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	in, out := e.topic("in", 1), e.topic("out", 1)
	e.fill(in, 1, 0, 5)
	s := e.open(e.options("a", 1, in))
	e.assigned(s)
	e.take(s, 5)
	g.set(true)
	s.Produce(&connectors.Record{Topic: out, Value: []byte("x")})
	began := time.Now()
	for len(logs.all()[0]) == 0 {
		if time.Since(began) > 5*time.Second {
			t.Fatal("nothing is said within 5 s")
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(2 * time.Second) // attempts fail meanwhile
	g.set(false)
	_, err = s.Commit(e.ctx, at(in, 0, 5))
	if err != nil && !errors.Is(err, connectors.ErrAborted) {
		e.must(err)
	}
	lines := logs.all()
	if len(lines) != 2 || !strings.Contains(lines[0], "no broker answers at "+b.Addr()) || !strings.Contains(lines[0], "nothing is lost") ||
		!strings.Contains(lines[1], "answers again") {
		t.Errorf("logged:\n%s", strings.Join(lines, "\n"))
	}
}

// TestBridge: what passes by itself is for debugging, what does not is shown.
func TestBridge(t *testing.T) {
	logs := &logLines{}
	b := bridge{slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	b.Log(kgo.LogLevelWarn, "produce partition load error", "topic", "t", "err", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
	b.Log(kgo.LogLevelError, "group manage loop errored", "err", kerr.CoordinatorNotAvailable)
	b.Log(kgo.LogLevelWarn, "unable to load producer ID, bumping client's buffered record load errors by 1 and retrying")
	b.Log(kgo.LogLevelWarn, "join group failed", "err", kerr.GroupAuthorizationFailed)
	b.Log(kgo.LogLevelError, "broker replied incorrectly")
	lines := logs.all()
	if len(lines) != 2 || !strings.Contains(lines[0], "join group failed") || !strings.Contains(lines[1], "level=ERROR") {
		t.Errorf("logged:\n%s", strings.Join(lines, "\n"))
	}
}
