package ratelimit

import (
	"math"
	"net"
	"strconv"
	"strings"
	"time"
)

// What an option of redis may be, and what it is when it is not given.
const (
	connectionsMost    = 10_000
	dialTimeoutDefault = 5 * time.Second
	redisTimeoutMost   = time.Hour
	keyPrefixDefault   = "ratelimit"
	keyPrefixMost      = 32
	modeStandalone     = "standalone"
	modeSentinel       = "sentinel"
	modeCluster        = "cluster"
	unixScheme         = "unix://"
)

// compileRedis says how to connect. timeout bounds every exchange on an open connection.
func compileRedis(f *faults, c RedisConfig, timeout time.Duration) redisSettings {
	refuseUnknown(f, "redis", "redis", c.Unknown)
	r := redisSettings{username: c.Username, passwordFile: c.PasswordFile}
	r.mode = compileMode(f, c.Mode)
	r.endpoints = compileEndpoints(f, trimmed(c.Endpoints), c.Mode)
	r.sentinel = compileSentinel(f, c.Sentinel, r.mode)
	r.password = compileCredentials(f, "redis", c.Username, c.Password, c.PasswordFile)
	r.db = int(wholeNumber(f, "redis.db", c.DB, 0, math.MaxInt32, 0))
	if r.mode == modeCluster && r.db > 0 {
		f.addGot("redis.db", `must be 0 in redis.mode "cluster", which has no other`, plainNumber(c.DB))
	}
	r.tls = compileTLS(f, c.TLS, r.endpoints)
	compilePool(f, &r, c)
	r.dialTimeout = span(f, "redis.dialTimeout", c.DialTimeout, "5s", timeoutLeast, redisTimeoutMost, dialTimeoutDefault)
	r.readTimeout = shorter(timeout, span(f, "redis.readTimeout", c.ReadTimeout, "200ms", timeoutLeast, redisTimeoutMost, timeout))
	r.writeTimeout = shorter(timeout, span(f, "redis.writeTimeout", c.WriteTimeout, "200ms", timeoutLeast, redisTimeoutMost, timeout))
	r.identity = identity(r)
	return r
}

// compileMode says what stands at the endpoints.
func compileMode(f *faults, mode string) string {
	switch mode {
	case "":
		return modeStandalone
	case modeStandalone, modeSentinel, modeCluster:
	default:
		f.addGot("redis.mode", `must be "standalone", "sentinel" or "cluster"`, mode)
	}
	return mode
}

// compileCredentials checks the user and the two places of a password below level, and returns the password that is no file's.
func compileCredentials(f *faults, level, username, password, passwordFile string) string {
	checkUsername(f, join(level, "username"), username)
	text := passwordFrom(f, join(level, "password"), password)
	if passwordFile != "" {
		checkSecretFile(f, join(level, "passwordFile"), passwordFile)
	}
	if password != "" && passwordFile != "" {
		f.add(join(level, "passwordFile"), "must not stand beside "+join(level, "password"))
	}
	return text
}

// compileSentinel says how to ask the sentinels.
func compileSentinel(f *faults, c SentinelConfig, mode string) sentinelSettings {
	level := "redis.sentinel"
	refuseUnknown(f, level, level, c.Unknown)
	given := []string{"masterSet", c.MasterSet, "username", c.Username, "password", c.Password, "passwordFile", c.PasswordFile}
	if mode == modeStandalone || mode == modeCluster {
		for i := 0; i < len(given); i += 2 {
			if given[i+1] != "" {
				f.add(join(level, given[i]), `is only for redis.mode "sentinel"`)
			}
		}
		return sentinelSettings{}
	}
	s := sentinelSettings{masterSet: c.MasterSet, username: c.Username, passwordFile: c.PasswordFile}
	s.password = compileCredentials(f, level, c.Username, c.Password, c.PasswordFile)
	if mode != modeSentinel {
		return s
	}
	if c.MasterSet == "" {
		f.add(join(level, "masterSet"), `is required in redis.mode "sentinel"`)
	} else if !onlyBytes(c.MasterSet, lowerLetters+upperLetters+digits+"._-") {
		f.addGot(join(level, "masterSet"), "must be the name of a master set, of A-Z, a-z, 0-9, ., _ and -", c.MasterSet)
	}
	return s
}

// compileEndpoints checks where Redis is: one endpoint, or the sentinels.
func compileEndpoints(f *faults, list []string, mode string) []string {
	if len(list) == 0 {
		f.add("redis.endpoints", "is required")
	}
	for i, endpoint := range list {
		checkEndpoint(f, at("redis.endpoints", i), endpoint, mode)
	}
	if len(list) > 1 && mode == "" {
		f.add("redis.endpoints", `must be one endpoint: several need redis.mode "sentinel" or "cluster", got `+strconv.Itoa(len(list)))
	}
	if len(list) > 1 && mode == modeStandalone {
		f.add("redis.endpoints", "must be one endpoint in mode standalone, got "+strconv.Itoa(len(list)))
	}
	return list
}

// checkEndpoint notes what is neither host:port nor unix:///path. A URL may hold a password, so only plain text is repeated.
func checkEndpoint(f *faults, path, endpoint, mode string) {
	rule := `must be host:port, such as "redis:6379", or unix:///path`
	if mode == modeSentinel {
		rule = `must be host:port of a sentinel, such as "sentinel:26379"`
	} else if mode == modeCluster {
		rule = `must be host:port of a node, such as "redis-1:6379"`
	} else if strings.HasPrefix(endpoint, unixScheme+"/") && len(endpoint) > len(unixScheme+"/") && !tearsLine(endpoint) {
		return
	}
	if strings.Contains(endpoint, "@") || strings.Contains(endpoint, "://") {
		f.add(path, rule+", without a scheme; user, password, database and TLS are redis.username, redis.password, redis.db and redis.tls")
		return
	}
	host, port, err := net.SplitHostPort(endpoint)
	number, notNumber := strconv.ParseUint(port, 10, 16)
	if err == nil && notNumber == nil && number > 0 && onlyBytes(port, digits) && onlyBytes(host, hostBytes) {
		return
	}
	if endpoint == "" || showable(endpoint) {
		f.addGot(path, rule, endpoint)
		return
	}
	f.add(path, rule)
}

// hostBytes are what a host name or an address is made of.
const hostBytes = lowerLetters + upperLetters + digits + "._-:%"

// showable reports whether a malformed endpoint holds nothing but a host and a port: one colon at most, or an IPv6 address.
func showable(endpoint string) bool {
	if strings.Count(endpoint, ":") > 1 {
		return onlyBytes(endpoint, digits+"abcdefABCDEF:.[]")
	}
	return onlyBytes(endpoint, hostBytes+"[]")
}

// compilePool sets the sizes of the connection pool; 0 is a default chosen for this use.
func compilePool(f *faults, r *redisSettings, c RedisConfig) {
	r.poolSize = int(wholeNumber(f, "redis.poolSize", c.PoolSize, 0, connectionsMost, 0))
	r.minIdleConns = int(wholeNumber(f, "redis.minIdleConns", c.MinIdleConns, 0, connectionsMost, 0))
	r.maxActiveConns = int(wholeNumber(f, "redis.maxActiveConns", c.MaxActiveConns, 0, connectionsMost, 0))
	if r.maxActiveConns > 0 && r.minIdleConns > r.maxActiveConns {
		f.addGot("redis.minIdleConns", "must not exceed redis.maxActiveConns", plainNumber(c.MinIdleConns))
	}
}

// compileKeyPrefix is what every key begins with.
func compileKeyPrefix(f *faults, text string) string {
	if text == "" {
		return keyPrefixDefault
	}
	if len(text) > keyPrefixMost || !onlyBytes(text, lowerLetters+upperLetters+digits+"._-") {
		f.addGot("redis.keyPrefix", "must be 1 to 32 of A-Z, a-z, 0-9, ., _ and -", text)
	}
	return text
}

// shorter is the shorter of two spans.
func shorter(a, b time.Duration) time.Duration {
	if b < a {
		return b
	}
	return a
}
