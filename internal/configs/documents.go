package configs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// What the documents and examples call this plugin.
const (
	plugin = "ratelimit"
	module = "github.com/traefik-redis-ratelimit/ratelimit"
)

// Block is one fenced block of a Markdown file.
type Block struct {
	File     string
	Line     int    // of its opening fence, from 1
	Language string // what stands behind the opening fence
	Text     string
}

// Place is where the block stands, for messages.
func (b Block) Place() string {
	return fmt.Sprintf("%s:%d", b.File, b.Line)
}

// Blocks are the fenced blocks of the Markdown file at path, in order.
func Blocks(path string) ([]Block, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Block
	fence := ""
	for i, line := range strings.Split(string(content), "\n") {
		text := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && strings.HasPrefix(text, "```"):
			language := strings.TrimLeft(text, "`")
			fence = line[:len(line)-len(language)]
			all = append(all, Block{File: path, Line: i + 1, Language: language})
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
			last := &all[len(all)-1]
			last.Text += strings.TrimPrefix(line, fence[:strings.Index(fence, "`")]) + "\n"
		}
	}
	if fence != "" {
		return nil, fmt.Errorf("%s: the last block does not end", path)
	}
	return all, nil
}

// Middlewares finds what this plugin is given in YAML text that a user writes for Traefik, by the middleware's name, in the form
// in which the provider hands it on. The text is told by its first level:
//
//	http           dynamic configuration for the file provider
//	services       a compose file with labels
//	apiVersion     Kubernetes' objects
//	experimental   static configuration, which must name the module
//	any other      options of this plugin themselves, under the name ""
//
// knows says which words of the first level are options.
func Middlewares(text string, knows func(option string) bool) (map[string]map[string]interface{}, error) {
	found := map[string]map[string]interface{}{}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		raw := map[string]interface{}{}
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err == nil {
			err = addMiddlewares(found, raw, knows)
		}
		if err != nil {
			return nil, err
		}
	}
}

// addMiddlewares adds those of one YAML document.
func addMiddlewares(found map[string]map[string]interface{}, raw map[string]interface{}, knows func(string) bool) error {
	switch {
	case raw["http"] != nil:
		return addFromFile(found, raw)
	case raw["services"] != nil:
		return addFromCompose(found, raw)
	case raw["apiVersion"] != nil:
		return addFromKubernetes(found, raw)
	case raw["experimental"] != nil:
		return checkStatic(raw)
	case raw["accessLog"] != nil: // more of the static configuration, which says nothing of plugins
		return nil
	}
	for option := range raw {
		if !knows(option) {
			return fmt.Errorf("%q begins no configuration that is known here", option)
		}
	}
	found[""] = fileForm(raw)
	return nil
}

// addFromFile reads what the file provider reads.
func addFromFile(found map[string]map[string]interface{}, raw map[string]interface{}) error {
	middlewares, _ := at(raw, "http", "middlewares").(map[string]interface{})
	for name := range middlewares {
		options, ok := at(middlewares, name, "plugin", plugin).(map[string]interface{})
		if !ok {
			return fmt.Errorf("http.middlewares.%s is not for this plugin", name)
		}
		found[name+"@file"] = fileForm(options)
	}
	if len(middlewares) == 0 {
		return errors.New("http without middlewares")
	}
	return nil
}

// addFromCompose reads the labels of a compose file's services: a list of name=value, or a table.
func addFromCompose(found map[string]map[string]interface{}, raw map[string]interface{}) error {
	services, _ := raw["services"].(map[string]interface{})
	for service := range services {
		switch labels := at(services, service, "labels").(type) {
		case nil:
		case []interface{}:
			table := map[string]interface{}{}
			for _, label := range labels {
				name, value, ok := strings.Cut(fmt.Sprint(label), "=")
				if !ok {
					return fmt.Errorf("services.%s.labels: %v is not name=value", service, label)
				}
				table[name] = value
			}
			addFromLabels(found, table)
		case map[string]interface{}:
			addFromLabels(found, labels)
		default:
			return fmt.Errorf("services.%s.labels is neither a list nor a table", service)
		}
	}
	return nil
}

// addFromLabels reads the labels of one container. In a compose file $$ is one $.
func addFromLabels(found map[string]map[string]interface{}, labels map[string]interface{}) {
	ours := map[string]map[string]string{}
	for label, value := range labels {
		rest := strings.TrimPrefix(label, "traefik.http.middlewares.")
		name, option, ok := strings.Cut(rest, ".plugin."+plugin+".")
		if rest == label || !ok {
			continue
		}
		if ours[name] == nil {
			ours[name] = map[string]string{}
		}
		ours[name][option] = strings.ReplaceAll(fmt.Sprint(value), "$$", "$")
	}
	for name := range ours {
		found[name+"@docker"] = labelForm(ours[name])
	}
}

// addFromKubernetes reads a Middleware. Other kinds of object are those that stand beside one.
func addFromKubernetes(found map[string]map[string]interface{}, raw map[string]interface{}) error {
	name, _ := at(raw, "metadata", "name").(string)
	switch kind := raw["kind"]; kind {
	case "Middleware":
		options, ok := at(raw, "spec", "plugin", plugin).(map[string]interface{})
		if !ok {
			return fmt.Errorf("the Middleware %s is not for this plugin", name)
		}
		form, err := kubernetesForm(options)
		if err != nil {
			return err
		}
		found["default-"+name+"@kubernetescrd"] = resolved(form).(map[string]interface{})
		return nil
	case "IngressRoute", "Secret", "Service", "Deployment":
		return nil
	default:
		return fmt.Errorf("unknown kind of object: %v", kind)
	}
}

// resolved has a word in the place of each Secret, as Traefik puts its content there.
func resolved(value interface{}) interface{} {
	switch v := value.(type) {
	case map[string]interface{}:
		for name := range v {
			v[name] = resolved(v[name])
		}
	case []interface{}:
		for i := range v {
			v[i] = resolved(v[i])
		}
	case string:
		if strings.HasPrefix(v, "urn:k8s:secret:") && strings.Count(v, ":") == 4 {
			return "resolved"
		}
	}
	return value
}

// checkStatic sees that a static configuration loads this plugin.
func checkStatic(raw map[string]interface{}) error {
	for _, kind := range []string{"localPlugins", "plugins"} {
		if at(raw, "experimental", kind, plugin, "moduleName") == module {
			return nil
		}
	}
	names := make([]string, 0, len(raw))
	for name := range raw {
		names = append(names, name)
	}
	sort.Strings(names)
	return fmt.Errorf("experimental (beside %v) does not load %s as %s", names, module, plugin)
}

// at is what lies below table where steps lead, nil when they lead nowhere.
func at(table map[string]interface{}, steps ...string) interface{} {
	var value interface{} = table
	for _, step := range steps {
		below, _ := value.(map[string]interface{})
		value = below[step]
	}
	return value
}
