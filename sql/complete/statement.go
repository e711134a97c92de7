package complete

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/parser"
)

var (
	statements = strings.Fields("SELECT CREATE INSERT SHOW DESCRIBE EXPLAIN DROP PAUSE RESUME TERMINATE SET DEFINE PRINT INFER WITH")
	showable   = strings.Fields("STREAMS TABLES VIEWS QUERIES STATUS TOPICS FUNCTIONS OPTIONS SETTINGS CREATE")
)

// propose fills out.
func (p *position) propose() {
	if p.quote == '$' {
		for _, v := range p.world.Variables {
			p.add(Variable, v+"}", "")
		}
		return
	}
	top := p.top()
	if p.quote != 0 && p.quote != '`' && !p.takesText(top) {
		return
	}
	if p.takesText(top) {
		p.dotted()
	}
	switch top.kind {
	case statement:
		p.statement(p.level(0))
	case query:
		p.clause(top)
	case group, call:
		p.inBrackets(top)
	case options:
		p.option(top)
	case columns:
		p.definition(top)
	case names:
		p.columnNames(top)
	case windowArgs:
		p.windowArgument(top)
	case over:
		p.inOver(top)
	case values:
		if last := p.last(1); last.Punct("(") || last.Punct(",") {
			p.words("NULL", "TRUE", "FALSE")
		}
	}
}

// takesText tells whether a string at the cursor may be one of a list.
func (p *position) takesText(top *frame) bool {
	return top.kind == options || top.kind == statement && (p.tok(0).Is("SET") || p.tok(0).Is("PRINT") || p.tok(0).Is("INFER"))
}

// statement proposes what goes on at the level of the statement.
func (p *position) statement(l level) {
	if len(l) == 0 {
		p.words(statements...)
		return
	}
	if p.last(1).Punct(")") && p.tok(p.opened()+1).Is("SELECT") { // an operand of UNION in brackets
		p.words("UNION", "EXCEPT", "INTERSECT")
		return
	}
	rest := l[1:]
	switch l[0] {
	case "CREATE":
		p.create(rest)
	case "INSERT":
		p.insert(rest)
	case "DROP":
		p.drop(rest)
	case "SHOW", "LIST":
		p.show(rest)
	case "DESCRIBE", "DESC":
		p.describe(rest)
	case "EXPLAIN":
		p.explain(rest)
	case "PAUSE", "RESUME", "TERMINATE":
		if len(rest) == 0 {
			p.queries()
		}
	case "SET":
		p.set(rest)
	case "PRINT":
		p.print(rest)
	case "INFER":
		p.infer(rest)
	case "WITH":
		p.with(rest)
	}
}

func (p *position) create(l level) {
	if len(l) > 0 && l[0] == "OR" {
		if len(l) == 1 {
			p.words("REPLACE")
			return
		}
		l = l[2:]
	} else if len(l) == 0 {
		p.words("STREAM", "TABLE", "VIEW", "OR REPLACE")
		return
	}
	if len(l) == 0 {
		p.words("STREAM", "TABLE", "VIEW")
		return
	}
	kind := l[0]
	if l = l[1:]; len(l) > 0 && l[0] == "IF" {
		if len(l) < 3 {
			p.words([]string{"NOT EXISTS", "EXISTS"}[len(l)-1])
			return
		}
		l = l[3:]
	}
	with := []string{"WITH ("}
	if kind == "VIEW" {
		with = nil
	}
	switch {
	case len(l) == 0:
		p.words("IF NOT EXISTS")
		if p.tok(1).Is("OR") {
			p.relations(kind)
		}
	case l.is("?"), l.is("?", "()"):
		p.words(append(with, "AS SELECT")...)
	case l.is("?", "WITH", "()"), l.is("?", "()", "WITH", "()"):
		p.words("AS SELECT")
	case l[len(l)-1] == "AS" && slices.Index(l, "AS") == len(l)-1:
		p.words("SELECT", "WITH")
	case l.has("AS") && l.has("WITH"):
		p.with(l[slices.Index(l, "AS")+2:])
	}
}

func (p *position) insert(l level) {
	switch {
	case len(l) == 0:
		p.words("INTO")
	case l.is("INTO"):
		p.relations("STREAM", "TABLE")
	case l.is("INTO", "?"), l.is("INTO", "?", "()"):
		p.words("SELECT", "VALUES (", "WITH")
	}
}

func (p *position) drop(l level) {
	switch {
	case len(l) == 0:
		p.words("STREAM", "TABLE", "VIEW")
	case len(l) == 1:
		p.relations(l[0])
		p.words("IF EXISTS")
	case l.is("?", "IF"):
		p.words("EXISTS")
	case l.is("?", "IF", "EXISTS"), l[len(l)-1] == ",":
		p.relations(l[0])
	}
}

func (p *position) show(l level) {
	switch {
	case len(l) == 0:
		p.words(showable...)
	case l.is("CREATE"):
		p.relations()
	case l.is("STATUS"):
		p.words("FOR")
		p.queries()
	case l.is("STATUS", "FOR"):
		p.queries()
	case len(l) == 1:
		p.words("LIKE")
	}
}

func (p *position) describe(l level) {
	if len(l) == 0 {
		p.words("EXTENDED")
	}
	if len(l) == 0 || l.is("EXTENDED") {
		p.relations()
	}
}

func (p *position) explain(l level) {
	switch {
	case len(l) == 0:
		p.words("ANALYZE", "SELECT", "CREATE", "INSERT", "WITH")
		p.queries()
	case l.is("ANALYZE"):
		p.queries()
	case l[0] == "CREATE", l[0] == "INSERT", l[0] == "WITH":
		p.statement(l)
	}
}

func (p *position) set(l level) {
	switch {
	case len(l) == 0:
		for _, s := range p.world.Settings {
			p.add(Setting, s.Name, s.Doc)
		}
	case len(l) == 1:
		p.add(Keyword, "=", "")
	case l[len(l)-1] == "=":
		for _, s := range p.world.Settings {
			if strings.EqualFold(s.Name, p.toks[1].Text) {
				p.values(s)
			}
		}
	}
}

func (p *position) print(l level) {
	switch {
	case len(l) == 0:
		p.topics()
	case l[len(l)-1] == "FROM":
		p.words("BEGINNING")
	case l[len(l)-1] == "LIMIT", l.has("LIMIT"):
	case l.has("BEGINNING"):
		p.words("LIMIT")
	default:
		p.words("FROM BEGINNING", "LIMIT")
	}
}

func (p *position) infer(l level) {
	switch {
	case len(l) == 0:
		p.words("FROM TOPIC")
	case l.is("FROM"):
		p.words("TOPIC")
	case l.is("FROM", "TOPIC"):
		p.topics()
	case !l.has("WITH"):
		p.words("WITH (")
	}
}

// with is behind the first WITH of a query.
func (p *position) with(l level) {
	l = l.item()
	switch {
	case l.is("?"), l.is("?", "()"):
		p.words("AS (")
	case l.is("?", "AS", "()"), l.is("?", "()", "AS", "()"):
		p.words("SELECT")
	}
}

// dotted takes a name with dots and dashes that is being typed for the prefix: kafka.sa, orders-ra.
func (p *position) dotted() {
	for n := len(p.toks); n >= 2; n = len(p.toks) {
		dot, name := p.toks[n-1], p.toks[n-2]
		if p.quote != 0 || !(dot.Punct(".") || dot.Punct("-")) || dot.End != p.start || name.Kind != parser.Word || name.End != dot.Start {
			return
		}
		p.prefix = name.Text + dot.Text + p.prefix
		p.start = name.Start
		p.toks = p.toks[:n-2]
	}
}
