// Yaegi has no unsafe: this file always builds, unsafe.go is left out.

package util

func BytesToString(b []byte) string {
	return string(b)
}

func StringToBytes(s string) []byte {
	return []byte(s)
}
