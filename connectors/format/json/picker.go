package json

// Picker finds members of a JSON object without converting them. Names are matched as a Decoder matches them. It belongs to one
// goroutine.
type Picker struct {
	d     Decoder
	slots []int // of each path
}

// NewPicker makes a picker of paths: names of members, each inside the one before.
func NewPicker(paths ...[]string) *Picker {
	p := &Picker{}
	for _, path := range paths {
		slot := p.d.root.want(path, len(p.d.slots))
		if slot == len(p.d.slots) {
			p.d.slots = append(p.d.slots, span{})
		}
		p.slots = append(p.slots, slot)
	}
	return p
}

// Pick looks through a value, which must be one JSON object; if not, the error is a *format.BadRecord. The value is kept until
// the next call.
func (p *Picker) Pick(value []byte) error {
	p.d.s = value
	return p.d.scan()
}

// Raw is the text of the member at path i, of a string with its quotes; nil when it is missing or null.
func (p *Picker) Raw(i int) []byte {
	v := &p.d.slots[p.slots[i]]
	if v.kind == missing || v.kind == null || v.kind == orphaned {
		return nil
	}
	return p.d.whole(v)
}

// Object is Raw of a member that is an object; nil for any other.
func (p *Picker) Object(i int) []byte {
	if raw := p.Raw(i); len(raw) > 0 && raw[0] == '{' {
		return raw
	}
	return nil
}
