package types

// Version is one version of a table row.
type Version struct {
	TS      int64
	Origin  Origin
	Visible int64 // seen by as-of instants > Visible only; Never: by all (semantics S5, late table rows)
	Deleted bool
	Row     []byte // vector.AppendRow of the table's columns
}

// SeenFrom is the first instant that sees the version.
func (v Version) SeenFrom() int64 { return max(v.TS, v.Visible+1) }

// Validity is what an instant sees of a key, and when that is so: at all instants From <= x < Until.
type Validity struct {
	Row         []byte
	OK          bool // false: no version, or a deletion
	From, Until int64
}

// Item is a withheld row.
type Item struct {
	TS      int64 // the instant it waits for
	Origin  Origin
	Arrival int64 // this instance's clock, microseconds; not part of the stored state: after a restore it is the time of restoring
	Row     []byte
}
