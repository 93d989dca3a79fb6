package suite

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// clusterCases have a Redis Cluster of their own: three masters with a replica each.
var clusterCases = []testCase{
	{"cluster counts", "several gateways must share one exact count per source, whichever node has it", server, clusterCounts},
}

// inCluster is config with the cluster as its Redis, by one seed alone. Another gateway has a connection of its own.
func (w *world) inCluster(c *redistest.Cluster, gateway int, config map[string]interface{}) http.Handler {
	w.t.Helper()
	copied := map[string]interface{}{}
	for name := range config {
		copied[name] = config[name]
	}
	redis := map[string]interface{}{"mode": "cluster", "endpoints": []interface{}{c.Masters[0].Addr}}
	redis["dialTimeout"] = (5*time.Second + time.Duration(gateway)*time.Millisecond).String()
	if given, ok := config["redis"].(map[string]interface{}); ok {
		for name := range given {
			redis[name] = given[name]
		}
	}
	copied["redis"] = redis
	return w.mustMake(backend, copied, w.name)
}

// clusterCounts has many sources ask over three gateways at once, for each algorithm and for all of them together.
func clusterCounts(t *testing.T, w *world) {
	c := redistest.StartCluster(t, 3)
	const gateways, sources, limit = 3, 20, 25
	name := w.name
	for _, row := range []struct {
		name   string
		config map[string]interface{}
	}{
		{"token-bucket", map[string]interface{}{"average": limit, "period": "24h"}},
		{"fixed-window", map[string]interface{}{"algorithm": "fixed-window", "average": limit, "period": "8784h"}},
		{"sliding-log", map[string]interface{}{"algorithm": "sliding-log", "average": limit, "period": "24h"}},
		{"all together", map[string]interface{}{"limits": []interface{}{
			map[string]interface{}{"name": "b", "average": limit + 1, "period": "24h"},
			map[string]interface{}{"name": "l", "algorithm": "sliding-log", "average": limit, "period": "24h"},
		}}},
	} {
		w.name = slug(row.name) + "-" + name
		var handlers []http.Handler
		for i := 0; i < gateways; i++ {
			handlers = append(handlers, w.inCluster(c, i, row.config))
		}
		var mu sync.Mutex
		passed, undecided := map[int]int{}, 0
		var all sync.WaitGroup
		for i := 0; i < gateways*sources*limit; i++ {
			all.Add(1)
			go func(i int) {
				defer all.Done()
				source := i / gateways % sources
				got := ask(handlers[i%gateways], getFrom(fmt.Sprintf("203.0.113.%d:1", source)))
				mu.Lock()
				defer mu.Unlock()
				if len(got.header["X-Ratelimit-Limit"]) == 0 {
					undecided++
				} else if got.status == http.StatusOK {
					passed[source]++
				}
			}(i)
		}
		all.Wait()
		for source := 0; source < sources; source++ {
			if passed[source] != limit {
				t.Errorf("%s: %d requests of source %d passed, want %d", row.name, passed[source], source, limit)
			}
		}
		if undecided > 0 {
			t.Errorf("%s: %d requests were not decided by Redis; the log says %s", row.name, undecided, w.plugin.Errors())
		}
	}
}
