package json

import (
	"bytes"
	"strings"
)

// fields are the wanted fields of one object.
type fields struct {
	wanted []field
	byName map[string]int // index in wanted
	// guesses is what was met at each place of the last objects: the quoted name and what it stands for. Records of a topic
	// mostly look alike, so a name is mostly recognised by one comparison.
	guesses []guess
}

// field is one wanted field: of its value a column wants the whole (slot), or columns want fields inside it, or both.
type field struct {
	name   string
	slot   int // -1: nobody wants the whole
	inside *fields
	// of the record at hand
	match match
	from  span // the name that matched but for its case
}

// match says how well the best name so far fits.
type match uint8

const (
	noMatch match = iota
	foldedMatch
	ambiguous
	exactMatch
)

type guess struct {
	quoted []byte
	hit    hit
}

// hit is a wanted field (-1: none) and how well the name fits.
type hit struct {
	field int
	match match
}

const (
	mostGuesses = 64
	longestName = 64
)

// want adds a path and returns the slot of its value; next is the slot to use if the path is new.
func (f *fields) want(path []string, next int) int {
	if f.byName == nil {
		f.byName = make(map[string]int)
	}
	at, ok := f.byName[path[0]]
	if !ok {
		at = len(f.wanted)
		f.byName[path[0]] = at
		f.wanted = append(f.wanted, field{name: path[0], slot: -1})
	}
	w := &f.wanted[at]
	if len(path) > 1 {
		if w.inside == nil {
			w.inside = &fields{}
		}
		return w.inside.want(path[1:], next)
	}
	if w.slot < 0 {
		w.slot = next
	}
	return w.slot
}

// forget prepares for the next object.
func (f *fields) forget(slots []span) {
	for i := range f.wanted {
		w := &f.wanted[i]
		w.match = noMatch
		if w.slot >= 0 {
			slots[w.slot].kind = missing
		}
		if w.inside != nil {
			w.inside.forget(slots)
		}
	}
}

// guess recognises the name at i as the one met at this place, or one place later, before. It returns the position after
// the closing quote, or 0.
func (f *fields) guess(s []byte, i int, place *int) (int, hit) {
	for k := *place; k < len(f.guesses) && k < *place+2; k++ {
		q := f.guesses[k].quoted
		if end := i + len(q); len(q) > 0 && end <= len(s) && string(s[i:end]) == string(q) {
			*place = k
			return end, f.guesses[k].hit
		}
	}
	return 0, hit{}
}

// lookup finds the wanted field of a name. Quoted is the name as it stands in the record, nil when that has escapes.
func (f *fields) lookup(name, quoted []byte, place int) hit {
	h := hit{field: -1}
	if at, ok := f.byName[string(name)]; ok {
		h = hit{at, exactMatch}
	} else {
		for at := range f.wanted {
			if strings.EqualFold(f.wanted[at].name, string(name)) {
				h = hit{at, foldedMatch}
				break
			}
		}
	}
	if place < mostGuesses && len(quoted) > 0 && len(quoted) <= longestName {
		for len(f.guesses) <= place {
			f.guesses = append(f.guesses, guess{})
		}
		g := &f.guesses[place]
		g.quoted, g.hit = append(g.quoted[:0], quoted...), h
	}
	return h
}

// accept says whether the value under a name is to be taken, given what was met before it in this object.
func (w *field) accept(s []byte, name span, m match) bool {
	switch {
	case m == exactMatch:
		w.match = exactMatch
		return true
	case w.match == exactMatch || w.match == ambiguous:
		return false
	case w.match == foldedMatch && !bytes.Equal(s[w.from.from:w.from.to], s[name.from:name.to]):
		w.match = ambiguous
		return false
	}
	w.match, w.from = foldedMatch, name
	return true
}
