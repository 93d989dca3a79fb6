package ratelimit

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

// setSecrets is the environment of all cases: this plugin's own secrets, and others that it must leave alone.
func setSecrets(t *testing.T) {
	t.Helper()
	t.Setenv("RATELIMIT_SECRETS", "")
	t.Setenv("RATELIMIT_PASSWORD", "s3cret")
	t.Setenv("CF_DNS_API_TOKEN", "s3cret-of-another")
	t.Setenv("AWS_RATELIMIT_SECRET", "s3cret-of-another")
	t.Setenv("ratelimit_password", "s3cret-of-another")
}

// readCases are the cases in a folder, at least as many as were there once.
func readCases(t *testing.T, folder string, least int) []configs.Case {
	t.Helper()
	cases, err := configs.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < least {
		t.Fatalf("%s: %d cases, %d or more were there once", folder, len(cases), least)
	}
	return cases
}

func TestFaults(t *testing.T) {
	setSecrets(t)
	for _, c := range readCases(t, "testdata/faults", 150) {
		config, untouched := configOf(t, c), configOf(t, c)
		_, err := compile(config, "api@file")
		if err == nil {
			t.Errorf("%s: no fault", c.Why)
			continue
		}
		want := "api@file: " + strings.Join(c.Faults, "\napi@file: ")
		if err.Error() != want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.Why, err, want)
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: says a secret: %s", c.Why, err)
		}
		if !reflect.DeepEqual(config, untouched) {
			t.Errorf("%s: compile wrote into the configuration", c.Why)
		}
	}
}

func TestGood(t *testing.T) {
	setSecrets(t)
	for _, c := range readCases(t, "testdata/good", 30) {
		config, untouched := configOf(t, c), configOf(t, c)
		s, err := compile(config, "api@file")
		if err != nil {
			t.Errorf("%s: %v", c.Why, err)
			continue
		}
		if s.words != c.Words {
			t.Errorf("%s:\ngot  %s\nwant %s", c.Why, s.words, c.Words)
		}
		if strings.Contains(s.words, "s3cret") || strings.Contains(s.fingerprint+s.redis.identity, "s3cret") {
			t.Errorf("%s: says a secret", c.Why)
		}
		if !reflect.DeepEqual(config, untouched) {
			t.Errorf("%s: compile wrote into the configuration", c.Why)
		}
	}
}

// TestDefaults compares every setting of the quick start.
func TestDefaults(t *testing.T) {
	s, err := compile(fromFile(t, "{average: 6, period: 1m, redis: {endpoints: [redis:6379]}}"), "api@file")
	if err != nil {
		t.Fatal(err)
	}
	want := settings{
		name:   "api@file",
		limits: []limit{{name: "default", algorithm: tokenBucket, average: 6, period: 60_000_000, burst: 6}},
		source: criterion{ipv6Subnet: 64, remote: true},
		redis: redisSettings{mode: modeStandalone, endpoints: []string{"redis:6379"}, dialTimeout: 5 * time.Second,
			readTimeout: 200 * time.Millisecond, writeTimeout: 200 * time.Millisecond},
		keyHead: "ratelimit:api@file:{", timeout: 200 * time.Millisecond, failureMode: failOpen, xRateLimit: true,
		denied: deniedAnswer{statusCode: 429, contentType: "text/plain; charset=utf-8", body: "Too Many Requests"},
	}
	want.redis.identity, want.fingerprint, want.words = s.redis.identity, s.fingerprint, s.words
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
}

// TestEverySetting sets every option to something else than its default.
func TestEverySetting(t *testing.T) {
	setSecrets(t)
	s, err := compile(fromFile(t, `
limits:
- {name: b, algorithm: fixed-window, average: 2, period: 2s}
- {name: a, algorithm: token-bucket, average: 3, period: 3, burst: 4}
sourceCriterion:
  ipStrategy: {depth: 2, excludedIPs: [10.0.0.0/8], ipv6Subnet: 56}
  requestHeaderName: x-api-key
  requestHost: true
redis:
  endpoints: [redis:6379]
  mode: sentinel
  sentinel: {masterSet: limits, username: watch, password: wild-horses}
  username: limiter
  password: ${RATELIMIT_PASSWORD}
  db: 5
  tls: {ca: /etc/ssl/ca.pem, cert: /run/secrets/ratelimit/tls.crt, key: /run/secrets/ratelimit/tls.key, insecureSkipVerify: true, serverName: redis.internal}
  poolSize: 6
  minIdleConns: 7
  maxActiveConns: 8
  dialTimeout: 9s
  readTimeout: 10ms
  writeTimeout: 11ms
  keyPrefix: edge
timeout: 1s
failureMode: local
localShare: 0.5
headers: [ratelimit]
denied: {statusCode: 503, contentType: application/json, body: '{"error":"slow down"}'}
`), "my{}x@file")
	if err != nil {
		t.Fatal(err)
	}
	want := settings{
		name: "my{}x@file",
		limits: []limit{
			{name: "a", algorithm: tokenBucket, average: 3, period: 3_000_000, burst: 4},
			{name: "b", algorithm: fixedWindow, average: 2, period: 2_000_000},
		},
		source: criterion{depth: 2, ipv6Subnet: 56, headerName: "X-Api-Key", host: true, address: true, combined: true},
		redis: redisSettings{mode: modeSentinel, endpoints: []string{"redis:6379"},
			sentinel: sentinelSettings{masterSet: "limits", username: "watch", password: "wild-horses"}, username: "limiter", password: "s3cret", db: 5,
			tls: tlsSettings{on: true, ca: "/etc/ssl/ca.pem", cert: "/run/secrets/ratelimit/tls.crt", key: "/run/secrets/ratelimit/tls.key",
				unverified: true, serverName: "redis.internal"},
			poolSize: 6, minIdleConns: 7, maxActiveConns: 8,
			dialTimeout: 9 * time.Second, readTimeout: 10 * time.Millisecond, writeTimeout: 11 * time.Millisecond},
		keyHead: "edge:" + hashed("my{}x@file") + ":{", timeout: time.Second, failureMode: failLocal, rateLimit: true,
		local: []limit{
			{name: "a", algorithm: tokenBucket, average: 3, period: 6_000_000, burst: 2},
			{name: "b", algorithm: fixedWindow, average: 1, period: 2_000_000},
		},
		denied: deniedAnswer{statusCode: 503, contentType: "application/json", body: `{"error":"slow down"}`},
	}
	want.source.excluded = s.source.excluded
	want.redis.identity, want.fingerprint, want.words = s.redis.identity, s.fingerprint, s.words
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got  %+v\nwant %+v", s, want)
	}
	if len(s.source.excluded) != 1 || s.source.excluded[0].String() != "10.0.0.0/8" {
		t.Errorf("excluded: %v", s.source.excluded)
	}
}

// TestFingerprint: every option that changes what happens changes the fingerprint, and only what concerns the connection changes the
// connection's identity.
func TestFingerprint(t *testing.T) {
	setSecrets(t)
	base := mustCompile(t, `{average: 6, redis: {endpoints: ["redis:6379"]}}`)
	seen := map[string]string{}
	for _, row := range []struct {
		config     string
		connection bool // another connection too
	}{
		{`{average: 7, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, period: 2s, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, burst: 7, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, algorithm: fixed-window, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{limits: [{name: a, average: 6}], redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, sourceCriterion: {requestHost: true}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, sourceCriterion: {requestHeaderName: X-A}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, sourceCriterion: {ipStrategy: {depth: 1}}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, sourceCriterion: {ipStrategy: {ipv6Subnet: 56}}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, sourceCriterion: {ipStrategy: {excludedIPs: 10.0.0.0/8}}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, failureMode: closed, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, failureMode: local, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, headers: [], redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, headers: [x-ratelimit, ratelimit], redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, denied: {statusCode: 503}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, denied: {contentType: text/html}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, denied: {body: no}, redis: {endpoints: ["redis:6379"]}}`, false},
		{`{average: 6, redis: {endpoints: ["redis:6379"], keyPrefix: edge}}`, false},
		{`{average: 6, timeout: 300ms, redis: {endpoints: ["redis:6379"]}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6380"]}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], username: a}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], password: a}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], password: "${RATELIMIT_PASSWORD}"}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], passwordFile: /run/secrets/ratelimit/a}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], db: 1}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], tls: {insecureSkipVerify: false}}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], tls: {insecureSkipVerify: true}}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], tls: {ca: /a}}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], tls: {serverName: a}}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], tls: {cert: /run/secrets/ratelimit/a, key: /run/secrets/ratelimit/b}}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], tls: {cert: /run/secrets/ratelimit/a, key: /run/secrets/ratelimit/c}}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], poolSize: 1}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], minIdleConns: 1}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], maxActiveConns: 1}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], dialTimeout: 1s}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], readTimeout: 1ms}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], writeTimeout: 1ms}}`, true},
		{`{average: 6, redis: {endpoints: ["redis:6379"], mode: sentinel, sentinel: {masterSet: a}}}`, true},
	} {
		s := mustCompile(t, row.config)
		if s.fingerprint == base.fingerprint || seen[s.fingerprint] != "" {
			t.Errorf("%s: the same fingerprint as %s", row.config, seen[s.fingerprint])
		}
		seen[s.fingerprint] = row.config
		if (s.redis.identity != base.redis.identity) != row.connection {
			t.Errorf("%s: another connection is %v", row.config, !row.connection)
		}
	}
	half := mustCompile(t, `{average: 6, failureMode: local, localShare: 0.5, redis: {endpoints: ["redis:6379"]}}`)
	whole := mustCompile(t, `{average: 6, failureMode: local, localShare: 1, redis: {endpoints: ["redis:6379"]}}`)
	if local := mustCompile(t, `{average: 6, failureMode: local, redis: {endpoints: ["redis:6379"]}}`); local.fingerprint == half.fingerprint || local.fingerprint != whole.fingerprint {
		t.Errorf("a share of a half has the whole's fingerprint, or 1 is not the default")
	}
	same := mustCompile(t, `{average: "6.0", period: 1, burst: 6, headers: x-ratelimit, timeout: 0.2s, redis: {endpoints: "redis:6379", db: 0, mode: standalone}}`)
	if same.fingerprint != base.fingerprint || same.redis.identity != base.redis.identity {
		t.Errorf("the same rules in other words: another fingerprint")
	}
}

// TestIdentityOfSentinels: whatever leads to other sentinels, to another master or as somebody else makes another connection.
func TestIdentityOfSentinels(t *testing.T) {
	seen := map[string]string{}
	for _, config := range []string{
		`{average: 6, redis: {endpoints: ["s:26379"]}}`,
		`{average: 6, redis: {endpoints: ["s:26379"], mode: sentinel, sentinel: {masterSet: a}}}`,
		`{average: 6, redis: {endpoints: ["s:26379"], mode: sentinel, sentinel: {masterSet: b}}}`,
		`{average: 6, redis: {endpoints: ["s:26379", "t:26379"], mode: sentinel, sentinel: {masterSet: a}}}`,
		`{average: 6, redis: {endpoints: ["s:26379"], mode: sentinel, sentinel: {masterSet: a, username: x}}}`,
		`{average: 6, redis: {endpoints: ["s:26379"], mode: sentinel, sentinel: {masterSet: a, password: x}}}`,
		`{average: 6, redis: {endpoints: ["s:26379"], mode: sentinel, sentinel: {masterSet: a, passwordFile: /run/secrets/ratelimit/x}}}`,
		`{average: 6, redis: {endpoints: ["s:26379"], mode: sentinel, username: x, sentinel: {masterSet: a}}}`,
		`{average: 6, redis: {endpoints: ["s:26379"], mode: sentinel, password: x, sentinel: {masterSet: a}}}`,
	} {
		identity := mustCompile(t, config).redis.identity
		if seen[identity] != "" {
			t.Errorf("%s is the same as %s", config, seen[identity])
		}
		seen[identity] = config
	}
}

// mustCompile is the settings of a YAML file.
func mustCompile(t *testing.T, text string) settings {
	t.Helper()
	s, err := compile(fromFile(t, text), "api@file")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// TestShapes: what is not even shaped like an option is refused by Traefik's decoder before us, and never accepted.
func TestShapes(t *testing.T) {
	for _, row := range []struct{ why, text string }{
		{"a text for the list of limits", `{limits: "a"}`},
		{"texts for limits", `{limits: [a, b]}`},
		{"a list for limits' items", `{limits: [{}]}`},
		{"a text for redis", `{redis: "redis:6379"}`},
		{"nothing for redis, which a file's {} becomes", `{average: 1, redis: {}}`},
		{"a list for redis", `{redis: ["redis:6379"]}`},
		{"a text for sourceCriterion", `{sourceCriterion: ip}`},
		{"a text for ipStrategy", `{sourceCriterion: {ipStrategy: ip}}`},
		{"nothing for tls, which a file's {} becomes", `{average: 1, redis: {endpoints: ["redis:6379"], tls: {}}}`},
		{"a truth for tls", `{average: 1, redis: {endpoints: ["redis:6379"], tls: true}}`},
		{"a text for denied", `{denied: no}`},
		{"a table for a number", `{average: {value: 1}}`},
		{"a list for a number", `{average: [1, 2]}`},
		{"tables for the flavours", `{headers: [{name: x-ratelimit}]}`},
	} {
		raw, err := configs.Raw(configs.Case{Config: row.text})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(raw); err == nil {
			t.Errorf("%s: decoded", row.why)
		}
	}
}

// TestMiddlewareName: the name at the head of every line cannot tear it.
func TestMiddlewareName(t *testing.T) {
	for _, row := range []struct{ name, head string }{
		{"api@file", "api@file: "},
		{"my{}x@file", "my{}x@file: "},
		{"a\nlevel=info", `"a\nlevel=info": `},
		{"käse@file", "käse@file: "},
	} {
		_, err := compile(&Config{}, row.name)
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.HasPrefix(line, row.head) {
				t.Errorf("%q: %s", row.name, line)
			}
		}
	}
}

// TestPropertySecretsStayUnsaid: wherever a secret may be written, right or wrong, neither faults nor words repeat it.
func TestPropertySecretsStayUnsaid(t *testing.T) {
	const secret = "Xs3cretX"
	around := rapid.StringMatching(`[a-z0-9:@/?#.${}% ]{0,8}`)
	name := rapid.SampledFrom([]string{"pasword", "tls", "secret", "redisPassword", "url", "zzz", "avrage"})
	rapid.Check(t, func(t *rapid.T) {
		value := around.Draw(t, "before") + secret + around.Draw(t, "after")
		unknown := map[string]interface{}{name.Draw(t, "name"): value, name.Draw(t, "other"): map[string]interface{}{secret: value}}
		config := &Config{Average: rapid.SampledFrom([]string{"1", "x"}).Draw(t, "average")}
		config.Redis.Endpoints = []string{"redis:6379"}
		switch rapid.IntRange(0, 11).Draw(t, "where") {
		case 0:
			config.Redis.Password = value
		case 1:
			config.Redis.PasswordFile = strings.TrimLeft(value, "/")
		case 2:
			config.Redis.Endpoints = []string{"redis://" + value + "redis:6379"}
		case 3:
			config.Redis.Endpoints = []string{value + "@redis:6379"}
		case 4:
			config.Redis.Unknown = unknown
		case 5:
			config.Unknown = unknown
		case 6:
			config.Denied.Unknown = unknown
		case 7:
			config.Limits = []LimitConfig{{Unknown: unknown}}
		case 8:
			config.Redis.TLS = &TLSConfig{Unknown: unknown}
		case 9:
			config.Redis.TLS = &TLSConfig{Cert: "-----BEGIN" + value, Key: "-----BEGIN" + value}
		case 10:
			config.Redis.TLS = &TLSConfig{CA: "-----BEGIN " + value + "-----\nAAAA\n-----END " + value + "-----\n"}
		case 11:
			value = strings.TrimLeft(value, "/")
			config.Redis.TLS = &TLSConfig{CA: value, Cert: value, Key: value}
		}
		s, err := compile(config, "api@file")
		if err != nil && strings.Contains(err.Error(), secret) || strings.Contains(s.words, secret) {
			t.Fatalf("%v, %s", err, s.words)
		}
	})
}
