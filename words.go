package ratelimit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// identity is a hash of everything that makes one connection differ from another, the password included.
func identity(r redisSettings) string {
	return digest(append([]string{r.mode, strconv.Itoa(len(r.endpoints))}, append(r.endpoints,
		r.sentinel.masterSet, r.sentinel.username, r.sentinel.password, r.sentinel.passwordFile,
		r.username, r.password, r.passwordFile,
		strconv.Itoa(r.db), tlsIdentity(r.tls), strconv.Itoa(r.poolSize), strconv.Itoa(r.minIdleConns), strconv.Itoa(r.maxActiveConns),
		r.dialTimeout.String(), r.readTimeout.String(), r.writeTimeout.String())...))
}

// fingerprint is a hash of all effective settings, secrets included: equal ones mean the same behaviour.
func fingerprint(s settings) string {
	parts := []string{s.name, s.redis.identity, s.keyHead, s.timeout.String(), s.failureMode,
		strconv.FormatBool(s.xRateLimit), strconv.FormatBool(s.rateLimit),
		strconv.Itoa(s.denied.statusCode), s.denied.contentType, s.denied.body, sourceWords(s.source)}
	for _, l := range s.limits {
		parts = append(parts, limitParts(l)...)
	}
	for _, l := range s.local { // none in another failure mode, which is among the parts
		parts = append(parts, limitParts(l)...)
	}
	return digest(parts)
}

// limitParts are all that makes one limit differ from another.
func limitParts(l limit) []string {
	return []string{l.name, l.algorithm, strconv.FormatInt(l.average, 10), strconv.FormatInt(int64(l.period), 10), strconv.FormatInt(l.burst, 10)}
}

// digest hashes parts, each with its length, so that no two lists of parts look alike.
func digest(parts []string) string {
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(strconv.Itoa(len(part)) + ":" + part)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:])
}

// words says the effective rules in one line, without any secret.
func words(s settings, config *Config) string {
	parts := limitWords(s.limits)
	parts = append(parts, "counted by "+sourceWords(s.source), redisWords(s.redis), "keys "+s.keyHead+"…}",
		"timeout "+s.timeout.String(), "failure mode "+failureWords(s.failureMode, config.LocalShare), "headers "+headerWords(s))
	parts = append(parts, "denied with "+strconv.Itoa(s.denied.statusCode))
	parts = append(parts, cutWords("redis.readTimeout", config.Redis.ReadTimeout, s.redis.readTimeout)...)
	parts = append(parts, cutWords("redis.writeTimeout", config.Redis.WriteTimeout, s.redis.writeTimeout)...)
	return strings.Join(parts, "; ")
}

// limitWords says each limit, with its name where there are several.
func limitWords(limits []limit) []string {
	if len(limits) == 0 {
		return []string{"no limit, every request passes"}
	}
	var parts []string
	for _, l := range limits {
		requests := " requests per "
		if l.average == 1 {
			requests = " request per "
		}
		text := strconv.FormatInt(l.average, 10) + requests + (time.Duration(l.period) * time.Microsecond).String() + " by " + l.algorithm
		if l.algorithm == tokenBucket {
			text += ", burst " + strconv.FormatInt(l.burst, 10)
		}
		if l.name != limitDefault {
			text = l.name + ": " + text
		}
		parts = append(parts, text)
	}
	return parts
}

// redisWords says where the counts are.
func redisWords(r redisSettings) string {
	text := ", db " + strconv.Itoa(r.db) + credentialWords(r.username, r.password, r.passwordFile)
	if r.mode == modeSentinel {
		return "Redis at the master of " + r.sentinel.masterSet + text + "; sentinels " + strings.Join(r.endpoints, ", ") +
			credentialWords(r.sentinel.username, r.sentinel.password, r.sentinel.passwordFile) + tlsWords(r.tls)
	}
	if r.mode == modeCluster {
		return "Redis Cluster at " + strings.Join(r.endpoints, ", ") + credentialWords(r.username, r.password, r.passwordFile) + tlsWords(r.tls)
	}
	return "Redis at " + strings.Join(r.endpoints, ", ") + text + tlsWords(r.tls)
}

// credentialWords says by which user, and whether there is a password; never which.
func credentialWords(username, password, passwordFile string) string {
	text := ""
	if username != "" {
		text += ", user " + quote(username)
	}
	if password != "" {
		text += ", password ***"
	}
	if passwordFile != "" {
		text += ", password from " + passwordFile
	}
	return text
}

// tlsIdentity is a hash of everything that makes one way to encrypt differ from another, the key included.
func tlsIdentity(t tlsSettings) string {
	return digest([]string{strconv.FormatBool(t.on), t.ca, t.cert, t.key, strconv.FormatBool(t.unverified), t.serverName})
}

// tlsWords says how the connection is encrypted: paths, never PEM text.
func tlsWords(t tlsSettings) string {
	if !t.on {
		return ""
	}
	text := ", TLS by the system's authorities"
	switch {
	case t.unverified:
		text = ", TLS with any server"
	case isPEM(t.ca):
		text = ", TLS by a CA in PEM"
	case t.ca != "":
		text = ", TLS by the CA in " + t.ca
	}
	if t.serverName != "" {
		text += ", server name " + t.serverName
	}
	if t.cert == "" {
		return text
	}
	if isPEM(t.cert) {
		return text + ", client certificate in PEM"
	}
	return text + ", client certificate in " + t.cert
}

// failureWords says who decides when Redis cannot, and by how much of each limit if not by all.
func failureWords(mode, share string) string {
	share = plainNumber(share)
	if share == "" || share == "1" {
		return mode
	}
	return mode + " by " + share + " of each limit"
}

// headerWords names the flavours of header fields.
func headerWords(s settings) string {
	switch {
	case s.xRateLimit && s.rateLimit:
		return flavourXRateLimit + " and " + flavourRateLimit
	case s.xRateLimit:
		return flavourXRateLimit
	case s.rateLimit:
		return flavourRateLimit
	}
	return "none"
}

// cutWords says that a timeout was cut, if it was: native RateLimit's documentation has longer ones.
func cutWords(path, text string, effective time.Duration) []string {
	given, _ := parseSpan(text)
	if given <= effective {
		return nil
	}
	return []string{path + " " + given.String() + " cut to timeout"}
}
