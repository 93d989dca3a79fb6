package configs

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// fileForm is what Traefik's file provider makes of a parsed file: scalars become text, floats with six decimals unless they are
// whole, nulls vanish, and an empty map or list becomes "". The end-to-end tests hold this to Traefik's own decoder.
func fileForm(raw map[string]interface{}) map[string]interface{} {
	form := map[string]interface{}{}
	for name, value := range raw {
		if value != nil {
			form[name] = fileValue(value)
		}
	}
	return form
}

func fileValue(value interface{}) interface{} {
	switch v := value.(type) {
	case map[string]interface{}:
		if len(v) == 0 {
			return ""
		}
		return fileForm(v)
	case []interface{}:
		if len(v) == 0 {
			return ""
		}
		var list []interface{}
		for _, item := range v {
			list = append(list, fileItem(item))
		}
		return list
	case float64:
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 6, 64), ".000000")
	default:
		return fmt.Sprint(v)
	}
}

// fileItem is an item of a list, where numbers stay numbers.
func fileItem(item interface{}) interface{} {
	if n, ok := item.(int); ok {
		return int64(n)
	}
	return fileValue(item)
}

// kubernetesForm is what is left of a specification after JSON: every number a float64.
func kubernetesForm(raw map[string]interface{}) (map[string]interface{}, error) {
	content, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	form := map[string]interface{}{}
	return form, json.Unmarshal(content, &form)
}

// labelForm is what Traefik makes of labels: text alone, and lists of tables in the order of their sorted names, [10] before [2].
func labelForm(labels map[string]string) map[string]interface{} {
	names := make([]string, 0, len(labels))
	for name := range labels {
		names = append(names, name)
	}
	sort.Strings(names)
	form := map[string]interface{}{}
	items := map[string]map[string]interface{}{}
	for _, name := range names {
		head, rest, indexed := strings.Cut(name, "].")
		if !indexed {
			setLabel(form, strings.Split(name, "."), labels[name])
			continue
		}
		if items[head] == nil {
			list := head[:strings.Index(head, "[")]
			items[head] = map[string]interface{}{}
			sofar, _ := form[list].([]interface{})
			form[list] = append(sofar, items[head])
		}
		setLabel(items[head], strings.Split(rest, "."), labels[name])
	}
	return form
}

// setLabel puts value where steps lead from table.
func setLabel(table map[string]interface{}, steps []string, value string) {
	for _, step := range steps[:len(steps)-1] {
		if table[step] == nil {
			table[step] = map[string]interface{}{}
		}
		table = table[step].(map[string]interface{})
	}
	table[steps[len(steps)-1]] = value
}
