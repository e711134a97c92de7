package complete

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/parser"
	"github.com/streamsql-go/streamsql/sql/types"
)

// inBrackets is an expression in brackets, or the arguments of a function.
func (p *position) inBrackets(f *frame) {
	if p.afterDot() {
		p.members()
		return
	}
	first := len(p.toks) == f.open
	outer := p.enclosing()
	switch {
	case first && f.kind == group && outer != nil && (outer.clause == "FROM" || outer.clause == "JOIN"):
		p.words("SELECT", "WITH")
		p.relations()
		return
	case first && f.kind == group && p.last(1).Punct("(") && !p.last(3).Is("DISTINCT"):
		p.words("SELECT")
		if outer == nil { // CREATE … AS (, WITH x AS (
			p.words("WITH")
			return
		}
	case f.kind == call && p.last(1).Is("AS"):
		if f.word == "CAST" || f.word == "TRY_CAST" {
			p.types()
		}
		return
	case first && f.kind == call && isAggregate(p.world, f.word):
		p.words("DISTINCT")
	case f.word == "FILTER" && first:
		p.words("WHERE")
		return
	}
	if p.last(1).Is("ORDER") {
		p.words("BY")
		return
	}
	if p.last(1).Is("WHERE") || first && f.word != "FILTER" {
		p.operand()
		return
	}
	if p.level(f.open).has("SEPARATOR") || !p.expression(f.open) {
		return
	}
	switch f.word {
	case "GROUP_CONCAT":
		p.words("ORDER BY", "SEPARATOR")
	case "CAST", "TRY_CAST":
		p.words("AS")
	case "ARRAY_AGG", "JSON_ARRAYAGG", "COLLECT_LIST":
		p.words("ORDER BY")
	}
}

// enclosing is the SELECT around the cursor's bracket, nil outside of any.
func (p *position) enclosing() *frame {
	for i := len(p.frames) - 1; i >= 0; i-- {
		if p.frames[i].kind == query {
			return &p.frames[i]
		}
	}
	return nil
}

func isAggregate(w *World, name string) bool {
	for _, f := range w.Functions {
		if f.Aggregate && f.Name == name {
			return true
		}
	}
	return false
}

// option is inside of WITH (…).
func (p *position) option(f *frame) {
	item := p.level(f.open).item()
	switch {
	case len(item) == 0 && p.quote == 0:
		given := p.givenOptions(f)
		for _, o := range p.world.Options {
			if _, twice := given[strings.ToLower(o.Name)]; !twice && fits(o, given) {
				p.add(Option, plain(o.Name), joined(o.Doc, o.Default))
			}
		}
	case item[len(item)-1] == "=" && len(item) > 1:
		name := strings.ToLower(strings.Join(item[:len(item)-1], ""))
		p.optionValue(f, name)
	case len(item) > 0 && !item.has("="):
		p.add(Keyword, "=", "")
	}
}

// plain leaves the placeholder of a name such as generate.<column> out.
func plain(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return name
}

func joined(doc, def string) string {
	if def == "" {
		return doc
	}
	return doc + " (default " + def + ")"
}

// givenOptions are the options written before, by name in small letters.
func (p *position) givenOptions(f *frame) map[string]string {
	out := map[string]string{}
	var name strings.Builder
	for i := f.open; i < len(p.toks); i++ {
		switch t := p.toks[i]; {
		case t.Punct("="):
			out[strings.ToLower(name.String())] = strings.ToLower(p.tok(i + 1).Text)
		case t.Punct(","):
			name.Reset()
		default:
			name.WriteString(t.Text)
		}
	}
	return out
}

// fits tells whether an option goes with those that are given: one of a connector belongs to that connector.
func fits(o OptionInfo, given map[string]string) bool {
	connector := given["connector"]
	if connector == "" {
		connector = "kafka"
	}
	return o.Connector == "" || o.Connector == connector
}

func (p *position) optionValue(f *frame, name string) {
	switch name {
	case "topic", "kafka_topic", "topics":
		p.topics()
	case "key", "timestamp", "headers":
		for _, c := range p.declared() {
			p.text(Value, c.name, c.typ)
		}
	}
	for _, o := range p.world.Options {
		if strings.EqualFold(o.Name, name) {
			p.values(o)
		}
	}
}

// definition is the list of columns of a CREATE.
func (p *position) definition(f *frame) {
	item := p.level(f.open).item()
	n := len(item)
	view, table := p.level(0).has("VIEW"), p.level(0).has("TABLE")
	switch {
	case view:
	case n == 0:
		p.words("WATERMARK FOR")
		if table && !p.level(f.open).has("PRIMARY") {
			p.words("PRIMARY KEY (")
		}
	case item.is("WATERMARK"):
		p.words("FOR")
	case item.is("WATERMARK", "FOR"), item.is("WATERMARK", "FOR", "?", "AS"):
		for _, c := range p.declared() {
			if strings.HasPrefix(c.typ, "TIMESTAMP") || strings.HasPrefix(c.typ, "DATETIME") || strings.HasPrefix(c.typ, "BIGINT") {
				p.add(Column, parser.QuoteName(c.name), c.typ)
			}
		}
	case item.is("WATERMARK", "FOR", "?"):
		p.words("AS")
	case item.is("WATERMARK", "FOR", "?", "AS", "?"):
		p.words("- INTERVAL")
	case item[0] == "WATERMARK":
		if item[n-1] != "-" && item[n-2] == "INTERVAL" {
			p.words(intervalUnits[:7]...) // a month has no fixed length
		}
	case item.is("PRIMARY"), item[n-1] == "PRIMARY":
		p.words("KEY")
	case item[n-1] == "NOT":
		p.words("NULL")
	case n == 1, item[n-1] == "<", item[n-1] == "," && !item.has("STRUCT"):
		p.types()
	case n >= 2 && item.has("STRUCT") && (item[n-2] == "<" || item[n-2] == ","):
		p.types()
	case item.count("<") > item.count(">"), item[n-1] == ",", item[n-1] == "COMMENT", item[0] == "PRIMARY":
	default:
		if table && !p.level(f.open).has("PRIMARY") {
			p.words("PRIMARY KEY")
		}
		if !item.has("NOT") {
			p.words("NOT NULL")
		}
		p.words("COMMENT")
	}
}

func (p *position) types() {
	for _, t := range typeNames {
		p.add(Type, p.cased(t), "")
	}
}

var typeNames = strings.Fields("VARCHAR BIGINT INT DOUBLE DECIMAL BOOLEAN TIMESTAMP DATE TIME JSON VARBINARY ARRAY< MAP< STRUCT< SMALLINT TINYINT FLOAT")

// definedColumn is a column that the statement itself declares.
type definedColumn struct{ name, typ string }

// declared are the columns of the CREATE that is being typed.
func (p *position) declared() []definedColumn {
	var out []definedColumn
	depth, fresh := 0, false
	all := append(p.toks[:len(p.toks):len(p.toks)], p.after...)
	for i, t := range all {
		switch {
		case depth == 0 && (t.Is("WITH") || t.Is("AS")):
			return out
		case t.Punct("(") || t.Punct("<"):
			depth++
			fresh = depth == 1 && t.Punct("(")
			continue
		case t.Punct(")") || t.Punct(">"):
			depth--
		case t.Punct(",") && depth == 1:
			fresh = true
			continue
		case fresh && t.Name() && !t.Is("WATERMARK") && !t.Is("PRIMARY") && i+1 < len(all):
			out = append(out, definedColumn{t.Text, strings.ToUpper(all[i+1].Text)})
		}
		fresh = false
	}
	return out
}

// columnNames are plain names of columns: of a key, of USING, of INSERT INTO x (…).
func (p *position) columnNames(f *frame) {
	item := p.level(f.open).item()
	if len(item) > 0 {
		return
	}
	switch f.word {
	case "KEY":
		for _, c := range p.declared() {
			p.add(Column, parser.QuoteName(c.name), c.typ)
		}
	case "USING":
		p.bareColumns()
	default:
		for _, r := range p.world.Relations {
			if strings.EqualFold(r.Name, p.tok(f.open-2).Text) {
				p.columns(r.Columns)
				p.hidden("_key", "_timestamp", "_headers")
			}
		}
	}
}

func (p *position) columns(cols []types.Column) {
	for _, c := range cols {
		p.add(Column, parser.QuoteName(c.Name), c.Type.String())
	}
}

// windowArgument is inside of TUMBLING (…) and its like.
func (p *position) windowArgument(f *frame) {
	item := p.level(f.open).item()
	first := len(item) == len(p.level(f.open))
	aligned := f.word != "SESSION" && f.word != "SLIDING"
	switch {
	case len(item) == 0 && first:
		p.words("SIZE")
	case len(item) == 0:
		if f.word == "HOPPING" && !p.level(f.open).has("ADVANCE") {
			p.words("ADVANCE BY")
		}
		p.words("GRACE PERIOD")
		if aligned {
			p.words("OFFSET", "TIME ZONE")
		}
	case item.is("ADVANCE"):
		p.words("BY")
	case item.is("GRACE"):
		p.words("PERIOD")
	case item.is("TIME"):
		p.words("ZONE")
	case p.last(1).Kind == parser.Number:
		p.words("SECONDS", "MINUTES", "HOURS", "DAYS", "WEEKS", "MONTHS", "MILLISECONDS")
	}
}

// inOver is inside of OVER (…).
func (p *position) inOver(f *frame) {
	if p.afterDot() {
		p.members()
		return
	}
	l := p.level(f.open)
	last := p.last(1)
	switch {
	case len(l) == 0:
		p.words("PARTITION BY", "ORDER BY")
	case last.Is("PARTITION"), last.Is("ORDER"):
		p.words("BY")
	case l.has("ROWS"), l.has("RANGE"):
		p.frameBound(l)
	case p.expression(f.open):
		if l.has("ORDER") {
			p.words("ASC", "DESC", "ROWS BETWEEN", "RANGE BETWEEN")
		} else {
			p.words("ORDER BY")
		}
	}
}

// frameBound is behind ROWS or RANGE.
func (p *position) frameBound(l level) {
	switch last := p.last(1); {
	case last.Is("ROWS"), last.Is("RANGE"):
		p.words("BETWEEN", "CURRENT ROW", "UNBOUNDED PRECEDING")
	case last.Is("BETWEEN"):
		p.words("CURRENT ROW", "UNBOUNDED PRECEDING")
	case last.Is("AND"):
		p.words("CURRENT ROW", "UNBOUNDED FOLLOWING")
	case last.Is("CURRENT"):
		p.words("ROW")
	case last.Is("UNBOUNDED"), last.Kind == parser.Number && p.last(2).Kind == parser.Word:
		p.words("PRECEDING", "FOLLOWING")
	case (last.Is("PRECEDING") || last.Is("FOLLOWING") || last.Is("ROW")) && l.has("BETWEEN") && !l.has("AND"):
		p.words("AND")
	}
}
