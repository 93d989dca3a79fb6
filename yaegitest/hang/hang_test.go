package hang

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
	"github.com/traefik-redis-ratelimit/ratelimit/yaegitest"
)

func TestMain(m *testing.M) {
	yaegitest.RunChild()
	os.Exit(m.Run())
}

// seconds is how long each load runs: HANG_SECONDS, else short.
func seconds(t *testing.T) int {
	text := os.Getenv("HANG_SECONDS")
	if text == "" {
		return 6
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal("HANG_SECONDS:", err)
	}
	return n
}

// TestNothingHangs: under load, and while Redis is killed and comes back, every
// call returns by its deadline with its own reply, and no goroutine is left.
func TestNothingHangs(t *testing.T) {
	tree, err := yaegitest.NewTree(t.TempDir(), "../..", "program.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []row{
		{3, 64, 8, 1000, false, "more callers than connections"},
		{3, 256, 8, 1000, false, "waits run out"},
		{4, 64, 4, 100, false, "deadlines run out"},
		{2, 64, 8, 1000, true, "Redis is killed and comes back"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			c := play(t, tree, r)
			t.Log(c.out)
			if c.faulty() != "" {
				t.Error(c.faulty())
			}
		})
	}
}

// row is one load.
type row struct {
	clients, goroutines, poolSize, timeout int // timeout of a call in ms
	kill                                   bool
	reason                                 string
}

// TestStockWaitTurnHangs: with the published select in the pool the load finds
// calls that never return. It takes a few runs of many, so it is played on
// demand; the vet finds the same fault in the source at once.
func TestStockWaitTurnHangs(t *testing.T) {
	if os.Getenv("HANG_SECONDS") == "" {
		t.Skip("takes minutes: set HANG_SECONDS, 3 will do")
	}
	tree, err := yaegitest.NewFaultyTree(t.TempDir(), "../..", []string{"program.go"}, "08-pool-select")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 40; i++ {
		c := play(t, tree, row{clients: 4, goroutines: 64, poolSize: 4, timeout: 100})
		if c.faulty() != "" {
			t.Logf("run %d: %s", i+1, c.faulty())
			return
		}
	}
	t.Error("the load does not find the fault")
}

// counts are what the program prints.
type counts struct {
	calls, failed, late, crossed, stuck, short, left int
	working                                          bool
	err                                              error
	out                                              string
}

// faulty says what is wrong, or nothing.
func (c counts) faulty() string {
	switch {
	case c.err != nil:
		return c.err.Error() + "\n" + c.out
	case c.stuck > 0 || c.late > 0 || c.crossed > 0:
		return fmt.Sprintf("%d calls never returned, %d came late, %d got another's reply", c.stuck, c.late, c.crossed)
	case c.short > 0:
		return fmt.Sprintf("%d turns of the pools are lost", c.short)
	case c.left > 0:
		return fmt.Sprintf("%d goroutines left", c.left)
	case !c.working || c.calls-c.failed == 0:
		return "no call succeeded at the end"
	}
	return ""
}

// play runs the program against a redis-server of its own.
func play(t *testing.T, tree *yaegitest.Tree, r row) counts {
	t.Helper()
	server := redistest.Start(t)
	t.Setenv("GOMAXPROCS", "16")
	n := seconds(t)
	if r.kill {
		third := time.Duration(n) * time.Second / 3
		timer := time.AfterFunc(third, func() {
			server.Kill()
			time.AfterFunc(third/2, server.Restart)
		})
		defer timer.Stop()
	}
	out, err := tree.RunInterpreted(fmt.Sprintf("%s %d %d %d %d %d", server.Addr, n, r.clients, r.goroutines, r.poolSize, r.timeout), time.Duration(n+60)*time.Second)
	c := counts{out: out, err: err}
	at := strings.LastIndex(out, "calls ")
	if at < 0 {
		if err == nil {
			c.err = fmt.Errorf("no counts")
		}
		return c
	}
	_, scanErr := fmt.Sscanf(out[at:], "calls %d failed %d late %d crossed %d stuck %d short %d left %d working %t",
		&c.calls, &c.failed, &c.late, &c.crossed, &c.stuck, &c.short, &c.left, &c.working)
	if scanErr != nil {
		c.err = scanErr
	}
	return c
}
