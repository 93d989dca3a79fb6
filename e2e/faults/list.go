package faults

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// faults are all that are played, in the order of the report: the way to Redis, Redis' own words, its data, its surroundings.
var faults = []fault{
	{
		name: "none", made: "nothing is wrong: for comparison", decides: byRedis,
		begin: func(*world) error { return nil },
		end:   func(*world) error { return nil },
	},
	{
		name: "refused", made: "Redis does not run yet when Traefik hears of it; nothing listens at its address", early: true,
		says:  "connection refused",
		begin: func(w *world) error { w.redis.Stop(); return nil },
		end:   func(w *world) error { return w.redis.Start(w.stage.ctx) },
	},
	{
		name: "killed", made: "`kill -9` of Redis under traffic; it comes back empty", forgets: 1,
		says:  "connection refused",
		begin: func(w *world) error { w.redis.Kill(); return nil },
		end:   func(w *world) error { return w.redis.Start(w.stage.ctx) },
	},
	{
		name: "frozen", made: "SIGSTOP, then SIGCONT: connections stay open, nothing is answered",
		says:  "i/o timeout",
		begin: func(w *world) error { w.redis.Pause(); return nil },
		end:   func(w *world) error { w.redis.Resume(); return nil },
	},
	{
		name: "slow by 50 ms", made: "a proxy makes each round trip 50 ms longer", linked: true, decides: byRedis,
		begin: func(w *world) error { return w.delay(25 * time.Millisecond) },
		end:   func(w *world) error { return w.delay(0) },
	},
	{
		name: "slow by 500 ms", made: "a proxy makes each round trip 500 ms longer, beyond `timeout`", linked: true,
		says:  "i/o timeout",
		begin: func(w *world) error { return w.delay(250 * time.Millisecond) },
		end:   func(w *world) error { return w.delay(0) },
	},
	{
		name: "jitter", made: "a proxy makes round trips longer by 0 to 300 ms, another length every 20 ms", linked: true, decides: byEither,
		begin: func(w *world) error {
			w.calm = w.regularly(20*time.Millisecond, func(context.Context) { _ = w.delay(rand.N(150 * time.Millisecond)) })
			return nil
		},
		end: func(w *world) error {
			w.calm()
			return w.delay(0)
		},
	},
	{
		name: "half-open", made: "a proxy swallows every byte of both sides, and accepts dials", linked: true,
		says:  "i/o timeout",
		begin: func(w *world) error { return w.each(func(p *redistest.Proxy) { p.Swallow(true) }) },
		end:   func(w *world) error { return w.each(func(p *redistest.Proxy) { p.Swallow(false) }) },
	},
	{
		name: "reset in a reply", made: "a proxy passes half of each script reply, then a TCP reset", linked: true,
		says:  "connection reset by peer",
		begin: func(w *world) error { return w.each(func(p *redistest.Proxy) { p.Cut(true) }) },
		end:   func(w *world) error { return w.each((*redistest.Proxy).Mend) },
	},
	{
		name: "truncated reply", made: "a proxy passes half of each script reply, then closes the connection", linked: true,
		says:  "unexpected EOF",
		begin: func(w *world) error { return w.each(func(p *redistest.Proxy) { p.Cut(false) }) },
		end:   func(w *world) error { return w.each((*redistest.Proxy).Mend) },
	},
	{
		name: "foreign reply", made: "a proxy puts a string of somebody else's in the place of each script reply", linked: true,
		says:  "hello",
		begin: func(w *world) error { return w.replies("$5\r\nhello\r\n") },
		end:   func(w *world) error { return w.replies("") },
	},
	{
		name: "not Redis", made: "a proxy answers like a web server", linked: true,
		says: "HTTP/1.1 400",
		begin: func(w *world) error {
			return w.replies("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
		},
		end: func(w *world) error { return w.replies("") },
	},
	{
		name: "LOADING", made: "`DEBUG RELOAD` of 5,000 keys, each delayed by `key-load-delay`: Redis loads its data for some seconds",
		redis: []string{"--enable-debug-command", "yes", "--loading-process-events-interval-bytes", "1024"},
		lasts: 2 * time.Second,
		says:  "LOADING",
		begin: func(w *world) error {
			if err := w.doAll("DEBUG POPULATE 5000 filler 100", "CONFIG SET key-load-delay 500"); err != nil {
				return err
			}
			w.run("DEBUG", "RELOAD")
			return w.until("LOADING", "PING")
		},
		end: func(w *world) error { return w.until("PONG", "PING") },
	},
	{
		name: "READONLY", made: "`REPLICAOF` an address without a server, then `REPLICAOF NO ONE`",
		says:  "READONLY",
		begin: func(w *world) error { return w.doAll("REPLICAOF 127.0.0.1 1") },
		end:   func(w *world) error { return w.doAll("REPLICAOF NO ONE") },
	},
	{
		name: "MASTERDOWN", made: "the same with `replica-serve-stale-data no`", redis: []string{"--replica-serve-stale-data", "no"},
		says:  "MASTERDOWN",
		begin: func(w *world) error { return w.doAll("REPLICAOF 127.0.0.1 1") },
		end:   func(w *world) error { return w.doAll("REPLICAOF NO ONE") },
	},
	{
		name: "CLUSTERDOWN", made: "`redis.mode: cluster`, and a Cluster of one node loses its slots, and gets them back", cluster: true,
		redis: []string{"--cluster-enabled", "yes"},
		says:  "CLUSTERDOWN",
		begin: func(w *world) error { return w.doAll("CLUSTER DELSLOTSRANGE 0 16383") },
		end:   addSlots,
	},
	{
		name: "OOM", made: "`CONFIG SET maxmemory 1` with `noeviction`", redis: []string{"--maxmemory-policy", "noeviction"},
		says:  "OOM",
		begin: func(w *world) error { return w.doAll("CONFIG SET maxmemory 1") },
		end:   func(w *world) error { return w.doAll("CONFIG SET maxmemory 0") },
	},
	{
		name: "eviction", made: "`allkeys-lru`, and somebody else fills the memory faster than each source is seen again", redis: []string{"--maxmemory-policy", "allkeys-lru"},
		every: 1500 * time.Millisecond, lasts: 6 * time.Second, decides: byRedis, forgets: anyNumber,
		begin: evict,
		end: func(w *world) error {
			w.calm()
			return w.doAll("CONFIG SET maxmemory 0")
		},
	},
	{
		name: "NOAUTH", made: "`CONFIG SET requirepass`, and `CLIENT KILL` of open connections",
		says: "NOAUTH",
		begin: func(w *world) error {
			return w.doAll("CONFIG SET requirepass "+password, "CLIENT KILL TYPE normal SKIPME yes")
		},
		end: func(w *world) error { return w.doAll(`CONFIG SET requirepass ""`) },
	},
	{
		name: "WRONGPASS", made: "`ACL SETUSER` with another password, and `CLIENT KILL` of open connections", user: true,
		says: "WRONGPASS",
		begin: func(w *world) error {
			return w.doAll("ACL SETUSER gate resetpass >another", "CLIENT KILL TYPE normal SKIPME yes")
		},
		end: func(w *world) error { return w.doAll("ACL SETUSER gate resetpass >" + password) },
	},
	{
		name: "NOPERM", made: "`ACL SETUSER` takes the right to `EVALSHA` and `EVAL`", user: true,
		says:  "NOPERM",
		begin: func(w *world) error { return w.doAll("ACL SETUSER gate -evalsha -eval") },
		end:   func(w *world) error { return w.doAll("ACL SETUSER gate +evalsha +eval") },
	},
	{
		name: "NOPERM in the script", made: "`ACL SETUSER` takes the right to `HSET`", user: true,
		says:  "can't run this command",
		begin: func(w *world) error { return w.doAll("ACL SETUSER gate -hset") },
		end:   func(w *world) error { return w.doAll("ACL SETUSER gate +hset") },
	},
	{
		name: "max clients", made: "`CONFIG SET maxclients 1`, which we are, and `CLIENT KILL` of open connections",
		says: "max number of clients",
		begin: func(w *world) error {
			return w.doAll("CONFIG SET maxclients 1", "CLIENT KILL TYPE normal SKIPME yes")
		},
		end: func(w *world) error { return w.doAll("CONFIG SET maxclients 1000") },
	},
	{
		name: "SCRIPT FLUSH", made: "`SCRIPT FLUSH` every 10 ms", decides: byRedis,
		begin: func(w *world) error {
			w.calm = w.regularly(10*time.Millisecond, func(context.Context) { _ = w.doAll("SCRIPT FLUSH") })
			return nil
		},
		end: func(w *world) error { w.calm(); return nil },
	},
	{
		name: "SCRIPT KILL", made: "`SCRIPT KILL` every 10 ms: a script that is as short as ours is never hit", decides: byRedis,
		begin: func(w *world) error {
			w.calm = w.regularly(10*time.Millisecond, func(context.Context) { _ = w.doAll("SCRIPT KILL") })
			return nil
		},
		end: func(w *world) error { w.calm(); return nil },
	},
	{
		name: "script killed", made: "a proxy puts Redis' words for a killed script in the place of each script reply", linked: true,
		says: "SCRIPT KILL",
		begin: func(w *world) error {
			return w.replies("-ERR Error running script (call to f_97a7bf2883b2442b4cc8a043254a7ec27942d62e): @user_script:1: Script killed by user with SCRIPT KILL...\r\n")
		},
		end: func(w *world) error { return w.replies("") },
	},
	{
		name: "BUSY", made: "somebody else's script runs without end, until `SCRIPT KILL`", redis: []string{"--lua-time-limit", "50"},
		says: "BUSY",
		begin: func(w *world) error {
			w.run("EVAL", "while true do end", "0")
			return w.until("BUSY", "PING")
		},
		end: func(w *world) error {
			if err := w.doAll("SCRIPT KILL"); err != nil {
				return err
			}
			<-w.busy
			return nil
		},
	},
	{
		name: "MISCONF", made: "a folder has the name of the RDB file: `BGSAVE` fails, and Redis refuses writes",
		says: "MISCONF",
		begin: func(w *world) error {
			if err := os.Mkdir(filepath.Join(w.dir, "dump.rdb"), 0o755); err != nil {
				return err
			}
			if err := w.do("CONFIG", "SET", "save", "3600 1"); err != nil {
				return err
			}
			if err := w.doAll("BGSAVE"); err != nil {
				return err
			}
			return w.until("rdb_last_bgsave_status:err", "INFO", "persistence")
		},
		end: func(w *world) error {
			if err := os.Remove(filepath.Join(w.dir, "dump.rdb")); err != nil {
				return err
			}
			if err := w.doAll("BGSAVE"); err != nil {
				return err
			}
			return w.until("rdb_last_bgsave_status:ok", "INFO", "persistence")
		},
	},
	{
		name: "NOREPLICAS", made: "`CONFIG SET min-replicas-to-write 1`, and there is none",
		says:  "NOREPLICAS",
		begin: func(w *world) error { return w.doAll("CONFIG SET min-replicas-to-write 1") },
		end:   func(w *world) error { return w.doAll("CONFIG SET min-replicas-to-write 0") },
	},
	{
		name: "foreign key", made: "the key of one of the sources holds a string of somebody else's, until it is deleted", decides: byKey, forgets: 1,
		says:  "WRONGTYPE",
		begin: func(w *world) error { return w.ownKeys("SET", "foreign") },
		end:   func(w *world) error { return w.ownKeys("DEL") },
	},
	{
		name: "CONFIG SET timeout 1", made: "Redis closes connections that were idle for a second", decides: byRedis,
		every: 2500 * time.Millisecond, lasts: 7500 * time.Millisecond,
		begin: func(w *world) error { return w.doAll("CONFIG SET timeout 1") },
		end:   func(w *world) error { return w.doAll("CONFIG SET timeout 0") },
	},
	{
		name: "unknown name", made: "the host name of Redis does not resolve when Traefik hears of it; then it does", named: true, early: true,
		says:  "no such host",
		begin: func(w *world) error { return w.stage.names.set(nil) },
		end:   func(w *world) error { return w.resolve() },
	},
	{
		name: "name moves", made: "Redis is killed and its host name resolves no more; then it resolves to another address, where an empty Redis is", named: true, forgets: 1,
		says: "connection refused",
		begin: func(w *world) error {
			w.redis.Kill()
			return w.stage.names.set(nil)
		},
		end: move,
	},
	{
		name: "clock forward, back", made: "Redis' clock is set forward by an hour, and back: a full bucket's time", clock: true, decides: byRedis, forgets: 1,
		begin: func(w *world) error { return w.setClock(time.Hour) },
		end:   func(w *world) error { return w.setClock(0) },
	},
}
