package plan

// Topic is the topic the sink writes, "" when its rows go to Go code, standard output or an ad-hoc query's reader.
func (n *Sink) Topic() string {
	switch {
	case n == nil || n.Target == nil:
		return ""
	case n.Target.Connector == "kafka":
		return n.Target.Topic
	}
	return n.Outbox
}

// Name is the name of a value column.
func (n *Sink) Name(i int) string {
	if n.Target != nil && i < len(n.Target.Columns) {
		return n.Target.Columns[i].Name
	}
	return n.Input.Props().Schema.Columns[n.Columns[i]].Name
}

// Writes is the column that the query writes to a part of the record, -1: none.
func (n *Sink) Writes(part Hidden) int {
	for _, a := range n.Around {
		if a.Part == part {
			return a.Column
		}
	}
	return -1
}
