package ratelimit

import (
	"reflect"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// configTypes are the structs of the levels in optionNames.
var configTypes = map[string]interface{}{
	"": Config{}, "limits": LimitConfig{}, "sourceCriterion": SourceConfig{}, "sourceCriterion.ipStrategy": IPStrategyConfig{},
	"redis": RedisConfig{}, "redis.tls": TLSConfig{}, "redis.sentinel": SentinelConfig{}, "denied": DeniedConfig{},
}

// TestOptionNames: hints know exactly the options that Config has.
func TestOptionNames(t *testing.T) {
	for level, config := range configTypes {
		var fields, names []string
		for i := 0; i < reflect.TypeOf(config).NumField(); i++ {
			if field := reflect.TypeOf(config).Field(i); field.Name != "Unknown" {
				fields = append(fields, strings.ToLower(field.Name))
			}
		}
		for _, name := range optionNames[level] {
			names = append(names, strings.ToLower(name))
		}
		sort.Strings(fields)
		sort.Strings(names)
		if !reflect.DeepEqual(fields, names) {
			t.Errorf("level %q: fields %v, names %v", level, fields, names)
		}
	}
	if len(configTypes) != len(optionNames) {
		t.Errorf("%d levels, %d known to hints", len(configTypes), len(optionNames))
	}
}

// TestForeignNames: a hint never names what is not built, and no name that is built counts as foreign.
func TestForeignNames(t *testing.T) {
	built := map[string]bool{}
	for level, names := range optionNames {
		for _, name := range names {
			built[join(level, name)] = true
		}
	}
	option := regexp.MustCompile(`^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*`)
	for level, names := range foreignNames {
		for name, instead := range names {
			if name != strings.ToLower(name) || built[join(level, name)] {
				t.Errorf("%s: not in lower case, or an option of ours", join(level, name))
			}
			first := option.FindString(instead)
			if !built[first] && !built[join("limits", first)] && name != "ratelimit" {
				t.Errorf("%s: hints at %q", join(level, name), first)
			}
		}
	}
}

func TestNearestName(t *testing.T) {
	for _, row := range []struct{ why, level, name, want string }{
		{"a letter left out", "", "avrage", "average"},
		{"a letter too many", "", "averrage", "average"},
		{"two swapped", "", "braust", ""},
		{"two neighbours swapped", "", "brust", "burst"},
		{"two slips in a long name", "sourceCriterion", "requestheadrname", "requestHeaderName"},
		{"two slips in a short one are another word", "redis", "mood", ""},
		{"one slip in a name of two letters is another word", "redis", "dc", ""},
		{"the nearer of two", "redis", "readtimeouts", "readTimeout"},
		{"as near to two, the first", "redis", "xtimeout", ""},
		{"nothing alike", "", "enabled", ""},
		{"far longer than any", "", strings.Repeat("average", 1000), ""},
		{"nothing", "", "", ""},
		{"bytes that are no letters", "", "\xff\xfe", ""},
	} {
		if got := nearestName(row.name, optionNames[row.level]); got != row.want {
			t.Errorf("%s: %q is near %q, want %q", row.why, row.name, got, row.want)
		}
	}
}
