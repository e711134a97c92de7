// Package diagnosis says in one sentence what a query is doing, and why no rows come when none do. Everything that tells a user
// about a query (SHOW STATUS, EXPLAIN ANALYZE, the prompt, the page) takes the sentence from here.
package diagnosis

import (
	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// Reason is what the sentence is about; a name for programs.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	NoTasks       Reason = "no tasks"        // another instance has the partitions, or none was assigned yet
	TopicMissing  Reason = "topic missing"   // a source topic is not there
	StartIsLatest Reason = "start is latest" // older records lie there
	NothingCame   Reason = "nothing came"    // the topics are empty, or nothing new was written
	Bad           Reason = "bad records"     // no record could be read
	Late          Reason = "late"            // every row was late
	AwaitsTable   Reason = "awaits table"    // rows wait until the table has come as far
	Filtered      Reason = "filtered"        // a condition drops everything
	NoMatch       Reason = "no match"        // the keys of a join never meet
	OpenWindow    Reason = "open window"     // rows leave when time reaches an instant
	AwaitsTime    Reason = "awaits time"     // the same without a known instant
	Flowing       Reason = "flowing"         // rows come
)

// Diagnosis is the answer.
type Diagnosis struct {
	Reason   Reason
	Sentence string
}

// Evidence is what the answer is made from.
type Evidence struct {
	Query *plan.Query
	Stats exec.Stats
	Now   int64 // wall clock, microseconds
	// Logs is what the brokers hold of the source topics: of all their partitions, none for a topic that is not there. Nil: nobody
	// asked.
	Logs map[string][]Log
}

// Log is the part of a partition that the brokers hold.
type Log struct {
	connectors.Partition
	Start, End int64
}
