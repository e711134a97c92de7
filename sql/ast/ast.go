// Package ast holds the engine's own statements and expressions. Every node keeps its place in the original text.
// The tree is plain data: names are unresolved, types are as written.
package ast

// Span is a half-open byte range [Start, End) of the source text a Script was parsed from.
type Span struct{ Start, End int }

// Node is anything with a place in the text.
type Node interface{ Pos() Span }

// Pos makes Span embeddable: a node that embeds Span is a Node.
func (s Span) Pos() Span { return s }

// Ident is a name as written, without its back-quotes.
type Ident struct {
	Span
	Name string
}

// Duration is a length of time, as written: 10s, 1m30s, 10 SECONDS, INTERVAL '10' SECOND; of a window also 1 MONTH,
// 2 QUARTERS, 1 YEAR. One of Micros and Months is 0.
type Duration struct {
	Span
	Micros int64
	Months int64
}

// TypeName is a type as declared. Name is upper-case and canonical (BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE
// DECIMAL VARCHAR VARBINARY DATE TIME TIMESTAMP JSON ARRAY MAP STRUCT); synonyms are folded by the parser
// (STRING, TEXT, CHAR -> VARCHAR; BYTES, BLOB, BINARY -> VARBINARY; DATETIME -> TIMESTAMP; INTEGER -> INT; BOOL -> BOOLEAN; NUMERIC -> DECIMAL).
type TypeName struct {
	Span
	Name     string
	Args     []int // (p, s), (n), (fsp); empty when none were written
	Unsigned bool
	Elem     *TypeName // ARRAY, MAP value
	Fields   []FieldDef
}

// FieldDef is one field of a STRUCT.
type FieldDef struct {
	Name Ident
	Type TypeName
}

// Script is a parsed text: its statements in order.
type Script struct {
	Name       string // file name, or "" for text typed in
	Text       string
	Statements []Statement
}

// Statement is one statement.
type Statement interface {
	Node
	statement()
}
