package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// create reads what follows CREATE.
func (p *parser) create(start int) ast.Statement {
	c := &ast.Create{OrReplace: p.accept("OR", "REPLACE")}
	p.accept("SOURCE") // ksqlDB's word for a stream or table without AS
	switch {
	case p.accept("STREAM"):
		c.Kind = ast.Stream
	case p.accept("TABLE"):
		c.Kind = ast.Table
	case p.accept("VIEW"):
		c.Kind = ast.View
	default:
		p.unexpected("STREAM, TABLE or VIEW")
		return nil
	}
	c.IfNotExists = p.accept("IF", "NOT", "EXISTS")
	c.Name = p.ident("the name of a " + strings.ToLower(c.Kind.String()))
	if p.accept("(") {
		p.elements(c)
		p.expect(")")
	}
	if p.accept("WITH") {
		c.Options = p.options()
	}
	if p.accept("AS") {
		from := p.start()
		c.As = p.query()
		c.AsSpan = p.since(from)
	}
	c.Span = p.since(start)
	p.checkCreate(c)
	return c
}

// checkCreate refuses a CREATE that says too little or too much.
func (p *parser) checkCreate(c *ast.Create) {
	switch {
	case p.err != nil:
	case c.Kind == ast.View && c.As == nil:
		p.unexpected("AS and a query")
	case c.Kind == ast.View && len(c.Options) > 0:
		p.fail(c.Options[0].Span, "a view has no options").WithHint("a view names a query; a STREAM or TABLE has a topic")
	case c.As == nil && len(c.Columns) == 0 && len(c.Options) == 0:
		p.unexpected("columns, WITH (…) or AS")
	}
}

// elements reads the list of columns, PRIMARY KEY (…) and WATERMARK FOR … of a CREATE.
func (p *parser) elements(c *ast.Create) {
	for {
		t := p.peek()
		switch {
		case p.accept("PRIMARY", "KEY"):
			keys := p.idents("a column of the primary key")
			p.primaryKey(c, t, keys)
		case p.sees("WATERMARK", "FOR"):
			p.watermark(c)
		case c.Kind == ast.View:
			name := p.ident("a column name")
			c.Columns = append(c.Columns, ast.ColumnDef{Span: name.Span, Name: name})
		default:
			p.column(c)
		}
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) primaryKey(c *ast.Create, t token, keys []ast.Ident) {
	switch {
	case p.err != nil:
	case len(c.PrimaryKey) > 0:
		p.fail(t.span(), "PRIMARY KEY is given twice").WithHint("a key of several columns is PRIMARY KEY (a, b)")
	case c.Kind != ast.Table:
		p.fail(t.span(), "a %s has no primary key", strings.ToLower(c.Kind.String())).WithHint("CREATE TABLE has one; a stream declares its Kafka key with WITH (key = '…')")
	default:
		c.PrimaryKey = keys
	}
}

// column reads name type [NOT NULL | NULL] [PRIMARY KEY] [COMMENT 'x'].
func (p *parser) column(c *ast.Create) {
	col := ast.ColumnDef{Name: p.ident("a column name")}
	col.Type = p.typeName()
	key := token{}
	for {
		t := p.peek()
		switch {
		case p.accept("NOT", "NULL"):
			col.NotNull = true
		case p.accept("NULL"):
		case p.accept("PRIMARY", "KEY"):
			key = t
		case p.accept("COMMENT"):
			p.str("a string")
		case t.is("KEY"):
			p.fail(t.span(), "KEY is not a column attribute").WithHint("a table has PRIMARY KEY; a stream declares its Kafka key with WITH (key = '%s')", col.Name.Name)
		case t.in("DEFAULT", "UNIQUE", "AUTO_INCREMENT", "GENERATED", "REFERENCES", "CHECK", "HEADER", "HEADERS", "METADATA"):
			p.unsupported(t.span(), strings.ToUpper(t.text)+" on a column", "leave it out")
		default:
			col.Span = p.since(col.Name.Start)
			c.Columns = append(c.Columns, col)
			if key.end > 0 {
				p.primaryKey(c, key, []ast.Ident{col.Name})
			}
			return
		}
	}
}

// watermark reads WATERMARK FOR ts AS ts [- delay].
func (p *parser) watermark(c *ast.Create) {
	start := p.start()
	p.expect("WATERMARK", "FOR")
	w := &ast.Watermark{Column: p.ident("a column")}
	p.expect("AS")
	again := p.ident("the column " + w.Column.Name)
	if p.err == nil && !strings.EqualFold(again.Name, w.Column.Name) {
		p.fail(again.Span, "the watermark of %s is %s minus a duration, not of %s", w.Column.Name, w.Column.Name, again.Name)
	}
	w.Delay.Span = ast.Span{Start: again.End, End: again.End}
	if p.accept("-") {
		w.Delay = *p.notNegative("WATERMARK delay")
	}
	w.Span = p.since(start)
	if c.Watermark != nil {
		p.fail(w.Span, "WATERMARK is given twice")
	}
	c.Watermark = w
}

// options reads (name = value, …). Names come in lower case; a value is the text of a literal, a word or a duration.
func (p *parser) options() []ast.Option {
	var list []ast.Option
	seen := map[string]bool{}
	p.expect("(")
	for p.err == nil && !p.sees(")") {
		o := p.option()
		if p.err == nil && seen[o.Name] {
			p.fail(o.Span, "option %s is given twice", o.Name)
		}
		seen[o.Name] = true
		list = append(list, o)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

func (p *parser) option() ast.Option {
	start := p.start()
	o := ast.Option{Name: strings.ToLower(p.dotted("an option name"))}
	p.expect("=")
	o.Value, o.ValueSpan = p.value("the value of " + o.Name)
	o.Span = p.since(start)
	return o
}

// dotted reads a name with dots and dashes in it, or a string: kafka.group.id, 'auto.offset.reset'.
func (p *parser) dotted(what string) string {
	t := p.peek()
	if t.kind == tokString || t.kind == tokQuoted {
		p.pos++
		return t.text
	}
	if t.kind != tokWord {
		p.unexpected(what)
		return ""
	}
	var b strings.Builder
	for end := t.start; p.err == nil; {
		t = p.peek()
		if t.start != end || !t.name() {
			p.unexpected(what)
			break
		}
		p.pos++
		b.WriteString(t.text)
		if dot := p.peek(); (dot.punct(".") || dot.punct("-")) && dot.start == t.end {
			p.pos++
			b.WriteString(dot.text)
			end = dot.end
			continue
		}
		break
	}
	return b.String()
}

// value reads the value of an option: the decoded text of a string, else the text as it stands.
func (p *parser) value(what string) (string, ast.Span) {
	start, t := p.start(), p.peek()
	switch {
	case t.kind == tokString, t.kind == tokQuoted:
		p.pos++
		return t.text, t.span()
	case t.is("INTERVAL"), t.number() && p.at(p.pos+1).kind == tokWord: // 10 SECONDS
		p.duration(what)
	case t.punct("-") || t.punct("+"):
		p.pos++
		if !p.peek().number() {
			p.unexpected("a number")
		}
		p.next()
	case t.kind == tokWord, t.number():
		p.pos++
	default:
		p.unexpected(what)
	}
	if p.err != nil {
		return "", ast.Span{}
	}
	at := p.since(start)
	return p.text[at.Start:at.End], at
}
