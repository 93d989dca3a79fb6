package embeddedInterface

import "bytes"

type writer interface {
	Write(p []byte) (int, error)
	WriteByte(c byte) error
}

type wire struct {
	writer
	n int
}

func Demo() string {
	buf := &bytes.Buffer{}
	w := &wire{writer: buf}
	w.writer.Write([]byte("fine"))
	w.WriteByte('x') // want `WriteByte is promoted from the embedded interface embeddedInterface.writer`
	return buf.String()
}
