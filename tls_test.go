package ratelimit

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"github.com/traefik-redis-ratelimit/ratelimit/internal/configs"
	"github.com/traefik-redis-ratelimit/ratelimit/internal/redistest"
)

// here is what certificates for servers on this machine are for.
var here = []string{"127.0.0.1", "localhost"}

// dialTLS dials address once with these options and returns the error's words, or "" and that it was good.
func dialTLS(t *testing.T, address string, options *TLSConfig) string {
	t.Helper()
	s := settingsAt(t, "tls@test", address, func(c *Config) { c.Redis.TLS = options })
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	fresh, err := c.dialOnce()
	if err != nil {
		return err.Error()
	}
	defer fresh.client.Close()
	key := scriptKeys(s.limits, []string{s.keyHead + "x}"})
	if _, err := exchange(fresh, appendCall(nil, key, bulk(scriptLimits(s.limits)), "1 "), time.Second); err != nil {
		return err.Error()
	}
	return ""
}

// TestTLSWords: what is wrong with an encrypted connection is said, with the option to look at.
func TestTLSWords(t *testing.T) {
	secrets, outside := secretFiles(t)
	ours, foreign := redistest.NewAuthority(t, "ours"), redistest.NewAuthority(t, "foreign")
	good := ours.Issue(t, time.Hour, here...)
	server := redistest.StartTLS(t, good, nil)
	write(t, outside+"/empty.crt", "")
	write(t, outside+"/large.crt", strings.Repeat("x", caMost+1))
	client, another := ours.Issue(t, time.Hour, "gate"), ours.Issue(t, time.Hour, "gate")
	write(t, secrets+"/tls.crt", client.Cert)
	write(t, secrets+"/tls.key", another.Key)
	asking := redistest.StartTLS(t, good, ours)
	for _, row := range []struct {
		why, address string
		options      *TLSConfig
		want         []string // all in the error; none: good
	}{
		{"the CA in PEM", server.Addr, &TLSConfig{CA: ours.PEM}, nil},
		{"several CAs", server.Addr, &TLSConfig{CA: foreign.PEM + ours.PEM}, nil},
		{"any server", server.Addr, &TLSConfig{InsecureSkipVerify: "true"}, nil},
		{"any server, whatever the CA", server.Addr, &TLSConfig{CA: foreign.PEM, InsecureSkipVerify: "true"}, nil},
		{"another name of the server's", server.Addr, &TLSConfig{CA: ours.PEM, ServerName: "localhost"}, nil},
		{"another CA", server.Addr, &TLSConfig{CA: foreign.PEM},
			[]string{"signed by unknown authority", "; who signed the server's certificate is not in redis.tls.ca"}},
		{"the system's authorities", server.Addr, &TLSConfig{InsecureSkipVerify: "false"},
			[]string{"signed by unknown authority", "redis.tls.ca"}},
		{"the system's authorities, with nothing said", server.Addr, &TLSConfig{}, []string{"signed by unknown authority"}},
		{"a name", server.Addr, &TLSConfig{CA: ours.PEM, ServerName: "redis.internal"},
			[]string{"certificate is valid for localhost, not redis.internal; the server's certificate is for another name (redis.tls.serverName)"}},
		{"an address", redistest.StartTLS(t, ours.Issue(t, time.Hour, "redis.internal"), nil).Addr, &TLSConfig{CA: ours.PEM},
			[]string{"cannot validate certificate for 127.0.0.1", "(redis.tls.serverName)"}},
		{"no names at all", redistest.StartTLS(t, ours.Issue(t, time.Hour), nil).Addr, &TLSConfig{CA: ours.PEM, ServerName: "redistest"},
			[]string{"(redis.tls.serverName)"}},
		{"expired", redistest.StartTLS(t, ours.Issue(t, -time.Hour, here...), nil).Addr, &TLSConfig{CA: ours.PEM},
			[]string{"certificate has expired", "; the server's certificate, or that of who signed it, must be renewed"}},
		{"plain against a TLS port", server.Addr, nil, []string{"; it hung up before a word, as a port does that speaks only TLS (redis.tls)"}},
		{"no client certificate", asking.Addr, &TLSConfig{CA: ours.PEM},
			[]string{"; the server asks for a client certificate (redis.tls.cert and redis.tls.key)"}},
		{"a client certificate of others", asking.Addr, withPair(&TLSConfig{CA: ours.PEM}, foreign.Issue(t, time.Hour, "gate")),
			[]string{"; the server does not take the client certificate (redis.tls.cert)"}},
		{"a client certificate that has expired", asking.Addr, withPair(&TLSConfig{CA: ours.PEM}, ours.Issue(t, -time.Hour, "gate")),
			[]string{"; the server does not take the client certificate (redis.tls.cert)"}},
		{"a client certificate", asking.Addr, withPair(&TLSConfig{CA: ours.PEM}, client), nil},
		{"a client certificate that nobody asks for", server.Addr, withPair(&TLSConfig{CA: ours.PEM}, client), nil},
		{"no file of CAs", server.Addr, &TLSConfig{CA: outside + "/missing.crt"},
			[]string{"redis.tls.ca: stat " + outside + "/missing.crt: no such file or directory"}},
		{"an empty file of CAs", server.Addr, &TLSConfig{CA: outside + "/empty.crt"},
			[]string{"redis.tls.ca: " + outside + "/empty.crt holds no certificate in PEM"}},
		{"a folder of CAs", server.Addr, &TLSConfig{CA: outside}, []string{"redis.tls.ca: " + outside + " is not a regular file"}},
		{"a device as CA, which has no end", server.Addr, &TLSConfig{CA: "/dev/zero"}, []string{"redis.tls.ca: /dev/zero is not a regular file"}},
		{"a large file of CAs", server.Addr, &TLSConfig{CA: outside + "/large.crt"},
			[]string{"redis.tls.ca: " + outside + "/large.crt is larger than 1024 KiB"}},
		{"no certificate's file", asking.Addr, &TLSConfig{CA: ours.PEM, Cert: secrets + "/missing.crt", Key: secrets + "/tls.key"},
			[]string{"redis.tls.cert: ", secrets + "/missing.crt: no such file or directory"}},
		{"no key's file", asking.Addr, &TLSConfig{CA: ours.PEM, Cert: secrets + "/tls.crt", Key: secrets + "/missing.key"},
			[]string{"redis.tls.key: ", secrets + "/missing.key: no such file or directory"}},
		{"another's key, as in the middle of a rotation", asking.Addr, &TLSConfig{CA: ours.PEM, Cert: secrets + "/tls.crt", Key: secrets + "/tls.key"},
			[]string{"redis.tls.cert does not go with redis.tls.key: tls: private key does not match public key"}},
	} {
		said := dialTLS(t, row.address, row.options)
		if len(row.want) == 0 && said != "" {
			t.Errorf("%s: %s", row.why, said)
		}
		for _, want := range row.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s:\ngot  %s\nwant %s", row.why, said, want)
			}
		}
		if strings.ContainsAny(said, "\r\n") || strings.Contains(said, "-----") || strings.Contains(said, "s3cret") {
			t.Errorf("%s: says %q", row.why, said)
		}
	}
}

// TestTLSAgainstAPlainPort: a Redis waits for the rest of what it takes for a command, other servers say so, or hang up.
func TestTLSAgainstAPlainPort(t *testing.T) {
	proxy := redistest.NewProxy(t, redistest.Start(t).Addr)
	s := settingsAt(t, "plain@test", proxy.Addr, func(c *Config) {
		c.Redis.DialTimeout = "500ms"
		c.Redis.TLS = &TLSConfig{InsecureSkipVerify: "true"}
	})
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	want := "no answer to a TLS handshake, as from a port that does not speak TLS"
	if _, err := c.dialOnce(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for said, want := range map[string]string{
		"-ERR unknown command\r\n": "tls: first record does not look like a TLS handshake; the server does not speak TLS at this port",
		"":                         "EOF; it hung up in the TLS handshake, as a port does that does not speak TLS",
	} {
		address := saysAndCloses(t, said)
		if got := dialTLS(t, address, &TLSConfig{InsecureSkipVerify: "true"}); got != want {
			t.Errorf("a server that says %q:\ngot  %s\nwant %s", said, got, want)
		}
	}
}

// TestPlainAgainstATLSPort: some servers hang up, as Redis does, others answer in TLS.
func TestPlainAgainstATLSPort(t *testing.T) {
	for said, want := range map[string]string{
		"\x15\x03\x01\x00\x02\x02\x46":           "the server speaks TLS at this port, which is redis.tls",
		"":                                       "EOF; it hung up before a word, as a port does that speaks only TLS (redis.tls)",
		"-ERR max number of clients reached\r\n": "ERR max number of clients reached",
	} {
		address := saysAndCloses(t, said)
		if got := dialTLS(t, address, nil); got != want {
			t.Errorf("a server that says %q:\ngot  %s\nwant %s", said, got, want)
		}
	}
}

// TestCausesAreOneLine: a certificate's names, and all else that a server says, cannot tear the log nor keep a hint out of it.
func TestCausesAreOneLine(t *testing.T) {
	s := &redisSettings{endpoints: []string{"redis:6379"}, tls: tlsSettings{on: true}}
	long := strings.Repeat("!", causeMost-60) + "hunter2" + strings.Repeat("é", causeMost)
	for _, row := range []struct {
		err     error
		refusal string
		want    string
	}{
		{errors.New("x509: certificate is valid for a\nlevel=error b, not c" + long), "", "(redis.tls.serverName)"},
		{io.EOF, "ERR one\r\nlevel=error two" + long, "ERR one  level=error two"},
	} {
		said := shortened(dialCause(row.err, s, &countingConn{refusal: row.refusal}, "hunter2").Error())
		if strings.ContainsAny(said, "\r\n") || !utf8.ValidString(said) || strings.Contains(said, "hunt") || !strings.Contains(said, row.want) {
			t.Errorf("%q, want %q and one line", said, row.want)
		}
	}
}

// saysAndCloses is the address of a server that reads what comes, says one thing and hangs up.
func saysAndCloses(t *testing.T, says string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 64<<10))
			_, _ = io.WriteString(conn, says)
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

// withPair is options with a client certificate.
func withPair(options *TLSConfig, pair redistest.Pair) *TLSConfig {
	options.Cert, options.Key = pair.Cert, pair.Key
	return options
}

// TestCertificatesRotate: what the paths lead to is read at each dial, and takes effect without a reload.
func TestCertificatesRotate(t *testing.T) {
	secrets, _ := secretFiles(t)
	old, next := redistest.NewAuthority(t, "old"), redistest.NewAuthority(t, "next")
	server := redistest.StartTLS(t, old.Issue(t, time.Hour, here...), old)
	proxy := redistest.NewProxy(t, server.Addr)
	put := func(ca *redistest.Authority, client redistest.Pair) {
		write(t, secrets+"/ca.crt", ca.PEM)
		write(t, secrets+"/tls.crt", client.Cert)
		write(t, secrets+"/tls.key", client.Key)
	}
	put(old, old.Issue(t, time.Hour, "gate"))
	s := settingsAt(t, "rotating@test", proxy.Addr, func(c *Config) {
		c.Redis.TLS = &TLSConfig{CA: secrets + "/ca.crt", Cert: secrets + "/tls.crt", Key: secrets + "/tls.key"}
	})
	c := newRedisClient(s.redis)
	t.Cleanup(c.retire)
	b := newBatch(&s, c)
	mustTake(t, b, "x")

	proxy.Target(redistest.StartTLS(t, next.Issue(t, time.Hour, here...), next).Addr)
	c.forget()
	if _, err := takeFrom(b, "x", 1); err == nil || !strings.Contains(err.Error(), "signed by unknown authority") {
		t.Errorf("with the old certificates: %v", err)
	}
	put(next, next.Issue(t, time.Hour, "gate"))
	mustTake(t, b, "x")
}

// TestTheftOfKeys: what a server gets to see is read from nowhere else than a password may be; what it never sees, from anywhere.
func TestTheftOfKeys(t *testing.T) {
	secrets, outside := secretFiles(t)
	ours := redistest.NewAuthority(t, "ours")
	client := ours.Issue(t, time.Hour, "gate")
	server := redistest.StartTLS(t, ours.Issue(t, time.Hour, here...), ours)
	for _, folder := range []string{secrets, outside} {
		write(t, folder+"/tls.crt", client.Cert)
		write(t, folder+"/tls.key", client.Key)
		write(t, folder+"/ca.crt", ours.PEM)
	}
	link(t, outside+"/tls.key", secrets+"/out.key")
	link(t, outside+"/tls.crt", secrets+"/out.crt")
	link(t, secrets+"/tls.key", secrets+"/turned.key")
	for _, row := range []struct{ cert, key, fault string }{
		{outside + "/tls.crt", secrets + "/tls.key", "redis.tls.cert"},
		{secrets + "/tls.crt", outside + "/tls.key", "redis.tls.key"},
		{secrets + "/tls.crt", secrets + "/out.key", "redis.tls.key"},
		{secrets + "/out.crt", secrets + "/tls.key", "redis.tls.cert"},
		{secrets + "/tls.crt", secrets + "/../outside/tls.key", "redis.tls.key"},
		{secrets + "/tls.crt", "/proc/self/environ", "redis.tls.key"},
	} {
		f := &faults{}
		compileTLS(f, &TLSConfig{Cert: row.cert, Key: row.key}, nil)
		if len(f.lines) != 1 || !strings.HasPrefix(f.lines[0], row.fault+": must be below "+secrets+", or ") {
			t.Errorf("%s, %s: New says %q", row.cert, row.key, f.lines)
		}
		if _, err := readKeyPair(row.cert, row.key); err == nil || !strings.HasPrefix(err.Error(), row.fault+": ") {
			t.Errorf("%s, %s: a dial says %v", row.cert, row.key, err)
		}
	}
	turned := &TLSConfig{CA: outside + "/ca.crt", Cert: secrets + "/tls.crt", Key: secrets + "/turned.key"}
	if said := dialTLS(t, server.Addr, turned); said != "" {
		t.Errorf("a link within: %s", said)
	}
	if err := os.Remove(secrets + "/turned.key"); err != nil {
		t.Fatal(err)
	}
	link(t, outside+"/tls.key", secrets+"/turned.key")
	if _, err := readKeyPair(turned.Cert, turned.Key); err == nil {
		t.Error("a link that was turned out: read")
	}
}

// TestFilesStayUnsaid: an error names a file and says nothing of what is in it.
func TestFilesStayUnsaid(t *testing.T) {
	secrets, outside := secretFiles(t)
	ours := redistest.NewAuthority(t, "ours")
	client := ours.Issue(t, time.Hour, "gate")
	write(t, secrets+"/tls.crt", client.Cert)
	for i, content := range []string{
		"s3cret", "-----BEGIN s3cret-----\nczNjcmV0\n-----END s3cret-----\n", "-----BEGIN s3cret PRIVATE KEY-----\nczNjcmV0\n-----END s3cret PRIVATE KEY-----\n",
		strings.Replace(client.Key, "M", "s3cret", 1), client.Cert,
	} {
		path := filepath.Join(secrets, "key")
		write(t, path, content)
		write(t, outside+"/ca.crt", strings.Replace(content, client.Cert, "s3cret", 1))
		for _, options := range []*TLSConfig{
			{Cert: secrets + "/tls.crt", Key: path},
			{Cert: path, Key: path},
			{CA: outside + "/ca.crt"},
		} {
			said := dialTLS(t, "127.0.0.1:1", options)
			if strings.Contains(said, "s3cret") || !strings.HasPrefix(said, "redis.tls.") {
				t.Errorf("content %d: %s", i, said)
			}
		}
		for _, options := range []*TLSConfig{
			{Cert: client.Cert, Key: content}, {Cert: content, Key: client.Key}, {CA: content, Cert: content, Key: content},
		} {
			if content == client.Cert {
				continue
			}
			f := &faults{}
			compileTLS(f, options, nil)
			if said := strings.Join(f.lines, "\n"); said == "" || strings.Contains(said, "s3cret") {
				t.Errorf("content %d in PEM: %q", i, said)
			}
		}
	}
}

// TestTLSWithSentinels: sentinels and master are both spoken to by TLS, each under the name by which it is dialled.
func TestTLSWithSentinels(t *testing.T) {
	ours := redistest.NewAuthority(t, "ours")
	master := redistest.StartTLS(t, ours.Issue(t, time.Hour, "localhost"), nil)
	_, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	pair := ours.Issue(t, time.Hour, "127.0.0.1")
	certificate, err := tls.X509KeyPair([]byte(pair.Cert), []byte(pair.Key))
	if err != nil {
		t.Fatal(err)
	}
	sentinel := miniredis.NewMiniRedis()
	if err := sentinel.StartTLS(&tls.Config{Certificates: []tls.Certificate{certificate}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sentinel.Close)
	err = sentinel.Server().Register("SENTINEL", func(c *server.Peer, _ string, _ []string) { c.WriteStrings([]string{"localhost", port}) })
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		why    string
		change func(c *Config)
		want   string
	}{
		{"both by TLS", func(*Config) {}, ""},
		{"one name for both", func(c *Config) { c.Redis.TLS.ServerName = "localhost" }, "(redis.tls.serverName)"},
		{"no TLS", func(c *Config) { c.Redis.TLS = nil }, "(redis.tls)"},
	} {
		s := settingsAt(t, "sentinels@test", sentinel.Addr(), func(c *Config) {
			c.Redis.Mode, c.Redis.Sentinel.MasterSet, c.Redis.TLS = modeSentinel, "limits", &TLSConfig{CA: ours.PEM}
			row.change(c)
		})
		c := newRedisClient(s.redis)
		fresh, err := c.dialOnce()
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", row.why, err, row.want)
		}
		if err == nil {
			_ = fresh.client.Close()
		}
		c.retire()
	}
}

// TestTLSNames: the server's certificate must be for the host that is dialled.
func TestTLSNames(t *testing.T) {
	for _, row := range []struct{ address, want string }{
		{"redis.internal:6379", "redis.internal"},
		{"192.0.2.1:6379", "192.0.2.1"},
		{"[2001:db8::1]:6379", "2001:db8::1"},
		{"[fe80::1%eth0]:6379", "fe80::1"},
	} {
		config, err := tlsConfig(&tlsSettings{on: true}, &countingConn{}, row.address)
		if err != nil || config.ServerName != row.want {
			t.Errorf("%s: %v, %v", row.address, config, err)
		}
	}
}

// TestTLSInTheDocuments: the documents' lines make certificates, a Redis and a client that go together.
func TestTLSInTheDocuments(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	folder := t.TempDir()
	here := strings.NewReplacer("/etc/redis/tls", folder, "/run/secrets/ratelimit", folder)
	lines := here.Replace(shellWith(t, "docs/operations.md", "openssl"))
	if said, err := exec.Command("sh", "-e", "-c", lines).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	words := strings.Fields(here.Replace(shellWith(t, "docs/operations.md", "--tls-port")))
	if strings.Join(words[:5], " ") != "redis-server --port 0 --tls-port 6379" {
		t.Fatalf("the line begins %v", words[:5])
	}
	server := redistest.StartTLS(t, redistest.Pair{Cert: read("server.crt"), Key: read("server.key")}, nil, words[5:]...)

	t.Setenv(secretsVariable, folder)
	blocks, err := configs.Blocks("docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range blocks {
		if block.Language == "yaml" && strings.Contains(block.Text, "tls:") {
			options := fromFile(t, here.Replace(block.Text)).Redis.TLS
			if said := dialTLS(t, server.Addr, options); said != "" {
				t.Error(said)
			}
			if said := dialTLS(t, server.Addr, &TLSConfig{CA: options.CA}); !strings.Contains(said, "asks for a client certificate") {
				t.Errorf("without a certificate: %q", said)
			}
			return
		}
	}
	t.Error("no yaml for TLS")
}
