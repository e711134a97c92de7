package infer

import (
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
)

// cloudEvents makes columns of the attributes that CloudEvents in binary mode have as headers.
func (p *Proposal) cloudEvents() {
	events := 0
	var names []string
	guesses := map[string]*guess{}
	for _, r := range p.records {
		if has(r, "ce_specversion") {
			events++
		}
		for _, h := range r.Headers {
			if !strings.HasPrefix(h.Key, "ce_") || !plainText(h.Value) {
				continue
			}
			g := guesses[h.Key]
			if g == nil {
				g = &guess{}
				guesses[h.Key], names = g, append(names, h.Key)
			}
			g.values++
			g.texts.look(string(h.Value))
		}
	}
	if float64(events) < most*float64(len(p.records)) {
		return
	}
	for _, name := range names {
		if p.column(name) >= 0 {
			continue
		}
		c := column{name: name}
		c.typ, _ = guesses[name].typ()
		if gone := len(p.records) - guesses[name].values; gone > 0 {
			c.remark("no such header in %d of %d", gone, len(p.records))
		}
		p.heads = append(p.heads, c)
	}
	p.note("The records are CloudEvents in binary mode: their attributes are headers.")
}

func has(r *connectors.Record, header string) bool {
	for _, h := range r.Headers {
		if h.Key == header {
			return true
		}
	}
	return false
}

// withHeads are value columns and those that are headers, whose names no value column has.
func (p *Proposal) withHeads(columns []column) []column { return slices.Concat(columns, p.heads) }
