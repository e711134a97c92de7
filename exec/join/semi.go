package join

// NewSemi makes a TableTable whose result is the left rows that have a match, each once however many it has.
func NewSemi(c TableTableConfig) *TableTable { return oneSided(c, WithPair) }

// NewAnti makes a TableTable whose result is the left rows that have no match.
func NewAnti(c TableTableConfig) *TableTable { return oneSided(c, WithoutPair) }

func oneSided(c TableTableConfig, a Alone) *TableTable {
	c.LeftOnly, c.Left.Alone, c.Right.Alone = true, a, Never
	return NewTableTable(c)
}
