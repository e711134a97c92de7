package complete

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/types"
)

// source is a relation of a FROM.
type source struct {
	name    string // its alias, else its own name
	columns []types.Column
	windows bool // has window_start and window_end
}

// statementTokens are those around the cursor, without the word at it.
func (p *position) statementTokens() []parser.Token {
	return append(p.toks[:len(p.toks):len(p.toks)], p.after...)
}

// scope are the relations whose columns may stand at the cursor: those of the innermost SELECT first.
func (p *position) scope() []source {
	all := p.statementTokens()
	var out []source
	for i := len(p.frames) - 1; i >= 0; i-- {
		if p.frames[i].kind == query {
			out = append(out, p.sources(all, p.frames[i].from)...)
		}
	}
	return out
}

// sources are the relations of the SELECT at token i.
func (p *position) sources(all []parser.Token, i int) []source {
	from, end := extent(all, i)
	var out []source
	expected := true
	for j := from; j < end; j++ {
		t := all[j]
		switch {
		case t.Punct(",") || t.Is("JOIN"):
			expected = true
		case t.Punct("("):
			to := closing(all, j)
			if expected && j+1 < len(all) && (all[j+1].Is("SELECT") || all[j+1].Is("WITH")) {
				s := source{columns: p.output(all, indexOf(all, j+1, to, "SELECT"))}
				s.name, j = alias(all, to+1, end)
				out = append(out, s)
				expected = false
				continue
			}
			if !expected {
				j = to
			}
		case expected && t.Is("LATERAL"):
		case expected && t.Name() && !(j+1 < end && all[j+1].Punct("(")):
			s := p.relation(all, t.Text)
			if a, at := alias(all, j+1, end); a != "" {
				s.name, j = a, at
			}
			out = append(out, s)
			expected = false
		case t.Name():
			expected = false
		}
	}
	if out != nil && hasWindow(all, end) {
		out[0].windows = true
	}
	return out
}

// extent is where the relations of the SELECT at token i stand: from behind FROM to the next clause.
func extent(all []parser.Token, i int) (from, end int) {
	depth := 0
	for j := i + 1; j < len(all); j++ {
		t := all[j]
		switch {
		case t.Punct("("):
			depth++
		case t.Punct(")"):
			if depth--; depth < 0 {
				return ends(from, j)
			}
		case depth > 0:
		case t.Is("FROM") && from == 0:
			from = j + 1
		case t.Kind == parser.Word && fromEnds[strings.ToUpper(t.Text)] && from > 0:
			return from, j
		case t.Is("SELECT"):
			return ends(from, j)
		}
	}
	return ends(from, len(all))
}

func ends(from, end int) (int, int) {
	if from == 0 {
		return end, end
	}
	return from, end
}

var fromEnds = set("WHERE GROUP HAVING QUALIFY PARTITION ORDER LIMIT EMIT WINDOW UNION EXCEPT INTERSECT")

// hasWindow tells whether WINDOW KIND(…) stands behind the relations.
func hasWindow(all []parser.Token, end int) bool {
	depth := 0
	for j := end; j < len(all) && depth >= 0; j++ {
		switch t := all[j]; {
		case t.Punct("("):
			depth++
		case t.Punct(")"):
			depth--
		case depth == 0 && (t.Is("UNION") || t.Is("SELECT")):
			return false
		case depth == 0 && t.Is("WINDOW") && j+1 < len(all):
			return windowForms[strings.ToUpper(all[j+1].Text)] != ""
		}
	}
	return false
}

// closing is the bracket that closes the one at i.
func closing(all []parser.Token, i int) int {
	depth := 0
	for j := i; j < len(all); j++ {
		if all[j].Punct("(") {
			depth++
		} else if all[j].Punct(")") {
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return len(all)
}

func indexOf(all []parser.Token, from, to int, word string) int {
	for j := from; j < to && j < len(all); j++ {
		if all[j].Is(word) {
			return j
		}
	}
	return to
}

// alias reads [AS] name at j: the name and its index; "" when there is none.
func alias(all []parser.Token, j, end int) (string, int) {
	if j < end && all[j].Is("AS") {
		if j+1 < end && all[j+1].Name() && !all[j+1].Is("OF") {
			return all[j+1].Text, j + 1
		}
		return "", j
	}
	if j < end && (all[j].Kind == parser.Quoted || all[j].Kind == parser.Word && !parser.Keyword(all[j].Text)) {
		return all[j].Text, j
	}
	return "", j - 1
}

// relation finds a name: among the queries of WITH, then in the catalog.
func (p *position) relation(all []parser.Token, name string) source {
	if at, ok := p.cte(all, name); ok {
		return source{name: name, columns: p.output(all, at)}
	}
	for _, r := range p.world.Relations {
		if strings.EqualFold(r.Name, name) {
			return source{name: r.Name, columns: r.Columns}
		}
	}
	return source{name: name}
}

// cte is where the SELECT of a query of WITH is; one that stands around the cursor is none.
func (p *position) cte(all []parser.Token, name string) (int, bool) {
	for i := 1; i+3 < len(all); i++ {
		if all[i].Name() && strings.EqualFold(all[i].Text, name) && (all[i-1].Is("WITH") || all[i-1].Punct(",")) && all[i+1].Is("AS") && all[i+2].Punct("(") {
			if closing(all, i+2) > len(p.toks) && i+2 < len(p.toks) {
				return 0, false
			}
			return indexOf(all, i+3, len(all), "SELECT"), true
		}
	}
	return 0, false
}

// ctes proposes the queries of WITH.
func (p *position) ctes() {
	all := p.statementTokens()
	for i := 1; i+2 < len(all); i++ {
		if all[i].Name() && (all[i-1].Is("WITH") || all[i-1].Punct(",")) && all[i+1].Is("AS") && all[i+2].Punct("(") {
			if _, ok := p.cte(all, all[i].Text); ok {
				p.add(Relation, parser.QuoteName(all[i].Text), "query of WITH")
			}
		}
	}
}

// output are the columns of the SELECT at token i, as far as their names are plain.
func (p *position) output(all []parser.Token, i int) []types.Column {
	if i >= len(all) {
		return nil
	}
	from, _ := extent(all, i)
	sources := p.sources(all, i)
	var out []types.Column
	depth, start := 0, i+1
	for j := i + 1; j < from && j < len(all); j++ {
		switch t := all[j]; {
		case t.Punct("("):
			depth++
		case t.Punct(")"):
			depth--
		case depth == 0 && (t.Punct(",") || t.Is("FROM")):
			out = append(out, item(all[start:j], sources)...)
			start = j + 1
		}
	}
	return out
}

// item are the columns of one item of a select list.
func item(toks []parser.Token, sources []source) []types.Column {
	if len(toks) > 0 && toks[0].Is("DISTINCT") {
		toks = toks[1:]
	}
	if len(toks) == 0 {
		return nil
	}
	last := toks[len(toks)-1]
	switch {
	case last.Punct("*"):
		var out []types.Column
		for _, s := range sources {
			if len(toks) == 1 || strings.EqualFold(s.name, toks[0].Text) {
				out = append(out, s.columns...)
			}
		}
		return out
	case !last.Name():
		return nil
	}
	c := types.Column{Name: last.Text}
	if len(toks) == 1 || len(toks) == 3 && toks[1].Punct(".") {
		for _, s := range sources {
			if i := slices.IndexFunc(s.columns, func(x types.Column) bool { return strings.EqualFold(x.Name, last.Text) }); i >= 0 {
				c = s.columns[i]
			}
		}
	}
	return []types.Column{c}
}
