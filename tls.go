package ratelimit

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"strings"
	"time"
	"unicode"
)

const (
	pemMark  = "-----BEGIN" // what tells PEM text from a path
	caMost   = 1 << 20      // bytes in a file with authorities
	tlsAlert = 0x15         // the first byte of what a TLS server says to who does not speak TLS
)

// isPEM reports whether an option holds PEM text, and not a path.
func isPEM(text string) bool { return strings.Contains(text, pemMark) }

// compileTLS says how to encrypt; c is nil when redis.tls is not given. PEM text is read here, so that what is wrong with it
// is a fault. A file is read at each dial and need not be there yet.
//
// A label writer decides which server gets to see what: a certificate is shown to it, and a key proves to it who we are.
// So these two come only from where a password may come from. Of the CA's file a server never sees anything.
func compileTLS(f *faults, c *TLSConfig, endpoints []string) tlsSettings {
	if c == nil {
		return tlsSettings{}
	}
	refuseUnknown(f, "redis.tls", "redis.tls", c.Unknown)
	if len(endpoints) > 0 && strings.HasPrefix(endpoints[0], unixScheme) {
		f.add("redis.tls", "must not stand beside a unix socket, which is never encrypted")
	}
	t := tlsSettings{on: true, ca: c.CA, cert: c.Cert, key: c.Key, serverName: c.ServerName}
	t.unverified = truth(f, "redis.tls.insecureSkipVerify", c.InsecureSkipVerify)
	checkCA(f, c.CA)
	checkKeyPair(f, c.Cert, c.Key)
	if strings.HasPrefix(c.ServerName, kubernetesURN) {
		f.add("redis.tls.serverName", unresolvedURN)
	} else if c.ServerName != "" && !onlyBytes(c.ServerName, lowerLetters+upperLetters+digits+"._-:") {
		f.add("redis.tls.serverName", "must be a host name or an address")
	}
	return t
}

// checkCA notes a CA that is neither a path nor certificates in PEM.
func checkCA(f *faults, ca string) {
	option := "redis.tls.ca"
	switch {
	case ca == "":
	case strings.HasPrefix(ca, kubernetesURN):
		f.add(option, unresolvedURN)
	case isPEM(ca):
		if !x509.NewCertPool().AppendCertsFromPEM([]byte(ca)) {
			f.add(option, noCertificate)
		}
	case !strings.HasPrefix(ca, "/") || tearsLine(ca):
		f.add(option, pathOrPEM)
	}
}

// The rules of options that are a path or PEM text. The value is not repeated: it may be a key in the wrong place.
const (
	pathOrPEM     = `must be an absolute path, or PEM text, which holds "` + pemMark + `"`
	noCertificate = "holds no certificate in PEM that can be read (are its line breaks still there?)"
	noBlock       = "holds no PEM that can be read (are its line breaks still there?)"
)

// checkKeyPair notes a client certificate without its key, and one or the other that cannot be read or must not be.
func checkKeyPair(f *faults, cert, key string) {
	if cert == "" && key != "" {
		f.add("redis.tls.cert", "is required beside redis.tls.key")
	}
	if cert != "" && key == "" {
		f.add("redis.tls.key", "is required beside redis.tls.cert")
	}
	before := len(f.lines)
	checkPEMOrSecret(f, "redis.tls.cert", cert)
	checkPEMOrSecret(f, "redis.tls.key", key)
	if !isPEM(cert) || !isPEM(key) || len(f.lines) > before {
		return
	}
	if _, err := tls.X509KeyPair([]byte(cert), []byte(key)); err != nil {
		f.add("redis.tls.cert", "does not go with redis.tls.key: "+pairWords(err))
	}
}

// checkPEMOrSecret notes what is neither PEM text nor a path below the secrets directory.
func checkPEMOrSecret(f *faults, option, text string) {
	switch {
	case text == "":
	case strings.HasPrefix(text, kubernetesURN):
		f.add(option, unresolvedURN)
	case isPEM(text):
		if block, _ := pem.Decode([]byte(text)); block == nil {
			f.add(option, noBlock)
		}
	case !strings.HasPrefix(text, "/") || tearsLine(text):
		f.add(option, pathOrPEM)
	default:
		checkSecretFile(f, option, text)
	}
}

// pairWords is what is wrong with a certificate and its key, without the part that would repeat what is in them.
func pairWords(err error) string {
	words, _, _ := strings.Cut(err.Error(), " after skipping")
	return words
}

// dialWire opens a connection to address, encrypted if the settings say so, while ctx lasts.
func dialWire(ctx context.Context, s *redisSettings, wire *countingConn, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{KeepAlive: time.Minute}
	if !s.tls.on {
		return dialer.DialContext(ctx, network, address)
	}
	config, err := tlsConfig(&s.tls, wire, address)
	if err != nil {
		return nil, err
	}
	plain, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	encrypted := tls.Client(plain, config)
	err = encrypted.HandshakeContext(ctx)
	if err != nil {
		_ = plain.Close()
		return nil, err
	}
	return encrypted, nil
}

// tlsConfig reads what is to be read for one dial to address.
func tlsConfig(t *tlsSettings, wire *countingConn, address string) (*tls.Config, error) {
	config := &tls.Config{ServerName: t.serverName, InsecureSkipVerify: t.unverified, MinVersion: tls.VersionTLS12}
	if t.serverName == "" {
		config.ServerName = hostOf(address)
	}
	if t.ca != "" {
		authorities, err := readAuthorities(t.ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = authorities
	}
	certificate, err := readKeyPair(t.cert, t.key)
	if err != nil {
		return nil, err
	}
	// Not Certificates: of these crypto/tls sends only what the server's list of authorities has, and nothing tells that it was asked.
	config.GetClientCertificate = func(_ *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		wire.asked = true
		return certificate, nil
	}
	return config, nil
}

// hostOf is the host of host:port as a certificate names it: without the zone of an IPv6 address.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	host, _, _ = strings.Cut(host, "%")
	return host
}

// readAuthorities are the certificates in ca, a path or PEM text.
func readAuthorities(ca string) (*x509.CertPool, error) {
	text, shown := ca, "PEM text"
	if !isPEM(ca) {
		content, err := readRegular("redis.tls.ca", ca, caMost)
		if err != nil {
			return nil, err
		}
		text, shown = content, ca
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, errors.New("redis.tls.ca: " + shown + " holds no certificate in PEM")
	}
	return pool, nil
}

// readKeyPair is the client certificate; an empty one, which stands for none, when none is given.
func readKeyPair(cert, key string) (*tls.Certificate, error) {
	if cert == "" {
		return &tls.Certificate{}, nil
	}
	certText, err := pemOrSecret("redis.tls.cert", cert)
	if err != nil {
		return nil, err
	}
	keyText, err := pemOrSecret("redis.tls.key", key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair([]byte(certText), []byte(keyText))
	if err != nil {
		return nil, errors.New("redis.tls.cert does not go with redis.tls.key: " + pairWords(err))
	}
	return &pair, nil
}

// pemOrSecret is PEM text, or what is in the file at the path that text is.
func pemOrSecret(option, text string) (string, error) {
	if isPEM(text) {
		return text, nil
	}
	return readSecretFile(option, text)
}

// dialCause is why a dial failed, on one line, with a word on the option that may be the reason.
func dialCause(err error, s *redisSettings, wire *countingConn, password string) error {
	text, gone := err.Error(), hungUp(err)
	if gone && wire.refusal != "" {
		return errors.New(oneLine(withoutPassword(wire.refusal, password))) // go-redis took it for a server without HELLO: "max number of clients reached"
	}
	hint := ""
	switch {
	case strings.HasPrefix(text, "dial "):
	case s.tls.on && wire.Conn == nil && strings.Contains(text, "deadline exceeded"):
		// A Redis without TLS takes the handshake for the beginning of a command and waits for the rest.
		text = "no answer to a TLS handshake, as from a port that does not speak TLS"
	case s.tls.on:
		hint = tlsHint(text, gone, s.tls.cert != "", wire)
	case gone && wire.received == 0 && !strings.HasPrefix(s.endpoints[0], unixScheme):
		hint = "; it hung up before a word, as a port does that speaks only TLS (redis.tls)"
	}
	text = oneLine(withoutPassword(text, password))
	return errors.New(shortenedTo(causeMost-len(hint)-len(" …"), text) + hint)
}

// tlsHint says what to look at when a dial with TLS fails with these words; gone: the server has hung up.
func tlsHint(text string, gone, certified bool, wire *countingConn) string {
	refused := gone || strings.HasPrefix(text, "remote error: tls: ")
	switch {
	case refused && wire.asked && !certified:
		return "; the server asks for a client certificate (redis.tls.cert and redis.tls.key)"
	case refused && wire.asked:
		return "; the server does not take the client certificate (redis.tls.cert)"
	case strings.Contains(text, "signed by unknown authority"):
		return "; who signed the server's certificate is not in redis.tls.ca"
	case strings.Contains(text, "has expired or is not yet valid"):
		return "; the server's certificate, or that of who signed it, must be renewed"
	case strings.Contains(text, "certificate is valid for") || strings.Contains(text, "cannot validate certificate for") ||
		strings.Contains(text, "not valid for any names") || strings.Contains(text, "legacy Common Name"):
		return "; the server's certificate is for another name (redis.tls.serverName)"
	case strings.Contains(text, "does not look like a TLS handshake"):
		return "; the server does not speak TLS at this port"
	case gone && wire.Conn == nil:
		return "; it hung up in the TLS handshake, as a port does that does not speak TLS"
	}
	return ""
}

// oneLine is text without what would tear a line of the log: a server has had a hand in it.
func oneLine(text string) string {
	return strings.Map(printableOrBlank, text)
}

// printableOrBlank puts a blank in the place of a control character.
func printableOrBlank(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
