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

// profile writes, for each cell, where Traefik spends its processor time under that traffic.
func (b *bench) profile(ctx context.Context, cells []cell, o options) error {
	if err := os.MkdirAll(o.profiles, 0o755); err != nil {
		return err
	}
	for _, c := range cells {
		profile, err := b.profileOf(ctx, c)
		if err != nil {
			return b.wrong(c.scenario, c.connections, err)
		}
		path := filepath.Join(o.profiles, strings.ReplaceAll(c.name(), "/", "-")+".pprof")
		if err := os.WriteFile(path, profile, 0o644); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}

// profileOf is one profile. It is taken while the traffic runs, which begins before it and ends after it.
func (b *bench) profileOf(ctx context.Context, c cell) ([]byte, error) {
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
	profile, err := b.proxy.Get(fmt.Sprintf("/debug/pprof/profile?seconds=%d", profileSeconds))
	if trafficErr := <-ended; err == nil {
		err = trafficErr
	}
	return profile, err
}
