package render

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql"
)

// Settings are what a user chooses.
type Settings struct {
	Form string  // one of Forms; "": table on a terminal, else jsonl
	Live bool    // a table in place, on a terminal
	Auto bool    // vertical when a table that is there at once is wider than the terminal
	Full bool    // values are never cut
	Null *string // how NULL is written in tables; nil: NULL
	// Rate is how many rows a second of an endless result a terminal shows; the others are counted. 0: all.
	Rate int
	// Silence is when to say why no rows came; 0: never.
	Silence time.Duration
	// Keep takes rows for Replay; nil: they are forgotten.
	Keep *Kept
}

// Kept are the newest rows of a result.
type Kept struct {
	s    shape
	rows []streamsql.Row
}

func (k *Kept) add(r streamsql.Row) {
	if len(k.rows) == 2*kept {
		k.rows = append(k.rows[:0], k.rows[kept:]...)
	}
	k.rows = append(k.rows, r)
}

// Rows are the last thousand, the oldest first.
func (k *Kept) Rows() []streamsql.Row { return k.rows[max(0, len(k.rows)-kept):] }

// flushEvery bounds how long a row waits for the next ones.
const flushEvery = 50 * time.Millisecond

// show is the display of one result.
type show struct {
	t      Terminal
	set    Settings
	rows   *streamsql.Rows
	out    *screen
	p      printer
	m      meter
	count  int64
	second struct {
		n      int
		at     time.Time
		hidden int64
	}
	reason chan string // why no rows came
	said   string
	asked  time.Time
}

// Show writes rows as they come, with a status line below on a terminal, until they end. It says how many there were. The end of the
// context behind the rows is no error.
func (t Terminal) Show(ctx context.Context, rows *streamsql.Rows, set Settings) (int64, error) {
	s := &show{t: t, set: set, rows: rows, out: &screen{t: t}, reason: make(chan string, 1), asked: t.Now()}
	if err := s.choose(); err != nil {
		return 0, errors.Join(err, rows.Close())
	}
	err := s.loop(ctx)
	return s.count, errors.Join(err, s.out.close())
}

// choose makes the printer.
func (s *show) choose() error {
	sh, l := shapeOf(s.rows), s.t.look(s.set)
	if s.set.Keep != nil {
		s.set.Keep.s, s.set.Keep.rows = sh, nil
	}
	form := s.set.Form
	if form == "" {
		form = "jsonl"
		if s.t.Rows {
			form = "table"
		}
	}
	var err error
	switch {
	case s.set.Live && s.t.live() && sh.endless && (form == "table" || form == "vertical"):
		s.p = newLivePrinter(s.out, sh, l)
	case s.set.Auto && form == "table" && l.width > 0 && !sh.endless:
		s.p = &autoPrinter{table: newTablePrinter(s.out, sh, l), vertical: newVerticalPrinter(s.out, sh, l)}
	default:
		s.p, err = newPrinter(form, s.out, sh, l)
	}
	return err
}

// item is a row, or why there are no more.
type item struct {
	row streamsql.Row
	err error
}

// loop shows rows until they end.
func (s *show) loop(ctx context.Context) error {
	items, gone := make(chan item, 256), make(chan struct{})
	defer func() {
		close(gone)
		for range items { // until the producer has closed the rows
		}
	}()
	go func() {
		defer close(items)
		for row, err := range s.rows.All() {
			select {
			case items <- item{row, err}:
			case <-gone:
				return
			}
		}
	}()
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case it, more := <-items:
			if !more || it.err != nil {
				s.out.region = nil
				s.resume()
				return errors.Join(ended(it.err), s.p.end(), s.out.flush())
			}
			if err := s.row(it.row); err != nil {
				return err
			}
		case <-tick.C:
			if err := s.tick(ctx); err != nil {
				return err
			}
		case why := <-s.reason:
			s.say(why)
		}
	}
}

// ended takes the end of a context for the end of the rows.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (s *show) row(r streamsql.Row) error {
	s.count++
	if s.set.Keep != nil {
		s.set.Keep.add(r)
	}
	if _, live := s.p.(*livePrinter); !live && s.floods() {
		s.second.hidden++
		return nil
	}
	if s.out.rows.Len() > 64<<10 && !s.t.Rows {
		if err := s.out.flush(); err != nil {
			return err
		}
	}
	return s.p.row(r)
}

// floods tells whether more rows have come in this second than a terminal is to show.
func (s *show) floods() bool {
	if s.set.Rate == 0 || !s.t.Rows || s.rows.Ends() {
		return false
	}
	if now := s.t.Now(); now.Sub(s.second.at) >= time.Second {
		s.resume()
		s.second.at, s.second.n = now, 0
	}
	s.second.n++
	return s.second.n > s.set.Rate
}

// resume says how many rows were not shown.
func (s *show) resume() {
	if s.second.hidden > 0 {
		c := newPalette(s.t.Colours)
		fmt.Fprintf(s.out, "%s… %s rows not shown%s\n", c.dim, Grouped(s.second.hidden), c.off)
		s.second.hidden = 0
	}
}

// tick flushes rows and renews the status.
func (s *show) tick(ctx context.Context) error {
	if err := s.p.tick(); err != nil {
		return err
	}
	if q := s.rows.Query(); q != nil {
		s.ask(ctx, q)
		if s.t.live() {
			st := q.Stats()
			s.m.observe(s.t.Now(), st)
			s.out.region = append(s.frame(), statusLine(st, s.m))
		}
	}
	return s.out.flush()
}

// frame is the table in place, above the status line.
func (s *show) frame() []string {
	if p, ok := s.p.(*livePrinter); ok {
		cols, height := s.t.Size()
		return p.frame(cols, height)
	}
	return nil
}

// askAgain is how long an explanation of silence holds.
const askAgain = 10 * time.Second

// ask finds out why no rows come, beside the loop: brokers may take their time.
func (s *show) ask(ctx context.Context, q *streamsql.Query) {
	wait := s.set.Silence
	if s.said != "" {
		wait = max(wait, askAgain)
	}
	if s.set.Silence == 0 || s.count > 0 || s.t.Now().Sub(s.asked) < wait {
		return
	}
	s.asked = s.t.Now()
	go func() {
		select {
		case s.reason <- q.Diagnose(ctx).Sentence:
		default:
		}
	}()
}

// say explains silence, once for each reason.
func (s *show) say(why string) {
	if s.count > 0 || kind(why) == kind(s.said) {
		return
	}
	s.said = why
	text := "no rows so far: " + why
	if !s.t.Rows {
		fmt.Fprintln(s.t.Err, text)
		return
	}
	c := newPalette(s.t.Colours)
	fmt.Fprintf(s.out, "%s%s%s\n", c.warn, text, c.off)
}

// kind is a sentence without its numbers.
func kind(sentence string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, sentence)
}

// Replay shows kept rows again, whole.
func (t Terminal) Replay(k *Kept, set Settings) error {
	sh := k.s
	sh.endless = false
	set.Full = true
	form := set.Form
	if form == "" {
		form = "table"
	}
	out := &screen{t: t}
	p, err := newPrinter(form, out, sh, t.look(set))
	if err != nil {
		return err
	}
	for _, r := range k.Rows() {
		if err := p.row(r); err != nil {
			return err
		}
	}
	return errors.Join(p.end(), out.flush())
}

// autoPrinter shows a table, or its rows one value a line when it does not fit.
type autoPrinter struct {
	table    *tablePrinter
	vertical *verticalPrinter
	rows     []streamsql.Row
}

func (p *autoPrinter) row(r streamsql.Row) error {
	if p.table.s.plain() {
		return p.table.row(r)
	}
	p.rows = append(p.rows, r)
	return nil
}

func (p *autoPrinter) tick() error { return nil }

func (p *autoPrinter) end() error {
	g := p.table.grid
	g.l.full = true
	var cells [][]string
	for _, r := range p.rows {
		cells = append(cells, g.l.cells(p.table.s, r))
	}
	g.measure(cells, 0)
	var to printer = p.table
	if g.total() > p.table.l.width {
		to = p.vertical
	}
	for r := range slices.Values(p.rows) {
		if err := to.row(r); err != nil {
			return err
		}
	}
	return to.end()
}
