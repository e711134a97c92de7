package over

// partitions are those that a batch changes, each once, with what stood in them before.
type partitions struct {
	at   map[string]int
	list []partition
}

type partition struct {
	key     string
	before  []ranked
	changed bool
}

func (p *partitions) reset() {
	if p.at == nil {
		p.at = map[string]int{}
	}
	clear(p.at)
	p.list = p.list[:0]
}

// find is the partition of a key; isNew: the batch had not changed it yet. Valid until the next call.
func (p *partitions) find(key []byte) (x *partition, isNew bool) {
	if i, ok := p.at[string(key)]; ok {
		return &p.list[i], false
	}
	s := string(key)
	p.at[s] = len(p.list)
	p.list = append(p.list, partition{key: s})
	return &p.list[len(p.list)-1], true
}
