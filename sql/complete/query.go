package complete

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/parser"
)

// operandEnds tells whether an operand may end with token i.
func (p *position) operandEnds(i int) bool {
	t := p.tok(i)
	switch t.Kind {
	case parser.Word:
		return !wantsOperand[strings.ToUpper(t.Text)] || p.tok(i-1).Punct(".")
	case parser.Quoted, parser.String, parser.Number, parser.Variable:
		return true
	case parser.Punct:
		return t.Text == ")" || t.Text == "]" || t.Text == "*" && (p.tok(i-1).Is("SELECT") || p.tok(i-1).Punct(",") || p.tok(i-1).Punct(".") || p.tok(i-1).Punct("("))
	}
	return false
}

// wantsOperand are words behind which an operand stands.
var wantsOperand = set(`SELECT DISTINCT ALL AND OR XOR NOT IN LIKE REGEXP RLIKE BETWEEN IS DIV MOD CASE WHEN THEN ELSE WHERE ON BY HAVING QUALIFY
	FROM JOIN AS LIMIT OFFSET INTERVAL ESCAPE USING UNION EXCEPT INTERSECT EXISTS OF TIMESTAMP`)

// clause proposes what goes on in a SELECT.
func (p *position) clause(f *frame) {
	if p.afterDot() {
		p.members()
		return
	}
	switch f.clause {
	case "SELECT":
		p.selectList(f)
	case "FROM", "JOIN", "USING":
		p.from(f)
	case "ON":
		if joinWords[strings.ToUpper(p.last(1).Text)] && !p.last(2).Punct(".") {
			p.from(f)
		} else if p.expression(f.open) {
			p.joins()
			p.remaining(f)
		}
	case "WHERE", "HAVING", "QUALIFY":
		if p.expression(f.open) {
			if f.clause == "QUALIFY" {
				p.callGoesOn()
			}
			p.remaining(f)
		}
	case "GROUP", "PARTITION":
		if p.listBy() {
			p.remaining(f)
		}
	case "ORDER":
		if p.listBy() {
			if !p.last(1).Is("ASC") && !p.last(1).Is("DESC") {
				p.words("ASC", "DESC")
			}
			p.remaining(f)
		}
	case "LIMIT":
		if p.last(1).Kind == parser.Number {
			p.words("OFFSET")
			p.remaining(f)
		}
	case "EMIT":
		if p.last(1).Is("EMIT") {
			p.words("CHANGES", "FINAL")
		} else {
			p.remaining(f)
		}
	case "WINDOW":
		p.window(f)
	case "UNION", "EXCEPT", "INTERSECT":
		p.words("SELECT")
		if !p.last(1).Is("ALL") {
			p.words("ALL")
		}
	}
}

func (p *position) selectList(f *frame) {
	switch {
	case p.last(1).Is("SELECT"):
		p.words("DISTINCT")
		p.operand()
	case p.last(1).Is("DISTINCT"):
		p.words("ON (", "WITHIN")
		p.operand()
	case p.last(1).Is("AS"), p.last(1).Is("ON"), p.last(1).Is("WITHIN"):
	case p.last(2).Is("WITHIN") && p.tok(f.from+1).Is("DISTINCT"):
		p.operand()
	case p.last(1).Punct(")") && p.distinctOn(f):
		p.words("WITHIN")
		p.operand()
	case p.named():
		p.words("FROM")
	case p.expression(f.from + 1):
		p.words("FROM", "AS")
		p.callGoesOn()
	}
}

// named tells whether the last word gives a name to what stands before it, with AS or without.
func (p *position) named() bool {
	last := p.last(1)
	return p.last(2).Is("AS") || last.Name() && !parser.Keyword(last.Text) && p.operandEnds(len(p.toks)-1) && p.operandEnds(len(p.toks)-2)
}

// callGoesOn proposes what may follow the bracket of an aggregate.
func (p *position) callGoesOn() {
	if !p.last(1).Punct(")") {
		return
	}
	switch of := p.tok(p.opened() - 1); {
	case of.Is("FILTER"):
		p.words("OVER (")
	case of.Name() && !of.Is("OVER") && !groupWords[strings.ToUpper(of.Text)]:
		p.words("OVER (", "FILTER (WHERE")
	}
}

// distinctOn tells whether the cursor is behind the bracket of DISTINCT ON (…).
func (p *position) distinctOn(f *frame) bool {
	return p.tok(f.from+1).Is("DISTINCT") && p.tok(f.from+2).Is("ON") && p.level(f.from).is("SELECT", "DISTINCT", "ON", "()")
}

// expression proposes an operand where one is wanted, else operators, and tells whether a clause may end here. open is where the
// expression's level begins.
func (p *position) expression(open int) bool {
	last := p.last(1)
	switch {
	case last.Is("IS"):
		p.words("NULL", "NOT NULL", "TRUE", "FALSE")
		return false
	case last.Is("NOT") && p.last(2).Is("IS"):
		p.words("NULL", "TRUE", "FALSE")
		return false
	case last.Is("NOT") && p.operandEnds(len(p.toks)-2):
		p.words("IN (", "LIKE", "BETWEEN", "REGEXP")
		return false
	case last.Kind == parser.Number && p.last(2).Is("INTERVAL"):
		for _, u := range intervalUnits {
			if u != "MILLISECOND" { // a unit of durations alone
				p.words(u)
			}
		}
		return false
	case last.Is("INTERVAL"), last.Is("WITHIN"), last.Is("GRACE"), last.Is("OVER"), last.Is("FILTER"), last.Is("IN"), last.Is("EXISTS"):
		return false
	case !p.operandEnds(len(p.toks) - 1):
		p.operand()
		if last.Is("CASE") {
			p.words("WHEN")
		}
		return false
	}
	switch comparison(p.level(open)) {
	case "BETWEEN":
		p.words("AND")
		return false
	case "":
		p.words("AND", "OR", "IS NULL", "IS NOT NULL", "IN (", "LIKE", "BETWEEN", "NOT", "REGEXP", "DIV")
	default:
		p.words("AND", "OR")
	}
	if opened, word := p.openCase(open); opened {
		switch word {
		case "CASE":
			p.words("WHEN")
		case "WHEN":
			p.words("THEN")
		case "THEN":
			p.words("WHEN", "ELSE", "END")
		case "ELSE":
			p.words("END")
		}
		return false
	}
	return true
}

// comparison is the operator of the comparison that l ends with, "" while there is none; the AND of a BETWEEN makes it ">=".
func comparison(l level) string {
	found := ""
	for _, w := range l {
		switch {
		case w == "AND" && found == "BETWEEN":
			found = ">="
		case comparisons[w]:
			found = w
		case w == "," || wantsOperand[w] && w != "NOT" && w != "CASE" && w != "INTERVAL" && w != "DIV" && w != "MOD":
			found = ""
		}
	}
	return found
}

var comparisons = set("= < > <= >= <> != <=> IN LIKE IS REGEXP RLIKE BETWEEN")

var intervalUnits = strings.Fields("MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK MONTH QUARTER YEAR")

// openCase tells whether a CASE without its END is open, and the last of its words.
func (p *position) openCase(open int) (bool, string) {
	var stack []string
	for _, w := range p.level(open) {
		switch w {
		case "CASE":
			stack = append(stack, w)
		case "WHEN", "THEN", "ELSE":
			if len(stack) > 0 {
				stack[len(stack)-1] = w
			}
		case "END":
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	if len(stack) == 0 {
		return false, ""
	}
	return true, stack[len(stack)-1]
}

// from is the list of relations: names, aliases, joins.
func (p *position) from(f *frame) {
	last := p.last(1)
	switch {
	case last.Is("FROM"), last.Is("JOIN"), last.Punct(","):
		p.ctes()
		p.relations()
		p.words("UNNEST(", "LATERAL (")
		p.functions(func(f FunctionInfo) bool { return f.Table })
	case last.Punct(")") && p.derived():
		p.words("AS")
	case last.Is("AS"):
		p.words("OF LATEST", "OF TIMESTAMP")
	case last.Is("OF"):
		p.words("LATEST", "TIMESTAMP")
	case last.Is("TIMESTAMP") && p.last(2).Is("OF"):
		p.operand()
	case last.Is("LEFT"), last.Is("RIGHT"), last.Is("FULL"):
		p.words("JOIN", "OUTER JOIN")
	case last.Is("INNER"), last.Is("CROSS"), last.Is("OUTER"):
		p.words("JOIN")
	case last.Is("WITHIN"), last.Is("GRACE"), last.Is("CORRECT"), last.Is("USING"):
	case f.clause == "JOIN" && !p.unconditional():
		p.words("ON", "USING (", "WITHIN")
		if p.last(2).Is("WITHIN") || last.Punct(")") && p.within() {
			p.words("GRACE", "CORRECT")
		}
		if p.last(2).Is("JOIN") {
			p.words("AS", "AS OF LATEST", "AS OF TIMESTAMP")
		}
	default:
		if f.clause == "FROM" && (p.last(2).Is("FROM") || p.last(2).Punct(",")) {
			p.words("AS")
		}
		p.joins()
		p.remaining(f)
	}
}

// opened is the index of the bracket that the last token closes.
func (p *position) opened() int {
	depth := 0
	for i := len(p.toks) - 1; i > 0; i-- {
		if p.toks[i].Punct(")") {
			depth++
		} else if p.toks[i].Punct("(") {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// derived tells whether the bracket just closed is that of a query in FROM, which needs a name.
func (p *position) derived() bool {
	i := p.opened()
	before := p.tok(i - 1)
	return (before.Is("FROM") || before.Is("JOIN") || before.Is("LATERAL") || before.Punct(",")) && (p.tok(i+1).Is("SELECT") || p.tok(i+1).Is("WITH"))
}

// unconditional tells whether the last JOIN is one without ON.
func (p *position) unconditional() bool {
	depth := 0
	for i := len(p.toks) - 1; i > 0; i-- {
		switch t := p.toks[i]; {
		case t.Punct(")"):
			depth++
		case t.Punct("("):
			depth--
		case t.Is("JOIN") && depth == 0:
			before, right := p.tok(i-1), p.tok(i+1)
			outer := before.Is("LEFT") || before.Is("RIGHT") || before.Is("FULL") || before.Is("OUTER")
			return before.Is("CROSS") || !outer && (right.Is("UNNEST") || right.Is("LATERAL"))
		}
	}
	return false
}

// within tells whether the bracket just closed is that of WITHIN (a, b).
func (p *position) within() bool {
	l := p.level(p.top().open)
	return len(l) > 1 && l[len(l)-2] == "WITHIN"
}

var joinWords = set("LEFT RIGHT FULL INNER CROSS OUTER")

func (p *position) joins() {
	p.words("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
}

// listBy is the list of GROUP BY, ORDER BY and PARTITION BY; it tells whether it may end here.
func (p *position) listBy() bool {
	if l := p.last(1); l.Is("GROUP") || l.Is("ORDER") || l.Is("PARTITION") {
		p.words("BY")
		return false
	}
	return p.expression(p.top().open)
}

// order is in which order clauses stand; WINDOW stands anywhere up to PARTITION BY.
var order = []struct{ word, text string }{
	{"WINDOW", "WINDOW"}, {"WHERE", "WHERE"}, {"GROUP", "GROUP BY"}, {"HAVING", "HAVING"}, {"QUALIFY", "QUALIFY"}, {"PARTITION", "PARTITION BY"},
	{"UNION", "UNION"}, {"EXCEPT", "EXCEPT"}, {"INTERSECT", "INTERSECT"}, {"ORDER", "ORDER BY"}, {"LIMIT", "LIMIT"}, {"EMIT", "EMIT CHANGES"}, {"EMIT", "EMIT FINAL"},
}

// place is a clause's in order; 0 for FROM, JOIN, ON and WINDOW.
func place(clause string) int {
	switch clause {
	case "LIMIT", "EMIT":
		return 10 // of each other: either may be first
	case "EXCEPT", "INTERSECT":
		return 6
	}
	return max(0, slices.IndexFunc(order, func(c struct{ word, text string }) bool { return c.word == clause }))
}

// remaining proposes the clauses that may still come.
func (p *position) remaining(f *frame) {
	furthest := 0
	for c := range f.seen {
		furthest = max(furthest, place(c))
	}
	for _, c := range order {
		switch at := place(c.word); {
		case f.seen[c.word], at < furthest && c.word != "WINDOW":
		case c.word == "WINDOW" && furthest > place("QUALIFY"):
		case c.word == "HAVING" && !f.seen["GROUP"]:
		default:
			p.words(c.text)
		}
	}
}

// windowForms are the windows and what goes into their brackets.
var windowForms = map[string]string{
	"TUMBLING": "TUMBLING(size): windows side by side", "HOPPING": "HOPPING(size, advance): windows that overlap",
	"SLIDING": "SLIDING(size): everything within size before each row", "SESSION": "SESSION(gap): rows at most a gap apart",
	"CUMULATE": "CUMULATE(size, step): windows that grow by a step up to size",
}

func (p *position) window(f *frame) {
	switch last := p.last(1); {
	case last.Is("WINDOW"):
		for _, w := range []string{"TUMBLING", "HOPPING", "SLIDING", "SESSION", "CUMULATE"} {
			p.add(Window, p.cased(w+"("), windowForms[w])
		}
	case last.Is("GRACE"):
		p.words("PERIOD")
	case last.Is("PERIOD"), last.Is("AS"):
	case last.Punct(")"):
		p.words("GRACE")
		p.remaining(f)
	case last.Name() && p.last(2).Is("WINDOW"):
		if windowForms[strings.ToUpper(last.Text)] == "" {
			p.words("AS (")
		}
	default:
		p.remaining(f)
	}
}
