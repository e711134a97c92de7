package over

// change is a row that is added to a partition or removed from it, as its entry: the key, and how much of it are the order's
// keys.
type change struct {
	key     string
	order   int
	removal bool
}

// touched is the partitions that a batch changes, each once.
type touched struct {
	at   map[string]int
	list []touchedPartition
}

type touchedPartition struct {
	key     string
	changes []change
}

func (t *touched) reset() {
	if t.at == nil {
		t.at = map[string]int{}
	}
	clear(t.at)
	t.list = t.list[:0]
}

func (t *touched) add(group []byte, c change) {
	i, ok := t.at[string(group)]
	if !ok {
		i = len(t.list)
		t.at[string(group)] = i
		t.list = append(t.list, touchedPartition{key: string(group)})
	}
	t.list[i].changes = append(t.list[i].changes, c)
}

// span is the first and the last entry that is changed.
func (p *touchedPartition) span() (from, to string) {
	from, to = p.changes[0].key, p.changes[0].key
	for _, c := range p.changes {
		from, to = min(from, c.key), max(to, c.key)
	}
	return from, to
}
