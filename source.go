package ratelimit

// criterion is a compiled sourceCriterion.
type criterion struct {
	depth      int
	ipv6Subnet int
	headerName string
	host       bool
}
