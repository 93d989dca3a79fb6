package faults

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// attempts is how often a fault is played when the machine was busy and a promise did not hold: time budgets do not hold then.
const attempts = 3

// playCalmly plays one fault and returns its rows, the promises that did not hold, and whether the machine was busy.
func (s *stage) playCalmly(f *fault, words []wording) ([]Row, []string, bool, error) {
	for attempt := 1; ; attempt++ {
		watched := watchMachine()
		rows, err := s.play(f)
		busy := watched()
		if s.ctx.Err() != nil {
			return nil, nil, false, s.ctx.Err()
		}
		var what []string
		if err != nil {
			what = append(what, fmt.Sprintf("%s: broken off: %v", f.name, err))
		}
		for i := range rows {
			what = append(what, broken(f, &rows[i], words)...)
		}
		if len(what) == 0 || !busy || attempt == attempts {
			return rows, what, busy, nil
		}
	}
}

// watchMachine watches how late a sleeper is woken until the returned function is called, which reports whether that was often
// later than 10 ms.
func watchMachine() func() bool {
	const nap, late = 5 * time.Millisecond, 10 * time.Millisecond
	stop, busy := make(chan struct{}), make(chan bool)
	go func() {
		naps, lates := 0, 0
		for {
			select {
			case <-stop:
				busy <- 100*lates > naps
				return
			default:
			}
			began := time.Now()
			time.Sleep(nap)
			naps++
			if time.Since(began) > nap+late {
				lates++
			}
		}
	}()
	return func() bool {
		close(stop)
		return <-busy
	}
}

// traefikVersion asks the program.
func traefikVersion(program string) (string, error) {
	said, err := exec.Command(program, "version").Output()
	for line := range strings.Lines(string(said)) {
		if version, ok := strings.CutPrefix(line, "Version:"); ok {
			return strings.TrimSpace(version), nil
		}
	}
	return "", errors.Join(errors.New("traefik version says no version"), err)
}

// redisVersion asks the redis-server on PATH.
func redisVersion() (string, error) {
	said, err := exec.Command("redis-server", "--version").Output()
	for word := range strings.FieldsSeq(string(said)) {
		if version, ok := strings.CutPrefix(word, "v="); ok {
			return version, nil
		}
	}
	return "", errors.Join(errors.New("redis-server --version says no version"), err)
}
