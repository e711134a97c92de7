package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/connectors/kafka"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// given is a value of a setting with the place it comes from, for messages.
type given struct{ name, value, origin string }

// configure reads the configuration: file, then environment, then -X, then flags, each over the ones before.
func (a *app) configure(cmd *cobra.Command) error {
	a.config.define = map[string]string{}
	var all []given
	for _, read := range []func(*cobra.Command) ([]given, error){a.fromFile, a.fromEnvironment, a.fromExtra, a.fromFlags} {
		gs, err := read(cmd)
		if err != nil {
			return err
		}
		all = append(all, gs...)
	}
	// Only the last value of a setting counts: a value that is overridden need not be right.
	seen := map[string]bool{}
	for _, g := range slices.Backward(all) {
		if seen[g.name] {
			continue
		}
		seen[g.name] = true
		if err := a.config.apply(g); err != nil {
			return err
		}
	}
	for _, d := range a.flags.define {
		name, value, ok := strings.Cut(d, "=")
		if !ok || name == "" {
			return usagef("-D %s: use -D var=value", d)
		}
		a.config.define[name] = value
	}
	a.log = logger(a.stderr, a.config.logs, a.flags.verbose)
	a.config.options.Logger = a.log
	if err := a.config.options.Validate(); err != nil {
		return usagef("%v", err)
	}
	return nil
}

// apply sets one value.
func (c *config) apply(g given) error {
	if variable, ok := strings.CutPrefix(g.name, "define."); ok {
		c.define[variable] = g.value
		return nil
	}
	var err error
	switch {
	case strings.HasPrefix(g.name, "kafka."):
		err = c.options.Kafka.Set(g.name, g.value)
	case strings.HasPrefix(g.name, "registry."):
		if c.options.Formats == nil {
			c.options.Formats = map[string]string{}
		}
		c.options.Formats[g.name] = g.value
		_, err = connectors.CheckOptions(registry.Defaults(), nil, map[string]string{g.name: g.value})
	default:
		for _, s := range settings() {
			if s.name == g.name {
				if err = s.set(c, g.value); err != nil {
					err = fmt.Errorf("%s: %w", shown(g), err)
				}
			}
		}
	}
	if err != nil {
		return usagef("%s: %v", g.origin, err)
	}
	return nil
}

func shown(g given) string { return fmt.Sprintf("%s = %q", g.name, g.value) }

// names are all that may be configured.
func names() []string {
	var out []string
	for _, s := range settings() {
		out = append(out, s.name)
	}
	for _, o := range kafka.OptionTable() {
		if o.Name != "kafka.brokers" {
			out = append(out, o.Name)
		}
	}
	for _, o := range registry.Defaults() {
		out = append(out, o.Name)
	}
	return out
}

// unknown says that there is no such setting.
func unknown(name string) string {
	if name == "kafka.brokers" {
		return "kafka.brokers: use brokers"
	}
	text := fmt.Sprintf("unknown setting %q", name)
	if near := spell.Closest(name, names()); near != "" {
		return text + ": did you mean " + near + "?"
	}
	return text + ": there are " + strings.Join(names(), ", ")
}

func (a *app) fromFile(*cobra.Command) ([]given, error) {
	path, wanted := a.flags.config, true
	if path == "" {
		path = a.getenv("STREAMSQL_CONFIG")
	}
	if path == "" {
		path, wanted = "streamsql.yaml", false
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !wanted {
		return nil, nil
	}
	if err != nil {
		return nil, usagef("configuration: %v", err)
	}
	return parseFile(path, string(text))
}

// fromEnvironment reads STREAMSQL_STATE_DIR for state_dir and STREAMSQL_KAFKA_TLS_CA for kafka.tls.ca. A name that is no
// setting is only warned about: Kubernetes sets STREAMSQL_SERVICE_HOST and others for a service called streamsql.
func (a *app) fromEnvironment(*cobra.Command) ([]given, error) {
	byVariable := map[string]string{}
	for _, n := range names() {
		byVariable[variable(n)] = n
	}
	var out []given
	for _, kv := range a.environ() {
		name, value, _ := strings.Cut(kv, "=")
		switch setting, ok := byVariable[name]; {
		case !strings.HasPrefix(name, "STREAMSQL_"), name == "STREAMSQL_CONFIG", value == "":
		case ok:
			out = append(out, given{setting, value, name})
		case !strings.Contains(name, "_SERVICE_") && !strings.Contains(name, "_PORT"):
			fmt.Fprintf(a.stderr, "streamsql: warning: %s stands for no setting\n", name)
		}
	}
	return out, nil
}

func variable(setting string) string {
	return "STREAMSQL_" + strings.ToUpper(strings.ReplaceAll(setting, ".", "_"))
}

func (a *app) fromExtra(*cobra.Command) ([]given, error) {
	var out []given
	for _, x := range a.flags.extra {
		name, value, ok := strings.Cut(x, "=")
		if !ok {
			return nil, usagef("-X %s: use -X setting=value", x)
		}
		if !slices.Contains(names(), name) {
			return nil, usagef("-X: %s", unknown(name))
		}
		out = append(out, given{name, value, "-X"})
	}
	return out, nil
}

func (a *app) fromFlags(cmd *cobra.Command) ([]given, error) {
	var out []given
	for _, s := range settings() {
		if f := cmd.Flags().Lookup(s.flag()); f != nil && f.Changed {
			out = append(out, given{s.name, f.Value.String(), "--" + s.flag()})
		}
	}
	return out, nil
}
