package inner

type Base struct{ n int } // kept: embedded

func (b *Base) Promoted() int { return b.n }  // kept: called by promotion
func (b *Base) Unused() int   { return Gone } // gone

const Gone = 1 // gone
