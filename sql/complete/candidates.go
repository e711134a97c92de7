package complete

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/types"
)

// relations proposes those of some kinds; of all without one.
func (p *position) relations(kinds ...string) {
	for _, r := range p.world.Relations {
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			doc := fmt.Sprintf("%s, %d columns", strings.ToLower(r.Kind), len(r.Columns))
			if r.Topic != "" && r.Topic != r.Name {
				doc += ", topic " + r.Topic
			}
			p.name(Relation, r.Name, doc)
		}
	}
}

// name proposes a name, in back-quotes where it needs them.
func (p *position) name(kind Kind, name, doc string) {
	switch {
	case p.quote == '`':
		p.add(kind, strings.ReplaceAll(name, "`", "``")+"`", doc)
	case p.quote == 0:
		p.add(kind, parser.QuoteName(name), doc)
	}
}

// operand proposes what an expression may begin with: columns, functions once a letter is typed, a few words.
func (p *position) operand() {
	sources := p.scope()
	for _, s := range sources {
		for _, c := range s.columns {
			if clashes(sources, c.Name) {
				if p.quote == 0 {
					p.add(Column, parser.QuoteName(s.name)+"."+parser.QuoteName(c.Name), c.Type.String())
				}
				continue
			}
			p.name(Column, c.Name, typed(c.Type, s.name))
		}
		if s.windows {
			p.name(Column, "window_start", "TIMESTAMP(3)")
			p.name(Column, "window_end", "TIMESTAMP(3)")
		}
	}
	if p.quote != 0 {
		return
	}
	if len(sources) > 0 {
		p.hidden("_key", "_value", "_topic", "_partition", "_offset", "_timestamp", "_headers")
	}
	if len(sources) > 1 {
		for _, s := range sources {
			if s.name != "" {
				p.add(Alias, parser.QuoteName(s.name)+".", "columns of "+s.name)
			}
		}
	}
	if p.prefix != "" {
		p.functions(func(f FunctionInfo) bool { return !f.Table })
	}
	p.words("CASE", "CAST(", "NULL", "TRUE", "FALSE")
	if last := p.last(1); last.Kind == parser.Word && !comparisons[strings.ToUpper(last.Text)] && !last.Is("DIV") || last.Punct(",") || last.Punct("(") { // not behind an operator
		if comparison(p.level(p.top().open)) != ">=" {
			p.words("NOT")
		}
		if f := p.enclosing(); f != nil && f.clause != "SELECT" {
			p.words("EXISTS (")
		}
	} else {
		p.words("INTERVAL")
	}
}

func typed(t types.Type, of string) string {
	if t.Kind == types.Null {
		return "of " + of
	}
	return t.String() + " of " + of
}

// clashes tells whether more than one relation has a column of that name.
func clashes(sources []source, column string) bool {
	n := 0
	for _, s := range sources {
		if slices.ContainsFunc(s.columns, func(c types.Column) bool { return strings.EqualFold(c.Name, column) }) {
			n++
		}
	}
	return n > 1
}

// bareColumns proposes columns without their relation.
func (p *position) bareColumns() {
	for _, s := range p.scope() {
		p.columns(s.columns)
	}
}

// hidden proposes columns that are no part of *, once their underscore is typed.
func (p *position) hidden(list ...string) {
	if strings.HasPrefix(p.prefix, "_") {
		for _, n := range list {
			p.add(Column, n, "of the record itself")
		}
	}
}

func (p *position) functions(wanted func(FunctionInfo) bool) {
	for _, f := range p.world.Functions {
		if wanted(f) {
			p.add(Function, p.cased(f.Name)+"(", f.Signature+": "+f.Doc)
		}
	}
}

// afterDot tells whether a name and a dot stand right before the cursor.
func (p *position) afterDot() bool {
	return p.last(1).Punct(".") && (p.last(2).Name() || p.last(2).Punct("]"))
}

// members proposes columns of an alias, or fields of a struct.
func (p *position) members() {
	var path []string
	for i := len(p.toks) - 1; i > 0 && p.toks[i].Punct(".") && p.toks[i-1].Name(); i -= 2 {
		path = append([]string{p.toks[i-1].Text}, path...)
	}
	if len(path) == 0 {
		return
	}
	sources := p.scope()
	for _, s := range sources {
		if !strings.EqualFold(s.name, path[0]) {
			continue
		}
		if len(path) == 1 {
			for _, c := range s.columns {
				p.name(Column, c.Name, c.Type.String())
			}
			if s.windows {
				p.words("window_start", "window_end")
			}
			return
		}
		p.fields(s.columns, path[1:])
		return
	}
	for _, s := range sources {
		p.fields(s.columns, path)
	}
}

// fields follows a path into a struct.
func (p *position) fields(cols []types.Column, path []string) {
	for _, c := range cols {
		if !strings.EqualFold(c.Name, path[0]) {
			continue
		}
		t := c.Type
		for _, name := range path[1:] {
			i := slices.IndexFunc(t.Fields, func(f types.Field) bool { return strings.EqualFold(f.Name, name) })
			if i < 0 {
				return
			}
			t = t.Fields[i].Type
		}
		for _, f := range t.Fields {
			p.name(Column, f.Name, f.Type.String())
		}
	}
}

func (p *position) queries() {
	for _, q := range p.world.Queries {
		p.name(Query, q, "")
	}
}

// topics proposes names of topics: in quotes where an option takes them.
func (p *position) topics() {
	if p.world.Topics == nil {
		return
	}
	for _, t := range p.world.Topics() {
		if p.top().kind == options || p.quote != 0 {
			p.text(Topic, t, "")
		} else {
			p.add(Topic, t, "")
		}
	}
}

// values proposes the known values of an option or setting.
func (p *position) values(o OptionInfo) {
	for _, v := range o.Values {
		p.text(Value, v, o.Doc)
	}
}

// text proposes a string: its rest, if its quote is typed.
func (p *position) text(kind Kind, value, doc string) {
	switch p.quote {
	case 0:
		if p.prefix != "" { // a value without quotes, which is also read
			p.add(kind, value, doc)
			return
		}
		p.add(kind, "'"+strings.ReplaceAll(value, "'", "''")+"'", doc)
	case '\'', '"':
		p.add(kind, value+string(p.quote), doc)
	}
}
