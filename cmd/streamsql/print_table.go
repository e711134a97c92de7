package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/mattn/go-runewidth"

	"github.com/streamsql-go/streamsql"
)

const (
	// sampleRows and sampleTime bound the rows by which widths are chosen: a continuous result cannot be measured.
	sampleRows = 100
	sampleTime = 200 * time.Millisecond
	// widest is the widest column of a continuous result; longer values are cut with an ellipsis.
	widest = 40
)

// tablePrinter writes aligned columns. The header of a continuous result goes out after sampleTime, also without rows.
type tablePrinter struct {
	w       io.Writer
	names   []string
	right   []bool
	endless bool // a continuous result
	plain   bool // lines of text, without a frame
	changes bool

	widths []int
	held   [][]string // rows of the sample
	open   bool       // the header is out
	ticks  int
}

func newTablePrinter(w io.Writer, rows *streamsql.Rows) *tablePrinter {
	p := &tablePrinter{w: w, names: header(rows), endless: rows.Query() != nil, changes: rows.Changes()}
	for _, c := range rows.Columns() {
		p.right = append(p.right, numeric(c.Type.String()))
	}
	if p.changes {
		p.right = append(p.right, false)
	}
	p.plain = !p.endless && len(p.names) == 1 && (p.names[0] == "plan" || p.names[0] == "ddl")
	return p
}

func numeric(typ string) bool {
	for _, n := range []string{"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL"} {
		if strings.HasPrefix(typ, n) {
			return true
		}
	}
	return false
}

func (p *tablePrinter) row(r streamsql.Row) error {
	cells := make([]string, 0, len(p.names))
	for i := range r.Values {
		cells = append(cells, oneLine(r.Text(i)))
	}
	if p.changes {
		cells = append(cells, deleted(r))
	}
	if p.plain {
		_, err := io.WriteString(p.w, r.Text(0)+"\n")
		return err
	}
	if p.open {
		return p.line(cells)
	}
	p.held = append(p.held, cells)
	if p.endless && len(p.held) == sampleRows {
		return p.begin()
	}
	return nil
}

// oneLine keeps a value in its line, and what would steer the terminal visible: a record may come from anybody.
func oneLine(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unprintable(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unprintable are control characters and those that turn the direction of text.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// begin chooses widths and writes the header and the rows held back.
func (p *tablePrinter) begin() error {
	p.open = true
	p.widths = make([]int, len(p.names))
	for i, n := range p.names {
		p.widths[i] = runewidth.StringWidth(n)
		for _, r := range p.held {
			p.widths[i] = max(p.widths[i], runewidth.StringWidth(r[i]))
		}
		if p.endless {
			p.widths[i] = min(p.widths[i], max(widest, runewidth.StringWidth(n)))
		}
	}
	rule := make([]string, len(p.names))
	for i, w := range p.widths {
		rule[i] = strings.Repeat("-", w+2)
	}
	if err := p.line(p.names); err != nil {
		return err
	}
	if _, err := io.WriteString(p.w, strings.Join(rule, "+")+"\n"); err != nil {
		return err
	}
	for _, r := range p.held {
		if err := p.line(r); err != nil {
			return err
		}
	}
	p.held = nil
	return nil
}

func (p *tablePrinter) line(cells []string) error {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString("|")
		}
		if w := p.widths[i]; runewidth.StringWidth(c) > w {
			c = runewidth.Truncate(c, w, "…")
		}
		pad := strings.Repeat(" ", p.widths[i]-runewidth.StringWidth(c))
		if p.right[i] {
			b.WriteString(" " + pad + c + " ")
		} else {
			b.WriteString(" " + c + pad + " ")
		}
	}
	_, err := io.WriteString(p.w, strings.TrimRight(b.String(), " ")+"\n")
	return err
}

func (p *tablePrinter) flush() error {
	p.ticks++
	if p.open || p.plain || !p.endless || time.Duration(p.ticks)*flushEvery < sampleTime {
		return nil
	}
	if len(p.held) == 0 && time.Duration(p.ticks)*flushEvery < time.Second {
		return nil // the first rows may be near, and give the widths
	}
	return p.begin()
}

func (p *tablePrinter) end() error {
	if p.open || p.plain {
		return nil
	}
	return p.begin()
}
