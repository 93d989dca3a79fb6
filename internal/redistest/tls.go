package redistest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates of servers and clients.
type Authority struct {
	PEM string // its own certificate

	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// Pair is a certificate and its private key, both in PEM.
type Pair struct{ Cert, Key string }

// NewAuthority makes an authority that nobody trusts yet.
func NewAuthority(t testing.TB, name string) *Authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &Authority{PEM: inPEM("CERTIFICATE", der), certificate: certificate, key: key}
}

// Issue makes a certificate for the host names and addresses, good for d from now; for a negative d it has been expired as long.
func (a *Authority) Issue(t testing.TB, d time.Duration, names ...string) Pair {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "redistest"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(d),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return Pair{Cert: inPEM("CERTIFICATE", der), Key: inPEM("PRIVATE KEY", keyDER)}
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// StartTLS is Start for a server that speaks only TLS at Addr, as pair, and takes clients that clients has signed, or any
// client when clients is nil. Its Unix socket is plain.
func StartTLS(t testing.TB, pair Pair, clients *Authority, args ...string) *Server {
	t.Helper()
	return start(t, "--tls-port", append(tlsOptions(t, pair, clients), args...))
}

// tlsOptions are those of a server that speaks only TLS.
func tlsOptions(t testing.TB, pair Pair, clients *Authority) []string {
	t.Helper()
	folder, err := os.MkdirTemp("", "redistest-tls")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	encrypted := []string{"--port", "0", "--tls-cert-file", file("tls.crt", pair.Cert), "--tls-key-file", file("tls.key", pair.Key)}
	if clients == nil {
		encrypted = append(encrypted, "--tls-auth-clients", "no", "--tls-ca-cert-file", file("ca.crt", pair.Cert))
	} else {
		encrypted = append(encrypted, "--tls-auth-clients", "yes", "--tls-ca-cert-file", file("ca.crt", clients.PEM))
	}
	return encrypted
}
