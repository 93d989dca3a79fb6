// Package conformance is one program of go-redis calls that is run three ways:
// go-redis as published and compiled, as patched in vendor/ and compiled, and
// as patched and interpreted. What it prints must be equal.
//
// It is interpreted too, so it keeps to what Yaegi runs right.
package conformance

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// sha names the script of every EVALSHA; the fake knows no scripts.
const sha = "da39a3ee5e6b4b0d3255bfef95601890afd80709"

const (
	short    = 200 * time.Millisecond // deadline of calls that are to run out of time
	patience = 20 * time.Second       // of calls that are to be answered
	grace    = 5 * time.Second        // how much later than its deadline a call may return on a busy machine
)

// Run plays every case in file cases, one a line, and prints a line per step.
// A line has fields separated by tabs: the name, the address, the steps
// separated by blanks, then settings as key=value.
func Run(cases string, out io.Writer) {
	log := &logger{out: out}
	redis.SetLogger(log)
	text, err := os.ReadFile(cases)
	if err != nil {
		fmt.Fprintln(out, "read cases:", err)
		return
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(line, "\t")
		log.name = fields[0]
		play(fields, out)
	}
}

// player is one case as it is played.
type player struct {
	name     string
	out      io.Writer
	dials    int           // how many dials fail first
	straight bool          // script calls on a Conn go by its line and have no deadline but the wire's, as the plugin has it
	line     *line         // of conn; nil before the first of them
	called   bool          // one of them has been made
	over     bool          // an exchange has failed, and the client was closed for it, as the plugin does
	wire     *countingConn // the last that was dialled
	dialled  atomic.Int64  // how many connections the case's own dialler has opened
	closed   atomic.Int64  // and how many of them are closed
	password string        // what the provider of credentials answers
	client   *redis.Client
	conn     *redis.Conn
}

func play(fields []string, out io.Writer) {
	p := &player{name: fields[0], out: out}
	settings := map[string]string{}
	for _, field := range fields[3:] {
		at := strings.Index(field, "=")
		settings[field[:at]] = field[at+1:]
	}
	p.dials = number(settings["faileddials"])
	p.straight = settings["straight"] != ""
	p.client = redis.NewClient(p.options(fields[1], settings))
	for _, word := range strings.Fields(fields[2]) {
		p.step(word)
	}
	if err := p.client.Close(); err != nil {
		p.print("end", "", err)
	}
}

// options are those of the plugin, and what the case sets.
func (p *player) options(addr string, settings map[string]string) *redis.Options {
	opt := &redis.Options{
		Addr:                  addr,
		Protocol:              number(settings["protocol"]),
		Username:              settings["username"],
		Password:              settings["password"],
		DB:                    number(settings["db"]),
		MaxRetries:            -1,
		ContextTimeoutEnabled: true,
		DisableIdentity:       settings["identity"] == "",
		ClientName:            settings["clientname"],
		PoolSize:              number(settings["poolsize"]),
		MinIdleConns:          number(settings["minidle"]),
		MaxIdleConns:          number(settings["maxidle"]),
		MaxActiveConns:        number(settings["maxactive"]),
		PoolTimeout:           time.Duration(number(settings["pooltimeout"])) * time.Millisecond,
		ReadTimeout:           time.Duration(number(settings["readtimeout"])) * time.Millisecond,
		MinRetryBackoff:       time.Millisecond,
		MaxRetryBackoff:       4 * time.Millisecond,
	}
	if opt.PoolSize == 0 {
		opt.PoolSize = 64
	}
	if opt.ReadTimeout == 0 {
		opt.ReadTimeout = patience
	}
	if opt.ReadTimeout < 0 {
		opt.ReadTimeout = -1 // none, as the plugin has it
	}
	if settings["straight"] != "" { // as the plugin has it
		opt.ReadTimeout = -1
		opt.WriteTimeout = -1
		opt.ConnMaxIdleTime = -1
	}
	if settings["retries"] != "" {
		opt.MaxRetries = number(settings["retries"])
	}
	if settings["provider"] != "" {
		p.password = strings.TrimPrefix(settings["provider"], "none")
		opt.CredentialsProviderContext = p.credentials
	}
	if settings["dialer"] != "default" {
		opt.Dialer = p.dial
	}
	return opt
}

func (p *player) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if p.dials > 0 {
		p.dials--
		return nil, errors.New("dial refused by the case")
	}
	dialer := &net.Dialer{KeepAlive: time.Minute}
	conn, err := dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	wire := &countingConn{Conn: conn, closed: &p.closed}
	p.wire = wire // the pool may dial two at once
	p.dialled.Add(1)
	return wire, nil
}

// countingConn is an interpreted net.Conn, as the plugin's are.
type countingConn struct {
	net.Conn
	timeout  time.Duration // of a write and of a read; 0: what it was told
	told     int           // how often somebody else has set a deadline for writing
	broken   bool          // nothing can be written
	timed    bool          // what they have set is one, not none
	received int64
	closed   *atomic.Int64
}

// SetWriteDeadline implements net.Conn.
func (c *countingConn) SetWriteDeadline(at time.Time) error {
	c.told++
	c.timed = !at.IsZero()
	return c.Conn.SetWriteDeadline(at)
}

// SetDeadline implements net.Conn.
func (c *countingConn) SetDeadline(at time.Time) error {
	c.timed = !at.IsZero()
	return c.Conn.SetDeadline(at)
}

// Write implements net.Conn.
func (c *countingConn) Write(buffer []byte) (int, error) {
	if c.broken {
		return 0, errors.New("write refused by the case")
	}
	if c.timeout > 0 {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.timeout))
	}
	return c.Conn.Write(buffer)
}

// Read implements net.Conn.
func (c *countingConn) Read(buffer []byte) (int, error) {
	if c.timeout > 0 {
		_ = c.Conn.SetReadDeadline(time.Now().Add(c.timeout))
	}
	n, err := c.Conn.Read(buffer)
	c.received += int64(n)
	return n, err
}

// Close implements net.Conn.
func (c *countingConn) Close() error {
	c.closed.Add(1)
	return c.Conn.Close()
}

// credentials are those of a provider that is asked at each dial.
func (p *player) credentials(_ context.Context) (string, string, error) {
	if p.password == "" {
		return "", "", errors.New("open secret: no such file")
	}
	return "me", p.password, nil
}

// step plays one word. The calls of a Conn and of the pool are those that the
// plugin makes; vendor/ has no others.
func (p *player) step(word string) {
	timeout := patience
	if strings.HasSuffix(word, "~") { // a call that is to run out of time
		timeout = short
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	over := strings.HasSuffix(word, "!") // a call whose time is over before it starts
	if over {
		cancel()
	}
	word = strings.TrimRight(word, "~!")
	if p.over && word != "wires" && word != "received" && word != "told" {
		return
	}
	if p.wire != nil {
		p.wire.timeout = 0
	}
	straight := p.straight && !over && strings.Contains(" sha during eval texts nokeys script calls ", " "+word+" ")
	if straight && p.wire != nil {
		p.wire.timeout = timeout
		ctx = context.Background()
	}
	start := time.Now()
	keys, args := []string{"{source}"}, []interface{}{"one", "2", ""}
	switch word {
	case "conn":
		p.conn = p.client.Conn()
		p.forget()
	case "ping":
		p.said(word, nil, p.conn.Ping(ctx).Err())
	case "sha":
		value, err := p.call(ctx, straight, called("evalsha", sha, keys[0], args))
		p.said(word, value, err)
	case "during": // a call during which the Conn is closed, or the client with the connection of a line
		closed := make(chan error, 1)
		go p.closeSoon(closed)
		value, err := p.call(ctx, straight, called("evalsha", sha, keys[0], args))
		closing := <-closed
		p.print("closed", nil, closing)
		p.said(word, value, err)
	case "eval":
		value, err := p.call(ctx, straight, called("eval", "return 1", keys[0], args))
		p.said(word, value, err)
	case "texts":
		long := strings.Repeat("long", 20000) // beyond go-redis' buffer
		value, err := p.call(ctx, straight, called("evalsha", sha, keys[0], []interface{}{"", "\r\n", "\x00\xff$*", "é", long}))
		p.said(word, value, err)
	case "nokeys":
		value, err := p.call(ctx, straight, []interface{}{"evalsha", sha, 0})
		p.said(word, value, err)
	case "kinds":
		value, err := p.conn.Do(ctx, "evalsha", sha, 1, keys[0], "a", 1, int64(-2), uint8(3), 1.5, true, nil, []byte("b"), time.Second).Result()
		p.said(word, value, err)
	case "script": // EVALSHA, and EVAL when Redis does not know the script
		value, err := p.call(ctx, straight, called("evalsha", sha, keys[0], args))
		if err != nil && strings.HasPrefix(err.Error(), "NOSCRIPT") {
			value, err = p.call(ctx, straight, called("eval", "return 1", keys[0], args))
		}
		p.said(word, value, err)
	case "close":
		p.print(word, nil, p.conn.Close())
		p.forget()
	case "pool":
		value, err := p.client.Do(ctx, called("evalsha", sha, keys[0], args)...).Result()
		p.print(word, value, err)
	case "pipe":
		p.pipe(ctx)
	case "calls":
		p.calls(ctx, keys, args)
	case "slots":
		value, err := p.conn.Do(ctx, "CLUSTER", "SLOTS").Result()
		p.said(word, value, err)
	case "recover":
		p.recover(ctx, keys)
	case "idle":
		p.awaitIdle(2)
	case "wires": // whether a connection was kept
		p.print(word, fmt.Sprint("dialled ", p.dialled.Load(), " closed ", p.closed.Load()), nil)
	case "received":
		p.print(word, strconv.FormatInt(p.wire.received, 10), nil)
	case "broken":
		p.wire.broken = true
	case "told":
		p.print(word, fmt.Sprint(p.wire.told, " times, now ", p.wire.timed), nil)
	case "closeclient":
		p.print(word, nil, p.client.Close())
	default:
		p.print(word, "no such step", nil)
	}
	if time.Since(start) > timeout+grace {
		p.print(word, "came late", nil)
	}
}

// closeSoon closes the Conn in the middle of a call whose reply is late. A line is not the Conn's to wait for.
func (p *player) closeSoon(closed chan error) {
	time.Sleep(50 * time.Millisecond)
	if p.straight {
		closed <- p.client.Close()
		return
	}
	closed <- p.conn.Close()
}

// call makes a script call on the Conn.
func (p *player) call(ctx context.Context, straight bool, words []interface{}) (interface{}, error) {
	if !straight {
		value, err := p.conn.Do(ctx, words...).Result()
		return value, err
	}
	if err := p.openLine(ctx); err != nil {
		return nil, err
	}
	value, err := p.line.exchange(ctx, words)
	return value, err
}

// openLine sees to it that the Conn has a line.
func (p *player) openLine(ctx context.Context) error {
	p.called = true
	if p.line != nil {
		return nil
	}
	opened, err := lineOf(ctx, p.conn)
	if err == nil {
		p.line = opened
	}
	return err
}

// forget drops the line of a Conn that is another's now.
func (p *player) forget() {
	p.line = nil
	p.called = false
}

// said prints what a Conn has replied. When script calls go by a line, a failure ends the client.
func (p *player) said(step string, value interface{}, err error) {
	p.print(step, value, err)
	if p.called && (ended(err) || err != nil && strings.HasPrefix(err.Error(), "READONLY ")) {
		p.over = true
		p.print("over", nil, p.client.Close())
	}
}

// ended reports whether an error is of the connection, or of bytes that are no reply: whether it is none that Redis replied.
func ended(err error) bool {
	if err == nil || err.Error() == "redis: nil" {
		return false
	}
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		strings.HasPrefix(err.Error(), "redis: ") || strings.HasPrefix(err.Error(), "write refused") || strings.HasPrefix(err.Error(), "strconv.")
}

// called is a script call about one key.
func called(name, what, key string, args []interface{}) []interface{} {
	words := []interface{}{name, what, 1, key}
	return append(words, args...)
}

func (p *player) pipe(ctx context.Context) {
	pipe := p.client.Pipeline().(*redis.Pipeline) // as the handshake queues
	_ = pipe.Process(ctx, redis.NewCmd(ctx, "evalsha", sha, 1, "a"))
	_ = pipe.Process(ctx, redis.NewCmd(ctx, "evalsha", sha, 2, "b", "c"))
	cmds, err := pipe.Exec(ctx)
	p.print("pipe", fmt.Sprint(len(cmds)), err)
	for _, cmd := range cmds {
		p.print("piped", cmd.Args()[2], cmd.Err())
	}
}

// nodeCall is one of several script calls in one go.
type nodeCall struct {
	words  []interface{}
	asking bool // behind ASKING
}

// answered is what came back for it.
type answered struct {
	value interface{}
	err   error
}

// calls is a flight to a node of a cluster: several script calls in one go on a
// Conn, one of them behind ASKING.
func (p *player) calls(ctx context.Context, keys []string, args []interface{}) {
	if err := p.openLine(ctx); err != nil {
		p.said("calls", nil, err)
		return
	}
	bySha, byText := called("evalsha", sha, keys[0], args), called("eval", "return 1", keys[0], args)
	answers := p.line.exchangeAll(ctx, []nodeCall{{words: bySha}, {words: bySha, asking: true}, {words: byText}})
	var failure error
	for _, a := range answers {
		p.print("call", a.value, a.err)
		if a.err != nil && (failure == nil || ended(a.err)) {
			failure = a.err
		}
	}
	p.said("calls", nil, failure)
}

// recover asks until a call succeeds, as the background dial of a pool that
// had only failures takes a second.
func (p *player) recover(ctx context.Context, keys []string) {
	for ctx.Err() == nil {
		if _, err := p.client.Do(ctx, "evalsha", sha, 1, keys[0]).Result(); err == nil {
			p.print("recover", "did", nil)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.print("recover", "did not", nil)
}

// awaitIdle waits until n connections are open. The pool may not have all of
// them yet, but keeps a turn for each until it has.
func (p *player) awaitIdle(n int64) {
	for i := 0; i < 500; i++ {
		if p.dialled.Load() == n {
			p.print("idle", strconv.Itoa(int(n)), nil)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.print("idle", "never", nil)
}

func (p *player) print(step string, value interface{}, err error) {
	fmt.Fprintf(p.out, "%s · %s · %s · %s\n", p.name, step, format(value), explain(err))
}

// explain is an error's text and what the standard library makes of it.
func explain(err error) string {
	if err == nil {
		return "no error"
	}
	words := []string{strconv.Quote(err.Error())}
	if errors.Is(err, context.DeadlineExceeded) {
		words = append(words, "deadline exceeded")
	}
	if errors.Is(err, context.Canceled) {
		words = append(words, "canceled")
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		words = append(words, "i/o deadline")
	}
	if errors.Is(err, io.EOF) {
		words = append(words, "eof")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		words = append(words, "unexpected eof")
	}
	if errors.Is(err, net.ErrClosed) {
		words = append(words, "net closed")
	}
	var op *net.OpError
	if errors.As(err, &op) {
		words = append(words, "net "+op.Op)
	}
	return strings.Join(words, ", ")
}

// format writes a reply with its types. Plain assertions: a type switch on
// interpreted types is not to be trusted.
func format(value interface{}) string {
	if value == nil {
		return "nil"
	}
	if s, ok := value.(string); ok {
		if len(s) > 100 {
			sum := sha1.Sum([]byte(s))
			return "string of " + strconv.Itoa(len(s)) + " " + hex.EncodeToString(sum[:4])
		}
		return strconv.Quote(s)
	}
	if n, ok := value.(int64); ok {
		return "int " + strconv.FormatInt(n, 10)
	}
	if f, ok := value.(float64); ok {
		return "float " + strconv.FormatFloat(f, 'g', -1, 64)
	}
	if b, ok := value.(bool); ok {
		return "bool " + strconv.FormatBool(b)
	}
	if n, ok := value.(*big.Int); ok {
		return "big " + n.String()
	}
	if list, ok := value.([]interface{}); ok {
		words := []string{}
		for _, item := range list {
			words = append(words, format(item))
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	if m, ok := value.(map[interface{}]interface{}); ok {
		words := []string{}
		for key, item := range m {
			words = append(words, format(key)+": "+format(item))
		}
		sort.Strings(words)
		return "{" + strings.Join(words, ", ") + "}"
	}
	if err, ok := value.(error); ok {
		return "error " + strconv.Quote(err.Error())
	}
	return fmt.Sprintf("other %T %v", value, value)
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// logger prints what go-redis logs among the steps.
type logger struct {
	name string
	out  io.Writer
}

func (l *logger) Printf(ctx context.Context, format string, v ...interface{}) {
	fmt.Fprintf(l.out, l.name+" · log · "+format+"\n", v...)
}
