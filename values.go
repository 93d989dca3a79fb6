package ratelimit

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// faults gathers what is wrong with a configuration, so that all of it is said at once.
type faults struct {
	lines []string
}

// add notes that the option at path breaks rule.
func (f *faults) add(path, rule string) {
	f.lines = append(f.lines, path+": "+rule)
}

// addGot is add with the value that the user wrote.
func (f *faults) addGot(path, rule, value string) {
	f.add(path, rule+", got "+quote(value))
}

// valueShown is how many bytes of a value a fault repeats.
const valueShown = 64

// quote shows a user's value on one line of plain text, whatever is in it.
func quote(value string) string {
	if len(value) <= valueShown {
		return strconv.QuoteToASCII(value)
	}
	return strconv.QuoteToASCII(value[:valueShown]) + " and " + strconv.Itoa(len(value)-valueShown) + " bytes more"
}

// tearsLine reports whether text holds a control character, which would begin a line of its own in a log.
func tearsLine(text string) bool {
	return strings.IndexFunc(text, unicode.IsControl) >= 0
}

// plainNumber undoes what Traefik's file provider makes of a YAML float: 10.7 arrives as 10.700000, and 10.0 as 10.
// Other providers hand on 10 or 10.7. A fault then shows the number as the user wrote it, and 10.000000 is 10.
func plainNumber(text string) string {
	if !onlyBytes(text, digits+".-") || strings.Count(text, ".") != 1 {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// wholeNumber reads an option that is a whole number from low to high; one that is not given is preset.
// Only decimal digits are one: no sign, exponent, underscore or blank.
func wholeNumber(f *faults, path, text string, low, high, preset int64) int64 {
	if text == "" {
		return preset
	}
	plain := plainNumber(text)
	number, err := strconv.ParseInt(plain, 10, 64)
	if err != nil || !onlyBytes(plain, digits) || number < low || number > high {
		f.addGot(path, "must be a whole number from "+strconv.FormatInt(low, 10)+" to "+strconv.FormatInt(high, 10), plain)
		return preset
	}
	return number
}

// span reads an option that is a duration from low to high, such as example; one that is not given is preset.
// Bare digits are seconds, as native RateLimit reads them. Less than a whole microsecond cannot be counted.
func span(f *faults, path, text, example string, low, high, preset time.Duration) time.Duration {
	if text == "" {
		return preset
	}
	value, ok := parseSpan(text)
	switch {
	case !ok || value <= 0:
		f.addGot(path, "must be a positive duration such as "+strconv.Quote(example), plainNumber(text))
	case value < low || value > high:
		f.addGot(path, "must be from "+shortSpan(low)+" to "+shortSpan(high), plainNumber(text))
	case value%time.Microsecond != 0:
		f.addGot(path, "must be a whole number of microseconds", text)
	default:
		return value
	}
	return preset
}

// parseSpan reads a Go duration, or bare digits as seconds. Seconds too many for a time.Duration become its largest.
func parseSpan(text string) (time.Duration, bool) {
	plain := plainNumber(text)
	if onlyBytes(plain, digits) {
		seconds, err := strconv.ParseInt(plain, 10, 64)
		if err != nil || seconds > int64(math.MaxInt64/time.Second) {
			return math.MaxInt64, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	value, err := time.ParseDuration(text)
	return value, err == nil
}

// shortSpan writes a duration as one would by hand: 1m, not 1m0s.
func shortSpan(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// fraction reads an option that is a decimal number above 0 and at most 1; one that is not given is 1. Exactly: as floats
// 0.29 · 100 is 28.999999999999996.
func fraction(f *faults, path, text string) *big.Rat {
	whole := big.NewRat(1, 1)
	if text == "" {
		return whole
	}
	plain := plainNumber(text)
	if len(plain) <= valueShown && onlyBytes(plain, digits+".") {
		number, ok := new(big.Rat).SetString(plain)
		if ok && number.Sign() > 0 && number.Cmp(whole) <= 0 {
			return number
		}
	}
	f.addGot(path, "must be a decimal number above 0 and at most 1, such as 0.5", plain)
	return whole
}

// truth reads an option that is true or false; providers write booleans as true or as 1. One that is not given is false.
func truth(f *faults, path, text string) bool {
	switch text {
	case "", "false", "0":
		return false
	case "true", "1":
		return true
	}
	f.addGot(path, "must be true or false", text)
	return false
}

// trimmed are a list's items without the blanks around them, which label decoders keep.
func trimmed(items []string) []string {
	var list []string
	for _, item := range items {
		list = append(list, strings.TrimSpace(item))
	}
	return list
}

// onlyBytes reports whether text is not empty and made only of allowed's bytes.
func onlyBytes(text, allowed string) bool {
	return text != "" && strings.Trim(text, allowed) == ""
}

const (
	digits       = "0123456789"
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)
