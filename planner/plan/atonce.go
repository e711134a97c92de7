package plan

// AtOnce says whether rows pass from the sources to n as they come, or wait for nothing but a table: then a row that was out of order in
// its source is out of order here too. What a window, a join of streams or an order of event time makes leaves in order.
func AtOnce(n Node) bool {
	switch n := n.(type) {
	case *Scan:
		return true
	case *Receive:
		return AtOnce(n.Shuffle.Input)
	case *Filter, *Project, *LateCheck, *Shuffle, *Unnest, *Shared:
		return AtOnce(n.Inputs()[0])
	case *TableJoin:
		return AtOnce(n.Stream)
	case *Distinct:
		return !n.Final && n.Within == 0 && AtOnce(n.Input)
	case *Union:
		for _, p := range n.Parts {
			if AtOnce(p) {
				return true
			}
		}
	}
	return false
}
