package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A limit is one limit of an accounted middleware.
type limit struct {
	algorithm string
	average   int
	period    time.Duration
	burst     int // token-bucket only
}

// capacity is what X-RateLimit-Limit says when Redis decides.
func (l limit) capacity() int {
	if l.algorithm == "token-bucket" {
		return l.burst
	}
	return l.average
}

// share is what X-RateLimit-Limit says when failure mode local decides, by half of each limit.
func (l limit) share() int {
	if l.algorithm == "token-bucket" {
		return (l.burst + 1) / 2
	}
	return max(1, l.average/2)
}

// A rule is one accounted middleware. No reload changes it. Its limits bind: the hot sources ask for more.
type rule struct {
	name   string // of the middleware, and of the router on which its paths begin
	mode   string // failureMode
	limits []limit
}

var rules = []rule{
	{"fixed-window", "closed", []limit{{algorithm: "fixed-window", average: 20, period: 2 * time.Second}}},
	{"sliding-log", "local", []limit{{algorithm: "sliding-log", average: 30, period: 3 * time.Second}}},
	{"token-bucket", "open", []limit{{algorithm: "token-bucket", average: 10, period: time.Second, burst: 20}}},
	{"two-limits", "local", []limit{
		{algorithm: "token-bucket", average: 5, period: time.Second, burst: 8},
		{algorithm: "fixed-window", average: 30, period: 10 * time.Second},
	}},
}

// Middlewares beside the rules: one whose requests are hostile, and one that the reloads change.
const (
	hostileName  = "hostile"
	changingName = "changing"
)

// decidedByRedis and decidedByShare tell by X-RateLimit-Limit who decided: no limit's half is another's whole.
func (r *rule) decidedByRedis(shown int) bool {
	return slices.ContainsFunc(r.limits, func(l limit) bool { return l.capacity() == shown })
}

func (r *rule) decidedByShare(shown int) bool {
	return r.mode == "local" && slices.ContainsFunc(r.limits, func(l limit) bool { return l.share() == shown })
}

// waitMost is the middlewares' timeout: how long Redis may keep a request waiting.
const waitMost = 300 * time.Millisecond

// connection is how gateway, which is an ACL user of Redis, reaches it: by the user CLIENT LIST tells whose a connection is.
func connection(redis, gateway string) string {
	return fmt.Sprintf("endpoints: [%q], username: %s, password: any", redis, gateway)
}

// configuration is what the gateway serves in all reloads.
func configuration(redis, backend, gateway string) string {
	var routers, middlewares strings.Builder
	add := func(name, options string) {
		fmt.Fprintf(&routers, "    %[1]s: {rule: \"PathPrefix(`/%[1]s`)\", middlewares: [%[1]s], service: backend}\n", name)
		fmt.Fprintf(&middlewares, "    %s: {plugin: {ratelimit: {%s, timeout: %s, redis: {%s}}}}\n", name, options, waitMost, connection(redis, gateway))
	}
	for _, r := range rules {
		var limits []string
		for i, l := range r.limits {
			text := fmt.Sprintf("{name: limit-%d, algorithm: %s, average: %d, period: %s", i, l.algorithm, l.average, l.period)
			if l.burst > 0 {
				text += fmt.Sprintf(", burst: %d", l.burst)
			}
			limits = append(limits, text+"}")
		}
		options := fmt.Sprintf("limits: [%s], failureMode: %s, sourceCriterion: {requestHeaderName: X-Client}", strings.Join(limits, ", "), r.mode)
		if r.mode == "local" {
			options += ", localShare: 0.5"
		}
		add(r.name, options)
	}
	add(hostileName, "average: 5, headers: [x-ratelimit, ratelimit], sourceCriterion: {ipStrategy: {depth: 2}, requestHeaderName: X-Client, requestHost: true}")
	return "http:\n  routers:\n" + routers.String() + "  middlewares:\n" + middlewares.String() +
		fmt.Sprintf("  services:\n    backend: {loadBalancer: {servers: [{url: %q}]}}\n", backend)
}

// changed is the middleware that the reloads change: each n is another limit, and another way to connect, so that a
// Redis client begins and one ends. A faulty one must leave the one before in force.
func changed(redis, gateway string, n int, faulty bool) string {
	option := "average"
	if faulty {
		option = "avrage"
	}
	return fmt.Sprintf("http:\n  routers:\n    %[1]s: {rule: \"PathPrefix(`/%[1]s`)\", middlewares: [%[1]s], service: backend}\n"+
		"  middlewares:\n    %[1]s: {plugin: {ratelimit: {%[2]s: %[3]d, timeout: %[4]s, redis: {%[5]s, dialTimeout: %[6]dms}}}}\n",
		changingName, option, 1+n%50, waitMost, connection(redis, gateway), 5001+n)
}
