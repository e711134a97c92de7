package join

// minHeap is a binary heap with the least element first.
type minHeap[T interface{ less(T) bool }] []T

func (h *minHeap[T]) push(x T) {
	s := append(*h, x)
	*h = s
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s[i].less(s[up]) {
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
			if c < n && s[c].less(s[least]) {
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
