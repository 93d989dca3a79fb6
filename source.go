package ratelimit

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// A source is who is counted: the text that a request's address, header or host yields. It is never empty and may stand in a key
// as it is. Nothing that a client sends makes it the source of another: only what the operator's own proxies added to
// X-Forwarded-For is read, from the right, and where they left no address the remote address stands in.

// criterion is a compiled sourceCriterion. Without address, headerName and host, the address is the source.
type criterion struct {
	depth      int            // > 0: the address at this place of X-Forwarded-For, counted from the right
	excluded   []netip.Prefix // else, if any: the first address of X-Forwarded-For from the right that is in none of these
	ipv6Subnet int            // IPv6 addresses are cut to this many bits, 1 to 128
	address    bool           // the address is one of several criteria
	headerName string         // canonical; "" is none
	host       bool
	combined   bool // there are two criteria or more: the source is the hash of their values
	remote     bool // none of all these: the remote address is the source
}

const (
	forwardedFor     = "X-Forwarded-For"
	forwardedForMost = 100 // entries of X-Forwarded-For that are looked at, from the right
	subnetDefault    = 64  // an IPv6 client owns at least a /64 and may change its address within it at will
	nobody           = "unknown"
)

// newSource checks a sourceCriterion.
func newSource(f *faults, c SourceConfig) criterion {
	refuseUnknown(f, "sourceCriterion", "sourceCriterion", c.Unknown)
	path := "sourceCriterion.ipStrategy"
	refuseUnknown(f, path, path, c.IPStrategy.Unknown)
	s := criterion{headerName: compileHeaderName(f, c.RequestHeaderName), host: truth(f, "sourceCriterion.requestHost", c.RequestHost)}
	s.depth = int(wholeNumber(f, path+".depth", c.IPStrategy.Depth, 0, forwardedForMost, 0))
	s.excluded = compileExcluded(f, path+".excludedIPs", trimmed(c.IPStrategy.ExcludedIPs))
	s.ipv6Subnet = int(wholeNumber(f, path+".ipv6Subnet", c.IPStrategy.IPv6Subnet, 1, 128, subnetDefault))
	byAddress := s.depth > 0 || len(s.excluded) > 0
	s.address = byAddress && (s.headerName != "" || s.host)
	s.combined = s.address || s.headerName != "" && s.host
	s.remote = !byAddress && s.headerName == "" && !s.host
	return s
}

// compileHeaderName is the header field whose value is the source, in canonical form.
func compileHeaderName(f *faults, name string) string {
	path := "sourceCriterion.requestHeaderName"
	if name == "" {
		return ""
	}
	if !onlyBytes(name, lowerLetters+upperLetters+digits+"!#$%&'*+-.^_`|~") {
		f.addGot(path, "must be the name of a header field", name)
	}
	if strings.EqualFold(name, "Host") {
		f.add(path, "must not be Host, write sourceCriterion.requestHost: true")
	}
	return http.CanonicalHeaderKey(name)
}

// compileExcluded reads networks.
func compileExcluded(f *faults, path string, list []string) []netip.Prefix {
	var excluded []netip.Prefix
	for i, text := range list {
		network := parseNetwork(text)
		if !network.IsValid() {
			f.addGot(at(path, i), `must be an address or a network such as "10.0.0.0/8"`, text)
		}
		excluded = append(excluded, network)
	}
	return excluded
}

// parseNetwork reads a network, or an address as the network of itself. IPv4 written as IPv6 is IPv4. A zone is refused: in
// fe80::1%eth0/64 it would swallow the length. What is no network is the invalid one.
func parseNetwork(text string) netip.Prefix {
	network, err := netip.ParsePrefix(text)
	if err != nil {
		addr, _ := netip.ParseAddr(text)
		if addr.Zone() != "" {
			return netip.Prefix{}
		}
		network = netip.PrefixFrom(addr, addr.BitLen())
	}
	if network.Addr().Is4In6() && network.Bits() >= 96 {
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	return network.Masked()
}

// sourceOf is the source of a request: never empty, and safe in a key.
func sourceOf(c *criterion, r *http.Request) string {
	if c.combined {
		return combinedSource(c, r)
	}
	if c.headerName != "" {
		if value := headerValue(r.Header[c.headerName]); value != "" {
			return hashed(value)
		}
	}
	if c.host {
		if name := hostName(r.Host); name != "" {
			return keySafe(name)
		}
	}
	return addressOf(c, r)
}

// combinedSource is the hash of the values of all criteria, each as kind, length, colon, value, so that none can pose as another.
// Where the header or the host is missing the address stands in.
func combinedSource(c *criterion, r *http.Request) string {
	address, header, host := "", "", ""
	if c.headerName != "" {
		header = headerValue(r.Header[c.headerName])
	}
	if c.host {
		host = hostName(r.Host)
	}
	if c.address || c.headerName != "" && header == "" || c.host && host == "" {
		address = addressOf(c, r)
	}
	return hashed(part("a", address) + part("h", header) + part("o", host))
}

// part is one value of a combined source; an empty one is left out.
func part(kind, value string) string {
	if value == "" {
		return ""
	}
	return kind + strconv.Itoa(len(value)) + ":" + value
}

// headerValue is what a header field identifies a client by. A field given several times with different values identifies
// nobody: which of them the backend believes cannot be known, and a client could count itself under another name each time.
func headerValue(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	for _, line := range lines[1:] {
		if line != lines[0] {
			return ""
		}
	}
	return strings.Trim(lines[0], " \t")
}

// hostName is the host of a Host header: lower case, without port, brackets and trailing dot.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimRight(strings.ToLower(strings.TrimSpace(host)), ".")
}

// addressOf is the address that the strategy yields, as it stands in a key.
func addressOf(c *criterion, r *http.Request) string {
	if c.depth > 0 {
		if addr := addressAt(r.Header[forwardedFor], c.depth); addr.IsValid() {
			return addressText(addr, c.ipv6Subnet)
		}
	} else if len(c.excluded) > 0 {
		if addr := addressOutside(r.Header[forwardedFor], c.excluded); addr.IsValid() {
			return addressText(addr, c.ipv6Subnet)
		}
	}
	return remoteAddress(r.RemoteAddr, c.ipv6Subnet)
}

// remoteAddress is who is connected. Traefik always knows an address; should there be none, all such requests are one source.
func remoteAddress(remote string, ipv6Subnet int) string {
	addr := parseAddress(remote)
	if !addr.IsValid() {
		return nobody
	}
	return addressText(addr, ipv6Subnet)
}

// addressText is an address as it stands in a key: an IPv6 one cut to its network, without the length.
func addressText(addr netip.Addr, ipv6Subnet int) string {
	if addr.Is4() {
		return addr.String()
	}
	network, _ := addr.Prefix(ipv6Subnet)
	return network.Addr().String()
}

// parseAddress reads an address with or without port, brackets and blanks; IPv4 written as IPv6 is IPv4, a zone is dropped.
// What is no address is the invalid one.
func parseAddress(text string) netip.Addr {
	text = strings.Trim(text, " \t")
	addr, err := netip.ParseAddr(text)
	if err != nil {
		withPort, _ := netip.ParseAddrPort(text)
		addr = withPort.Addr()
	}
	if !addr.IsValid() && strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		addr, _ = netip.ParseAddr(text[1 : len(text)-1])
	}
	return addr.Unmap().WithZone("")
}

// addressAt is the depth-th address of X-Forwarded-For from the right, over all its lines. Entries that are no address count, so that
// a place means the same whatever a client sends.
func addressAt(lines []string, depth int) netip.Addr {
	list, more := strings.Join(lines, ","), len(lines) > 0
	entry := ""
	for i := 0; i < depth; i++ {
		if !more {
			return netip.Addr{}
		}
		list, entry, more = cutLast(list)
	}
	return parseAddress(entry)
}

// addressOutside is the first address of X-Forwarded-For from the right, over all its lines, that is in none of excluded. The search ends
// at an entry that is no address: who wrote it did not know its client, so all on its left may be made up.
func addressOutside(lines []string, excluded []netip.Prefix) netip.Addr {
	list, more := strings.Join(lines, ","), len(lines) > 0
	entry := ""
	for i := 0; more && i < forwardedForMost; i++ {
		list, entry, more = cutLast(list)
		addr := parseAddress(entry)
		if !addr.IsValid() || !inAny(addr, excluded) {
			return addr
		}
	}
	return netip.Addr{}
}

// inAny reports whether addr is in one of the networks.
func inAny(addr netip.Addr, networks []netip.Prefix) bool {
	for _, network := range networks {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// cutLast splits the last entry off a comma-separated list; more says whether the list goes on.
func cutLast(list string) (rest, entry string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

// sourceWords says in words who is counted.
func sourceWords(c criterion) string {
	subnet := " (IPv6 /" + strconv.Itoa(c.ipv6Subnet) + ")"
	address := "address" + subnet
	if c.depth > 0 {
		address = "address " + strconv.Itoa(c.depth) + " from the right of " + forwardedFor + subnet
	} else if len(c.excluded) > 0 {
		var networks []string
		for _, network := range c.excluded {
			networks = append(networks, network.String())
		}
		address = "first address from the right of " + forwardedFor + " outside " + strings.Join(networks, ", ") + subnet
	}
	var parts []string
	if c.address {
		parts = append(parts, address)
	}
	if c.headerName != "" {
		parts = append(parts, "header "+c.headerName)
	}
	if c.host {
		parts = append(parts, "host")
	}
	if len(parts) == 0 {
		return address
	}
	text := strings.Join(parts, " and ")
	if !c.address {
		text += ", where missing by " + address
	}
	return text
}
