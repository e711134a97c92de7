package render

import (
	"io"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql"
)

const (
	// sampleRows and sampleTime bound the rows by which widths are chosen: a continuous result cannot be measured.
	sampleRows = 100
	sampleTime = 200 * time.Millisecond
	// widest is the widest column of a continuous result; longer values are cut with an ellipsis.
	widest = 40
	// narrowest is how far a column is narrowed to fit the terminal.
	narrowest = 8
)

// grid lays out the cells of a table.
type grid struct {
	names  []string
	right  []bool
	widths []int
	l      look
}

func newGrid(s shape, l look) grid {
	g := grid{l: l}
	for _, n := range s.header() {
		g.names = append(g.names, oneLine(n))
	}
	for _, c := range s.columns {
		g.right = append(g.right, numeric(c.Type.String()))
	}
	if s.changes {
		g.right = append(g.right, false)
	}
	return g
}

func numeric(typ string) bool {
	for _, n := range []string{"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL"} {
		if strings.HasPrefix(typ, n) {
			return true
		}
	}
	return false
}

// measure chooses widths by rows: no column is wider than limit, 0: as wide as they are, nor the table than the terminal.
func (g *grid) measure(rows [][]string, limit int) {
	g.widths = make([]int, len(g.names))
	for i, n := range g.names {
		g.widths[i] = width(n)
		for _, r := range rows {
			g.widths[i] = max(g.widths[i], width(r[i]))
		}
		if limit > 0 {
			g.widths[i] = min(g.widths[i], max(limit, width(n)))
		}
	}
	if g.l.width > 0 && !g.l.full {
		g.narrow()
	}
}

// narrow takes from the widest columns until the table fits the terminal.
func (g *grid) narrow() {
	for g.total() > g.l.width {
		most := 0
		for i, w := range g.widths {
			if w > g.widths[most] {
				most = i
			}
		}
		if len(g.widths) == 0 || g.widths[most] <= narrowest {
			return
		}
		g.widths[most]--
	}
}

func (g *grid) total() int {
	n := len(g.widths) - 1
	for _, w := range g.widths {
		n += w + 2
	}
	return n
}

// head is the header and the rule below it.
func (g *grid) head() []string {
	rule := make([]string, len(g.names))
	for i, w := range g.widths {
		rule[i] = strings.Repeat("-", w+2)
	}
	c := g.l.colour
	return []string{c.bold + g.line(g.names) + c.off, c.dim + strings.Join(rule, "+") + c.off}
}

func (g *grid) line(cells []string) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString("|")
		}
		text := pad(fit(c, g.widths[i]), g.widths[i], g.right[i])
		if c == g.l.null && g.l.colour.dim != "" {
			text = g.l.colour.dim + text + g.l.colour.off
		}
		b.WriteString(" " + text + " ")
	}
	return strings.TrimRight(b.String(), " ")
}

// tablePrinter writes aligned columns. The header of a continuous result goes out after sampleTime, without rows after a second; on a
// terminal it is repeated every screenful.
type tablePrinter struct {
	w io.Writer
	s shape
	grid
	held  [][]string // rows of the sample
	open  bool       // the header is out
	ticks int
	lines int // since the header
}

func newTablePrinter(w io.Writer, s shape, l look) *tablePrinter {
	return &tablePrinter{w: w, s: s, grid: newGrid(s, l)}
}

func (p *tablePrinter) row(r streamsql.Row) error {
	if p.s.plain() {
		_, err := io.WriteString(p.w, r.Text(0)+"\n")
		return err
	}
	cells := p.l.cells(p.s, r)
	if p.open {
		return p.out(cells)
	}
	p.held = append(p.held, cells)
	if p.s.endless && len(p.held) == sampleRows {
		return p.begin()
	}
	return nil
}

// begin chooses widths and writes the header and the rows held back.
func (p *tablePrinter) begin() error {
	p.open = true
	limit := 0
	if p.s.endless && !p.l.full {
		limit = widest
	}
	p.measure(p.held, limit)
	if err := p.write(p.head()...); err != nil {
		return err
	}
	for _, r := range p.held {
		if err := p.out(r); err != nil {
			return err
		}
	}
	p.held = nil
	return nil
}

func (p *tablePrinter) write(lines ...string) error {
	_, err := io.WriteString(p.w, strings.Join(lines, "\n")+"\n")
	return err
}

func (p *tablePrinter) out(cells []string) error {
	if p.s.endless && p.l.height > 8 && p.lines >= p.l.height-4 {
		p.lines = 0
		if err := p.write(append([]string{""}, p.head()...)...); err != nil {
			return err
		}
	}
	p.lines++
	return p.write(p.line(cells))
}

func (p *tablePrinter) tick() error {
	p.ticks++
	if p.open || p.s.plain() || !p.s.endless || time.Duration(p.ticks)*flushEvery < sampleTime {
		return nil
	}
	if len(p.held) == 0 && time.Duration(p.ticks)*flushEvery < time.Second {
		return nil // the first rows may be near, and give the widths
	}
	return p.begin()
}

func (p *tablePrinter) end() error {
	if p.open || p.s.plain() {
		return nil
	}
	return p.begin()
}
