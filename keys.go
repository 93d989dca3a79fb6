package ratelimit

import (
	"crypto/sha256"
	"encoding/hex"
)

// What stands in a key as it is; anything else is hashed.
const (
	sourceMost  = 64 // bytes of a source
	sourceBytes = lowerLetters + upperLetters + digits + ".:_-"
	nameBytes   = lowerLetters + upperLetters + digits + "._@-"
)

// keyHead is what stands before the source in a middleware's keys, such as "ratelimit:api@file:{". The brace begins the hash tag,
// so that all of a source's keys are in one slot of a Cluster: key = keyHead + source + "}".
// Traefik accepts any name for a middleware, braces included: one with foreign bytes is hashed.
func keyHead(keyPrefix, middleware string) string {
	if !onlyBytes(middleware, nameBytes) {
		middleware = hashed(middleware)
	}
	return keyPrefix + ":" + middleware + ":{"
}

// keySafe is the source as it stands in a key: itself while short and plain, else its hash.
func keySafe(source string) string {
	if len(source) <= sourceMost && onlyBytes(source, sourceBytes) {
		return source
	}
	return hashed(source)
}

// hashed is # and the first 32 hex digits of the SHA-256 of text. A plain source cannot begin with #, so none can pose as another's
// hash. In a shell: printf '%s' "$text" | sha256sum | cut -c 1-32
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "#" + hex.EncodeToString(sum[:16])
}
