package streamsql

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/storage"
)

// Shuffle says where rows go that must meet rows of other partitions.
type Shuffle string

// The kinds of shuffle.
const (
	// ShuffleAuto is ShuffleTopic with Options.Brokers, ShuffleLocal on the embedded broker.
	ShuffleAuto Shuffle = "auto"
	// ShuffleTopic goes through repartition topics: right for any number of instances.
	ShuffleTopic Shuffle = "topic"
	// ShuffleLocal stays in the process and is faster; a second instance of the query is refused.
	ShuffleLocal Shuffle = "local"
)

// Options configure an Engine. The zero value works: an embedded broker in memory, state in a temporary directory.
type Options struct {
	// Brokers are Kafka bootstrap addresses, host:port. The default is an embedded broker in this process.
	Brokers []string
	// Kafka has the client's settings: TLS, SASL, compression, further franz-go options. Its Brokers are ignored.
	Kafka kafka.Options
	// Cluster replaces Brokers and Kafka: a broker cluster of another kind. The engine does not close it.
	Cluster connectors.Cluster
	// DataDir keeps the embedded broker's records across restarts. The default is in memory.
	DataDir string

	// Name is the application's: it prefixes groups, topics and transactional ids. Instances that share work have the same
	// Name. The default is "streamsql".
	Name string
	// StateDir holds this instance's state. The default is $XDG_STATE_HOME/streamsql/<Name>/<first free slot>, with the
	// embedded broker in memory a temporary directory.
	StateDir string
	// Memory is the budget for state held in memory, bytes. The default is 256 MB.
	Memory int64

	// PullMemory is the budget for the newest rows of tables that pull queries have read, bytes: the next query reads only what is new. A partition that does not
	// fit is read from its beginning each time. The default is 128 MB, taken as it is needed; below 0: nothing is kept.
	PullMemory int64

	// Shuffle is the kind of shuffles. The default is ShuffleAuto.
	Shuffle Shuffle
	// CommitInterval is the time between transactions. The default is 100 ms.
	CommitInterval time.Duration
	// Start is where an ad-hoc SELECT begins in sources that do not say: "earliest" (default) or "latest".
	Start string

	// Formats are options of formats that relations have where their WITH does not say: "registry.url", "registry.password". The default
	// is none. Secrets among them are never shown.
	Formats map[string]string

	// Logger gets one line per fact. The default discards.
	Logger *slog.Logger
	// Clock tells the wall-clock time. The default is the machine's.
	Clock exec.Clock
	// FS is where state files live. The default is the disk.
	FS *storage.FS
}

func (o Options) withDefaults() (Options, error) {
	if o.Name == "" {
		o.Name = "streamsql"
	}
	for _, r := range o.Name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-') {
			return o, fmt.Errorf("name %q: topic names are made of it, so use letters, digits, '.', '_' and '-' only", o.Name)
		}
	}
	switch o.Shuffle {
	case "", ShuffleAuto:
		o.Shuffle = ShuffleTopic
		if o.embedded() {
			o.Shuffle = ShuffleLocal
		}
	case ShuffleTopic, ShuffleLocal:
	default:
		return o, fmt.Errorf("shuffle %q: use auto, topic or local", o.Shuffle)
	}
	if o.CommitInterval < 0 {
		return o, fmt.Errorf("commit interval %s: it must be positive", o.CommitInterval)
	}
	o.CommitInterval = cmp.Or(o.CommitInterval, 100*time.Millisecond)
	if o.Memory = cmp.Or(o.Memory, 256<<20); o.Memory < 1<<20 {
		return o, fmt.Errorf("memory budget of %d bytes: use at least 1 MB", o.Memory)
	}
	o.PullMemory = cmp.Or(o.PullMemory, 128<<20)
	if err := checkDefaults(o.Formats); err != nil {
		return o, err
	}
	o.Start = cmp.Or(o.Start, "earliest")
	if err := checkStart(o.Start); err != nil {
		return o, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.FS == nil {
		o.FS = storage.Disk()
	}
	if o.Clock == nil {
		o.Clock = exec.SystemClock{}
	}
	return o, nil
}

func (o Options) embedded() bool { return len(o.Brokers) == 0 && o.Cluster == nil }

// Validate says what is wrong with options that Open would refuse, without reaching for anything.
func (o Options) Validate() error {
	_, err := o.withDefaults()
	return err
}
