package types

// Version is one version of a table row.
type Version struct {
	TS      int64
	Origin  Origin
	Visible int64 // seen by as-of instants > Visible only; Never: by all (semantics S5, late table rows)
	Deleted bool
	Row     []byte // vector.AppendRow of the table's columns
}

// Item is a withheld row.
type Item struct {
	TS      int64 // the instant it waits for
	Origin  Origin
	Arrival int64 // this instance's clock, microseconds; not part of the stored state: after a restore it is the time of restoring
	Row     []byte
}
