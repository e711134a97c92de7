package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/streamsql-go/streamsql"
)

// session is an open engine with what ends it.
type session struct {
	*streamsql.Engine
	ctx   context.Context // ends with the first signal
	close func() error    // may be called often; waits for the end
}

// open opens an engine that stops gracefully when ctx ends: its queries commit and leave their groups.
func (a *app) open(ctx context.Context) (*session, error) {
	o := a.config.options
	o.Start = a.config.start
	if len(o.Brokers) == 0 { // what a configuration says of TLS and login is for brokers elsewhere
		o.Kafka.TLS, o.Kafka.SASL = nil, nil
	}
	a.boundMemory()
	e, err := streamsql.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	for name, value := range a.config.define {
		e.Define(name, value)
	}
	stop, err := a.listen(e)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	s := &session{Engine: e, ctx: ctx, close: sync.OnceValue(func() error { stop(); return e.Close() })}
	// Queries outlive the statement that started them: they end with the engine.
	context.AfterFunc(ctx, func() { _ = s.close() })
	return s, nil
}

// end closes the session. What failed because a signal ended it is no failure.
func (s *session) end(err error) error {
	stopped := s.ctx.Err() != nil
	closing := s.close()
	if stopped && (errors.Is(err, context.Canceled) || errors.Is(err, streamsql.ErrClosed)) {
		err = nil
	}
	if err != nil {
		return err
	}
	return closing
}

// stopLimit bounds a stop in all, below Kubernetes' grace period of 30 s: a disk that is gone may hold one up for ever.
const stopLimit = 28 * time.Second

// stoppable is a context that ends at the first SIGINT or SIGTERM. At the second one the program ends at once, and so it
// does when the stop takes longer than stopLimit.
func stoppable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-signals:
				if n > 0 {
					os.Exit(exitForced)
				}
				cancel()
				time.AfterFunc(stopLimit, func() {
					fmt.Fprintf(os.Stderr, "streamsql: not stopped after %v: ended as by kill -9; what was committed stays, the log says what is wrong\n", stopLimit)
					os.Exit(exitFailure)
				})
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
