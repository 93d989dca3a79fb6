package ratelimit

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
)

func TestSources(t *testing.T) {
	cases, err := configs.ReadSources("testdata/sources/sources.yaml")
	if err != nil || len(cases) < 75 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		config, err := decode(c.Raw())
		if err != nil {
			t.Fatalf("%s: %v", c.Why, err)
		}
		s, err := compile(config, "api@file")
		if err != nil {
			t.Errorf("%s: %v", c.Why, err)
			continue
		}
		if got := sourceOf(&s.source, c.Request()); got != c.Want() {
			t.Errorf("%s: got %s, want %s", c.Why, got, c.Want())
		}
	}
}

// criteria are all kinds of criterion.
var criteria = []criterion{
	{ipv6Subnet: 64},
	{ipv6Subnet: 128},
	{ipv6Subnet: 64, depth: 1},
	{ipv6Subnet: 64, depth: 3},
	{ipv6Subnet: 64, excluded: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}},
	{ipv6Subnet: 64, excluded: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}},
	{ipv6Subnet: 64, headerName: "X-Api-Key"},
	{ipv6Subnet: 64, host: true},
	{ipv6Subnet: 64, headerName: "X-Api-Key", host: true, combined: true},
	{ipv6Subnet: 64, depth: 1, address: true, headerName: "X-Api-Key", combined: true},
	{ipv6Subnet: 64, depth: 1, address: true, headerName: "X-Api-Key", host: true, combined: true},
}

// safe is every source that may stand in a key.
var safe = regexp.MustCompile(`^([A-Za-z0-9.:_-]{1,64}|#[0-9a-f]{32})$`)

// visit makes a request; lines of a header are parted by line breaks.
func visit(remote, forwarded, host, key string) *http.Request {
	r := &http.Request{RemoteAddr: remote, Host: host, Header: http.Header{}}
	if forwarded != "" {
		r.Header[forwardedFor] = strings.Split(forwarded, "\n")
	}
	if key != "" {
		r.Header["X-Api-Key"] = strings.Split(key, "\n")
	}
	return r
}

// FuzzSource sends whatever the internet may send: no panic, no empty source, and none that could break a key.
func FuzzSource(f *testing.F) {
	long := strings.Repeat("a", 64<<10)
	f.Add("203.0.113.7:4711", "198.51.100.1, 10.0.0.1", "api.example.com:443", "abc")
	f.Add("[2001:db8::1%eth0]:4711", "[2001:db8::1]:80\n::ffff:10.0.0.1", "[::1]:443", "a\nb")
	f.Add("", "", "", "")
	f.Add("@", ",,,,", "::", " ")
	f.Add("[", "[", "[", "[")
	f.Add("]:", "]:,[]", "]", "{}")
	f.Add(":", ":,::,:::", ":", ":")
	f.Add("[]:0", "[]:0,[::1]:x, %", "[]", "\x00")
	f.Add("1.2.3.4:5:6", "1.2.3.4.5, 1.2.3, 1.2.3.4/8", "a:b:c", "#ba7816bf8f01cfea414140de5dae2223")
	f.Add(long, long, long, long)
	f.Add("10.0.0.1:1", strings.Repeat("10.0.0.1,", 7<<10), strings.Repeat(".", 64<<10), strings.Repeat("}{", 32<<10))
	f.Add("10.0.0.1:1", strings.Repeat(",", 64<<10), strings.Repeat(":", 64<<10), strings.Repeat("\n", 64<<10))
	f.Add("\xff\xfe", "\xff\xfe,\u202e", "\u0130.example.com", "\xff")
	f.Fuzz(func(t *testing.T, remote, forwarded, host, key string) {
		for i := range criteria {
			source := sourceOf(&criteria[i], visit(remote, forwarded, host, key))
			if !safe.MatchString(source) {
				t.Errorf("criterion %d: %q", i, source)
			}
		}
	})
}

// junk draws what is no address, and what nearly is one.
func junk() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9a-f.:%\[\] ]{0,30}`), rapid.SampledFrom([]string{"", "unknown", "10.0.0.256", "[::1", "1.2.3.4:x"}))
}

// address draws an address of a client.
func address() *rapid.Generator[netip.Addr] {
	return rapid.Custom(func(t *rapid.T) netip.Addr {
		if rapid.Bool().Draw(t, "IPv4") {
			b := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "bytes")
			return netip.AddrFrom4([4]byte{b[0], b[1], b[2], b[3]})
		}
		b := rapid.SliceOfN(rapid.Byte(), 14, 14).Draw(t, "bytes")
		whole := [16]byte{0x20, 0x01}
		copy(whole[2:], b)
		return netip.AddrFrom16(whole)
	})
}

// spelling draws one of the ways to write an address.
func spelling(t *rapid.T, addr netip.Addr) string {
	text := addr.String()
	ways := []string{text, " " + text + "\t", netip.AddrPortFrom(addr, 51234).String()}
	if addr.Is4() {
		ways = append(ways, "::ffff:"+text, "[::ffff:"+text+"]:80")
	} else {
		ways = append(ways, "["+text+"]", addr.StringExpanded(), strings.ToUpper(text), text+"%eth0", "["+text+"%25]:1")
	}
	return rapid.SampledFrom(ways).Draw(t, "spelling")
}

// TestPropertySpelling: a client is the same source however its address is written, as remote address or as an entry.
func TestPropertySpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addr := address().Draw(t, "address")
		want := sourceOf(&criteria[0], visit(netip.AddrPortFrom(addr, 1).String(), "", "", ""))
		if got := sourceOf(&criteria[0], visit(strings.TrimSpace(spelling(t, addr)), "", "", "")); got != want {
			t.Fatalf("remote address: got %s, want %s", got, want)
		}
		entry := "198.51.100.1, " + spelling(t, addr)
		if got := sourceOf(&criteria[2], visit("192.0.2.1:1", entry, "", "")); got != want {
			t.Fatalf("entry %q: got %s, want %s", entry, got, want)
		}
	})
}

// TestPropertySubnet: two clients are one source exactly when they share the network, and IPv4 clients when they are one.
func TestPropertySubnet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := address().Draw(t, "a"), address().Draw(t, "b")
		if rapid.Bool().Draw(t, "near") && a.Is6() {
			bytes := a.As16()
			bytes[rapid.IntRange(2, 15).Draw(t, "byte")]++
			b = netip.AddrFrom16(bytes)
		}
		c := criterion{ipv6Subnet: rapid.IntRange(1, 128).Draw(t, "ipv6Subnet")}
		equal := sourceOf(&c, visit(netip.AddrPortFrom(a, 1).String(), "", "", "")) == sourceOf(&c, visit(netip.AddrPortFrom(b, 2).String(), "", "", ""))
		bits := c.ipv6Subnet
		if a.Is4() {
			bits = 32
		}
		network, _ := a.Prefix(bits)
		if equal != network.Contains(b) {
			t.Fatalf("%s and %s at /%d: one source is %v", a, b, bits, equal)
		}
	})
}

// TestPropertyLeftIsNobody: whatever a client puts into X-Forwarded-For before our proxies add to it does not change its source.
func TestPropertyLeftIsNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		client := address().Draw(t, "client")
		forged := strings.Join(rapid.SliceOfN(junk(), 0, 5).Draw(t, "forged"), ",")
		for _, i := range []int{2, 4} {
			c := &criteria[i]
			if inAny(client, c.excluded) {
				continue
			}
			plain := sourceOf(c, visit("10.0.0.1:1", spelling(t, client), "", ""))
			for _, part := range []string{",", ", ", "\n"} {
				if got := sourceOf(c, visit("10.0.0.1:1", forged+part+spelling(t, client), "", "")); got != plain {
					t.Fatalf("criterion %d, forged %q: got %s, want %s", i, forged, got, plain)
				}
			}
		}
	})
}

// TestPropertyRemoteOnly: without a strategy nothing but the connection counts.
func TestPropertyRemoteOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		remote := netip.AddrPortFrom(address().Draw(t, "client"), 1).String()
		want := sourceOf(&criteria[0], visit(remote, "", "", ""))
		r := visit(remote, junk().Draw(t, "forwarded"), rapid.String().Draw(t, "host"), rapid.String().Draw(t, "key"))
		if got := sourceOf(&criteria[0], r); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

// TestPropertyNoForgery: two requests that differ in address, key or host differ in their combined source, whatever the texts are.
func TestPropertyNoForgery(t *testing.T) {
	text := rapid.OneOf(rapid.StringMatching(`[aho0-9:]{1,12}`), rapid.StringMatching(`[a-z]{1,3}`))
	c := &criteria[10]
	rapid.Check(t, func(t *rapid.T) {
		a := [3]string{address().Draw(t, "address").String(), text.Draw(t, "key"), text.Draw(t, "host")}
		b := a
		b[rapid.IntRange(1, 2).Draw(t, "which")] = text.Draw(t, "other")
		first := sourceOf(c, visit("192.0.2.1:1", a[0], a[2], a[1]))
		second := sourceOf(c, visit("192.0.2.1:1", b[0], b[2], b[1]))
		same := a[1] == b[1] && hostName(a[2]) == hostName(b[2])
		if (first == second) != same {
			t.Fatalf("%v and %v: one source is %v", a, b, first == second)
		}
	})
}

// TestPropertyPlainIsNoHash: what enters a key as it is never begins like a hash, and what begins like one is hashed.
func TestPropertyPlainIsNoHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`#?[0-9a-f]{0,70}`)).Draw(t, "text")
		safeText := keySafe(text)
		if !safe.MatchString(safeText) || safeText != text && safeText != hashed(text) || strings.HasPrefix(text, "#") && safeText == text {
			t.Fatalf("%q became %q", text, safeText)
		}
	})
}

func TestManyProxies(t *testing.T) {
	c := &criteria[4]
	for _, row := range []struct {
		why     string
		proxies int
		want    string
	}{
		{"99 proxies of ours are walked", 99, "203.0.113.7"},
		{"with more a request could make us walk for long", 100, "10.0.0.1"},
	} {
		list := "203.0.113.7" + strings.Repeat(", 10.0.0.2", row.proxies)
		if got := sourceOf(c, visit("10.0.0.1:1", list, "", "")); got != row.want {
			t.Errorf("%s: got %s", row.why, got)
		}
	}
}

func TestKeyHead(t *testing.T) {
	for _, row := range []struct{ why, middleware, want string }{
		{"a plain name", "api@file", "ratelimit:api@file:{"},
		{"a name in Kubernetes", "shop-api-limit@kubernetescrd", "ratelimit:shop-api-limit@kubernetescrd:{"},
		{"braces would move the hash tag", "my{}x@file", "ratelimit:" + hashed("my{}x@file") + ":{"},
		{"a colon would part the key elsewhere", "a:b", "ratelimit:" + hashed("a:b") + ":{"},
		{"# is how a hash begins", "#a", "ratelimit:" + hashed("#a") + ":{"},
		{"no name", "", "ratelimit:" + hashed("") + ":{"},
	} {
		if got := keyHead("ratelimit", row.middleware); got != row.want {
			t.Errorf("%s: got %s, want %s", row.why, got, row.want)
		}
	}
}
