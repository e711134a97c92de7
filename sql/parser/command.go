package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// statementWords are the words a statement may begin with.
var statementWords = strings.Fields(`SELECT WITH CREATE DROP INSERT EXPLAIN DESCRIBE DESC SHOW PAUSE RESUME TERMINATE SET DEFINE USE
	PRINT INFER ASSERT RESTART CRASH ADVANCE`)

// statement reads one statement.
func (p *parser) statement() ast.Statement {
	start, t := p.start(), p.peek()
	if p.queryStarts(p.pos) {
		q := p.query()
		return &ast.SelectStatement{Span: p.since(start), Query: q}
	}
	if t.kind != tokWord {
		p.unexpected("a statement")
		return nil
	}
	p.pos++
	switch strings.ToUpper(t.text) {
	case "CREATE":
		return p.create(start)
	case "DROP":
		return p.drop(start)
	case "INSERT":
		return p.insert(start)
	case "EXPLAIN":
		return p.explain(start)
	case "DESCRIBE", "DESC":
		return p.describeStatement(start)
	case "SHOW", "LIST":
		return p.show(start)
	case "PAUSE", "RESUME", "TERMINATE":
		return p.queryCommand(start, t)
	case "SET":
		name := p.dotted("the name of a setting")
		p.expect("=")
		value, _ := p.value("a value")
		return &ast.Set{Span: p.since(start), Name: name, Value: value}
	case "DEFINE":
		name := p.ident("the name of a variable")
		p.expect("=")
		value, _ := p.value("a value")
		return &ast.Define{Span: p.since(start), Name: name.Name, Value: value}
	case "USE":
		name := p.ident("the name of a stream")
		return &ast.Use{Span: p.since(start), Name: name}
	case "PRINT":
		return p.print(start)
	case "INFER":
		p.expect("FROM", "TOPIC")
		i := &ast.Infer{Topic: p.topic()}
		if p.accept("WITH") {
			i.Options = p.options()
		}
		i.Span = p.since(start)
		return i
	case "ASSERT":
		return p.assert(start)
	case "RESTART", "CRASH", "ADVANCE":
		return p.harness(start, t)
	}
	p.pos--
	p.unknownStatement(t)
	return nil
}

func (p *parser) unknownStatement(t token) {
	hint := "a statement begins with " + strings.Join(statementWords, ", ")
	if near := spell.Closest(t.text, statementWords); near != "" {
		hint = "did you mean " + near + "?"
	}
	switch {
	case t.in("UPDATE", "DELETE", "REPLACE", "ALTER", "TRUNCATE", "MERGE"):
		p.unsupported(t.span(), strings.ToUpper(t.text), "INSERT a new record; in a table it replaces the row with the same primary key")
	default:
		p.fail(t.span(), "unknown statement %q", t.text).Hint = hint
	}
}

func (p *parser) drop(start int) ast.Statement {
	d := &ast.Drop{}
	switch {
	case p.accept("STREAM"):
		d.Kind = ast.Stream
	case p.accept("TABLE"):
		d.Kind = ast.Table
	case p.accept("VIEW"):
		d.Kind = ast.View
	default:
		p.unexpected("STREAM, TABLE or VIEW")
	}
	d.IfExists = p.accept("IF", "EXISTS")
	for {
		d.Names = append(d.Names, p.ident("the name of a "+strings.ToLower(d.Kind.String())))
		if !p.accept(",") {
			break
		}
	}
	d.Span = p.since(start)
	return d
}

func (p *parser) explain(start int) ast.Statement {
	e := &ast.Explain{Analyze: p.accept("ANALYZE")}
	if t := p.peek(); t.name() && p.at(p.pos+1).kind == tokEOF {
		e.Name = p.ident("a statement or the name of a query")
	} else if t.is("EXPLAIN") {
		p.fail(t.span(), "EXPLAIN of EXPLAIN")
	} else {
		e.Statement = p.statement()
	}
	e.Span = p.since(start)
	return e
}

func (p *parser) describeStatement(start int) ast.Statement {
	d := &ast.Describe{}
	if p.sees("EXTENDED") && p.at(p.pos+1).kind != tokEOF {
		d.Extended = p.accept("EXTENDED")
	}
	if t := p.peek(); t.in("STREAM", "TABLE", "VIEW") && p.at(p.pos+1).name() {
		p.pos++
	}
	d.Name = p.ident("the name of a stream, table, view or query")
	d.Span = p.since(start)
	return d
}

// showable is what SHOW lists; what is true may be followed by a name.
var showable = map[string]bool{"STREAMS": false, "TABLES": false, "VIEWS": false, "TOPICS": false, "QUERIES": false, "FUNCTIONS": false,
	"SETTINGS": false, "OPTIONS": false, "ERRORS": true, "STATUS": true, "CREATE": true}

func (p *parser) show(start int) ast.Statement {
	t := p.peek()
	what := strings.ToUpper(t.text)
	named, ok := showable[what]
	if !ok || t.kind != tokWord {
		p.unknownShow(t)
		return nil
	}
	p.pos++
	s := &ast.Show{What: what}
	if what == "CREATE" {
		if t := p.peek(); t.in("STREAM", "TABLE", "VIEW") && p.at(p.pos+1).name() {
			p.pos++
		}
	}
	if named && (p.accept("FOR") || what == "CREATE" || p.peek().name() && !p.sees("LIKE")) {
		name := p.ident("a name")
		s.Name = &name
	}
	if p.accept("LIKE") {
		s.Like = p.str("a pattern in quotes")
	}
	s.Span = p.since(start)
	return s
}

func (p *parser) unknownShow(t token) {
	if t.kind != tokWord {
		p.unexpected("what to show")
		return
	}
	list := strings.Fields("STREAMS TABLES VIEWS TOPICS QUERIES FUNCTIONS SETTINGS OPTIONS ERRORS STATUS CREATE")
	hint := "SHOW knows " + strings.Join(list, ", ")
	if near := spell.Closest(t.text, list); near != "" {
		hint = "did you mean SHOW " + near + "?"
	}
	p.fail(t.span(), "SHOW does not know %q", t.text).Hint = hint
}

func (p *parser) queryCommand(start int, verb token) ast.Statement {
	if p.sees("QUERY") && p.at(p.pos+1).kind != tokEOF {
		p.pos++
	}
	name := p.ident("the name of a query")
	return &ast.QueryCommand{Span: p.since(start), Verb: strings.ToUpper(verb.text), Name: name}
}

func (p *parser) print(start int) ast.Statement {
	s := &ast.Print{Topic: p.topic(), Limit: -1}
	s.FromBeginning = p.accept("FROM", "BEGINNING")
	if p.accept("LIMIT") {
		s.Limit = p.count("a number of records")
	}
	s.Span = p.since(start)
	return s
}

// topic reads the name of a topic: dots and dashes need no quotes.
func (p *parser) topic() ast.Ident {
	start := p.start()
	name := p.dotted("the name of a topic")
	return ast.Ident{Span: p.since(start), Name: name}
}
