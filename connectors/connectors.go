// Package connectors holds what the engine asks of a broker cluster: topics, transactional group sessions, ranges of a
// partition. connectors/kafka implements it on franz-go; the simulated cluster of the tests implements it in memory.
package connectors

import (
	"context"
	"errors"

	"github.com/streamsql-go/streamsql/sql/vector"
)

// Partition is one partition of a topic.
type Partition struct {
	Topic     string
	Partition int32
}

// NoTimestamp is Kafka's "no timestamp".
const NoTimestamp = -1

// Record is a Kafka record. A nil Key or Value is Kafka's null. Bytes are shared and must not be changed.
type Record struct {
	Topic     string
	Partition int32
	Offset    int64
	Timestamp int64 // milliseconds
	Key       []byte
	Value     []byte
	Headers   []vector.Header
}

// Fetched is what a poll brought of one partition, in offset order. Control records and aborted records are not in
// Records, but Next, the position after them, counts them. End is the partition's end offset as the broker told it then.
type Fetched struct {
	Partition
	Records []Record
	Next    int64
	End     int64
}

// Offset is a position to commit, with up to 4 KB of metadata.
type Offset struct {
	At       int64
	Metadata string
}

// Assigned is a partition that came to this session.
type Assigned struct {
	Partition
	Committed Offset // At -1: nothing committed
}

// Poll is what happened since the last one. Rebalances show as values: they never happen in the middle of an epoch.
type Poll struct {
	// Generation changes with every rebalance.
	Generation int32
	// Rebalanced: the assignment is now exactly Assignment (it may be as before). Reported before any record of it.
	Rebalanced bool
	Assignment []Assigned
	// Lost: the membership was lost (fenced, session time-out): what is open must be dropped.
	Lost bool
	// Wanted: a rebalance waits for the open epoch to be committed.
	Wanted  bool
	Fetched []Fetched
}

// ErrAborted is returned by Session.Commit when the transaction was aborted: nothing of the epoch is visible, and the
// positions are back at the committed offsets.
var ErrAborted = errors.New("transaction aborted")

// ErrUnknownOutcome is returned by Session.Commit when nobody knows whether the transaction was committed: the session
// must be closed, and the committed state be read again.
var ErrUnknownOutcome = errors.New("outcome of the transaction is unknown")

// Session is a member of a consumer group and a transactional producer in one. Calls come from one goroutine.
type Session interface {
	// Poll returns at most max records, waiting until something happens or ctx ends (then an empty Poll and no error).
	// The records are valid until the next Poll; the bytes they share are not used again.
	Poll(ctx context.Context, max int) (Poll, error)
	// Produce sends r within the open transaction (begun when needed) to r.Partition; r is kept until Commit. A failure
	// shows at Commit.
	Produce(r *Record)
	// Flush waits until what was produced in the open transaction has its offsets, and returns for every partition produced to
	// in it the offset after the last record. A record that failed has none: then Commit says so.
	Flush(ctx context.Context) (ends map[Partition]int64, err error)
	// Commit ends the transaction with these offsets, all or nothing, and returns for every partition produced to in it
	// the offset after the last record. It may be called without anything produced.
	Commit(ctx context.Context, offsets map[Partition]Offset) (ends map[Partition]int64, err error)
	// Abort drops the open transaction; positions go back to the committed offsets.
	Abort(ctx context.Context) error
	// Seek sets the position of an assigned partition.
	Seek(p Partition, offset int64)
	// Pause and Resume stop and restart fetching of partitions; records already polled are not affected.
	Pause(ps ...Partition)
	Resume(ps ...Partition)
	// Fence makes sure that no transaction of an earlier holder of the session's transactional id is open.
	Fence(ctx context.Context) error
	// Close leaves the group at once when leave is Leave; a static member that crashes or is Kept keeps its place.
	Close(ctx context.Context, how Closing) error
}

// Closing says what becomes of the group membership.
type Closing uint8

// The ways to close.
const (
	Leave Closing = iota
	Keep
)

// Unit is the smallest thing a member of a group is assigned: for each partition number p, the partitions p of all these
// topics (of those that have a partition p) go to the same member.
type Unit struct {
	Topics []string
}

// SessionOptions opens a session.
type SessionOptions struct {
	Group           string
	TransactionalID string
	InstanceID      string // group.instance.id
	Units           []Unit
	// Partitions is the partition count of each topic of Units.
	Partitions map[string]int32
	// Fingerprint of the plan: members with another one are refused with ErrFingerprint.
	Fingerprint string
	// Exclusive: this member runs local shuffles; a second member is refused with ErrExclusive.
	Exclusive bool
	// Starts are the positions of partitions without a committed offset.
	Starts map[Partition]int64
}

// ErrFingerprint is returned by Poll when the group runs another plan.
var ErrFingerprint = errors.New("the group runs another plan")

// ErrExclusive is returned by Poll when a member with local shuffles is (or would be) not alone.
var ErrExclusive = errors.New("an instance with local shuffles must be alone in its group")

// TopicInfo describes a topic.
type TopicInfo struct {
	ID         string // changes when the topic is created again
	Partitions int32
	Configs    map[string]string // filled by Cluster.Topics on request of WithConfigs
}

// TopicSpec creates a topic.
type TopicSpec struct {
	Name        string
	Partitions  int32
	Replication int16 // 0 or -1: the broker's default
	Configs     map[string]string
}

// Cluster is a broker cluster. It is safe for concurrent use.
type Cluster interface {
	// Topics describes those of names that exist (all topics when names is empty).
	Topics(ctx context.Context, names ...string) (map[string]TopicInfo, error)
	// Create makes topics; one that exists already is left alone.
	Create(ctx context.Context, specs ...TopicSpec) error
	Delete(ctx context.Context, names ...string) error
	// Starts and Ends are the log start and read_uncommitted end offsets.
	Starts(ctx context.Context, ps ...Partition) (map[Partition]int64, error)
	Ends(ctx context.Context, ps ...Partition) (map[Partition]int64, error)
	// OffsetsAt is, per partition, the offset of the first record with a timestamp >= millis, or the end.
	OffsetsAt(ctx context.Context, millis int64, ps ...Partition) (map[Partition]int64, error)
	// Committed are a group's committed offsets; partitions without one are left out.
	Committed(ctx context.Context, group string) (map[Partition]Offset, error)
	// DeleteGroup forgets a group without members, its committed offsets too; one that does not exist is no error.
	DeleteGroup(ctx context.Context, group string) error
	// Skip returns to, if an uncommitted fetch at from shows no batch below to (compaction, retention); else from.
	Skip(ctx context.Context, p Partition, from, to int64) (int64, error)
	// Read visits the committed records of [from, to) in order and returns when the position has reached to. It waits
	// for open transactions below to.
	Read(ctx context.Context, p Partition, from, to int64, visit func([]Record) error) error
	// Write appends records outside transactions and waits for their acknowledgement; it returns their offsets.
	Write(ctx context.Context, records ...Record) ([]int64, error)
	// DeleteBefore trims partitions.
	DeleteBefore(ctx context.Context, before map[Partition]int64) error
	// Open joins a group. It does not wait for an assignment.
	Open(ctx context.Context, o SessionOptions) (Session, error)
	Close() error
}
