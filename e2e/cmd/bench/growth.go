package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"
)

// growthConnections is the number of connections at which growth is measured.
const growthConnections = 128

// routerCounts are how many routers use one middleware.
var routerCounts = []int{1, 500}

// sources measures what a request costs by the number of sources that Redis knows. The bench must have been started with growing.
func (b *bench) sources(ctx context.Context, o options) (string, error) {
	var cells []cell
	for _, s := range growing {
		cells = append(cells, cell{s, growthConnections})
	}
	all, err := b.traffic(ctx, cells, o)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for i, c := range cells {
		ratio := ""
		if c.scenario.limiter == bucket {
			ratio = all.ratio(c, cells[i-1], sample.cpu).String()
		}
		rows = append(rows, []string{
			c.scenario.limiter.name, strconv.Itoa(c.scenario.sources), fmt.Sprintf("%.0f", all.over(c, traefikMicros).median),
			fmt.Sprintf("%.1f", all.over(c, redisMicros).median), ratio, fmt.Sprintf("%.0f", all.over(c, sample.rate).median),
		})
	}
	return table("limiter", "sources", "Traefik µs", "Redis µs", "ratio of CPU to native", "requests/s")(rows), nil
}

// shared is what is measured of routers that share one middleware.
type shared struct {
	reload, reloadCPU time.Duration
	traefik           float64 // µs per request
}

// routers measures requests and reloads by the number of routers.
func (b *bench) routers(ctx context.Context, o options) (string, error) {
	limiters := []limiter{none, native, bucket}
	type kind struct {
		limiter limiter
		count   int
	}
	all := map[kind][]shared{}
	for round := range o.rounds {
		for _, count := range routerCounts {
			for _, l := range limiters {
				progress("routers, round %d of %d: %s, %s", round+1, o.rounds, l.name, plural(count, "router"))
				got, err := b.share(ctx, scenario{limiter: l, sources: 1, db: len(growing)}, count, o.span)
				if err != nil {
					return "", fmt.Errorf("%s with %s: %w", l.name, plural(count, "router"), err)
				}
				all[kind{l, count}] = append(all[kind{l, count}], got)
			}
		}
	}
	var rows [][]string
	for _, count := range routerCounts {
		for _, l := range limiters {
			var reload, cpu, traefik []float64
			for _, s := range all[kind{l, count}] {
				reload, cpu, traefik = append(reload, s.reload.Seconds()), append(cpu, s.reloadCPU.Seconds()), append(traefik, s.traefik)
			}
			rows = append(rows, []string{
				l.name, strconv.Itoa(count), fmt.Sprintf("%.0f", spreadOf(traefik).median),
				fmt.Sprintf("%.0f", 1000*spreadOf(reload).median), fmt.Sprintf("%.0f", 1000*spreadOf(cpu).median),
			})
		}
	}
	return table("limiter", "routers", "Traefik µs", "reload ms", "of it CPU ms")(rows), nil
}

// share gives count routers one middleware, reloads, and sends requests to them in turn.
func (b *bench) share(ctx context.Context, s scenario, count int, span time.Duration) (shared, error) {
	routers, paths := tree{}, []string{}
	middlewares := s.middlewares(b.redis.Addr)
	for i := range count {
		path := fmt.Sprintf("/r%03d", i)
		router := tree{"rule": "Path(`" + path + "`)", "entryPoints": []string{"web"}, "service": "backend"}
		if len(middlewares) > 0 {
			router["middlewares"] = []string{s.id()}
		}
		routers["r"+strconv.Itoa(i)] = router
		paths = append(paths, path)
	}
	http := tree{"routers": routers}
	if len(middlewares) > 0 {
		http["middlewares"] = middlewares
	}
	text, err := yaml.Marshal(tree{"http": http})
	if err != nil {
		return shared{}, err
	}
	if err := b.proxy.Apply(ctx, "routers.yml", string(text)); err != nil {
		return shared{}, err
	}
	var got shared
	if got.reload, got.reloadCPU, err = b.reload(ctx); err != nil {
		return got, err
	}
	traffic := newLoad(b.proxy.URL, paths, growthConnections, b.clients[:1])
	defer traffic.close()
	if _, err := traffic.run(span/5, 0); err != nil {
		return got, err
	}
	before, err := cpuTime(b.proxy.PID())
	if err != nil {
		return got, err
	}
	answered, err := traffic.run(span, 0)
	if err != nil {
		return got, err
	}
	after, err := cpuTime(b.proxy.PID())
	if n := len(answered.latencies); err == nil && answered.statuses[200] != n {
		err = fmt.Errorf("statuses %v, only 200 expected", answered.statuses)
	}
	got.traefik = micros(after-before) / float64(len(answered.latencies))
	return got, err
}

// reload is how long Traefik takes to serve a configuration in which one router has changed, and its processor time.
func (b *bench) reload(ctx context.Context) (time.Duration, time.Duration, error) {
	before, err := cpuTime(b.proxy.PID())
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := b.proxy.Applied(ctx); err != nil {
		return 0, 0, err
	}
	took := time.Since(began)
	after, err := cpuTime(b.proxy.PID())
	return took, after - before, err
}
