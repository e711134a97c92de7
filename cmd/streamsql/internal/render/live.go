package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/sql/types"
)

// livePrinter keeps a result as it stands and shows it as a table that changes in place: of changes the rows that are there now, in
// the order of their keys; of facts the newest ones.
type livePrinter struct {
	w io.Writer
	s shape
	grid
	at    map[string]*liveRow
	rows  []*liveRow // in order, once sorted
	stale bool       // rows are not in order
}

type liveRow struct {
	r     streamsql.Row
	cells []string
	n     int // how many there are of it
}

// kept is how many facts are kept to be shown.
const kept = 1000

func newLivePrinter(w io.Writer, s shape, l look) *livePrinter {
	p := &livePrinter{w: w, s: s, grid: newGrid(shape{columns: s.columns}, l), at: map[string]*liveRow{}} // rows that are gone are not shown
	p.widths = make([]int, len(p.names))
	for i, n := range p.names {
		p.widths[i] = min(width(n), widest)
	}
	return p
}

func (p *livePrinter) row(r streamsql.Row) error {
	p.apply(r, p.cells(r))
	return nil
}

// apply takes a row with its values as text.
func (p *livePrinter) apply(r streamsql.Row, cells []string) {
	if !p.s.changes {
		p.fact(r, cells)
		return
	}
	key := p.keyOf(r)
	old := p.at[key]
	switch {
	case r.Deleted && old != nil && (p.s.key != nil || old.n == 1):
		p.drop(old)
	case r.Deleted && old != nil:
		old.n--
	case r.Deleted:
	case old == nil:
		x := &liveRow{r: r, cells: cells, n: 1}
		p.at[key] = x
		p.rows = append(p.rows, x)
		p.stale = true
	case p.s.key != nil:
		old.r, old.cells = r, cells
	default:
		old.n++
	}
}

// fact keeps a row that nothing replaces, and lets the oldest go.
func (p *livePrinter) fact(r streamsql.Row, cells []string) {
	if len(p.rows) == 2*kept {
		p.rows = append(p.rows[:0], p.rows[kept:]...)
	}
	p.rows = append(p.rows, &liveRow{r: r, cells: cells, n: 1})
}

func (p *livePrinter) cells(r streamsql.Row) []string {
	cells := p.l.cells(shape{columns: p.s.columns}, r)
	for i, c := range cells {
		p.widths[i] = max(p.widths[i], min(width(c), widest))
	}
	return cells
}

func (p *livePrinter) drop(x *liveRow) {
	delete(p.at, p.keyOf(x.r))
	p.rows = slices.DeleteFunc(p.rows, func(y *liveRow) bool { return y == x })
}

// keyOf names a row: by its key, or by all its values.
func (p *livePrinter) keyOf(r streamsql.Row) string {
	var b strings.Builder
	put := func(v streamsql.Value) {
		text := v.Literal()
		fmt.Fprintf(&b, "%d:%s", len(text), text)
	}
	if p.s.key == nil {
		for _, v := range r.Values {
			put(v)
		}
	}
	for _, k := range p.s.key {
		put(r.Values[k])
	}
	return b.String()
}

// order sorts the rows of a keyed result by key.
func (p *livePrinter) order() {
	if p.s.key == nil || !p.stale {
		return
	}
	p.stale = false
	slices.SortStableFunc(p.rows, func(a, b *liveRow) int {
		for _, k := range p.s.key {
			if c := types.CompareNulls(a.r.Values[k], b.r.Values[k]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// frame is the table as it fits a screen.
func (p *livePrinter) frame(cols, height int) []string {
	p.order()
	g := p.grid
	g.l.width = cols - 1
	g.l.colour = palette{}
	g.widths = slices.Clone(p.widths)
	g.narrow()
	out := g.head()
	room := max(1, height-5)
	rows := p.rows
	switch {
	case len(rows) > room && p.s.key == nil:
		rows = rows[len(rows)-room:]
	case len(rows) > room:
		rows = rows[:room]
	}
	for _, r := range rows {
		out = append(out, g.line(r.cells))
	}
	if more := len(p.rows) - len(rows); more > 0 {
		out = append(out, fmt.Sprintf("… %s more rows", Grouped(int64(more))))
	}
	return out
}

func (p *livePrinter) tick() error { return nil }

// end leaves the last state as rows.
func (p *livePrinter) end() error {
	p.order()
	g := p.grid
	if !g.l.full {
		g.narrow()
	}
	lines := g.head()
	for _, r := range p.rows[:min(len(p.rows), kept)] {
		lines = append(lines, g.line(r.cells))
	}
	if more := len(p.rows) - kept; more > 0 {
		lines = append(lines, fmt.Sprintf("… %s more rows", Grouped(int64(more))))
	}
	_, err := io.WriteString(p.w, strings.Join(lines, "\n")+"\n")
	return err
}
