package streamsql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	_ "github.com/streamsql-go/streamsql/connectors/format/csv"
	_ "github.com/streamsql-go/streamsql/connectors/format/debezium"
	_ "github.com/streamsql-go/streamsql/connectors/format/json" // the default format
	_ "github.com/streamsql-go/streamsql/connectors/format/primitive"
	"github.com/streamsql-go/streamsql/connectors/kafka"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
	"github.com/streamsql-go/streamsql/exec/latest"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/storage"
)

// Engine holds a catalog and runs queries.
type Engine struct {
	opts    Options
	cluster connectors.Cluster
	broker  *embedded.Broker // nil: brokers were given
	cache   *storage.Cache
	lock    *storage.Lock
	dir     string
	temp    string // removed at Close
	opened  time.Time
	// patience is how long a stop may take.
	patience time.Duration
	catalog  *catalog.Catalog
	ctx      context.Context // ends when the engine closes
	stop     context.CancelFunc
	wg       sync.WaitGroup // feeds and queries

	library expr.Library // functions of the program
	tables  *latest.Tables

	mu struct {
		sync.Mutex
		closed     bool
		queries    map[string]*Query
		order      []string
		feeds      map[string]*feeding        // by relation name, lower-case
		deliveries map[string]*delivery       // likewise
		sources    map[string]connectors.Feed // Go sources, likewise
		sinks      map[string]Sink            // Go sinks, likewise
		defines    map[string]string
		settings   settings
		adhoc      int
	}
}

// Open starts an engine: it reaches the cluster (or starts the embedded broker) and locks a state directory.
func Open(ctx context.Context, o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Engine{opts: o, opened: o.Clock.Now(), patience: stopTimeout, catalog: catalog.New(), cache: storage.NewCache(o.cacheBytes(), 512)}
	e.ctx, e.stop = context.WithCancel(context.WithoutCancel(ctx))
	e.mu.queries, e.mu.feeds = map[string]*Query{}, map[string]*feeding{}
	e.mu.deliveries = map[string]*delivery{}
	e.mu.sources, e.mu.sinks = map[string]connectors.Feed{}, map[string]Sink{}
	e.mu.defines = map[string]string{}
	e.mu.settings = settings{start: o.Start, commitInterval: o.CommitInterval}
	if err := e.connect(ctx); err != nil {
		return nil, errors.Join(err, e.release())
	}
	e.tables = latest.New(e.cluster, o.PullMemory, o.Clock.Now)
	if err := e.lockState(); err != nil {
		return nil, errors.Join(err, e.release())
	}
	return e, nil
}

// cacheBytes is the share of the budget that caches blocks of state files.
func (o Options) cacheBytes() int64 { return max(o.Memory/8, 1<<20) }

func (e *Engine) connect(ctx context.Context) error {
	if e.opts.Cluster != nil {
		e.cluster = e.opts.Cluster
		return nil
	}
	ko := e.opts.Kafka
	ko.Brokers = e.opts.Brokers
	if ko.Logger == nil {
		ko.Logger = e.opts.Logger
	}
	if e.opts.embedded() {
		var err error
		if e.broker, err = embedded.Start(embedded.Options{DataDir: e.opts.DataDir}); err != nil {
			return err
		}
		ko.Brokers = []string{e.broker.Addr()}
		ko.Compression = "none"
	}
	c, err := kafka.New(ctx, ko)
	if err != nil {
		return err
	}
	e.cluster = c
	return nil
}

// lockState takes the state directory, or the first free slot of the default one.
func (e *Engine) lockState() error {
	switch {
	case e.opts.StateDir != "":
		lock, err := storage.LockExact(e.opts.StateDir)
		if err != nil {
			return stateError(e.opts.StateDir, err)
		}
		e.dir, e.lock = e.opts.StateDir, lock
	case e.opts.embedded() && e.opts.DataDir == "":
		dir, err := os.MkdirTemp("", "streamsql-")
		if err != nil {
			return fmt.Errorf("no directory for state: %w (set TMPDIR or StateDir)", err)
		}
		e.temp = dir
		if e.lock, err = storage.LockExact(dir); err != nil {
			return err
		}
		e.dir = dir
	default:
		base, err := stateHome()
		if err != nil {
			return err
		}
		base = filepath.Join(base, "streamsql", e.opts.Name)
		if e.dir, e.lock, err = storage.LockDir(base); err != nil {
			return stateError(base, err)
		}
	}
	return nil
}

// stateError says what to do about a state directory that cannot be used.
func stateError(dir string, err error) error {
	if errors.Is(err, storage.ErrLocked) {
		return err // says it already
	}
	return fmt.Errorf("state directory %s cannot be used: %w: make it writable, or choose another one with --state-dir (Options.StateDir)", dir, err)
}

// stateHome is $XDG_STATE_HOME, or its default (XDG Base Directory Specification).
func stateHome() (string, error) {
	if d := os.Getenv("XDG_STATE_HOME"); d != "" {
		return d, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place for state: %w (set a state directory)", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}

// Address is where the embedded broker listens, "" without one.
func (e *Engine) Address() string {
	if e.broker == nil {
		return ""
	}
	return e.broker.Addr()
}

// StateDir is the directory this instance's state is in.
func (e *Engine) StateDir() string { return e.dir }

// Close stops all queries (they commit and leave their groups), waits for them, and releases everything. It waits for 25 s at
// most; then its error names the queries that do not stop, and what they hold is not released.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.mu.closed {
		e.mu.Unlock()
		return nil
	}
	e.mu.closed = true
	qs := slices.Collect(maps.Values(e.mu.queries))
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), e.patience)
	defer cancel()
	var errs []error
	for _, q := range qs {
		q.cancel(nil)
	}
	hung := false
	for _, q := range qs {
		errs = append(errs, q.halted(ctx))
		hung = hung || !q.ended()
	}
	if !hung {
		e.deliverLast(ctx, qs)
	}
	e.stop()
	if hung {
		return errors.Join(errs...)
	}
	if err := e.outsideEnds(ctx); err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, e.release())...)
}

// outsideEnds waits for the feeds, which were told to stop.
func (e *Engine) outsideEnds(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		e.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var stuck []string
	for _, f := range e.mu.feeds {
		if f.run == nil {
			continue
		}
		select {
		case <-f.run.done:
		default:
			stuck = append(stuck, fmt.Sprintf("source %s did not stop within %v: its Feed.Run must return when its context ends", f.rel.Name, e.patience))
		}
	}
	for _, d := range e.mu.deliveries {
		if !d.ended() {
			stuck = append(stuck, fmt.Sprintf("target %s did not stop within %v: what takes its rows must return", d.rel.Name, e.patience))
		}
	}
	slices.Sort(stuck)
	return errors.New(strings.Join(stuck, "; "))
}

func (e *Engine) release() error {
	var errs []error
	e.stop()
	if e.cluster != nil && e.opts.Cluster == nil {
		errs = append(errs, e.cluster.Close())
	}
	if e.broker != nil {
		e.broker.Close()
	}
	if e.cache != nil {
		e.cache.Close()
	}
	if e.lock != nil {
		errs = append(errs, e.lock.Release())
	}
	if e.temp != "" {
		errs = append(errs, os.RemoveAll(e.temp))
	}
	return errors.Join(errs...)
}
