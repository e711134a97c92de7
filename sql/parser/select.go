package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// selectCore reads a SELECT from after its first word up to PARTITION BY.
func (p *parser) selectCore(start int) *ast.Select {
	s := &ast.Select{}
	if t := p.peek(); p.accept("DISTINCT") || p.accept("DISTINCTROW") {
		s.Distinct = p.distinct(t.start)
	} else if t.is("ALL") {
		p.pos++
	}
	s.Items = p.items()
	if p.accept("FROM") {
		s.From = p.relations()
	}
	p.clauses(s)
	s.Span = p.since(start)
	return s
}

// distinct reads [ON (a, b)] [WITHIN d] after DISTINCT.
func (p *parser) distinct(start int) *ast.Distinct {
	d := &ast.Distinct{}
	if p.accept("ON") {
		p.expect("(")
		d.On = p.exprs()
		p.expect(")")
	}
	if p.sees("WITHIN") {
		p.pos++
		if p.startsDuration() {
			within := p.positive(p.duration("DISTINCT WITHIN"), "DISTINCT WITHIN")
			d.Within = &within
		} else {
			p.pos-- // a column of that name
		}
	}
	d.Span = p.since(start)
	return d
}

// items reads the select list.
func (p *parser) items() []ast.Item {
	var items []ast.Item
	var all []extent
	for {
		start := p.start()
		item, star := p.star()
		if !star {
			all = append(all, p.extent())
			if p.accept("AS") {
				item.Alias = p.nameOrString("an alias")
			}
		}
		item.Span = p.since(start)
		items = append(items, item)
		if !p.accept(",") {
			break
		}
	}
	exprs, aliases := p.readItems(all)
	if p.err != nil {
		return nil
	}
	n := 0
	for i := range items {
		item := &items[i]
		if item.Star {
			continue
		}
		item.Expr = exprs[n]
		if aliases[n].Name != "" && item.Alias.Name != "" {
			p.fail(aliases[n].Span, "unexpected %q before AS", aliases[n].Name).WithHint("a comma or an operator may be missing before it")
		}
		if item.Alias.Name == "" {
			item.Alias = aliases[n]
		}
		n++
	}
	return items
}

// star reads * and t.*.
func (p *parser) star() (ast.Item, bool) {
	switch t := p.peek(); {
	case p.accept("*"):
		return ast.Item{Star: true}, true
	case t.name() && p.at(p.pos+1).punct(".") && p.at(p.pos+2).punct("*"):
		table := p.ident("the name of a relation")
		p.expect(".", "*")
		return ast.Item{Star: true, Table: table.Name}, true
	case t.name() && p.at(p.pos+3).punct(".") && p.at(p.pos+4).punct("*"):
		p.unsupported(ast.Span{Start: t.start, End: p.at(p.pos + 4).end}, "the fields of a STRUCT as a star", "name the fields")
	}
	return ast.Item{}, false
}

// clauseOrder is where a clause stands among those after FROM. WINDOW may stand anywhere among them.
var clauseOrder = map[string]int{"WHERE": 1, "GROUP": 2, "HAVING": 3, "QUALIFY": 4, "PARTITION": 5}

// clauses reads what follows FROM.
func (p *parser) clauses(s *ast.Select) {
	last := ""
	for p.err == nil {
		t := p.peek()
		word := strings.ToUpper(t.text)
		if t.kind != tokWord || clauseOrder[word] == 0 && word != "WINDOW" {
			return
		}
		if word != "WINDOW" {
			switch {
			case word == last:
				p.fail(t.span(), "%s is given twice", word)
				return
			case clauseOrder[word] < clauseOrder[last]:
				p.fail(t.span(), "%s must stand before %s", word, last)
				return
			}
			last = word
		}
		p.clause(s, word)
	}
}

func (p *parser) clause(s *ast.Select, word string) {
	start := p.start()
	p.pos++
	switch word {
	case "WHERE":
		s.Where = p.expr()
	case "GROUP":
		p.expect("BY")
		s.GroupBy = p.exprs()
		if p.accept("WITH") {
			p.expect("ROLLUP")
			s.Rollup = true
		}
	case "HAVING":
		s.Having = p.expr()
	case "QUALIFY":
		s.Qualify = p.expr()
	case "PARTITION":
		p.expect("BY")
		s.PartitionBy = p.exprs()
	case "WINDOW":
		if p.peek().name() && p.at(p.pos+1).is("AS") {
			p.namedWindows(s)
			return
		}
		if s.Window != nil {
			p.fail(p.toks[p.pos-1].span(), "WINDOW is given twice").WithHint("WINDOW TUMBLING(…) is one time window; WINDOW w AS (…) names a window of OVER")
			return
		}
		s.Window = p.window(start)
	}
}

// namedWindows reads w AS (…), ….
func (p *parser) namedWindows(s *ast.Select) {
	for {
		name := p.ident("a window name")
		p.expect("AS")
		s.Windows = append(s.Windows, ast.NamedWindow{Name: name, Spec: *p.overSpec()})
		if !p.accept(",") {
			return
		}
	}
}
