package ast

// Kind tells a stream, a table and a view apart.
type Kind uint8

// The relation kinds.
const (
	Stream Kind = iota
	Table
	View
)

// String is STREAM, TABLE or VIEW.
func (k Kind) String() string { return [...]string{"STREAM", "TABLE", "VIEW"}[k] }

// Create is CREATE [OR REPLACE] STREAM|TABLE|VIEW name [(columns)] [WITH (options)] [AS select].
type Create struct {
	Span
	Kind        Kind
	Name        Ident
	OrReplace   bool
	IfNotExists bool
	Columns     []ColumnDef
	PrimaryKey  []Ident // from PRIMARY KEY (a, b) or the column attribute
	Watermark   *Watermark
	Options     []Option
	As          Query // nil: a source
	AsSpan      Span  // text of the query after AS
}

// ColumnDef is one column of a CREATE.
type ColumnDef struct {
	Span
	Name    Ident
	Type    TypeName
	NotNull bool
}

// Watermark is WATERMARK FOR column AS column - delay.
type Watermark struct {
	Span
	Column Ident
	Delay  Duration
}

// Option is one name = value of a WITH clause. Name is in lower case. Value is the text of the literal (unquoted for strings).
type Option struct {
	Span
	Name  string
	Value string
	// ValueSpan is the place of the value.
	ValueSpan Span
}

// Insert is INSERT INTO target [(columns)] SELECT … or VALUES … or RAW (columns) VALUES … (test files only).
type Insert struct {
	Span
	Target  Ident
	Columns []Ident
	Query   Query    // INSERT … SELECT
	Rows    [][]Expr // INSERT … VALUES
	Raw     bool     // INSERT INTO s RAW (…): bytes as they are
}

// SelectStatement is a SELECT (or UNION, …) typed by itself.
type SelectStatement struct {
	Span
	Query Query
}

// Drop is DROP STREAM|TABLE|VIEW [IF EXISTS] name [, …].
type Drop struct {
	Span
	Kind     Kind
	IfExists bool
	Names    []Ident
}

// Explain is EXPLAIN [ANALYZE] statement, or EXPLAIN query-name.
type Explain struct {
	Span
	Analyze   bool
	Statement Statement // nil when Name is set
	Name      Ident
}

// Describe is DESCRIBE [EXTENDED] name.
type Describe struct {
	Span
	Extended bool
	Name     Ident
}

// Show is SHOW what: STREAMS TABLES VIEWS TOPICS QUERIES FUNCTIONS SETTINGS OPTIONS ERRORS STATUS CREATE; upper-case.
// SHOW CREATE [STREAM|TABLE|VIEW] name, SHOW ERRORS q and SHOW STATUS [FOR] q carry Name; LIKE 'x' carries Like.
type Show struct {
	Span
	What string
	Name *Ident
	Like string
}

// QueryCommand is PAUSE|RESUME|TERMINATE query; Verb is upper-case.
type QueryCommand struct {
	Span
	Verb string
	Name Ident
}

// Set is SET name = value.
type Set struct {
	Span
	Name  string
	Value string
}

// Define is DEFINE name = 'value': ${name} in later text stands for value.
type Define struct {
	Span
	Name  string
	Value string
}

// Use is USE stream.
type Use struct {
	Span
	Name Ident
}

// Print is PRINT topic [FROM BEGINNING] [LIMIT n].
type Print struct {
	Span
	Topic         Ident
	FromBeginning bool
	Limit         int64 // -1: none
}

// Infer is INFER FROM TOPIC topic [WITH (…)].
type Infer struct {
	Span
	Topic   Ident
	Options []Option
}

// Assert is one of the ASSERT statements of test files (docs/sql.md).
type Assert struct {
	Span
	// Form is VALUES, NO MORE VALUES, TABLE, LATE or ERRORS.
	Form    string
	Target  Ident
	Columns []Ident
	Rows    [][]Expr
	InOrder bool
	Count   int64 // LATE, ERRORS
}

// Harness is RESTART, CRASH or ADVANCE TIME TO expr of test files; Verb is RESTART, CRASH or ADVANCE.
type Harness struct {
	Span
	Verb string
	To   Expr // ADVANCE: a timestamp literal or a number of milliseconds
}

func (*Create) statement()          {}
func (*Insert) statement()          {}
func (*SelectStatement) statement() {}
func (*Drop) statement()            {}
func (*Explain) statement()         {}
func (*Describe) statement()        {}
func (*Show) statement()            {}
func (*QueryCommand) statement()    {}
func (*Set) statement()             {}
func (*Define) statement()          {}
func (*Use) statement()             {}
func (*Print) statement()           {}
func (*Infer) statement()           {}
func (*Assert) statement()          {}
func (*Harness) statement()         {}
