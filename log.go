package ratelimit

import (
	"context"
	"fmt"
	"log"

	"github.com/redis/go-redis/v9"
)

// Traefik's log takes a plugin's lines from two places only: package log at ERROR, fmt.Print at DEBUG, one entry a write.
// What is written to os.Stdout or os.Stderr bypasses it.

// logError writes one line at ERROR. No line may hold a secret, and none is written per request.
func logError(format string, arguments ...interface{}) {
	// Without flags: Traefik stamps its entries itself. A logger of its own leaves those of a process that embeds us alone.
	log.New(log.Writer(), "", 0).Printf(format, arguments...)
}

// logDebug writes one line at DEBUG.
func logDebug(line string) {
	fmt.Print(line + "\n")
}

// redisLogger is the logger of go-redis, whose own one writes to os.Stderr.
type redisLogger struct{}

// Once, before any client exists: go-redis reads its logger without a lock.
func init() { redis.SetLogger(redisLogger{}) }

// Printf implements go-redis' internal.Logging.
func (redisLogger) Printf(_ context.Context, format string, arguments ...interface{}) {
	logDebug("go-redis: " + fmt.Sprintf(format, arguments...))
}

// recovered ends a panic of ours and logs it; deferred by everything that runs on a goroutine or timer of ours,
// where a panic would end Traefik itself.
func recovered(where string) {
	if fault := recover(); fault != nil {
		logError("panic in %s: %v", where, fault)
	}
}
