package main

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time that a process has used so far, in user and in kernel mode, over all its threads,
// those that have ended too. Linux numbers this clock of another process as clock_getcpuclockid(3) does:
// the process' number inverted, three bits to the left, and the clock of the scheduler, 2.
func cpuTime(pid int) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}
