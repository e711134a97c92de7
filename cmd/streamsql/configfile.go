package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// parseFile reads a configuration file: settings by name, kafka options below kafka, variables of SQL below define.
func parseFile(path, text string) ([]given, error) {
	f := configFile{path: path, lines: strings.Split(text, "\n")}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, f.syntax(err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	if err := f.mapping("", doc.Content[0]); err != nil {
		return nil, err
	}
	return f.out, nil
}

type configFile struct {
	path  string
	lines []string
	out   []given
}

// mapping reads the keys of a mapping; those of a nested one get its name in front.
func (f *configFile) mapping(prefix string, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return f.at(n, "settings are written as name: value")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := prefix + key.Value
		if seen[name] {
			return f.at(key, name+" is given twice")
		}
		seen[name] = true
		if err := f.entry(name, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (f *configFile) entry(name string, key, value *yaml.Node) error {
	nests := name == "define" || in(name, "kafka") || in(name, "registry")
	if value.Kind == yaml.MappingNode && nests {
		return f.mapping(name+".", value)
	}
	if !strings.HasPrefix(name, "define.") && !slices.Contains(names(), name) {
		return f.at(key, unknown(name))
	}
	var parts []string
	switch {
	case value.Kind == yaml.ScalarNode:
		parts = []string{value.Value}
	case value.Kind == yaml.SequenceNode && name == "brokers":
		for _, x := range value.Content {
			parts = append(parts, x.Value)
		}
	default:
		return f.at(value, name+" takes one value")
	}
	f.out = append(f.out, given{name, strings.Join(parts, ","), fmt.Sprintf("%s:%d:%d", f.path, value.Line, value.Column)})
	return nil
}

// in says whether a name is a group of settings, or inside one.
func in(name, group string) bool { return name == group || strings.HasPrefix(name, group+".") }

// at is an error with the line of the file and a caret below its place.
func (f *configFile) at(n *yaml.Node, text string) error {
	width := max(1, len(n.Value))
	if n.Kind != yaml.ScalarNode {
		width = 1
	}
	return f.place(n.Line, n.Column, width, text)
}

func (f *configFile) place(line, column, width int, text string) error {
	source := ""
	if line >= 1 && line <= len(f.lines) {
		source = strings.TrimRight(f.lines[line-1], "\r")
	}
	return usagef("%s:%d:%d: %s\n  %s\n  %s%s", f.path, line, column, text, source, strings.Repeat(" ", column-1), strings.Repeat("^", width))
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

func (f *configFile) syntax(err error) error {
	var types *yaml.TypeError
	if errors.As(err, &types) {
		return usagef("%s: %v", f.path, err)
	}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return f.place(line, 1, 1, m[2])
	}
	return usagef("%s: %v", f.path, err)
}
