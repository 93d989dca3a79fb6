package providers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/provider/kubernetes/crd/traefikio/v1alpha1"
)

// nativeOption is an option of Traefik's own rateLimit in a block, and what the
// start line at DEBUG then says, or the fault.
type nativeOption struct {
	option string
	block  string // of the middleware, in YAML's flow style; REDIS stands for endpoints
	says   string
	fault  string
}

var nativeOptions = []nativeOption{
	{option: "average", block: `average: 120, REDIS`, says: "120 requests per 1s by token-bucket, burst 120"},
	{option: "period", block: `average: 120, period: 1m, REDIS`, says: "120 requests per 1m0s by token-bucket, burst 120"},
	{option: "period", block: `average: 120, period: 60, REDIS`, says: "120 requests per 1m0s by token-bucket, burst 120"},
	{option: "burst", block: `average: 120, burst: 30, REDIS`, says: "burst 30"},
	{option: "sourceCriterion.ipStrategy.depth", block: `average: 1, sourceCriterion: {ipStrategy: {depth: 2}}, REDIS`, says: "X-Forwarded-For"},
	{option: "sourceCriterion.ipStrategy.excludedIPs", block: `average: 1, sourceCriterion: {ipStrategy: {excludedIPs: ["127.0.0.1/32", "192.168.1.7"]}}, REDIS`, says: "127.0.0.1"},
	{option: "sourceCriterion.ipStrategy.ipv6Subnet", block: `average: 1, sourceCriterion: {ipStrategy: {ipv6Subnet: 48}}, REDIS`, says: "/48"},
	{option: "sourceCriterion.requestHeaderName", block: `average: 1, sourceCriterion: {requestHeaderName: username}, REDIS`, says: "header"},
	{option: "sourceCriterion.requestHost", block: `average: 1, sourceCriterion: {requestHost: true}, REDIS`, says: "host"},
	{option: "redis.endpoints", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"]}`, says: "Redis at 127.0.0.1:6379"},
	{option: "redis.endpoints", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379", "127.0.0.1:6380"]}`, fault: "mode"},
	{option: "redis.endpoints", block: `average: 1`, fault: "redis.endpoints: "},
	{option: "redis.username", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], username: user}`, says: `user "user"`},
	{option: "redis.password", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], password: not-to-be-seen}`, says: "password ***"},
	{option: "redis.db", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], db: 7}`, says: "db 7"},
	{option: "redis.poolSize", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], poolSize: 42}`, says: "Redis at"},
	{option: "redis.minIdleConns", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], minIdleConns: 2}`, says: "Redis at"},
	{option: "redis.maxActiveConns", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], maxActiveConns: 42}`, says: "Redis at"},
	{option: "redis.readTimeout", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], readTimeout: 3s}`, says: "redis.readTimeout"},
	{option: "redis.writeTimeout", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], writeTimeout: 3s}`, says: "redis.writeTimeout"},
	{option: "redis.dialTimeout", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], dialTimeout: 5s}`, says: "Redis at"},
	{option: "redis.tls.ca", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {ca: /path/to/ca.crt}}`, says: "TLS by the CA in /path/to/ca.crt"},
	{option: "redis.tls.ca", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {ca: path/to/ca.crt}}`, fault: "redis.tls.ca: must be an absolute path, or PEM text"},
	{option: "redis.tls.cert", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {cert: /run/secrets/ratelimit/foo.cert, key: /run/secrets/ratelimit/foo.key}}`, says: "client certificate in /run/secrets/ratelimit/foo.cert"},
	{option: "redis.tls.cert", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {cert: /path/to/foo.cert, key: /run/secrets/ratelimit/foo.key}}`, fault: "redis.tls.cert: must be below /run/secrets/ratelimit"},
	{option: "redis.tls.key", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {cert: /run/secrets/ratelimit/foo.cert, key: /path/to/foo.key}}`, fault: "redis.tls.key: must be below /run/secrets/ratelimit"},
	{option: "redis.tls.insecureSkipVerify", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {insecureSkipVerify: true}}`, says: "TLS with any server"},
	{option: "redis.tls.insecureSkipVerify", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {insecureSkipVerify: false}}`, says: "TLS by the system's authorities"},
	{option: "redis.tls.caSecret", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {caSecret: mycasecret}}`, fault: "redis.tls.caSecret: no such option, write redis.tls.ca as urn:k8s:secret:NAME:KEY"},
	{option: "redis.tls.certSecret", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], tls: {certSecret: mytlscert}}`, fault: "redis.tls.certSecret: no such option, write redis.tls.cert and redis.tls.key, each as urn:k8s:secret:NAME:KEY"},
	{option: "redis.secret", block: `average: 1, redis: {endpoints: ["127.0.0.1:6379"], secret: mysecret}`, fault: "redis.secret: no such option, write redis.username and redis.password, each as urn:k8s:secret:NAME:KEY"},
}

// TestNativeOptions: who moves a block of Traefik's own rateLimit below the
// plugin finds every option at work, or is told what to do instead.
func TestNativeOptions(t *testing.T) {
	for i, row := range nativeOptions {
		t.Run(row.option, func(t *testing.T) {
			block := strings.ReplaceAll(row.block, "REDIS", `redis: {endpoints: ["127.0.0.1:6379"]}`)
			config := fromFile(".yml")(t, "http: {middlewares: {api: {plugin: {ratelimit: {"+block+"}}}}}")
			before := debug.Len()
			name := fmt.Sprintf("native-%d@file", i)
			_, err := load(t, config, name)
			said := debug.From(before)
			switch {
			case row.fault == "" && err != nil:
				t.Errorf("%s: %v", block, err)
			case row.fault == "" && !(strings.Contains(said, name+": ") && strings.Contains(said, row.says)):
				t.Errorf("%s: the log says %q, want a line with %q", block, said, row.says)
			case row.fault != "" && (err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), row.fault)):
				t.Errorf("%s: error %v, want one with %q", block, err, row.fault)
			}
			if strings.Contains(said, "not-to-be-seen") {
				t.Errorf("the log shows a password: %s", said)
			}
		})
	}
}

// TestNativeOptionsAreAllHere: the table above misses no option that Traefik
// knows, in files or in Kubernetes.
func TestNativeOptionsAreAllHere(t *testing.T) {
	options := append(leaves(reflect.TypeFor[dynamic.RateLimit](), ""), leaves(reflect.TypeFor[v1alpha1.RateLimit](), "")...)
	if len(options) < 30 {
		t.Fatalf("Traefik knows only %q", options)
	}
	for _, option := range options {
		if !slices.ContainsFunc(nativeOptions, func(row nativeOption) bool { return row.option == option }) {
			t.Errorf("no row for Traefik's option %s", option)
		}
	}
}

// leaves are the options in a struct of Traefik's, by their paths.
func leaves(of reflect.Type, path string) []string {
	var found []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name != "" {
			name = strings.TrimPrefix(path+"."+name, ".")
		} else {
			name = path // embedded
		}
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.Name() != "IntOrString" {
			found = append(found, leaves(inner, name)...)
			continue
		}
		found = append(found, name)
	}
	return found
}
