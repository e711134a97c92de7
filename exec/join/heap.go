package join

// minHeap is a binary heap with the item of the least key first.
type minHeap[T any] []keyed[T]

type keyed[T any] struct {
	key  int64
	item T
}

func (h *minHeap[T]) push(key int64, item T) {
	s := append(*h, keyed[T]{key, item})
	*h = s
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up].key <= s[i].key {
			return
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
}

func (h *minHeap[T]) pop() {
	s := *h
	n := len(s) - 1
	s[0] = s[n]
	s = s[:n]
	*h = s
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < n && s[c].key < s[least].key {
				least = c
			}
		}
		if least == i {
			return
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}
