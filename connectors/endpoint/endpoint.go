// Package endpoint is the frame for connectors other than Kafka. Each lives in a package of its own, which registers it when
// it is imported, so that a program carries only those it names.
//
// A source is a connectors.Feed: its records are written into a topic of the cluster, from where they are read like those of
// any other source. A target is a Sink: the query writes its records into a topic of the cluster, from where they are delivered. So the
// engine has one way in and one way out, with one story about exactly-once, and no operator ever waits for a slow receiver.
package endpoint

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/pace"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Kind is a connector: a kind of source, of target, or both.
type Kind struct {
	Name string // in lower case
	Doc  string // one line

	// Options are those that a WITH clause may give it; their names begin with the kind's: "file.path".
	Options []connectors.Option
	// Check says what is wrong with what a relation says of itself. It touches nothing outside the process: CREATE and the checks
	// of scripts call it.
	Check func(Relation) error
	// NewSource makes a source, without opening anything yet. Nil: the connector cannot be read.
	NewSource func(Relation, Env) (Source, error)
	// NewSink opens a target. Nil: the connector cannot be written.
	NewSink func(Relation, Env) (Sink, error)
	// Direct says that a target takes its rows from the query itself, right after their commit: standard output. Nil: none does.
	Direct func(Relation) bool
	// Target says what is wrong with a relation as a target, besides what Check says. changes: its rows replace each other by key, and a
	// record without a value takes one away. Nil: nothing.
	Target func(r Relation, changes bool) error
	// Delivery says what a target promises, as a part of a sentence: "at least once".
	Delivery string
}

// Relation is what a connector is told of the relation that it stands behind.
type Relation struct {
	Name      string
	Connector string
	Columns   []types.Column
	// Format is that of the records' values; Spec is what a decoder or encoder of all columns in it is made for.
	Format string
	Spec   format.Spec
	// Options are those of Kind.Options that were given, by name in lower case.
	Options map[string]string
}

// Check checks the given options against a kind's table.
func (r Relation) Check(table []connectors.Option) (*connectors.Options, error) {
	names := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		names[i] = c.Name
	}
	return connectors.CheckOptions(table, names, r.Options)
}

// Env is what the engine gives to what it runs.
type Env struct {
	App string // prefix of what belongs to the application
	// Outbox names the outbox that a sink is fed from, in letters and digits: another one after its topic was made anew, for the offsets of records
	// begin anew then.
	Outbox string
	Clock  pace.Clock
	Stdin  io.Reader
	Stdout io.Writer
	Logger *slog.Logger
}

// Source is a feed and what is to be known of it.
type Source struct {
	Feed connectors.Feed
	// Bound is what a user may do to give the feed an end, such as "give it generate.rows"; "": it has one.
	Bound string
}

var registered struct {
	sync.RWMutex
	byName map[string]Kind
}

// elsewhere are connectors that are not in every binary.
var elsewhere = []string{"http", "parquet"}

// Register makes a connector known; its package calls it when it is imported. A name registered twice is a programming error
// and panics.
func Register(k Kind) {
	registered.Lock()
	defer registered.Unlock()
	if registered.byName == nil {
		registered.byName = map[string]Kind{}
	}
	if _, twice := registered.byName[k.Name]; twice || k.Name == "kafka" || k.Name == "go" {
		panic("connector " + k.Name + " is registered twice")
	}
	registered.byName[k.Name] = k
}

// All are the registered connectors, by name.
func All() []Kind {
	registered.RLock()
	defer registered.RUnlock()
	out := make([]Kind, 0, len(registered.byName))
	for _, k := range registered.byName {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Lookup finds a connector. The error for an unknown one says what to import, or which are known.
func Lookup(name string) (Kind, error) {
	registered.RLock()
	k, ok := registered.byName[name]
	registered.RUnlock()
	if ok {
		return k, nil
	}
	if slices.Contains(elsewhere, name) {
		return Kind{}, fmt.Errorf("connector '%s' is not in this program: import _ \"github.com/streamsql-go/streamsql/connectors/%s\"", name, name)
	}
	known := []string{"kafka", "go"}
	for _, k := range All() {
		known = append(known, k.Name)
	}
	return Kind{}, fmt.Errorf("unknown connector '%s'; %s", name, spell.Hint(name, "there are", known))
}
