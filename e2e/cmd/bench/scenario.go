package main

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// Limits of the scenarios. They are counted over the longest period there is, so that next to nothing comes back
// during a run: how many requests were charged can be read from X-RateLimit-Remaining, and no key expires.
const (
	longest = "8784h"
	// allowedAverage is never used up by one source, and allowedAverageLog is the most that a sliding log may have.
	allowedAverage, allowedAverageLog = 90_000_000, 100_000
	// allowedAverageEach is for each of many sources.
	allowedAverageEach = 100
)

// limiter is what stands between Traefik's entry point and the backend.
type limiter struct {
	name      string
	native    int    // how many native RateLimit middlewares in a row
	algorithm string // of this plugin's limits; "" for none
	limits    int    // how many limits this plugin's middleware has
}

var (
	none    = limiter{name: "none"}
	empty   = limiter{name: "empty-plugin"}
	native  = limiter{name: "native", native: 1}
	native3 = limiter{name: "native-3", native: 3}
	bucket  = limiter{name: "token-bucket", algorithm: "token-bucket", limits: 1}
	bucket3 = limiter{name: "token-bucket-3", algorithm: "token-bucket", limits: 3}
	window  = limiter{name: "fixed-window", algorithm: "fixed-window", limits: 1}
	window3 = limiter{name: "fixed-window-3", algorithm: "fixed-window", limits: 3}
	log     = limiter{name: "sliding-log", algorithm: "sliding-log", limits: 1}
	log3    = limiter{name: "sliding-log-3", algorithm: "sliding-log", limits: 3}
)

// many is how many clients there are in the scenarios with more than one, more and most in those of growth.
const many, more, most = 100_000, 10_000, 1_000_000

// scenarios are all that is measured, each at every number of connections.
var scenarios = numbered(
	scenario{limiter: none, sources: 1},
	scenario{limiter: empty, sources: 1},
	scenario{limiter: native, sources: 1},
	scenario{limiter: bucket, sources: 1},
	scenario{limiter: window, sources: 1},
	scenario{limiter: log, sources: 1},
	scenario{limiter: native3, sources: 1},
	scenario{limiter: bucket3, sources: 1},
	scenario{limiter: window3, sources: 1},
	scenario{limiter: log3, sources: 1},
	scenario{limiter: native, sources: many},
	scenario{limiter: bucket, sources: many},
	scenario{limiter: window, sources: many},
	scenario{limiter: log, sources: many},
	scenario{limiter: empty, sources: 1, denied: true},
	scenario{limiter: native, sources: 1, denied: true},
	scenario{limiter: bucket, sources: 1, denied: true},
	scenario{limiter: window, sources: 1, denied: true},
	scenario{limiter: log, sources: 1, denied: true},
	scenario{limiter: bucket3, sources: 1, denied: true},
	scenario{limiter: native, sources: many, denied: true},
	scenario{limiter: bucket, sources: many, denied: true},
)

// growing are the scenarios of growth, whose sources Redis knows beforehand.
var growing = numbered(
	scenario{limiter: native, sources: 1, known: true},
	scenario{limiter: bucket, sources: 1, known: true},
	scenario{limiter: native, sources: more, known: true},
	scenario{limiter: bucket, sources: more, known: true},
	scenario{limiter: native, sources: most, known: true},
	scenario{limiter: bucket, sources: most, known: true},
)

// scenario is a route through Traefik and the traffic on it. It is comparable.
type scenario struct {
	limiter limiter
	sources int  // how many clients take turns
	denied  bool // every request is over the limit, otherwise none is
	known   bool // Redis knows all sources before the first measurement, as it does those that are denied
	db      int  // its own database of Redis, so that its keys can be counted
}

// numbered gives each scenario a database.
func numbered(all ...scenario) []scenario {
	for i := range all {
		all[i].db = i
	}
	return all
}

// name is limiter/traffic/sources, by which CELLS selects.
func (s scenario) name() string {
	return fmt.Sprintf("%s/%s/%d", s.limiter.name, s.traffic(), s.sources)
}

func (s scenario) traffic() string {
	if s.denied {
		return "denied"
	}
	return "allowed"
}

// id names its router and its middlewares. All have the same length: Traefik orders routers by that of their rules.
func (s scenario) id() string { return fmt.Sprintf("s%02d", s.db) }

// average is the average of each limit of the scenario; the i-th differs a little, as limits do.
func (s scenario) average(i int) int {
	switch {
	case s.denied:
		return 1
	case s.sources > 1:
		return allowedAverageEach
	case s.limiter.algorithm == "sliding-log":
		return allowedAverageLog - i
	}
	return allowedAverage - i
}

// callsEach is how many script calls the native middlewares make for one request.
func (s scenario) callsEach() int {
	if s.denied {
		return min(s.limiter.native, 1)
	}
	return s.limiter.native
}

// keysEach is how many keys Redis holds for one source.
func (s scenario) keysEach() int {
	switch {
	case s.limiter.native > 0:
		return s.callsEach()
	case s.limiter.algorithm == "sliding-log":
		return s.limiter.limits
	}
	return min(s.limiter.limits, 1)
}

// keyHead is what the keys begin with.
func (s scenario) keyHead() string {
	if s.limiter.native > 0 {
		return "rate:" + s.id()
	}
	return "ratelimit:" + s.id()
}

// tree is a piece of YAML.
type tree = map[string]any

// dynamic is Traefik's dynamic configuration with a route for each scenario.
func dynamic(scenarios []scenario, backend, redis string) string {
	routers, middlewares := tree{}, tree{}
	for _, s := range scenarios {
		var names []string
		for name, middleware := range s.middlewares(redis) {
			names = append(names, name)
			middlewares[name] = middleware
		}
		routers[s.id()] = tree{"rule": "Path(`/" + s.id() + "`)", "entryPoints": []string{"web"}, "service": "backend", "middlewares": names}
	}
	http := tree{
		"routers": routers,
		"services": tree{"backend": tree{"loadBalancer": tree{
			"servers": []tree{{"url": backend}}, "serversTransport": "backend",
		}}},
		// Traefik keeps 200 idle connections by default: with more clients it would dial all the time.
		"serversTransports": tree{"backend": tree{"maxIdleConnsPerHost": 1024}},
	}
	if len(middlewares) > 0 {
		http["middlewares"] = middlewares
	}
	text, err := yaml.Marshal(tree{"http": http})
	if err != nil {
		panic(err) // of maps and strings
	}
	return string(text)
}

// middlewares are the middlewares of the route by name.
func (s scenario) middlewares(redis string) tree {
	connection := tree{"endpoints": []string{redis}, "db": s.db}
	switch {
	case s.limiter == empty:
		return tree{s.id(): tree{"plugin": tree{"empty": tree{"deny": strconv.FormatBool(s.denied)}}}}
	case s.limiter.native > 0:
		all := tree{}
		for i := range s.limiter.native {
			all[s.id()+strings.Repeat("n", i)] = tree{"rateLimit": s.rule("", i, connection)}
		}
		return all
	case s.limiter.limits == 1:
		return tree{s.id(): plugin(s.rule(s.limiter.algorithm, 0, connection))}
	case s.limiter.limits > 1:
		var limits []tree
		for i := range s.limiter.limits {
			rule := s.rule(s.limiter.algorithm, i, nil)
			rule["name"] = string(rune('a' + i))
			limits = append(limits, rule)
		}
		return tree{s.id(): plugin(tree{"limits": limits, "redis": connection})}
	}
	return nil
}

// plugin is a middleware of this plugin. What Redis did not decide is a 503, and so a wrong run; the time budget is
// longer than a busy machine may stall, which with a near Redis changes nothing else.
func plugin(options tree) tree {
	options["failureMode"], options["timeout"] = "closed", "10s"
	return tree{"plugin": tree{harness.PluginName: options}}
}

// rule is the i-th limit, for a native middleware if algorithm is "", with who is counted and where if redis is given.
func (s scenario) rule(algorithm string, i int, redis tree) tree {
	rule := tree{"average": s.average(i), "period": longest}
	if algorithm != "" {
		rule["algorithm"] = algorithm
	}
	if algorithm == "" || algorithm == "token-bucket" {
		rule["burst"] = s.average(i)
	}
	if redis != nil {
		rule["redis"] = redis
		if s.sources > 1 {
			rule["sourceCriterion"] = tree{"ipStrategy": tree{"depth": 1}}
		}
	}
	return rule
}
