package faults

import (
	"net/http"
	"time"
)

// Row is what came of one fault in one failure mode.
type Row struct {
	Fault, Mode string

	Statuses       map[int]int // while the fault lasted; 0: no answer at all
	ByRedis        int         // of these, decided by Redis
	ByMode         int         // of these, decided by the failure mode
	P50, P99, Most time.Duration
	Back           time.Duration // from the fault's end to the first decision of Redis
	Above          int           // requests that passed above the limit, before, meanwhile and afterwards
	Bound          int           // what the documents allow; anyNumber: Redis forgot
	Connections    [2]int        // to Redis, before and after
	Goroutines     [2]int        // that run the plugin, before and after

	Lines []Line // what the plugin wrote
}

// noticed reports whether anybody could notice that Redis was not as it should be.
func (r *Row) noticed() bool { return r.ByMode > 0 }

// rows is what came of it, for each failure mode.
func (r *run) rows() ([]Row, error) {
	lines, err := r.lines()
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, mode := range modes {
		row := Row{
			Fault: r.fault.name, Mode: mode, Statuses: map[int]int{},
			Connections: r.connections[mode], Goroutines: r.goroutines[mode],
			Lines: of(lines, mode, r.world.endpoints),
		}
		r.count(&row)
		rows = append(rows, row)
	}
	return rows, nil
}

// count reads the samples of one failure mode.
func (r *run) count(row *Row) {
	var took []time.Duration
	var back time.Time
	for _, c := range r.clients[row.Mode] {
		passed, uncounted, here := 0, 0, 0
		for _, s := range c.samples {
			if s.status == http.StatusOK {
				passed++
				if s.limit == "" {
					uncounted++
				} else if !s.redisDecided() {
					here++
				}
			}
			if s.redisDecided() && s.began.After(r.ended) && (back.IsZero() || s.ended().Before(back)) {
				back = s.ended()
			}
			if s.ended().Before(r.began) || s.ended().After(r.ended) {
				continue
			}
			row.Statuses[s.status]++
			took = append(took, s.took)
			if s.redisDecided() {
				row.ByRedis++
			} else {
				row.ByMode++
			}
		}
		row.Above += max(0, passed-average)
		row.Bound += uncounted + min(here, localMost)
		if r.fault.decides != byKey || c.index == 0 {
			row.Bound += r.fault.forgets * average
		}
	}
	if r.fault.forgets == anyNumber {
		row.Bound = anyNumber
	}
	if !back.IsZero() {
		row.Back = max(time.Millisecond, back.Sub(r.over)) // it may be over before we know
	}
	row.P50, row.P99, row.Most = quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1)
}
