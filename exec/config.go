// Package exec runs a planned query: a Job is one instance's share of it. A Job's worker polls one session, hands the
// records to the tasks it was assigned, and commits outputs, state changes and positions in one transaction.
package exec

import (
	"log/slog"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage"
)

// Shuffling says where shuffles go.
type Shuffling uint8

// The kinds of shuffle (semantics S8, docs/design.md).
const (
	// ShuffleTopic sends shuffled rows through repartition topics: right for any number of instances.
	ShuffleTopic Shuffling = iota
	// ShuffleLocal passes them between the tasks of one process: a second instance is refused.
	ShuffleLocal
)

// Until says when a job ends.
type Until uint8

// The ends of semantics S8.
const (
	Endless Until = iota
	// UntilEnd stops once everything that was in the sources at start has gone through, and closes all windows.
	UntilEnd
	// UntilCaughtUp stops there without closing windows.
	UntilCaughtUp
)

// Clock tells the time. Its zero value is not usable; SystemClock is the machine's.
type Clock interface {
	Now() time.Time
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// Config configures a job. The zero value of a field is its default unless said otherwise.
type Config struct {
	App     string             // prefix of group, topics and transactional ids; required
	Cluster connectors.Cluster // required
	Clock   Clock              // default SystemClock
	Logger  *slog.Logger       // default discards
	// StateDir holds this instance's state of all queries (already locked); FS is where it lives.
	StateDir string
	FS       *storage.FS // nil: the disk
	Cache    *storage.Cache
	// InstanceID names this instance for ever (storage.Lock.InstanceID).
	InstanceID     string
	Shuffle        Shuffling
	Until          Until
	CommitInterval time.Duration // default 100ms; negative: after every poll (tests)
	// PollRecords is the largest batch; default 20000.
	PollRecords int
	// Memory is the budget of the job's state in bytes; default 256 MB.
	Memory int64
	// BufferRows bounds the rows a join holds back before its stream is paused; default 500000.
	BufferRows int
	ledger     ledger // of the query's start and runs
	// OnRows receives the rows of an ad-hoc query, or for standard output, after they were committed. The batch is the receiver's.
	OnRows func(b *vector.Batch) error
	// OnBad is told of each record of a source that could not be used, on the job's goroutine; again when it is read again. Nil: nobody wants to know.
	OnBad func(task.BadRecord)
	// Crash is called at each step of the commit with the step's name; a non-nil error stops the job there as a crash
	// would, with nothing cleaned up. Tests only.
	Crash func(step string) error
}

// The steps of a commit, in order, as given to Config.Crash.
const (
	StepProcessed   = "processed"    // rows went through the operators
	StepLogged      = "logged"       // state changes and control records were produced, the transaction is open
	StepAfterEnd    = "after-end"    // the transaction was committed
	StepAfterCommit = "after-commit" // the local state knows
)

func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = SystemClock{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.FS == nil {
		c.FS = storage.Disk()
	}
	if c.CommitInterval == 0 {
		c.CommitInterval = 100 * time.Millisecond
	}
	if c.PollRecords == 0 {
		c.PollRecords = 20000
	}
	if c.Memory == 0 {
		c.Memory = 256 << 20
	}
	if c.BufferRows == 0 {
		c.BufferRows = 500000
	}
	return c
}
