package external

func assembly() int // want `assembly has no body`

//go:linkname nanotime runtime.nanotime // want `Yaegi ignores //go:linkname`
var nanotime func() int64
