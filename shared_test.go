package ratelimit

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// reload is one dynamic configuration of Traefik: its context ends when the next one begins.
type reload struct {
	ctx    context.Context
	cancel context.CancelFunc
}

func nextReload(before *reload) *reload {
	if before != nil {
		before.cancel()
	}
	ctx, cancel := context.WithCancel(background)
	return &reload{ctx: ctx, cancel: cancel}
}

// patient is a budget that a busy machine keeps too: an exchange that runs out of it costs its connection.
func patient(c *Config) { c.Timeout = "10s" }

func TestReloadsOfTheSameConfigurationShareEverything(t *testing.T) {
	server := redistest.Start(t)
	proxy := redistest.NewProxy(t, server.Addr)
	others := goleak.IgnoreCurrent()
	r := newRegistry(20 * time.Millisecond)
	s := settingsAt(t, "same@test", proxy.Addr, patient)

	now := nextReload(nil)
	first := r.use(now.ctx, s)
	if _, err := takeFrom(first.limiter, "x", 1); err != nil {
		t.Fatal(err)
	}
	goroutines := runtime.NumGoroutine()
	for i := 0; i < 1000; i++ {
		now = nextReload(now)
		for router := 0; router < 3; router++ {
			if r.use(now.ctx, settingsAt(t, "same@test", proxy.Addr, patient)) != first {
				t.Fatal("an unchanged configuration made a new middleware")
			}
		}
		if _, err := takeFrom(first.limiter, "x", 1); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "only the last reload's uses are left", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return first.users == 3
	})
	if proxy.Dials() != 1 {
		t.Errorf("%d connections were dialled, want 1", proxy.Dials())
	}
	if more := runtime.NumGoroutine() - goroutines; more > 2 {
		t.Errorf("%d goroutines more than after the first load", more)
	}
	now.cancel()
	eventually(t, "nothing is left after the last use", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.middlewares)+len(r.lastGood)+len(r.clients)+len(r.clientUsers) == 0 && proxy.Open() == 0
	})
	goleak.VerifyNone(t, others)
}

func TestChangedEndpointLeavesNothingAtTheOldOne(t *testing.T) {
	server := redistest.Start(t)
	before, after := redistest.NewProxy(t, server.Addr), redistest.NewProxy(t, server.Addr)
	r := newRegistry(20 * time.Millisecond)

	first := nextReload(nil)
	old := r.use(first.ctx, settingsAt(t, "moves@test", before.Addr, patient))
	if _, err := takeFrom(old.limiter, "x", 1); err != nil {
		t.Fatal(err)
	}
	second := nextReload(first)
	defer second.cancel()
	moved := r.use(second.ctx, settingsAt(t, "moves@test", after.Addr, patient))
	if _, err := takeFrom(old.limiter, "x", 1); err != nil {
		t.Errorf("a request of the old configuration during the grace: %v", err)
	}
	if _, err := takeFrom(moved.limiter, "x", 1); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no connection is left at the old endpoint", func() bool { return before.Open() == 0 })
	if after.Open() != 1 {
		t.Errorf("%d connections at the new endpoint, want 1", after.Open())
	}
}

// Middlewares with equal Redis settings share a client; another db, user or size is another client.
func TestClientsAreSharedByTheWholeRedisConfiguration(t *testing.T) {
	r := newRegistry(time.Hour)
	one := r.use(background, settingsAt(t, "a@test", "127.0.0.1:1", nil))
	same := r.use(background, settingsAt(t, "b@test", "127.0.0.1:1", func(c *Config) { c.Average = "5"; c.Redis.KeyPrefix = "other" }))
	if one.client != same.client {
		t.Error("equal Redis settings made two clients")
	}
	for name, change := range map[string]func(c *Config){
		"db":       func(c *Config) { c.Redis.DB = "1" },
		"username": func(c *Config) { c.Redis.Username = "x"; c.Redis.Password = "y" },
		"poolSize": func(c *Config) { c.Redis.PoolSize = "3" },
		"timeout":  func(c *Config) { c.Timeout = "1s" },
	} {
		if r.use(background, settingsAt(t, name+"@test", "127.0.0.1:1", change)).client == one.client {
			t.Errorf("another %s shares the client", name)
		}
	}
}

func TestFaultyReloadKeepsTheLastGoodSettings(t *testing.T) {
	l := captureLog(t, "api@test")
	r := newRegistry(20 * time.Millisecond)
	if r.useLastGood(background, "api@test", errors.New("api@test: fault")) != nil {
		t.Error("settings without a first good load")
	}
	first := nextReload(nil)
	good := r.use(first.ctx, settingsAt(t, "api@test", "127.0.0.1:1", nil))
	second := nextReload(first)
	for router := 0; router < 2; router++ {
		if r.useLastGood(second.ctx, "api@test", errors.New("api@test: average: is bad")) != good {
			t.Fatal("a faulty reload lost the last good settings")
		}
	}
	third := nextReload(second)
	r.useLastGood(third.ctx, "api@test", errors.New("api@test: average: is bad"))
	time.Sleep(100 * time.Millisecond) // the grace of the good load is over: only the faulty reload uses it now
	fourth := nextReload(third)
	if r.useLastGood(fourth.ctx, "api@test", errors.New("api@test: average: is worse")) != good {
		t.Error("the last good settings ended with the grace")
	}
	fourth.cancel()
	wantLines(t, l,
		"api@test: average: is bad", "api@test: the last good settings stay in force",
		"api@test: average: is worse", "api@test: the last good settings stay in force",
	)
	eventually(t, "a removed middleware is forgotten", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.lastGood)+len(r.faults) == 0
	})
}

func TestManyNamesAreForgotten(t *testing.T) {
	r := newRegistry(time.Millisecond)
	for i := 0; i < 200; i++ {
		load := nextReload(nil)
		r.use(load.ctx, settingsAt(t, "m"+strconv.Itoa(i)+"@test", "127.0.0.1:1", nil))
		load.cancel()
	}
	eventually(t, "no middleware is left", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.middlewares)+len(r.lastGood)+len(r.faults)+len(r.clients) == 0
	})
}
