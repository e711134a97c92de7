package complete

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/parser"
)

// position is where the cursor stands in the grammar.
type position struct {
	toks   []parser.Token // of the statement, before what is being typed
	after  []parser.Token // behind the cursor
	prefix string         // what is typed of a word so far
	quote  byte           // the prefix stands in such quotes; 0: in none
	start  int            // where the proposal goes, in the text
	frames []frame        // brackets around the cursor, the statement itself first

	world *World
	given map[string]bool
	out   []Candidate
}

// frameKind is what a bracket holds.
type frameKind uint8

const (
	statement  frameKind = iota // none: the statement itself
	query                       // a SELECT, in brackets or not
	group                       // an expression, or a query of which SELECT is not typed yet
	call                        // arguments of a function
	options                     // WITH (…)
	columns                     // of CREATE
	names                       // of columns: PRIMARY KEY (…), USING (…), INSERT INTO x (…)
	windowArgs                  // TUMBLING (…)
	over                        // OVER (…)
	values                      // a row of VALUES
	anything                    // numbers: nothing to propose
)

// frame is one level of brackets.
type frame struct {
	kind   frameKind
	word   string // the function's or window's name, in capitals
	open   int    // index of the first token inside
	clause string // query: the clause the cursor is in
	from   int    // query: index of its SELECT
	seen   map[string]bool
}

// locate finds the statement and the brackets around the cursor. False: nothing can be proposed there.
func locate(text string, cursor int) (*position, bool) {
	p := &position{given: map[string]bool{}, start: cursor}
	toks := parser.Scan(text[:cursor])
	if n := len(toks); n > 0 {
		last := toks[n-1]
		switch {
		case last.Kind == parser.Comment && (last.End >= cursor || !strings.Contains(text[last.End:cursor], "\n") && !strings.HasPrefix(last.Text, "/*")):
			return nil, false
		case last.Kind == parser.Word && last.End == cursor:
			p.prefix, p.start, toks = last.Text, last.Start, toks[:n-1]
		case last.Kind == parser.Unclosed:
			p.prefix, p.start, p.quote, toks = last.Text, last.Start+1, text[last.Start], toks[:n-1]
		case last.Kind == parser.Bad && strings.HasPrefix(last.Text, "${") && !strings.HasSuffix(last.Text, "}"):
			p.prefix, p.start, p.quote, toks = last.Text[2:], last.Start+2, '$', toks[:n-1]
		case (last.Kind == parser.Number || last.Kind == parser.Variable) && last.End == cursor:
			return nil, false
		}
	}
	toks = slices.DeleteFunc(toks, func(t parser.Token) bool { return t.Kind == parser.Comment })
	for i := len(toks) - 1; i >= 0; i-- {
		if toks[i].Punct(";") {
			toks = toks[i+1:]
			break
		}
	}
	p.toks = toks
	p.after = behind(text[cursor:])
	p.walk()
	return p, true
}

// behind are the tokens of the rest of the statement.
func behind(text string) []parser.Token {
	toks := slices.DeleteFunc(parser.Scan(text), func(t parser.Token) bool { return t.Kind == parser.Comment })
	if i := slices.IndexFunc(toks, func(t parser.Token) bool { return t.Punct(";") }); i >= 0 {
		toks = toks[:i]
	}
	if len(toks) > 0 && toks[0].Start == 0 && toks[0].Kind == parser.Word { // the rest of the word at the cursor
		toks = toks[1:]
	}
	return toks
}

// walk keeps account of brackets and clauses up to the cursor.
func (p *position) walk() {
	p.frames = []frame{{kind: statement, seen: map[string]bool{}}}
	for i, t := range p.toks {
		top := &p.frames[len(p.frames)-1]
		switch {
		case t.Punct("(") || t.Punct("["):
			f := p.opens(i, top)
			f.open, f.seen = i+1, map[string]bool{}
			p.frames = append(p.frames, f)
		case t.Punct(")") || t.Punct("]"):
			if len(p.frames) > 1 {
				p.frames = p.frames[:len(p.frames)-1]
			}
		case t.Kind == parser.Word && !p.tok(i-1).Punct("."):
			p.word(i, strings.ToUpper(t.Text), top)
		}
	}
}

// word changes the clause.
func (p *position) word(i int, w string, top *frame) {
	switch {
	case w == "SELECT" && slices.Contains([]frameKind{statement, group, query, call}, top.kind):
		if top.clause != "" {
			top.seen = map[string]bool{}
		}
		top.kind, top.clause, top.from = query, "SELECT", i
	case top.kind != query:
	case w == "ON" && p.tok(i-1).Is("DISTINCT"):
	case w == "WINDOW" && top.clause == "SELECT":
	case w == "ORDER" && top.clause == "SELECT", w == "PARTITION" && top.clause == "SELECT":
	case clauseWords[w]:
		top.clause = w
		top.seen[w] = true
	}
}

// clauseWords begin a clause of a SELECT.
var clauseWords = set(`FROM JOIN ON USING WHERE GROUP HAVING QUALIFY PARTITION ORDER LIMIT EMIT WINDOW UNION EXCEPT INTERSECT`)

// groupWords are words behind which a bracket holds an expression or a query.
var groupWords = set(`SELECT DISTINCT FROM JOIN ON WHERE AND OR XOR NOT IN BY HAVING QUALIFY AS WHEN THEN ELSE CASE BETWEEN LIKE EXISTS ANY ALL
	UNION EXCEPT INTERSECT LATERAL LIMIT DIV IS`)

// opens says what the bracket at i holds.
func (p *position) opens(i int, top *frame) frame {
	before, second := p.tok(i-1), p.tok(i-2)
	word := strings.ToUpper(before.Text)
	switch {
	case p.toks[i].Punct("["):
		return frame{kind: group}
	case before.Is("WITH"):
		return frame{kind: options}
	case before.Is("KEY"), before.Is("USING"), before.Name() && second.Is("INTO"):
		return frame{kind: names, word: word}
	case top.kind == statement && p.creates() && before.Name() && !p.level(0).has("AS"):
		return frame{kind: columns}
	case before.Is("VALUES"), p.level(0).has("VALUES") && top.kind == statement:
		return frame{kind: values}
	case top.kind == columns:
		return frame{kind: anything}
	case second.Is("WINDOW") && windowForms[word] != "":
		return frame{kind: windowArgs, word: word}
	case before.Is("OVER"), before.Is("AS") && top.clause == "WINDOW":
		return frame{kind: over}
	case before.Is("WITHIN"), before.Is("GRACE"), before.Name() && second.Is("AS") && (top.clause == "FROM" || top.clause == "JOIN"):
		return frame{kind: anything}
	case before.Kind == parser.Word && !groupWords[word] || before.Kind == parser.Quoted:
		return frame{kind: call, word: word}
	}
	return frame{kind: group}
}

func (p *position) creates() bool { return p.tok(0).Is("CREATE") || p.tok(1).Is("CREATE") }

// tok is the i-th token; an empty one outside.
func (p *position) tok(i int) parser.Token {
	if i < 0 || i >= len(p.toks) {
		return parser.Token{Kind: parser.Bad}
	}
	return p.toks[i]
}

// last is the i-th token before the cursor, 1 the nearest.
func (p *position) last(i int) parser.Token { return p.tok(len(p.toks) - i) }

func (p *position) top() *frame { return &p.frames[len(p.frames)-1] }

// level are words and operators of one level of brackets, in capitals; a bracket with what is in it is "()".
type level []string

func (l level) count(word string) (n int) {
	for _, w := range l {
		if w == word {
			n++
		}
	}
	return n
}

func (l level) has(word string) bool { return slices.Contains(l, word) }

// is tells whether l is exactly these; "?" stands for any.
func (l level) is(words ...string) bool {
	return slices.EqualFunc(l, words, func(a, b string) bool { return a == b || b == "?" })
}

// level is that of the tokens from index open to the cursor.
func (p *position) level(open int) level {
	var out level
	depth := 0
	for _, t := range p.toks[min(open, len(p.toks)):] {
		switch {
		case t.Punct("(") || t.Punct("["):
			depth++
		case t.Punct(")") || t.Punct("]"):
			if depth--; depth == 0 {
				out = append(out, "()")
			}
		case depth > 0:
		case t.Kind == parser.String:
			out = append(out, "'"+t.Text)
		case t.Kind == parser.Quoted:
			out = append(out, "`"+t.Text)
		default:
			out = append(out, strings.ToUpper(t.Text))
		}
	}
	return out
}

// item is the last of the comma-separated parts of a level; angle brackets of types hold theirs together.
func (l level) item() level {
	angle := 0
	at := 0
	for i, w := range l {
		switch {
		case w == "<":
			angle++
		case w == ">":
			angle--
		case w == "," && angle <= 0:
			at = i + 1
		}
	}
	return l[at:]
}

func set(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}
