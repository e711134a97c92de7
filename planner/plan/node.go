package plan

// Props of each node.
func (n *Scan) Props() *Props           { return &n.P }
func (n *Receive) Props() *Props        { return &n.P }
func (n *Filter) Props() *Props         { return &n.P }
func (n *Project) Props() *Props        { return &n.P }
func (n *LateCheck) Props() *Props      { return &n.P }
func (n *Shuffle) Props() *Props        { return &n.P }
func (n *Distinct) Props() *Props       { return &n.P }
func (n *Aggregate) Props() *Props      { return &n.P }
func (n *TableJoin) Props() *Props      { return &n.P }
func (n *StreamJoin) Props() *Props     { return &n.P }
func (n *TableTableJoin) Props() *Props { return &n.P }
func (n *Union) Props() *Props          { return &n.P }
func (n *Materialize) Props() *Props    { return &n.P }
func (n *Fold) Props() *Props           { return &n.P }
func (n *TopN) Props() *Props           { return &n.P }
func (n *Over) Props() *Props           { return &n.P }
func (n *Unnest) Props() *Props         { return &n.P }
func (n *Sink) Props() *Props           { return &n.P }

// Inputs of each node.
func (n *Scan) Inputs() []Node           { return nil }
func (n *Receive) Inputs() []Node        { return nil }
func (n *Filter) Inputs() []Node         { return []Node{n.Input} }
func (n *Project) Inputs() []Node        { return []Node{n.Input} }
func (n *LateCheck) Inputs() []Node      { return []Node{n.Input} }
func (n *Shuffle) Inputs() []Node        { return []Node{n.Input} }
func (n *Distinct) Inputs() []Node       { return []Node{n.Input} }
func (n *Aggregate) Inputs() []Node      { return []Node{n.Input} }
func (n *TableJoin) Inputs() []Node      { return []Node{n.Stream, n.Table} }
func (n *StreamJoin) Inputs() []Node     { return []Node{n.Left, n.Right} }
func (n *TableTableJoin) Inputs() []Node { return []Node{n.Left, n.Right} }
func (n *Union) Inputs() []Node          { return n.Parts }
func (n *Materialize) Inputs() []Node    { return []Node{n.Input} }
func (n *Fold) Inputs() []Node           { return []Node{n.Input} }
func (n *TopN) Inputs() []Node           { return []Node{n.Input} }
func (n *Over) Inputs() []Node           { return []Node{n.Input} }
func (n *Unnest) Inputs() []Node         { return []Node{n.Input} }
func (n *Sink) Inputs() []Node           { return []Node{n.Input} }

// WithInputs of each node: a copy over other inputs.
func (n *Scan) WithInputs([]Node) Node    { return n }
func (n *Receive) WithInputs([]Node) Node { return n }
func (n *Filter) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Project) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *LateCheck) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Shuffle) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Distinct) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Aggregate) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *TableJoin) WithInputs(in []Node) Node {
	c := *n
	c.Stream, c.Table = in[0], in[1]
	return &c
}
func (n *StreamJoin) WithInputs(in []Node) Node {
	c := *n
	c.Left, c.Right = in[0], in[1]
	return &c
}
func (n *TableTableJoin) WithInputs(in []Node) Node {
	c := *n
	c.Left, c.Right = in[0], in[1]
	return &c
}
func (n *Union) WithInputs(in []Node) Node {
	c := *n
	c.Parts = in
	return &c
}
func (n *Materialize) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Fold) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *TopN) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Over) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Unnest) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}
func (n *Sink) WithInputs(in []Node) Node {
	c := *n
	c.Input = in[0]
	return &c
}

func (*Scan) node()           {}
func (*Receive) node()        {}
func (*Filter) node()         {}
func (*Project) node()        {}
func (*LateCheck) node()      {}
func (*Shuffle) node()        {}
func (*Distinct) node()       {}
func (*Aggregate) node()      {}
func (*TableJoin) node()      {}
func (*StreamJoin) node()     {}
func (*TableTableJoin) node() {}
func (*Union) node()          {}
func (*Materialize) node()    {}
func (*Fold) node()           {}
func (*TopN) node()           {}
func (*Over) node()           {}
func (*Unnest) node()         {}
func (*Sink) node()           {}
