package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// profileSeconds is how long a profile is taken.
const profileSeconds = 3

// profileKinds are the profiles of Traefik that are taken: processor time, and what is allocated meanwhile.
var profileKinds = map[string]string{"cpu": "profile", "allocs": "allocs"}

// profile writes, for each cell, where Traefik spends its processor time and what it allocates under that traffic.
func (b *bench) profile(ctx context.Context, cells []cell, o options) error {
	if err := os.MkdirAll(o.profiles, 0o755); err != nil {
		return err
	}
	for _, c := range cells {
		for kind, name := range profileKinds {
			profile, err := b.profileOf(ctx, c, name)
			if err != nil {
				return b.wrong(c.scenario, c.connections, err)
			}
			path := filepath.Join(o.profiles, strings.ReplaceAll(c.name(), "/", "-")+"."+kind+".pprof")
			if err := os.WriteFile(path, profile, 0o644); err != nil {
				return err
			}
			fmt.Println(path)
		}
	}
	return nil
}

// profileOf is one profile. It is taken while the traffic runs, which begins before it and ends after it.
func (b *bench) profileOf(ctx context.Context, c cell, name string) ([]byte, error) {
	client := redis.NewClient(&redis.Options{Addr: b.redis.Addr, DB: c.scenario.db, Protocol: 2})
	defer client.Close()
	if err := b.prepare(ctx, c.scenario, client); err != nil {
		return nil, err
	}
	traffic := b.load(c.scenario, c.connections)
	defer traffic.close()
	ended := make(chan error, 1)
	go func() {
		_, err := traffic.run((profileSeconds+1)*time.Second, 0)
		ended <- err
	}()
	profile, err := b.proxy.Get(fmt.Sprintf("/debug/pprof/%s?seconds=%d", name, profileSeconds))
	if trafficErr := <-ended; err == nil {
		err = trafficErr
	}
	return profile, err
}
