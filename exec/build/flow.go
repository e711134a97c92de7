package build

import "github.com/streamsql-go/streamsql/sql/vector"

// sampleRows is how many of a node's rows are at hand to show.
const sampleRows = 4

// Flow is what passed a link.
type Flow struct {
	Rows int64
	// Samples are a few of the rows, the newest last. A batch here is never changed.
	Samples []*vector.Batch
	next    int64 // the count at which another row is kept
}

// note counts the rows of b. A row is kept each time their number has doubled: that costs nothing, and shows old and new ones.
func (f *Flow) note(b *vector.Batch) {
	f.Rows += int64(b.N)
	if b.N == 0 || f.Rows < f.next {
		return
	}
	f.next = 2 * f.Rows
	kept := f.Samples
	if len(kept) == sampleRows {
		kept = kept[1:]
	}
	row := b.Select([]int32{int32(b.N - 1)})
	row.Raw = nil // would keep what was fetched with it
	f.Samples = append(append(make([]*vector.Batch, 0, sampleRows), kept...), row)
}
