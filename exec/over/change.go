package over

// change is a row that is added to a partition or removed from it, as its entry: the key, and how much of it are the order's
// keys.
type change struct {
	key     string
	order   int
	removal bool
}

// span is the first and the last entry that is changed.
func span(changes []change) (from, to string) {
	from, to = changes[0].key, changes[0].key
	for _, c := range changes {
		from, to = min(from, c.key), max(to, c.key)
	}
	return from, to
}
