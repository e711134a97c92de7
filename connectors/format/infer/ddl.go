package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
)

// SQL is the proposal: comments and statements that run as they are.
func (p *Proposal) SQL() string {
	var b strings.Builder
	p.head(&b)
	name := p.name()
	table := p.format == changeEvents || p.key != nil && (p.sample.Compacted || p.nulls > 0)
	switch {
	case table:
		p.create(&b, "TABLE", name)
	default:
		p.create(&b, "STREAM", name)
		if p.key != nil && p.repeated && !p.key.own && !p.key.some {
			b.WriteString("\n-- Keys repeat. If a record replaces the earlier ones of its key, the topic is a table:\n")
			p.create(&b, "TABLE", name+"_table")
		}
	}
	return b.String()
}

func (p *Proposal) head(b *strings.Builder) {
	looked := len(p.records) + p.nulls
	fmt.Fprintf(b, "-- Topic %s: %s, about %s. Guessed from %d of them.\n", p.sample.Topic, count(int64(p.sample.Partitions), "partition"), count(p.sample.Total, "record"), looked)
	if p.sample.Compacted {
		b.WriteString("-- It is compacted: records replace the earlier ones of their key.\n")
	}
	if p.nulls > 0 && p.format == changeEvents {
		fmt.Fprintf(b, "-- %s without a value: each repeats the deletion before it.\n", count(int64(p.nulls), "record"))
	} else if p.nulls > 0 {
		fmt.Fprintf(b, "-- %s without a value: these remove the row of their key.\n", count(int64(p.nulls), "record"))
	}
	if p.bad > 0 {
		fmt.Fprintf(b, "-- %s cannot be read so, and will meet on_error.\n", count(int64(p.bad), "record"))
	}
	for _, n := range p.notes {
		b.WriteString("-- " + oneLine(n) + "\n")
	}
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// oneLine keeps a comment from ending before its end.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}

// name is the relation's: the topic's, with what names do not have as underscores.
func (p *Proposal) name() string {
	if p.opts.Name != "" {
		return p.opts.Name
	}
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' {
			return '_'
		}
		return r
	}, p.sample.Topic)
}

// create writes one statement.
func (p *Proposal) create(b *strings.Builder, kind, name string) {
	columns := p.columns
	keyed := p.key != nil && (kind == "TABLE" || !p.key.own && !p.key.some)
	if p.key != nil && p.key.own && !keyed { // added for the key alone
		columns = columns[:len(columns)-len(p.key.columns)]
	}
	columns = p.withHeads(columns)
	fmt.Fprintf(b, "CREATE %s %s (\n", kind, p.opts.Quote(name))
	for i, c := range columns {
		line := "  " + p.opts.Quote(c.name) + " " + p.typeText(c.typ)
		if i < len(columns)-1 || kind == "TABLE" {
			line += ","
		}
		if c.note != "" {
			line += " -- " + oneLine(c.note)
		}
		b.WriteString(line + "\n")
	}
	if kind == "TABLE" {
		fmt.Fprintf(b, "  PRIMARY KEY (%s)\n", strings.Join(p.keyNames(p.opts.Quote), ", "))
	}
	b.WriteString(") WITH (" + strings.Join(p.with(keyed), ", ") + ");\n")
	if p.key != nil && !keyed && p.key.own {
		b.WriteString("-- The Kafka keys (" + p.key.format + ") are in no field of the values: _key reads them.\n")
	}
	p.timeRemarks(b)
}

func (p *Proposal) keyNames(quote func(string) string) []string {
	columns := p.guessed
	if p.key != nil {
		columns = p.key.columns
	}
	var names []string
	for _, k := range columns {
		names = append(names, quote(p.columns[k].name))
	}
	return names
}

// with is what the WITH clause says.
func (p *Proposal) with(keyed bool) []string {
	out := []string{"topic = " + quoted(p.sample.Topic), "format = " + quoted(p.format)}
	options := p.formatOptions()
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if _, own := p.options[name]; own || slices.Contains(p.opts.Written, name) {
			out = append(out, name+" = "+quoted(options[name]))
		}
	}
	if keyed {
		plain := func(s string) string { return s }
		out = append(out, "key = "+quoted(strings.Join(p.keyNames(plain), ", ")))
		usual := map[bool]string{true: "string", false: "json"}[len(p.key.columns) == 1]
		if p.format == changeEvents {
			usual = changeEvents
		}
		if p.key.format != usual {
			out = append(out, "key_format = "+quoted(p.key.format))
		}
		if p.key.partitioner != "murmur2" && p.key.format != changeEvents {
			out = append(out, "partitioner = "+quoted(p.key.partitioner))
		}
	}
	if len(p.heads) > 0 {
		var names []string
		for _, h := range p.heads {
			names = append(names, h.name)
		}
		out = append(out, "headers = "+quoted(strings.Join(names, ", ")))
	}
	if p.disorder > 0 {
		out = append(out, "disorder = "+quoted(rounded(p.disorder)))
	}
	return out
}

// timeRemarks says which columns may be the event time.
func (p *Proposal) timeRemarks(b *strings.Builder) {
	if p.format == changeEvents {
		b.WriteString("-- Event time is the record's timestamp; for that of the change in the database: debezium.time = 'source'\n")
	}
	for _, c := range p.times {
		text := "timestamp = " + quoted(p.columns[c.column].name)
		if c.disorder > 0 {
			text += ", disorder = " + quoted(rounded(c.disorder))
		}
		if c.ahead > types.MicrosPerHour {
			text += ", max_future = " + quoted(rounded(c.ahead))
		}
		b.WriteString("-- Event time is the record's timestamp; for the column instead: " + text + "\n")
	}
}

// quoted is a string of the dialect.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// typeText is a type as the dialect declares it, with names quoted where they need it.
func (p *Proposal) typeText(t types.Type) string {
	switch t.Kind {
	case types.Array:
		return "ARRAY<" + p.typeText(*t.Elem) + ">"
	case types.Map:
		return "MAP<VARCHAR, " + p.typeText(*t.Elem) + ">"
	case types.Struct:
		var fields []string
		for _, f := range t.Fields {
			fields = append(fields, p.opts.Quote(f.Name)+" "+p.typeText(f.Type))
		}
		return "STRUCT<" + strings.Join(fields, ", ") + ">"
	}
	return t.String()
}
