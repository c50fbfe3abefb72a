// Renders the Helm chart in the folder that is given, as Helm does it: Go's text/template with the functions of Sprig, and
// those that Helm adds. Standard input has a JSON list of {release, values}; values are merged into values.yaml. Standard
// output has a list of {output} or {error}. Debian's golang-github-masterminds-sprig-dev and its dependencies are all it needs.
package main

import (
	"encoding/json"
	"io/ioutil"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type request struct {
	Release string                 `json:"release"`
	Values  map[string]interface{} `json:"values"`
}

type answer struct {
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

type files struct{ folder string }

func (f files) Get(name string) string {
	content, err := ioutil.ReadFile(filepath.Join(f.folder, name))
	if err != nil {
		return ""
	}
	return string(content)
}

func main() {
	chart := os.Args[1]
	var requests []request
	check(json.NewDecoder(os.Stdin).Decode(&requests))
	answers := []answer{}
	for _, one := range requests {
		output, err := render(chart, one)
		if err != nil {
			answers = append(answers, answer{Error: err.Error()})
		} else {
			answers = append(answers, answer{Output: output})
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(answers))
}

func render(chart string, one request) (string, error) {
	values := map[string]interface{}{}
	defaults, err := ioutil.ReadFile(filepath.Join(chart, "values.yaml"))
	check(err)
	check(yaml.Unmarshal(defaults, &values))
	root := map[string]interface{}{
		"Values":  merge(values, one.Values),
		"Release": map[string]interface{}{"Name": one.Release, "Namespace": one.Release},
		"Files":   files{chart},
	}
	set := template.New("").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		check(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := set.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	set.Funcs(functions)
	paths, err := filepath.Glob(filepath.Join(chart, "templates/*"))
	check(err)
	sort.Strings(paths)
	for _, path := range paths {
		content, err := ioutil.ReadFile(path)
		check(err)
		if _, err := set.New(path).Parse(string(content)); err != nil {
			return "", err
		}
	}
	var output strings.Builder
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "_") {
			continue
		}
		output.WriteString("\n---\n")
		if err := set.ExecuteTemplate(&output, path, root); err != nil {
			return "", err
		}
	}
	return strings.ReplaceAll(output.String(), "<no value>", ""), nil
}

func merge(defaults, changes map[string]interface{}) map[string]interface{} {
	for name, change := range changes {
		inner, isMap := change.(map[string]interface{})
		old, wasMap := defaults[name].(map[string]interface{})
		if isMap && wasMap {
			defaults[name] = merge(old, inner)
		} else {
			defaults[name] = change
		}
	}
	return defaults
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
