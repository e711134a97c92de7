package ast

// Query is a SELECT or a set operation.
type Query interface {
	Node
	query()
}

// With is one common table expression.
type With struct {
	Span
	Name    Ident
	Columns []Ident
	Query   Query
}

// Emit says what a query sends.
type Emit uint8

// The emit modes.
const (
	EmitDefault Emit = iota
	EmitChanges
	EmitFinal
)

// Select is one SELECT. Clauses that were not written are nil or empty.
type Select struct {
	Span
	With        []With
	Distinct    *Distinct
	Items       []Item
	From        Relation // nil: no FROM
	Window      *Window
	Where       Expr
	GroupBy     []Expr
	Rollup      bool
	Having      Expr
	Qualify     Expr
	Windows     []NamedWindow // WINDOW w AS (…)
	PartitionBy []Expr
	OrderBy     []Order
	Limit       *int64
	Offset      *int64
	LimitSpan   Span
	Emit        Emit
	EmitSpan    Span
}

// SetOp is left UNION|INTERSECT|EXCEPT [ALL] right.
type SetOp struct {
	Span
	With        []With
	Op          string // UNION, INTERSECT, EXCEPT
	All         bool
	Left, Right Query
	OrderBy     []Order
	Limit       *int64
	Emit        Emit
}

func (*Select) query() {}
func (*SetOp) query()  {}

// Distinct is DISTINCT [ON (exprs)] [WITHIN d].
type Distinct struct {
	Span
	On     []Expr // empty: all select items
	Within *Duration
}

// Item is one select item: an expression, or a star.
type Item struct {
	Span
	Star  bool   // * or t.*
	Table string // of t.*
	Expr  Expr
	Alias Ident // Name "" when none was written
}

// Order is one ORDER BY key.
type Order struct {
	Expr Expr
	Desc bool
}

// NamedWindow is one OVER window with a name.
type NamedWindow struct {
	Name Ident
	Spec OverSpec
}

// WindowKind is the family of a time window.
type WindowKind uint8

// The window kinds.
const (
	Tumbling WindowKind = iota
	Hopping
	Sliding
	Session
	Cumulate
)

// String is the keyword.
func (k WindowKind) String() string {
	return [...]string{"TUMBLING", "HOPPING", "SLIDING", "SESSION", "CUMULATE"}[k]
}

// Window is a WINDOW clause. Size is the size, the session's gap or the sliding reach; Advance the hop or the step.
type Window struct {
	Span
	Kind     WindowKind
	Size     Duration
	Advance  *Duration
	Offset   *Duration
	Grace    *Duration
	TimeZone *Zone
}

// Zone is TIME ZONE 'name' in a window.
type Zone struct {
	Span
	Name string
}

// Relation is what may stand in FROM.
type Relation interface {
	Node
	relation()
}

// TableRef is a name in FROM.
type TableRef struct {
	Span
	Name  Ident
	Alias Ident
	AsOf  *AsOf
}

// Subquery is (query) AS alias.
type Subquery struct {
	Span
	Query   Query
	Alias   Ident
	Lateral bool
}

// Unnest is UNNEST(expr) [AS alias (columns)], or f(args) … of a table function.
type Unnest struct {
	Span
	Expr    Expr // what is taken apart; of a table function its call
	Table   bool // Expr is the call of a table function
	Alias   Ident
	Columns []Ident
}

// JoinKind is the outer-ness of a join.
type JoinKind uint8

// The join kinds.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	CrossJoin // comma or a join without a condition
)

// String is the keyword.
func (k JoinKind) String() string { return [...]string{"INNER", "LEFT", "RIGHT", "FULL", "CROSS"}[k] }

// Join is left [kind] JOIN right [modifiers] ON condition.
type Join struct {
	Span
	Kind        JoinKind
	Left, Right Relation
	On          Expr
	Using       []Ident
	// Within is WITHIN d, or WITHIN (before, after) with both set.
	Within, WithinAfter *Duration
	Grace               *Duration
	Correct             *Duration
	Broadcast           bool
}

// AsOf is AS OF TIMESTAMP expr, FOR SYSTEM_TIME AS OF expr, or AS OF LATEST (Latest).
type AsOf struct {
	Span
	Latest bool
	Expr   Expr
}

func (*TableRef) relation() {}
func (*Subquery) relation() {}
func (*Unnest) relation()   {}
func (*Join) relation()     {}
