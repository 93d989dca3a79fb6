package ratelimit

import (
	"math/bits"
	"sort"
	"strconv"
	"time"
)

// compileLimits are the limits that count, sorted by name: labels sort [10] before [2], so the order of a list means nothing.
// One with average 0 is turned off: it is checked like any other, and then left out.
func compileLimits(f *faults, config *Config) []limit {
	var all []limit
	if config.Limits == nil {
		one := LimitConfig{Algorithm: config.Algorithm, Average: config.Average, Period: config.Period, Burst: config.Burst}
		all = append(all, compileLimit(f, "", limitDefault, one))
	} else {
		refuseShorthand(f, config)
		all = compileList(f, config.Limits)
	}
	var on []limit
	for _, l := range all {
		if l.average > 0 {
			on = append(on, l)
		}
	}
	sort.Slice(on, func(i, j int) bool { return on[i].name < on[j].name })
	return on
}

// refuseShorthand notes the four options that stand for one limit where a list of limits is given.
func refuseShorthand(f *faults, config *Config) {
	names := []string{"algorithm", "average", "period", "burst"}
	for i, value := range []string{config.Algorithm, config.Average, config.Period, config.Burst} {
		if value != "" {
			f.addGot(names[i], "must not stand beside limits, write it into one of them", plainNumber(value))
		}
	}
}

// compileList checks each limit of a list, and that no name is given twice.
func compileList(f *faults, list []LimitConfig) []limit {
	if len(list) == 0 {
		f.add("limits", "must have one limit at least")
	}
	var all []limit
	seen := map[string]bool{}
	for i, c := range list {
		path := at("limits", i)
		refuseUnknown(f, "limits", path, c.Unknown)
		checkLimitName(f, path+".name", c.Name, seen)
		all = append(all, compileLimit(f, path, c.Name, c))
	}
	return all
}

// checkLimitName notes a name that is missing, malformed or in seen, and adds it there.
func checkLimitName(f *faults, path, name string, seen map[string]bool) {
	switch {
	case name == "":
		f.add(path, "is required")
	case len(name) > limitNameMost || !onlyBytes(name, lowerLetters+digits+"-"):
		f.addGot(path, "must be 1 to 32 of a-z, 0-9 and -", name)
	case seen[name]:
		f.addGot(path, "must not be given twice", name)
	}
	seen[name] = true
}

// compileLimit checks one limit; path is "" for the shorthand.
func compileLimit(f *faults, path, name string, c LimitConfig) limit {
	l := limit{name: name, algorithm: compileAlgorithm(f, join(path, "algorithm"), c.Algorithm)}
	most := int64(averageMost)
	if l.algorithm == slidingLog {
		most = averageMostLog
	}
	if c.Average == "" {
		f.add(join(path, "average"), "is required")
	}
	l.average = wholeNumber(f, join(path, "average"), c.Average, 0, most, 0)
	l.period = micros(span(f, join(path, "period"), c.Period, "1m", periodLeast, periodMost, periodDefault) / time.Microsecond)
	if l.algorithm == tokenBucket {
		l.burst = compileBurst(f, join(path, "burst"), c.Burst, l)
	} else if c.Burst != "" && l.algorithm != "" {
		f.addGot(join(path, "burst"), "must not be given with "+l.algorithm, plainNumber(c.Burst))
	}
	return l
}

// compileAlgorithm is the algorithm that text names, or "" when it names none.
func compileAlgorithm(f *faults, path, text string) string {
	switch text {
	case "":
		return tokenBucket
	case fixedWindow, slidingLog, tokenBucket:
		return text
	}
	f.addGot(path, `must be "fixed-window", "sliding-log" or "token-bucket"`, text)
	return ""
}

// compileBurst is the capacity of the token bucket l. Times are exact below 2^53 µs only, hence the bound on filling.
func compileBurst(f *faults, path, text string, l limit) int64 {
	burst := wholeNumber(f, path, text, 1, burstMost, l.average)
	if l.average > 0 && text != "" && !fillsInTime(burst, l) {
		f.addGot(path, "must fill within 100 years at this average and period", plainNumber(text))
	}
	return burst
}

// fillsInTime reports whether burst tokens take at most fillMost to come: burst · period ≤ fillMost · average, in 128 bits.
func fillsInTime(burst int64, l limit) bool {
	high, low := bits.Mul64(uint64(burst), uint64(l.period))
	highMost, lowMost := bits.Mul64(uint64(fillMost), uint64(l.average))
	return high < highMost || high == highMost && low <= lowMost
}

// at is the path of a list's i-th item.
func at(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}
