package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/traefik-redis-ratelimit/ratelimit/e2e/harness"
)

// faultConfig has a router whose middleware is at fault below a less specific one without a limit.
const faultConfig = `
http:
  routers:
    api: {rule: "PathPrefix(` + "`/api`" + `)", middlewares: [api], service: backend}
    rest: {rule: "PathPrefix(` + "`/`" + `)", service: backend}
  services:
    backend: {loadBalancer: {servers: [{url: "BACKEND"}]}}
  middlewares:
    api: {plugin: {ratelimit: {algorithm: sliding-log, AVERAGE, period: 1h, timeout: 10s, failureMode: closed, redis: {endpoints: ["REDIS"], password: "${RATELIMIT_PASSWORD}"}}}}
`

// TestFaultInTheRealTraefik: what the readme says of a faulty configuration: at
// first load the router is gone and a less specific one answers, at a reload
// the last good settings stay; both are to be seen.
func TestFaultInTheRealTraefik(t *testing.T) {
	const password = "of-the-environment"
	redis, backend := startRedis(t, "--requirepass", password), startBackend(t, nil)
	proxy := startTraefik(t, "RATELIMIT_PASSWORD="+password)
	reload := func(average string) {
		t.Helper()
		apply(t, proxy, backend, redis, strings.Replace(faultConfig, "AVERAGE", average, 1))
	}
	const fault = `api@file: avrage: no such option, did you mean "average"?`

	reload("average: 3, avrage: 3")
	expectRouter(t, proxy, "disabled", fault)
	expect(t, ask(t, proxy.URL+"/api"), http.StatusOK, "", "the less specific router answers, unlimited")

	reload("average: 3")
	expectRouter(t, proxy, "enabled", "")
	for _, remaining := range []string{"2", "1", "0"} {
		expect(t, ask(t, proxy.URL+"/api"), http.StatusOK, remaining, "the fault is mended")
	}
	expect(t, ask(t, proxy.URL+"/api"), http.StatusTooManyRequests, "0", "the fault is mended")

	for range 3 {
		reload("average: 5, avrage: 3")
		expectRouter(t, proxy, "enabled", "")
		expect(t, ask(t, proxy.URL+"/api"), http.StatusTooManyRequests, "0", "the last good settings stay")
	}
	if found := logged(t, proxy, "error", fault); len(found) != 1 {
		t.Errorf("%d log lines, want one for the fault at reloads: %q", len(found), found)
	}
	reload("average: 5")
	expect(t, ask(t, proxy.URL+"/api"), http.StatusOK, "1", "the change is in force once it is whole")

	entries, err := proxy.Entries()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Message+e.Error, password) {
			t.Errorf("the log shows a secret: %+v", e)
		}
	}
}

// expectRouter fails the test unless the API says that of the router api@file.
func expectRouter(t *testing.T, proxy *harness.Traefik, status, fault string) {
	t.Helper()
	router, err := proxy.Router("api@file")
	if err != nil {
		t.Fatal(err)
	}
	if router.Status != status || strings.Join(router.Errors, "\n") != fault {
		t.Errorf("the API says %s, %q of the router, want %s, %q", router.Status, router.Errors, status, fault)
	}
}
