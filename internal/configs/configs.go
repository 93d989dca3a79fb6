// Package configs reads configurations that are kept as data, and shows them as Traefik's providers hand them to a plugin.
// The tests of the compiled and of the interpreted plugin share it.
package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/mitchellh/mapstructure"
	"gopkg.in/yaml.v3"
)

// Case is one configuration and what becomes of it.
type Case struct {
	Why    string   // why the case is there
	From   string   // the provider: file (when empty), labels or kubernetes
	Config string   // what the user wrote
	Faults []string // every line of the error, without the middleware's name; none when the configuration is good
	Words  string   // how the start line states a good one
}

// Read is all cases of the files in folder, in order, each Why beginning with its file's name.
func Read(folder string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var cases []Case
		if err := yaml.Unmarshal(content, &cases); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, c := range cases {
			c.Why = filepath.Base(file) + ", " + c.Why
			all = append(all, c)
		}
	}
	return all, nil
}

// Raw is the case's configuration as its provider hands it to the plugin's decoder.
func Raw(c Case) (map[string]interface{}, error) {
	switch c.From {
	case "labels":
		labels := map[string]string{}
		err := yaml.Unmarshal([]byte(c.Config), &labels)
		return labelForm(labels), err
	case "kubernetes":
		raw, err := parse(c.Config)
		if err != nil {
			return nil, err
		}
		return kubernetesForm(raw)
	}
	raw, err := parse(c.Config)
	return fileForm(raw), err
}

// Decode fills the plugin's Config as Traefik's plugin loader does: by its decoder with its options.
func Decode(raw map[string]interface{}, config interface{}) error {
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		DecodeHook:       mapstructure.StringToSliceHookFunc(","),
		WeaklyTypedInput: true,
		Result:           config,
	})
	if err != nil {
		return err
	}
	return decoder.Decode(raw)
}

// parse reads YAML.
func parse(text string) (map[string]interface{}, error) {
	raw := map[string]interface{}{}
	return raw, yaml.Unmarshal([]byte(text), &raw)
}

// SourceCase is a request, and who is counted for it.
type SourceCase struct {
	Why       string
	Criterion map[string]interface{} // the option sourceCriterion
	Remote    string                 // the request's remote address
	Host      string
	Headers   map[string][]string
	Source    string // the source as it stands in the key
	Hashed    string // or the text whose hash it is
}

// ReadSources is all source cases of a file.
func ReadSources(file string) ([]SourceCase, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []SourceCase
	return cases, yaml.Unmarshal(content, &cases)
}

// Raw is a configuration with the case's criterion, as the file provider hands it on.
func (c SourceCase) Raw() map[string]interface{} {
	raw := map[string]interface{}{"average": 1, "redis": map[string]interface{}{"endpoints": "redis:6379"}}
	if c.Criterion != nil {
		raw["sourceCriterion"] = c.Criterion
	}
	return fileForm(raw)
}

// Request is the case's request.
func (c SourceCase) Request() *http.Request {
	return &http.Request{RemoteAddr: c.Remote, Host: c.Host, Header: http.Header(c.Headers)}
}

// Want is the case's source as it stands in the key.
func (c SourceCase) Want() string {
	if c.Hashed == "" {
		return c.Source
	}
	sum := sha256.Sum256([]byte(c.Hashed))
	return "#" + hex.EncodeToString(sum[:])[:32]
}
