// Package complete proposes what may stand at a place in SQL that is still being typed. It reads tokens, not a parse: the text may
// be unfinished, and wrong elsewhere. It is pure; a prompt and a page both use it.
package complete

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

// Kind is what a candidate is.
type Kind string

// The kinds.
const (
	Keyword  Kind = "keyword"
	Relation Kind = "relation"
	Alias    Kind = "alias"
	Column   Kind = "column"
	Function Kind = "function"
	Type     Kind = "type"
	Window   Kind = "window"
	Option   Kind = "option"
	Value    Kind = "value"
	Query    Kind = "query"
	Topic    Kind = "topic"
	Setting  Kind = "setting"
	Variable Kind = "variable"
)

// Candidate is one proposal.
type Candidate struct {
	Text string // replaces the span of the Result
	Kind Kind
	Doc  string // one line: a column's type, a function's signature, what an option does
}

// Result are the proposals at a place, the likeliest kinds first. Text[Start:End] is what is typed of them so far; End is the cursor.
type Result struct {
	Start, End int
	Candidates []Candidate
}

// World is what names mean. Slices are in the order in which their members are proposed.
type World struct {
	Relations []RelationInfo
	Functions []FunctionInfo
	Options   []OptionInfo
	Settings  []OptionInfo // of SET
	Queries   []string
	Variables []string
	Topics    func() []string // asked only where a topic stands; nil: none
}

// RelationInfo is a stream, table or view.
type RelationInfo struct {
	Name    string
	Kind    string // "STREAM", "TABLE", "VIEW"
	Topic   string
	Columns []types.Column
}

// FunctionInfo is a function or aggregate.
type FunctionInfo struct {
	Name, Signature, Doc string
	Aggregate            bool
	Table                bool // makes rows: it stands in FROM
}

// OptionInfo is an option of WITH, or a setting.
type OptionInfo struct {
	Name, Type, Default, Doc string
	Values                   []string // those that are known
	Connector                string   // whose it is; "": any relation's
}

// At proposes what may stand at the cursor, an offset in bytes into text. Only the statement around the cursor counts.
func At(text string, cursor int, w World) Result {
	cursor = max(0, min(cursor, len(text)))
	p, ok := locate(text, cursor)
	if !ok {
		return Result{Start: cursor, End: cursor}
	}
	p.world = &w
	p.propose()
	return Result{Start: p.start, End: cursor, Candidates: p.out}
}

// add proposes c if it begins with what is typed.
func (p *position) add(kind Kind, text, doc string) {
	if len(text) < len(p.prefix) || !strings.EqualFold(text[:len(p.prefix)], p.prefix) {
		return
	}
	if p.given[text] {
		return
	}
	p.given[text] = true
	p.out = append(p.out, Candidate{text, kind, doc})
}

// words proposes keywords in the case in which one has begun to type: "GROUP BY" is one of them.
func (p *position) words(list ...string) {
	for _, w := range list {
		p.add(Keyword, p.cased(w), "")
	}
}

// cased writes a keyword in small letters if that is how the user types.
func (p *position) cased(word string) string {
	sample := p.prefix
	if sample == "" && len(p.toks) > 0 {
		sample = p.toks[0].Text
	}
	if sample != "" && sample == strings.ToLower(sample) && sample != strings.ToUpper(sample) {
		return strings.ToLower(word)
	}
	return word
}
