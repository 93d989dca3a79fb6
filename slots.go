package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// slotCount is how many slots a Redis Cluster has (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/).
const slotCount = 16384

// crcTable is CRC-16/XMODEM (polynomial 0x1021) of each byte.
var crcTable = newCRCTable()

func newCRCTable() []int {
	table := make([]int, 256)
	for i := range table {
		crc := i << 8
		for bit := 0; bit < 8; bit++ {
			crc <<= 1
			if crc > 0xffff {
				crc = crc&0xffff ^ 0x1021
			}
		}
		table[i] = crc
	}
	return table
}

// slotOf is the slot of a key, 0 to slotCount-1: by what stands in its first braces, or by the whole key when that is nothing.
func slotOf(key string) int {
	open := strings.IndexByte(key, '{')
	if open >= 0 {
		length := strings.IndexByte(key[open+1:], '}')
		if length > 0 {
			key = key[open+1 : open+1+length]
		}
	}
	crc := 0
	for i := 0; i < len(key); i++ {
		crc = crc<<8&0xffff ^ crcTable[crc>>8^int(key[i])]
	}
	return crc % slotCount
}

// slotRange is one line of the reply to CLUSTER SLOTS: the slots from first to last are at address.
type slotRange struct {
	first, last int
	address     string
}

// told is what a node knows of the slots.
type told struct {
	held   *connection // to it
	ranges []slotRange
	slots  int // in all ranges
}

// better is the one of two answers that knows more slots; the connection of the other is closed.
func better(a, b *told) *told {
	if a == nil {
		return b
	}
	if a.slots >= b.slots {
		_ = b.held.client.Close()
		return a
	}
	_ = a.held.client.Close()
	return b
}

// askNode asks one server for the slots, within share.
func askNode(ctx context.Context, s *redisSettings, address string, share time.Duration) (*told, error) {
	asking, cancel := context.WithTimeout(ctx, share)
	defer cancel()
	held, err := reach(asking, s, address)
	if err != nil {
		return nil, err
	}
	reply, err := held.conn.Do(asking, "CLUSTER", "SLOTS").Result()
	var ranges []slotRange
	if err == nil {
		ranges, err = slotsIn(reply, address)
	}
	if err != nil {
		_ = held.client.Close()
		return nil, err
	}
	answer := &told{held: held, ranges: ranges}
	for _, r := range ranges {
		answer.slots += r.last - r.first + 1
	}
	return answer, nil
}

// slotsIn reads the reply to CLUSTER SLOTS of the server at from. What is not wholly such a reply is an error: half a map would
// send clients to the failure mode.
func slotsIn(reply interface{}, from string) ([]slotRange, error) {
	lines, ok := reply.([]interface{})
	if !ok || len(lines) > slotCount {
		return nil, errNoSlots
	}
	ranges := make([]slotRange, 0, len(lines))
	slots := int64(0) // in all ranges: one that is told twice is no map, and thousands of overlapping ranges would take minutes to learn
	for i := range lines {
		line, ok := lines[i].([]interface{})
		if !ok || len(line) < 3 {
			return nil, errNoSlots
		}
		first, firstOk := line[0].(int64)
		last, lastOk := line[1].(int64)
		master, masterOk := line[2].([]interface{})
		if !firstOk || !lastOk || !masterOk || first < 0 || first > last || last >= slotCount || len(master) < 2 {
			return nil, errNoSlots
		}
		slots += last - first + 1
		if slots > slotCount {
			return nil, errNoSlots
		}
		host, hostOk := master[0].(string)
		if !hostOk && master[0] != nil {
			return nil, errNoSlots
		}
		if !hostOk {
			host = ""
		}
		address, err := nodeAddress(host, fmt.Sprint(master[1]), from)
		if err != nil {
			return nil, err
		}
		ranges = append(ranges, slotRange{first: int(first), last: int(last), address: address})
	}
	return ranges, nil
}

// errNoSlots is the cause when what came back is not, or not wholly, a reply to CLUSTER SLOTS.
var errNoSlots = errors.New("it does not answer like a node of a cluster")

// redirects reports whether a node says by code that the call belongs to another one, wholly or in part.
func redirects(code string) bool { return code == "MOVED" || code == "ASK" || code == "TRYAGAIN" }

// redirection reads "MOVED 3999 10.0.0.1:6379": the slot and the address; "" when it is none. Without a host it is that of the node that said so.
func redirection(words, from string) (int, string) {
	parts := strings.Split(words, " ")
	if len(parts) != 3 {
		return 0, ""
	}
	slot, err := strconv.ParseUint(parts[1], 10, 16)
	colon := strings.LastIndexByte(parts[2], ':') // an IPv6 address stands there without brackets
	if err != nil || slot >= slotCount || colon < 0 {
		return 0, ""
	}
	address, err := nodeAddress(parts[2][:colon], parts[2][colon+1:], from)
	if err != nil {
		return 0, ""
	}
	return int(slot), address
}

// nodeAddress is where a node is by its host and port; without a host, as a cluster behind a proxy says it, at the host of from.
func nodeAddress(host, port, from string) (string, error) {
	if host == "" {
		host, _, _ = net.SplitHostPort(from)
	}
	address := net.JoinHostPort(strings.Trim(host, "[]"), port)
	f := &faults{}
	checkEndpoint(f, "", address, modeCluster)
	if len(f.lines) > 0 {
		return "", errors.New("it names a node at " + quote(address))
	}
	return address, nil
}
