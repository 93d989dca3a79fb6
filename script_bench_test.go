package ratelimit

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// One call of the script on a real Redis, by algorithm and by how many requests it carries.
func BenchmarkScript(b *testing.B) {
	limits := []limit{
		{name: "window", algorithm: fixedWindow, average: 1e6, period: 60e6},
		{name: "log", algorithm: slidingLog, average: 1e5, period: 60e6},
		{name: "bucket", algorithm: tokenBucket, average: 1e6, period: 60e6, burst: 1e6},
	}
	for _, l := range limits {
		for _, requests := range []int{1, 32, 128} {
			b.Run(fmt.Sprintf("%s/%d", l.name, requests), func(b *testing.B) {
				r := realRedis(b)
				c := call{limits: []limit{l}, now: redisClock}
				for i := 0; i < requests; i++ {
					c.sources = append(c.sources, fmt.Sprint("s", i))
					c.costs = append(c.costs, 1)
				}
				keys, args := c.keys(), c.args()
				b.ResetTimer()
				for i := 0; i < b.N; i++ {
					if err := r.client.EvalSha(context.Background(), scriptHash, keys, args...).Err(); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(requests), "ns/request")
				info, _ := r.client.Info(context.Background(), "commandstats").Result()
				b.ReportMetric(usecPerCall(info, "evalsha")*1000/float64(requests), "redis-ns/request")
			})
		}
	}
}

func usecPerCall(info, command string) float64 {
	var calls, usec int
	var perCall float64
	for _, line := range splitLines(info) {
		if n, _ := fmt.Sscanf(line, "cmdstat_"+command+":calls=%d,usec=%d,usec_per_call=%f", &calls, &usec, &perCall); n == 3 {
			return perCall
		}
	}
	return 0
}

func splitLines(s string) []string { return strings.Split(s, "\r\n") }
