package parser

import (
	"fmt"
	"strings"
	"sync"

	tidbparser "github.com/pingcap/tidb/pkg/parser"

	"github.com/streamsql-go/streamsql/sql/spell"
)

// reserved are the words that TiDB's grammar does not take as a name without back-quotes.
var reserved = sync.OnceValue(func() wordSet {
	set := wordSet{}
	for _, k := range tidbparser.Keywords {
		if k.Reserved {
			set[k.Word] = struct{}{}
		}
	}
	return set
})

// streamingWords are clause words of the dialect. TiDB would take them as the alias of the table before them
// (`a FULL JOIN b` would be an inner join), so they are an alias only with AS or in back-quotes.
var streamingWords = words(`FULL ASOF SEMI ANTI LATEST WITHIN GRACE FINAL EMIT TUMBLING HOPPING SLIDING SESSION CUMULATE CORRECT
	BROADCAST QUALIFY OFFSET`)

// clauseWords are the words a misspelt word in a statement may have meant.
var clauseWords = strings.Fields(`SELECT DISTINCT FROM WHERE GROUP HAVING QUALIFY ORDER LIMIT WINDOW EMIT CHANGES FINAL
	PARTITION WITHIN GRACE PERIOD BROADCAST CORRECT TUMBLING HOPPING SLIDING SESSION CUMULATE ADVANCE JOIN INNER LEFT RIGHT FULL
	OUTER UNION EXCEPT INTERSECT BETWEEN LIKE WATERMARK PRIMARY STREAM TABLE VIEW VALUES TOPIC LATEST TIMESTAMP`)

// unexpected fails at the next token; want says what could stand there ("" when that is not one thing).
func (p *parser) unexpected(want string) { p.unexpectedAt(p.pos, want) }

// unexpectedAt is unexpected at the i-th token.
func (p *parser) unexpectedAt(i int, want string) {
	if p.err != nil {
		return
	}
	t := p.at(i)
	got := "unexpected " + p.describe(t)
	if want != "" {
		got = fmt.Sprintf("expected %s, found %s", want, p.describe(t))
	}
	at := t.span()
	if t.kind == tokEOF && i > 0 {
		at.Start = p.toks[i-1].end // the end of what was written, not of the blanks after it
		at.End = at.Start
	}
	p.fail(at, "%s", got).Hint = p.syntaxHint(i)
}

// unexpectedName is unexpected where only a name can stand: a reserved word was meant as one, unless it is a word that goes
// on after a name that was left out.
func (p *parser) unexpectedName(what string) {
	t := p.peek()
	p.unexpected(what)
	if p.err != nil && p.err.Span == t.span() && t.kind == tokWord && reserved().has(t.text) && !t.in("AS", "WITH", "SELECT", "VALUES") {
		p.err.Hint = quoteIt(t)
	}
}

func (p *parser) describe(t token) string {
	if t.kind == tokEOF {
		return "the end of the statement"
	}
	src := p.text[t.start:t.end]
	if len(src) > 40 {
		src = strings.ToValidUTF8(src[:37], "") + "…"
	}
	return `"` + src + `"`
}

// syntaxHint guesses what was meant at the i-th token.
func (p *parser) syntaxHint(i int) string {
	t := p.toks[min(i, len(p.toks)-1)]
	var before token
	if i > 0 {
		before = p.toks[i-1]
	}
	if near := nearWord(t); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	if near := nearWord(before); near != "" && !reserved().has(before.text) && t.kind != tokEOF {
		return fmt.Sprintf("did you mean %s instead of %q?", near, before.text)
	}
	switch {
	case t.in("CREATE", "INSERT", "DROP", "SELECT", "ASSERT", "SHOW", "EXPLAIN", "SET") && before.endsOperand() && before.kind != tokEOF:
		return `end the statement before it with ";"`
	case t.is("DISTINCT") && before.in("IS", "NOT"):
		return "a <=> b compares NULLs too"
	case t.punct("=") && before.punct("="):
		return "= compares"
	case t.is("ON"):
		return "a join in a join stands in brackets: a JOIN (b JOIN c ON …) ON …"
	case t.in("UNION", "EXCEPT", "INTERSECT"):
		return "a SELECT with ORDER BY, LIMIT or EMIT stands in brackets before it"
	case t.in("MILLISECOND", "MILLISECONDS"):
		return "INTERVAL has no milliseconds in an expression: write INTERVAL 500000 MICROSECOND"
	case t.kind == tokWord && reserved().has(t.text) && !before.endsOperand():
		return quoteIt(t)
	case before.endsOperand() && (t.name() || t.number() || t.kind == tokString):
		return "a comma or an operator may be missing before it"
	}
	return ""
}

// quoteIt is the hint for a reserved word that stands where a name should.
func quoteIt(t token) string {
	return fmt.Sprintf("%s is a reserved word; as a name quote it: `%s`", strings.ToUpper(t.text), t.text)
}

// nearWord is the clause word that t misspells, or "".
func nearWord(t token) string {
	if t.kind != tokWord || len(t.text) < 4 || streamingWords.has(t.text) {
		return ""
	}
	near := spell.Within(t.text, 1, clauseWords)
	if strings.EqualFold(near, t.text) {
		return ""
	}
	return near
}
