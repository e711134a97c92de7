package over

// partitions are those that a batch touches, each once, in the order of their first rows, with what T says of each.
type partitions[T any] struct {
	at   map[string]int
	list []partition[T]
}

type partition[T any] struct {
	key  string
	what T
}

func (p *partitions[T]) reset() {
	if p.at == nil {
		p.at = map[string]int{}
	}
	clear(p.at)
	p.list = p.list[:0]
}

// find is what is said of the partition of a key; isNew: the batch had not touched it yet. Valid until the next call.
func (p *partitions[T]) find(key []byte) (what *T, isNew bool) {
	if i, ok := p.at[string(key)]; ok {
		return &p.list[i].what, false
	}
	s := string(key)
	p.at[s] = len(p.list)
	p.list = append(p.list, partition[T]{key: s})
	return &p.list[len(p.list)-1].what, true
}
