package ast

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// LiteralKind is the kind of a literal.
type LiteralKind uint8

// The literal kinds.
const (
	NullLiteral LiteralKind = iota
	BoolLiteral
	IntLiteral     // Text: decimal digits, may exceed 64 bits
	DecimalLiteral // Text: digits with a point
	FloatLiteral   // Text: with an exponent
	StringLiteral  // Text: the decoded string
	HexLiteral     // Text: the decoded bytes
	DateLiteral    // DATE 'x'; Text is x
	TimeLiteral    // TIME 'x'
	TimestampLiteral
	IntervalLiteral // Text: the number; Unit
)

// Literal is a constant as written.
type Literal struct {
	Span
	Kind LiteralKind
	Text string
	Unit string // IntervalLiteral: SECOND, MINUTE, …
}

// Name is a column: [table.]column. More parts than two are field accesses of a STRUCT, resolved by the binder.
type Name struct {
	Span
	Parts []Ident
}

// Unary is op x: - + ! NOT ~.
type Unary struct {
	Span
	Op string // "-", "+", "NOT", "~"
	X  Expr
}

// Binary is x op y. Op is one of + - * / DIV % = <> < <= > >= <=> AND OR XOR & | ^ << >> || -> ->>.
type Binary struct {
	Span
	Op   string
	X, Y Expr
}

// IsNull is x IS [NOT] NULL.
type IsNull struct {
	Span
	X   Expr
	Not bool
}

// IsTruth is x IS [NOT] TRUE|FALSE|UNKNOWN.
type IsTruth struct {
	Span
	X     Expr
	Truth string // TRUE FALSE UNKNOWN
	Not   bool
}

// Between is x [NOT] BETWEEN lo AND hi.
type Between struct {
	Span
	X, Lo, Hi Expr
	Not       bool
}

// In is x [NOT] IN (list) or IN (query).
type In struct {
	Span
	X     Expr
	List  []Expr
	Query Query
	Not   bool
}

// Like is x [NOT] LIKE pattern [ESCAPE c], or REGEXP when Regexp.
type Like struct {
	Span
	X, Pattern Expr
	Escape     string // one character; default \
	Not        bool
	Regexp     bool
}

// Case is CASE [operand] WHEN … THEN … [ELSE …] END.
type Case struct {
	Span
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is one arm of a CASE.
type When struct{ Cond, Then Expr }

// Cast is CAST(x AS type).
type Cast struct {
	Span
	X    Expr
	Type TypeName
}

// Call is a function or aggregate call. Name is upper-case. A word among the arguments of MySQL's grammar is a
// StringLiteral in upper case: TIMESTAMPDIFF(SECOND, a, b) has 'SECOND', a, b; EXTRACT(HOUR FROM x) has 'HOUR', x;
// TRIM(LEADING 'c' FROM x) has x, 'c', 'LEADING'. DATE_ADD(x, INTERVAL 5 SECOND) has x and an IntervalLiteral, and
// x + INTERVAL 5 SECOND is a Binary; when the number is no constant, both are DATE_ADD or DATE_SUB with x, e, 'SECOND'.
type Call struct {
	Span
	Name      string
	Args      []Expr
	Star      bool // COUNT(*)
	Distinct  bool
	Filter    Expr    // FILTER (WHERE …)
	OrderBy   []Order // GROUP_CONCAT(… ORDER BY …)
	Separator *string // GROUP_CONCAT; nil: none was given
	Over      *OverSpec
}

// OverSpec is OVER (…) or OVER name.
type OverSpec struct {
	Span
	Name        string
	PartitionBy []Expr
	OrderBy     []Order
	Frame       *Frame // nil: none was written
}

// Frame is ROWS or RANGE with its bounds; of a single bound written alone, To is the current row.
type Frame struct {
	Span
	Unit     string // ROWS, RANGE, GROUPS
	From, To FrameBound
}

// FrameBound is one end of a frame, relative to the current row: Rows or Duration before it, or after it (Following).
type FrameBound struct {
	Span
	Unbounded bool
	Following bool
	Rows      int64     // of a bound in rows; 0 with Duration nil: the current row
	Duration  *Duration // of a bound in time
}

// Row is (a, b, …).
type Row struct {
	Span
	Items []Expr
}

// Exists is [NOT] EXISTS (query).
type Exists struct {
	Span
	Query Query
	Not   bool
}

// ScalarSubquery is (query) used as a value.
type ScalarSubquery struct {
	Span
	Query Query
}

// Lambda is x -> expr or (x, y) -> expr.
type Lambda struct {
	Span
	Params []Ident
	Body   Expr
}

func (*Literal) expr()        {}
func (*Name) expr()           {}
func (*Unary) expr()          {}
func (*Binary) expr()         {}
func (*IsNull) expr()         {}
func (*IsTruth) expr()        {}
func (*Between) expr()        {}
func (*In) expr()             {}
func (*Like) expr()           {}
func (*Case) expr()           {}
func (*Cast) expr()           {}
func (*Call) expr()           {}
func (*Row) expr()            {}
func (*Exists) expr()         {}
func (*ScalarSubquery) expr() {}
func (*Lambda) expr()         {}
