package ratelimit

import "time"

// Config is what a user writes below the plugin's name. Scalars are strings, whatever the provider makes of them,
// so that compile checks them and names them in its faults. Lists are nil when not given.
// Unknown collects what has no field, so that a misspelled option is a fault and not silence.
type Config struct {
	Algorithm       string
	Average         string
	Period          string
	Burst           string
	Limits          []LimitConfig
	SourceCriterion SourceConfig
	Redis           RedisConfig
	Timeout         string
	FailureMode     string
	LocalShare      string
	Headers         []string
	Denied          DeniedConfig
	Unknown         map[string]interface{} `mapstructure:",remain"`
}

// LimitConfig is one of several limits.
type LimitConfig struct {
	Name      string
	Algorithm string
	Average   string
	Period    string
	Burst     string
	Unknown   map[string]interface{} `mapstructure:",remain"`
}

// SourceConfig says who is counted.
type SourceConfig struct {
	IPStrategy        IPStrategyConfig
	RequestHeaderName string
	RequestHost       string
	Unknown           map[string]interface{} `mapstructure:",remain"`
}

// IPStrategyConfig says which address a request came from.
type IPStrategyConfig struct {
	Depth       string
	ExcludedIPs []string
	IPv6Subnet  string
	Unknown     map[string]interface{} `mapstructure:",remain"`
}

// RedisConfig says where the shared counts are.
type RedisConfig struct {
	Endpoints      []string
	Mode           string
	Username       string
	Password       string
	PasswordFile   string
	DB             string
	TLS            *TLSConfig // not given: no TLS
	PoolSize       string
	MinIdleConns   string
	MaxActiveConns string
	DialTimeout    string
	ReadTimeout    string
	WriteTimeout   string
	KeyPrefix      string
	Sentinel       SentinelConfig
	Unknown        map[string]interface{} `mapstructure:",remain"`
}

// TLSConfig says how the connection to Redis is encrypted. CA, Cert and Key are each a path or PEM text.
type TLSConfig struct {
	CA                 string
	Cert               string
	Key                string
	InsecureSkipVerify string
	ServerName         string
	Unknown            map[string]interface{} `mapstructure:",remain"`
}

// SentinelConfig says how to ask the sentinels for the master, in mode sentinel.
type SentinelConfig struct {
	MasterSet    string
	Username     string
	Password     string
	PasswordFile string
	Unknown      map[string]interface{} `mapstructure:",remain"`
}

// DeniedConfig is the answer that a denied request gets.
type DeniedConfig struct {
	StatusCode  string
	ContentType string
	Body        string
	Unknown     map[string]interface{} `mapstructure:",remain"`
}

// settings is what a Config means once every check has passed; the server runs on it alone.
type settings struct {
	name        string        // the middleware's qualified name, such as api@file
	limits      []limit       // sorted by name, limits with average 0 left out; none: every request passes
	source      criterion     // who is counted
	redis       redisSettings // where
	keyHead     string        // what stands before the source in a key, such as "ratelimit:api@file:{"
	timeout     time.Duration // how long one request waits for its decision at most
	failureMode string        // failOpen, failClosed or failLocal
	local       []limit       // failLocal only: the share of each limit that this instance applies while Redis cannot decide
	xRateLimit  bool          // header flavour x-ratelimit
	rateLimit   bool          // header flavour ratelimit
	denied      deniedAnswer
	fingerprint string // a hash of all of the above, secrets included
	words       string // the effective rules in words for the start line, secrets masked
}

// The failure modes by the names that users write.
const (
	failOpen   = "open"
	failClosed = "closed"
	failLocal  = "local"
)

// redisSettings is one distinct way to connect: equal settings share one client.
type redisSettings struct {
	mode           string   // modeStandalone, modeSentinel or modeCluster
	endpoints      []string // standalone: one host:port or unix:///path; sentinel: the sentinels; cluster: some of its nodes
	sentinel       sentinelSettings
	username       string
	password       string
	passwordFile   string // read at each dial; "" is none
	db             int
	tls            tlsSettings
	poolSize       int // 0: poolSizeDefault
	minIdleConns   int
	maxActiveConns int
	dialTimeout    time.Duration // of a connection with HELLO and AUTH, in the background
	readTimeout    time.Duration // of one exchange, at most the middleware's timeout
	writeTimeout   time.Duration
	identity       string // a hash of all of the above
}

// tlsSettings says how a connection is encrypted. ca, cert and key are each the path of a file, read at each dial, or PEM text.
type tlsSettings struct {
	on         bool
	ca         string // who may have signed the server's certificate; "" is the system's authorities
	cert       string // the client certificate; "" is none
	key        string // its private key
	unverified bool   // any server will do
	serverName string // what the server's certificate must be for; "" is the host that is dialled
}

// sentinelSettings is how to ask the sentinels; all of it is empty in another mode.
type sentinelSettings struct {
	masterSet    string // the name under which the sentinels watch the master
	username     string
	password     string
	passwordFile string // read at each dial; "" is none
}

// deniedAnswer is what a denied request gets beside the headers.
type deniedAnswer struct {
	statusCode  int
	contentType string
	body        string
}
