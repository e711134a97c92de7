// Package plan holds plan nodes and their properties: immutable data that prints itself. It knows neither how a plan is
// made (bind, rules, distribute) nor how it runs (exec).
package plan

import (
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/expr"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Node is one step of a plan.
type Node interface {
	Props() *Props
	Inputs() []Node
	WithInputs(in []Node) Node
	// Describe is the node in one line of EXPLAIN, without its inputs.
	Describe() string
	node()
}

// Hash is how a partition is computed from a key.
type Hash uint8

// The hashes.
const (
	// NoHash: rows are spread without a rule that can be relied on.
	NoHash Hash = iota
	// Canonical is xxhash of the canonical typed key (storage/keys) modulo the count: shuffles.
	Canonical
	// Murmur2 and CRC32 are Java's and librdkafka's hash over the serialised key bytes: topics, and shuffles to meet one.
	Murmur2
	CRC32
	// Everywhere: every row is in every partition: shuffles of a broadcast table.
	Everywhere
	// Unmoved is no hash: a row goes to the partition of the number that it comes from, modulo the count. It brings the parts of
	// a union into one fragment.
	Unmoved
)

// Partitioning says where a row is. Rows with equal values of Exprs are in the same of Count partitions.
type Partitioning struct {
	Exprs []expr.Expr // over the node's own schema
	Hash  Hash
	// KeyFormat is the serialisation of the key under Murmur2 and CRC32 (connectors/format key formats: "string", "int",
	// "bigint", "double", "json", …), Types the column types it serialises.
	KeyFormat string
	Types     []types.Type
	// Names are those of the columns in the key, which a JSON object of several holds.
	Names []string
	Count int // 0: not known (no cluster was asked)
}

// Changes says what the rows of a node mean.
type Changes uint8

// The change modes.
const (
	AppendOnly Changes = iota
	// Upserts by the schema's key: a row replaces the one of its key, a tombstone removes it.
	Upserts
	// Deltas: a row is added, or (vector.Batch.Deleted) a row that was added before is removed, with all its columns and its
	// event time. What stands in the result is the multiset of rows added and not removed.
	Deltas
)

// Determinism is how far the result is fixed by the input (semantics S1).
type Determinism uint8

// The degrees.
const (
	All Determinism = iota
	KeysOnly
	None
)

// Props are the properties of a node's output.
type Props struct {
	Schema       types.Schema
	Partitioning Partitioning
	Changes      Changes
	Determinism  Determinism
	// Time describes event time and watermark for EXPLAIN; State what the node keeps and what bounds it.
	Time  string
	State string
}

// Carry is what of the source record travels with a row.
type Carry uint8

// The parts of a record.
const (
	CarryKey Carry = 1 << iota
	CarryValue
	CarryHeaders
	CarryOrigin
)

// Hidden is a column that is not in the value.
type Hidden uint8

// The hidden columns (docs/sql.md).
const (
	NotHidden Hidden = iota
	HiddenKey
	HiddenValue
	HiddenTopic
	HiddenPartition
	HiddenOffset
	HiddenTimestamp
	HiddenHeaders
	HiddenHeader // HEADER('name'); Path[0] is the name
	HeaderColumn // a declared column that is a header; Path[0] is the header's name
)

// ScanColumn is a column the decoder fills. Path is the way to it in the value: the declared column's name, then
// STRUCT fields.
type ScanColumn struct {
	Name   string
	Type   types.Type
	Path   []string
	Hidden Hidden
}

// Scan reads a source topic. Its schema is Columns; for a table the schema's Key are the primary key's ordinals in it.
type Scan struct {
	Relation *catalog.Relation
	Alias    string
	Columns  []ScanColumn
	// TimeColumn is the ordinal in Columns of the event-time column, -1: the record's timestamp.
	TimeColumn int
	Carry      Carry
	// Source is the number of the relation's topic: see Query.Source.
	Source int
	// KeyCheck: the plan relies on the topic's own partitioning, so every record's partition and key bytes are checked.
	KeyCheck bool
	P        Props
}

// Receive reads a shuffle: the leaf that stands for it in the fragment downstream.
type Receive struct {
	Shuffle *Shuffle
	P       Props
}

// Filter keeps rows for which Cond is true. Over Upserts, a row that fails becomes a tombstone (semantics S6).
type Filter struct {
	Input Node
	Cond  expr.Expr
	P     Props
}

// Named is an expression with the name of its column.
type Named struct {
	Name string
	Expr expr.Expr
}

// Project computes columns.
type Project struct {
	Input Node
	Exprs []Named
	P     Props
}

// HorizonKind says how an operator downstream judges lateness (semantics S3).
type HorizonKind uint8

// The horizons.
const (
	WindowHorizon HorizonKind = iota // late iff Seen >= end of the last window that holds the row + grace - 1
	AsOfHorizon                      // late iff Seen >= as-of instant + history
	SelfHorizon                      // late iff Seen >= ts (DISTINCT WITHIN)
	GraceHorizon                     // late iff Seen >= ts + grace (stream–stream join)
	TouchHorizon                     // the same, of state that is kept for as long after a row (GROUP BY with ttl)
)

// Horizon is one of them. For = the operator, for messages.
type Horizon struct {
	Kind    HorizonKind
	Window  Window
	AsOf    expr.Expr // nil: the row's ts
	History int64
	Grace   int64
	For     string
}

// LateCheck drops rows that are late for a horizon downstream: counted, sampled, sent to the late or dead-letter topic.
// It stands in the source's fragment, where the original bytes are.
type LateCheck struct {
	Input    Node
	Horizons []Horizon
	P        Props
}

// Shuffle moves rows to the partition of their key. Whether it goes through a topic or stays in the process is decided
// at run time.
type Shuffle struct {
	ID     int
	Name   string // role, as in <app>.<query>.<role>.repartition
	Input  Node
	Key    Partitioning
	Carry  Carry
	Reason string // why it is there
	P      Props
}

// Window is the window of a statement. Size 0: none; of a session it is the gap, of a sliding window how far it reaches back.
type Window struct {
	Kind ast.WindowKind
	types.Window
}

// Distinct lets the first row of each key pass: at once in each Window; the earliest by (ts, origin) when the window
// closes (Final); or one per key and Within, decided in (ts, origin) order (Window.Size 0).
type Distinct struct {
	Name   string // role of its state
	Input  Node
	On     []expr.Expr
	Window Window
	Final  bool
	Within int64
	// Touches: a row counts from the last one of its key, whether that passed or not, not from the last that passed (ttl).
	Touches bool
	P       Props
}

// ShowsWindow says whether a row is one of several for the windows that it lies in, or knows its window when that closes: then
// window_start and window_end are behind the input's columns. In others they follow from the row's event time (WindowBound).
func (n *Distinct) ShowsWindow() bool {
	return n.Window.Kind == ast.Hopping || n.Window.Kind == ast.Cumulate || n.Window.Kind == ast.Session
}

// NamedAggregate is an aggregate with the name of its column.
type NamedAggregate struct {
	Name string
	Agg  expr.Aggregate
}

// Aggregate groups rows. Its schema: the group columns, the aggregates, and with a window window_start and window_end
// (TIMESTAMP(3)). Window.Size 0: no window. Having is over that schema.
type Aggregate struct {
	Name   string
	Input  Node
	Group  []Named
	Aggs   []NamedAggregate
	Window Window
	Having expr.Expr
	// Emit: Final sends one row per group when its window closes, Changes (default) updates.
	Emit ast.Emit
	// Results is which results of a group without a window are sent.
	Results Results
	// TTL is how long a group is kept after its last row, microseconds of event time; 0: for ever. Then it is removed, and a later row begins it anew.
	TTL int64
	// Origin: something downstream orders by (event time, origin).
	Origin bool
	// Partial: the rows come from a PartialAggregate, and may be states that are merged.
	Partial bool
	P       Props
}

// TableJoin joins each stream row with the table row valid at its as-of instant. Its schema: the stream's columns, then
// the table's. TableKeys are the table's primary key, in order. Broadcast: with all rows of the table valid then for which the
// condition holds; TableKeys are then what is compared for equality, if anything is.
type TableJoin struct {
	Name          string
	Stream, Table Node
	Left          bool // LEFT JOIN: unmatched rows with NULLs
	Broadcast     bool // every task of the join holds all of the table
	Once          bool // of a broadcast join: the first match of a row of the stream is enough
	StreamKeys    []expr.Expr
	TableKeys     []expr.Expr
	NullSafe      []bool    // per key: <=> instead of =
	Residual      expr.Expr // over the join's schema; nil: none
	AsOf          expr.Expr // over the stream's schema; nil: the row's event time
	Latest        bool      // AS OF LATEST
	Within        int64
	Correct       int64 // how long after its release a row is corrected, which makes the result Deltas; 0: it stays as it is
	History       int64
	TableDisorder int64 // of the table's source
	P             Props
}

// JoinKind says which rows of a join go out without a match, or only because of one.
type JoinKind uint8

// The kinds of joins. Semi sends left rows with a match, Anti left rows without one; their schema is the left one.
const (
	Inner JoinKind = iota
	LeftOuter
	RightOuter
	FullOuter
	Semi
	Anti
)

// StreamJoin pairs rows of two streams with -Before <= right.ts - left.ts <= After (microseconds). Its schema: the left
// columns, then the right ones; the event time of a pair is the later one.
type StreamJoin struct {
	Name                string
	Left, Right         Node
	Kind                JoinKind
	LeftKeys, RightKeys []expr.Expr // over the side's own schema
	NullSafe            []bool      // per key: <=> instead of =
	Residual            expr.Expr   // over the join's schema; nil: none
	Before, After       int64
	Grace               int64
	P                   Props
}

// TableTableJoin pairs the rows of two changing inputs (Deltas, or append-only): its result changes with either. Its
// schema: the left columns, then the right ones; Semi and Anti have the left ones only.
type TableTableJoin struct {
	Name                string
	Left, Right         Node
	Kind                JoinKind
	LeftKeys, RightKeys []expr.Expr
	NullSafe            []bool
	Residual            expr.Expr
	P                   Props
}

// Union is the rows of several inputs of one schema, in no order.
type Union struct {
	Parts []Node
	P     Props
}

// SortKey is one key of an order. NULL comes first; last when Desc (MySQL manual, "Working with NULL Values").
type SortKey struct {
	Expr expr.Expr
	Desc bool
}

// Ranking is how rows in order are numbered.
type Ranking uint8

// The rankings: rows with equal keys have different numbers, the same one with gaps after them, the same one without gaps.
const (
	RowNumber Ranking = iota
	Rank
	DenseRank
)

// TopN keeps, of each partition, the rows whose number in the order is at most N. Rows with equal keys are in the order of
// (event time, origin). Its schema: the input's columns, and the number as Column (BIGINT) unless that is "".
type TopN struct {
	Name      string
	Input     Node
	Partition []expr.Expr
	Order     []SortKey
	Ranking   Ranking
	N         int64
	Column    string
	P         Props
}

// Over computes calls over the rows of each partition in an order. InOrder: the order is that of event time, rows wait for
// the watermark and leave once, as they are final; else each change of the input changes what is computed for the rows near
// it. Its schema: the input's columns, then the calls.
type Over struct {
	Name      string
	Input     Node
	Partition []expr.Expr
	Order     []SortKey
	Calls     []OverCall
	InOrder   bool
	P         Props
}

// OverCall is one call with the name of its column.
type OverCall struct {
	Name string
	// Func is ROW_NUMBER, RANK, DENSE_RANK, NTILE, PERCENT_RANK, CUME_DIST, LAG, LEAD, FIRST_VALUE, LAST_VALUE, NTH_VALUE, or that of Agg.
	Func string
	Arg  expr.Expr // of LAG, LEAD, FIRST_VALUE, LAST_VALUE and NTH_VALUE
	// Offset is how many rows LAG looks back and LEAD ahead, the row of NTH_VALUE (from 1), the tiles of NTILE; Default the value of LAG
	// and LEAD where there is no such row, nil: NULL.
	Offset  int64
	Default expr.Expr
	Agg     *expr.Aggregate // a framed aggregate; nil: none
	Frame   Frame           // of aggregates, FIRST_VALUE, LAST_VALUE and NTH_VALUE
	Type    types.Type
}

// Frame is the rows around each row that a call reads: by their number, or (Range) by the first key of the order.
type Frame struct {
	Range    bool
	From, To Bound
}

// Bound is one end of a frame: rows, or microseconds of a timestamp key, after the current row (before it below 0). At 0 a Range
// holds all rows with the same keys.
type Bound struct {
	Unbounded bool
	Distance  int64
}

// Unnest sends a row for each element of Expr, an ARRAY or a MAP, or for each row of Expr, the call of a table function: the input's columns, then
// Columns, the element (of a map the key and the value). Keep: a row without elements goes on with NULLs.
type Unnest struct {
	Input   Node
	Expr    expr.Expr
	Columns []types.Column
	Keep    bool
	P       Props
}

// Materialize keeps the newest row per key and turns Upserts into Deltas. Versioned: the newest is the one with the largest
// (event time, origin), and deletions are kept for History of event time (microseconds); else it is the one that came last.
type Materialize struct {
	Name      string
	Input     Node
	Versioned bool
	History   int64
	P         Props
}

// Fold turns Deltas into Upserts by Key: of the rows that stand for a key, the newest. InOrder: the changes of a key come from one
// task that takes the old row away with the new one, so that nothing needs to be kept.
type Fold struct {
	Name    string
	Input   Node
	Key     []int // ordinals in the input's schema
	InOrder bool
	P       Props
}

// SinkKey says how the sink record's key is made.
type SinkKey uint8

// The sink keys.
const (
	KeyFromInput  SinkKey = iota // the input record's key bytes
	KeyFromColumn                // the columns of Sink.Key
	KeyWritten                   // the bytes of a column of Sink.Around
	KeyNone
)

// Around is a column that a record gets around its value: HiddenKey, HiddenTimestamp or HiddenHeaders, written by
// INSERT INTO t (…, _key, _timestamp, _headers).
type Around struct {
	Part   Hidden
	Column int // ordinal in the input's schema
}

// Sink writes rows to a topic (Target.Topic), or hands them to Go code (Target nil).
type Sink struct {
	Input  Node
	Target *catalog.Relation
	// Forward: the value bytes of the input record go out unchanged.
	Forward bool
	KeyMode SinkKey
	Key     []int // ordinals in the input's schema; several: a JSON object; none: an aggregate without groups, key {}
	// Headers: those of the input record are copied, for one becomes one.
	Headers bool
	// Around are what the query writes of the record itself, each part once: in the place of the event time, of the input's key or headers.
	Around []Around
	// Columns are the ordinals of the value, in order.
	Columns []int
	// Outbox is the topic from which the records are delivered to a target that is none; "": it has none. Delivery says what is promised.
	Outbox, Delivery string
	P                Props
}
