package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/streamsql-go/streamsql"
)

// markdownPrinter writes a table of GitHub Flavored Markdown (https://github.github.com/gfm/#tables-extension-).
type markdownPrinter struct {
	w    io.Writer
	s    shape
	l    look
	open bool
}

func newMarkdownPrinter(w io.Writer, s shape, l look) *markdownPrinter {
	return &markdownPrinter{w: w, s: s, l: l}
}

var markdownEscape = strings.NewReplacer("|", `\|`, `\n`, "<br>")

func (p *markdownPrinter) line(cells []string) error {
	_, err := fmt.Fprintf(p.w, "| %s |\n", strings.Join(cells, " | "))
	return err
}

func (p *markdownPrinter) begin() error {
	if p.open {
		return nil
	}
	p.open = true
	var names, rules []string
	for i, n := range p.s.header() {
		rule := "---"
		if i < len(p.s.columns) && numeric(p.s.columns[i].Type.String()) {
			rule = "--:"
		}
		names, rules = append(names, markdownEscape.Replace(oneLine(n))), append(rules, rule)
	}
	if err := p.line(names); err != nil {
		return err
	}
	return p.line(rules)
}

func (p *markdownPrinter) row(r streamsql.Row) error {
	if err := p.begin(); err != nil {
		return err
	}
	cells := p.l.cells(p.s, r)
	for i := range cells {
		cells[i] = markdownEscape.Replace(cells[i])
	}
	return p.line(cells)
}

func (p *markdownPrinter) tick() error { return nil }
func (p *markdownPrinter) end() error  { return p.begin() }

// verticalPrinter writes a row as a block: a line per column.
type verticalPrinter struct {
	w     io.Writer
	s     shape
	l     look
	names []string
	wide  int // of the names
	rows  int
}

func newVerticalPrinter(w io.Writer, s shape, l look) *verticalPrinter {
	p := &verticalPrinter{w: w, s: s, l: l, names: s.header()}
	for _, n := range p.names {
		p.wide = max(p.wide, width(n))
	}
	return p
}

func (p *verticalPrinter) row(r streamsql.Row) error {
	if p.s.plain() {
		_, err := io.WriteString(p.w, r.Text(0)+"\n")
		return err
	}
	p.rows++
	var b strings.Builder
	title := fmt.Sprintf("-[ %d ]", p.rows)
	fmt.Fprintf(&b, "%s%s%s%s\n", p.l.colour.dim, title, strings.Repeat("-", max(0, p.wide+2-len(title))), p.l.colour.off)
	for i, v := range p.l.cells(p.s, r) {
		if p.l.width > 0 && !p.l.full && p.s.endless {
			v = fit(v, max(10, p.l.width-p.wide-3))
		}
		if i < len(r.Values) && r.Values[i].IsNull() {
			v = p.l.colour.dim + v + p.l.colour.off
		}
		b.WriteString(strings.TrimRight(p.l.colour.bold+pad(p.names[i], p.wide, false)+p.l.colour.off+" | "+v, " ") + "\n")
	}
	_, err := io.WriteString(p.w, b.String())
	return err
}

func (p *verticalPrinter) tick() error { return nil }
func (p *verticalPrinter) end() error  { return nil }
