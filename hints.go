package ratelimit

import (
	"sort"
	"strings"
)

// optionNames are the options of each level, by the level's path. A hint names only what is here.
var optionNames = map[string][]string{
	"":                           {"algorithm", "average", "period", "burst", "limits", "sourceCriterion", "redis", "timeout", "failureMode", "localShare", "headers", "denied"},
	"limits":                     {"name", "algorithm", "average", "period", "burst"},
	"sourceCriterion":            {"ipStrategy", "requestHeaderName", "requestHost"},
	"sourceCriterion.ipStrategy": {"depth", "excludedIPs", "ipv6Subnet"},
	"redis": {"endpoints", "mode", "username", "password", "passwordFile", "db", "tls", "poolSize", "minIdleConns", "maxActiveConns",
		"dialTimeout", "readTimeout", "writeTimeout", "keyPrefix", "sentinel"},
	"redis.tls":      {"ca", "cert", "key", "insecureSkipVerify", "serverName"},
	"redis.sentinel": {"masterSet", "username", "password", "passwordFile"},
	"denied":         {"statusCode", "contentType", "body"},
}

// optionLevels are optionNames' keys in the order in which a misplaced option is looked for.
var optionLevels = []string{"", "redis", "redis.tls", "sourceCriterion", "sourceCriterion.ipStrategy", "redis.sentinel", "denied"}

// foreignNames are names from other rate limiters, in lower case, and what to write instead, by level.
var foreignNames = map[string]map[string]string{
	"": {
		"limit": "average", "rate": "average", "rps": "average", "requests": "average", "maxrequests": "average", "requestspersecond": "average",
		"requestsperminute": `average with period: "1m"`, "requestsperhour": `average with period: "1h"`,
		"window": "period", "interval": "period", "windowsize": "period", "timewindow": "period",
		"strategy": "algorithm", "policy": "algorithm",
		"bucketsize": "burst", "capacity": "burst",
		"ratelimit": "its options one level higher",
		"rules":     "limits", "ratelimits": "limits",
		"key": "sourceCriterion", "keytype": "sourceCriterion", "identifier": "sourceCriterion",
		"denyonerror": "failureMode: closed, or failureMode: open", "failopen": "failureMode: open", "failclosed": "failureMode: closed", "faillocal": "failureMode: local",
		"onerror": "failureMode", "faulttolerant": "failureMode",
		"responseheaders": "headers", "addheaders": "headers", "limitheaders": "headers", "hideclientheaders": "headers",
		"redisaddress": "redis.endpoints", "redisaddr": "redis.endpoints", "redishost": "redis.endpoints", "redisport": "redis.endpoints",
		"redisurl": "redis.endpoints", "redisendpoint": "redis.endpoints", "redisendpoints": "redis.endpoints",
		"redisusername": "redis.username", "redisuser": "redis.username", "redispassword": "redis.password",
		"redistls": "redis.tls", "redisssl": "redis.tls", "redisdb": "redis.db", "redisdatabase": "redis.db", "redistimeout": "timeout", "prefix": "redis.keyPrefix",
		"rejectedcode": "denied.statusCode", "errorcode": "denied.statusCode",
		"message": "denied.body", "rejectedmsg": "denied.body", "errormessage": "denied.body",
	},
	"limits": {
		"limit": "average", "rate": "average", "requests": "average", "window": "period", "interval": "period", "id": "name",
		"strategy": "algorithm", "type": "algorithm", "capacity": "burst",
	},
	"sourceCriterion": {
		"header": "sourceCriterion.requestHeaderName", "requestheader": "sourceCriterion.requestHeaderName",
		"headername": "sourceCriterion.requestHeaderName", "host": "sourceCriterion.requestHost",
		"ip": "sourceCriterion.ipStrategy", "clientip": "sourceCriterion.ipStrategy",
	},
	"sourceCriterion.ipStrategy": {
		"trustedips": "sourceCriterion.ipStrategy.excludedIPs", "trustedproxies": "sourceCriterion.ipStrategy.excludedIPs",
		"ipv6prefix": "sourceCriterion.ipStrategy.ipv6Subnet",
	},
	"redis": {
		"address": "redis.endpoints", "addresses": "redis.endpoints", "addr": "redis.endpoints", "addrs": "redis.endpoints",
		"host": "redis.endpoints", "hosts": "redis.endpoints", "port": "redis.endpoints", "url": "redis.endpoints",
		"uri": "redis.endpoints", "server": "redis.endpoints", "servers": "redis.endpoints",
		"user": "redis.username", "pass": "redis.password", "database": "redis.db", "prefix": "redis.keyPrefix",
		"connecttimeout": "redis.dialTimeout", "ssl": "redis.tls", "usetls": "redis.tls",
		"cluster": "redis.mode: cluster", "clustermode": "redis.mode: cluster", "nodes": "redis.endpoints with redis.mode: cluster",
		"seeds": "redis.endpoints with redis.mode: cluster", "startupnodes": "redis.endpoints with redis.mode: cluster",
		"sentinels": "redis.endpoints with redis.mode: sentinel", "sentineladdrs": "redis.endpoints with redis.mode: sentinel",
		"mastername": "redis.sentinel.masterSet", "sentinelmasterset": "redis.sentinel.masterSet",
		"sentinelusername": "redis.sentinel.username", "sentinelpassword": "redis.sentinel.password",
		"secret": "redis.username and redis.password, each as urn:k8s:secret:NAME:KEY",
	},
	"redis.tls": {
		"casecret":   "redis.tls.ca as urn:k8s:secret:NAME:KEY",
		"certsecret": "redis.tls.cert and redis.tls.key, each as urn:k8s:secret:NAME:KEY",
		"enabled":    "redis.tls.ca, or redis.tls.insecureSkipVerify: false for the system's authorities",
		"cafile":     "redis.tls.ca", "cacert": "redis.tls.ca", "rootca": "redis.tls.ca",
		"certfile": "redis.tls.cert", "certificate": "redis.tls.cert", "clientcert": "redis.tls.cert",
		"keyfile": "redis.tls.key", "privatekey": "redis.tls.key", "clientkey": "redis.tls.key",
		"skipverify": "redis.tls.insecureSkipVerify", "insecure": "redis.tls.insecureSkipVerify", "verify": "redis.tls.insecureSkipVerify",
		"sni": "redis.tls.serverName", "hostname": "redis.tls.serverName",
	},
	"redis.sentinel": {
		"master": "redis.sentinel.masterSet", "mastername": "redis.sentinel.masterSet", "name": "redis.sentinel.masterSet",
		"service": "redis.sentinel.masterSet", "servicename": "redis.sentinel.masterSet",
		"user": "redis.sentinel.username", "pass": "redis.sentinel.password",
		"addresses": "redis.endpoints", "sentinels": "redis.endpoints",
	},
	"denied": {
		"code": "denied.statusCode", "status": "denied.statusCode", "message": "denied.body", "type": "denied.contentType",
	},
}

// refuseUnknown notes every option that has no field. level is where it stands by optionNames, path the same with the index of
// a limit. Values are never repeated: what is misspelled may be a password.
func refuseUnknown(f *faults, level, path string, unknown map[string]interface{}) {
	names := make([]string, 0, len(unknown))
	for name := range unknown {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		f.add(join(path, shownName(name)), unknownRule(level, name))
	}
}

// unknownRule says what is wrong with an option that has no field.
func unknownRule(level, name string) string {
	lower := strings.ToLower(name)
	if instead := foreignNames[level][lower]; instead != "" {
		return "no such option, write " + instead
	}
	if near := nearestName(lower, optionNames[level]); near != "" {
		return `no such option, did you mean "` + near + `"?`
	}
	if elsewhere := misplaced(lower); elsewhere != "" {
		return `no such option here, did you mean "` + elsewhere + `"?`
	}
	return "no such option"
}

// misplaced finds the path of an option that stands on the wrong level; "" when there is none.
func misplaced(lower string) string {
	for _, level := range optionLevels {
		for _, name := range optionNames[level] {
			if lower == strings.ToLower(name) {
				return join(level, name)
			}
		}
	}
	return ""
}

// join is the path of the option name below path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// shownName is an option's name as a fault shows it: quoted when it is not plain text.
func shownName(name string) string {
	if onlyBytes(name, lowerLetters+upperLetters+digits+"._-[]") && len(name) <= valueShown {
		return name
	}
	return quote(name)
}

// nearestName is the name that differs least from lower, if a slip of the finger or two explains the difference; else "".
func nearestName(lower string, names []string) string {
	best, least := "", 3
	for _, name := range names {
		distance := slips(lower, strings.ToLower(name))
		if distance < least && 3*distance <= len(name) {
			best, least = name, distance
		}
	}
	return best
}

// slips counts the letters to insert, leave out, replace or swap with their neighbour to turn a into b, and stops counting at 3.
func slips(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	rows := [][]int{firstRow(len(b))}
	for i := 1; i <= len(a); i++ {
		row := []int{i}
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			slip := least(rows[i-1][j]+1, row[j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				slip = least(slip, rows[i-2][j-2]+1, slip)
			}
			row = append(row, slip)
		}
		rows = append(rows, row)
	}
	return rows[len(a)][len(b)]
}

// firstRow is 0 to n: how many letters nothing lacks of each beginning of a word.
func firstRow(n int) []int {
	var row []int
	for j := 0; j <= n; j++ {
		row = append(row, j)
	}
	return row
}

// least is the smallest of three.
func least(a, b, c int) int {
	if b < a {
		a = b
	}
	if c < a {
		a = c
	}
	return a
}
