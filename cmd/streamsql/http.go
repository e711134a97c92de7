package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/metrics"
	"github.com/streamsql-go/streamsql/web"
)

// listening is where and for whom the page is.
type listening struct {
	address, token, cert, key string
	write                     bool
}

func setHTTPWrite(c *config, v string) (err error) {
	if c.http.write, err = strconv.ParseBool(v); err != nil {
		return errors.New("use true or false")
	}
	return nil
}

// check finds what is wrong with it, and whether others than this machine can reach it.
func (l listening) check() (loopback bool, err error) {
	host, _, err := net.SplitHostPort(l.address)
	if err != nil {
		return false, usagef("--http %s: use host:port, such as 127.0.0.1:8089", l.address)
	}
	ip := net.ParseIP(host)
	loopback = host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case !loopback && l.token == "":
		return false, usagef("--http %s: others can reach this: set STREAMSQL_HTTP_TOKEN, or listen on 127.0.0.1", l.address)
	case (l.cert == "") != (l.key == ""):
		return false, usagef("--http: TLS takes both http_cert and http_key")
	}
	return loopback, nil
}

// listen serves the engine at --http; without it, nothing is. stop ends that.
func (a *app) listen(e *streamsql.Engine) (stop func(), err error) {
	l := a.config.http
	if l.address == "" {
		return func() {}, nil
	}
	loopback, err := l.check()
	if err != nil {
		return nil, err
	}
	socket, err := net.Listen("tcp", l.address)
	if err != nil {
		return nil, usagef("--http %s: %v", l.address, err)
	}
	o := web.Options{Write: l.write, Token: l.token}
	if loopback {
		o.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	}
	ctx, cancel := context.WithCancel(context.Background())
	srv := &http.Server{
		Handler: handler(e, o), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go func() {
		if err := a.serve(srv, socket); !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("the page is gone", "address", l.address, "error", err)
		}
	}()
	scheme := "http"
	if l.cert != "" {
		scheme = "https"
	}
	a.page = scheme + "://" + socket.Addr().String()
	return func() {
		cancel() // the rows that are being read
		ctx, done := context.WithTimeout(context.Background(), time.Second)
		defer done()
		_ = errors.Join(srv.Shutdown(ctx), srv.Close())
	}, nil
}

func (a *app) serve(srv *http.Server, socket net.Listener) error {
	if l := a.config.http; l.cert != "" {
		return srv.ServeTLS(socket, l.cert, l.key)
	}
	return srv.Serve(socket)
}

// handler is the page beside the metrics of engine and process.
func handler(e *streamsql.Engine, o web.Options) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.Collector(e), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler(e, o))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}
