package ratelimit

import (
	"errors"
	"mime"
	"strings"
	"time"
)

// What an option may be, and what it is when it is not given.
const (
	averageMost    = 90_000_000
	averageMostLog = 100_000 // sliding-log: a list entry each
	burstMost      = 90_000_000
	periodDefault  = time.Second
	periodLeast    = time.Millisecond
	periodMost     = 366 * 24 * time.Hour
	fillMost       = micros(36_525) * 24 * 3600 * 1_000_000 // 100 years
	limitDefault   = "default"                              // the name of the one limit that average, period and burst stand for
	limitNameMost  = 32

	timeoutDefault = 200 * time.Millisecond
	timeoutLeast   = time.Millisecond
	timeoutMost    = 10 * time.Second

	statusDefault      = 429
	contentTypeDefault = "text/plain; charset=utf-8"
	bodyDefault        = "Too Many Requests"

	flavourXRateLimit = "x-ratelimit"
	flavourRateLimit  = "ratelimit"
)

// compile checks the configuration of the middleware name and fills in every default. It only reads config.
// The error joins all faults, one a line, each beginning with the middleware's name; it holds no password, no userinfo and
// no value of an unknown option.
func compile(config *Config, name string) (settings, error) {
	f := &faults{}
	refuseUnknown(f, "", "", config.Unknown)
	s := settings{name: name}
	s.limits = compileLimits(f, config)
	s.source = newSource(f, config.SourceCriterion)
	s.timeout = span(f, "timeout", config.Timeout, "200ms", timeoutLeast, timeoutMost, timeoutDefault)
	s.redis = compileRedis(f, config.Redis, s.timeout)
	s.keyHead = keyHead(compileKeyPrefix(f, config.Redis.KeyPrefix), name)
	s.failureMode = compileFailureMode(f, config.FailureMode)
	s.local = compileLocal(f, config.LocalShare, s.failureMode, s.limits)
	s.xRateLimit, s.rateLimit = compileHeaders(f, config.Headers)
	s.denied = compileDenied(f, config.Denied)
	if len(f.lines) > 0 {
		head := shownMiddleware(name) + ": "
		return settings{}, errors.New(head + strings.Join(f.lines, "\n"+head))
	}
	s.words = words(s, config)
	s.fingerprint = fingerprint(s)
	return s, nil
}

// shownMiddleware is a middleware's name at the head of a line: as it is, or quoted when it would tear the line.
func shownMiddleware(name string) string {
	if tearsLine(name) {
		return quote(name)
	}
	return name
}

// compileFailureMode says who decides when Redis cannot; "" when text names nobody.
func compileFailureMode(f *faults, text string) string {
	switch text {
	case "":
		return failOpen
	case failOpen, failClosed, failLocal:
		return text
	}
	f.addGot("failureMode", `must be "open", "closed" or "local"`, text)
	return ""
}

// compileLocal is the share of each limit that one instance applies by itself in failure mode local. In another mode there is
// none, and to give a share is a fault.
func compileLocal(f *faults, text, mode string, limits []limit) []limit {
	if mode != failLocal {
		if text != "" && mode != "" {
			f.addGot("localShare", "must not be given with failureMode "+mode, plainNumber(text))
		}
		return nil
	}
	share := fraction(f, "localShare", text)
	var local []limit
	for _, whole := range limits {
		part, counts := shareOf(whole, share)
		if !counts || part.algorithm == tokenBucket && !fillsInTime(part.burst, part) {
			f.addGot("localShare", `must let limit "`+part.name+`" fill within 100 years`, plainNumber(text))
		}
		local = append(local, part)
	}
	return local
}

// compileHeaders says which flavours of header fields clients get. No list is the default, an empty one is none.
func compileHeaders(f *faults, list []string) (xRateLimit, rateLimit bool) {
	if list == nil {
		return true, false
	}
	for i, flavour := range trimmed(list) {
		switch flavour {
		case flavourXRateLimit:
			xRateLimit = true
		case flavourRateLimit:
			rateLimit = true
		default:
			f.addGot(at("headers", i), `must be "x-ratelimit" or "ratelimit"`, flavour)
		}
	}
	return xRateLimit, rateLimit
}

// compileDenied is the answer to a denied request.
func compileDenied(f *faults, c DeniedConfig) deniedAnswer {
	refuseUnknown(f, "denied", "denied", c.Unknown)
	answer := deniedAnswer{contentType: contentTypeDefault, body: bodyDefault}
	answer.statusCode = int(wholeNumber(f, "denied.statusCode", c.StatusCode, 400, 599, statusDefault))
	if c.ContentType != "" {
		answer.contentType = c.ContentType
		kind, _, err := mime.ParseMediaType(c.ContentType)
		if err != nil || !strings.Contains(kind, "/") || !printable(c.ContentType) {
			f.addGot("denied.contentType", `must be a media type such as "application/json"`, c.ContentType)
		}
	}
	if c.Body != "" {
		answer.body = c.Body
	}
	return answer
}

// printable reports whether text is made only of printable ASCII, blanks included, as a header field's value must be.
func printable(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
