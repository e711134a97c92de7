package render

import (
	"bytes"
	"io"
	"strings"
	"time"
)

// Terminal is where rows go and what is known of it.
type Terminal struct {
	Out, Err io.Writer
	// Rows: Out is a terminal. Control: it understands escape sequences, so that a line can be rewritten. Colours: it may show some.
	Rows, Control, Colours bool
	// Size is its width and height in characters; 0, 0 when nobody knows.
	Size func() (width, height int)
	Now  func() time.Time
}

// live tells whether something below the rows can be rewritten.
func (t Terminal) live() bool { return t.Rows && t.Control && t.Size != nil }

func (t Terminal) look(s Settings) look {
	l := look{null: "NULL", full: s.Full, colour: newPalette(t.Colours && t.Rows)}
	if s.Null != nil {
		l.null = *s.Null
	}
	if t.Rows && t.Size != nil {
		l.width, l.height = t.Size()
	}
	return l
}

// screen writes rows, and below them a region that is rewritten in place: the status line, or a whole table.
type screen struct {
	t      Terminal
	rows   bytes.Buffer
	region []string
	drawn  []string // the region as it is on the screen
}

func (s *screen) Write(b []byte) (int, error) { return s.rows.Write(b) }

// flush shows rows and region in one write.
func (s *screen) flush() error {
	if !s.t.live() {
		_, err := s.rows.WriteTo(s.t.Out)
		return err
	}
	cols, _ := s.t.Size()
	region := make([]string, len(s.region))
	for i, line := range s.region {
		region[i] = fit(line, max(1, cols-1))
	}
	if s.rows.Len() == 0 && strings.Join(region, "\n") == strings.Join(s.drawn, "\n") {
		return nil
	}
	var out bytes.Buffer
	s.erase(&out, cols)
	out.Write(s.rows.Bytes())
	s.rows.Reset()
	c := newPalette(s.t.Colours)
	for i, line := range region {
		if i > 0 {
			out.WriteString("\r\n")
		}
		if i == len(region)-1 {
			line = c.dim + line + c.off
		}
		out.WriteString(line)
	}
	s.drawn = region
	_, err := out.WriteTo(s.t.Out)
	return err
}

// erase removes the region from the screen. A terminal that has become narrower has wrapped its lines.
func (s *screen) erase(out *bytes.Buffer, cols int) {
	if len(s.drawn) == 0 {
		return
	}
	up := -1
	for _, line := range s.drawn {
		up += max(1, (width(line)+max(1, cols)-1)/max(1, cols))
	}
	out.WriteString("\r")
	if up > 0 {
		out.WriteString("\x1b[" + itoa(up) + "A")
	}
	out.WriteString("\x1b[J")
	s.drawn = nil
}

// close leaves nothing but rows.
func (s *screen) close() error {
	s.region = nil
	return s.flush()
}
