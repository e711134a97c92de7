package connectors

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// OptionType says how the text of an option is checked.
type OptionType uint8

// The option types.
const (
	TextOption     OptionType = iota
	IntOption                 // a whole number >= 0
	BoolOption                // true or false
	DurationOption            // 500ms, 10s, 1m30s, …, >= 0
	ListOption                // texts, separated by commas
	PathOption                // of a file or directory
	SecretOption              // a text that is not shown
)

// Option declares one option of a connector: of a WITH clause, or of the process (kafka.…). A connector's table of them is what it accepts, what SHOW OPTIONS
// prints and what the documentation shows.
type Option struct {
	Name    string // "file.path"; a name that ends in ".<column>" stands for one option per column
	Type    OptionType
	Default string // shown, and returned by Get when the option is not given
	Doc     string // one line
}

// String describes the type in messages and tables.
func (t OptionType) String() string {
	return [...]string{"text", "a whole number from 0", "true or false", "a duration from 0", "a list, separated by commas", "a path", "a secret"}[t]
}

// Options are the checked options of one relation.
type Options struct {
	table []Option
	given map[string]string
}

// CheckOptions checks the given options (names in any case) against a connector's table. Columns are the names that
// ".<column>" may stand for. Unknown names and values of the wrong type are errors.
func CheckOptions(table []Option, columns []string, given map[string]string) (*Options, error) {
	o := &Options{table: table, given: make(map[string]string, len(given))}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		opt, ok := o.find(strings.ToLower(name), columns)
		if !ok {
			return nil, unknownOption(name, table, columns)
		}
		if err := opt.check(given[name]); err != nil {
			return nil, err
		}
		o.given[strings.ToLower(name)] = given[name]
	}
	return o, nil
}

const perColumn = "<column>"

func (o *Options) find(name string, columns []string) (Option, bool) {
	for _, opt := range o.table {
		if opt.Name == name {
			return opt, true
		}
	}
	for _, opt := range o.table {
		prefix, isPattern := strings.CutSuffix(opt.Name, perColumn)
		column, matches := strings.CutPrefix(name, prefix)
		if !isPattern || !matches {
			continue
		}
		for _, c := range columns {
			if strings.EqualFold(c, column) {
				opt.Name = name
				return opt, true
			}
		}
	}
	return Option{}, false
}

func (opt Option) check(value string) error {
	var ok bool
	switch opt.Type {
	case IntOption:
		n, err := strconv.ParseInt(value, 10, 64)
		ok = err == nil && n >= 0
	case BoolOption:
		ok = strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
	case DurationOption:
		d, err := types.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("option '%s': %w", opt.Name, err)
		}
		ok = d >= 0
	default:
		return nil
	}
	if !ok {
		return fmt.Errorf("option '%s' must be %s, not '%s'", opt.Name, opt.Type, value)
	}
	return nil
}

func unknownOption(name string, table []Option, columns []string) error {
	known := make([]string, 0, len(table)+len(columns))
	for _, opt := range table {
		if prefix, ok := strings.CutSuffix(opt.Name, perColumn); ok {
			for _, c := range columns {
				known = append(known, prefix+c)
			}
			continue
		}
		known = append(known, opt.Name)
	}
	if best := spell.Closest(name, known); best != "" {
		return fmt.Errorf("unknown option '%s': did you mean '%s'?", name, best)
	}
	return fmt.Errorf("unknown option '%s': known are %s", name, strings.Join(known, ", "))
}

// Get is the text of an option, or its default.
func (o *Options) Get(name string) string {
	if v, ok := o.given[strings.ToLower(name)]; ok {
		return v
	}
	for _, opt := range o.table {
		if opt.Name == name {
			return opt.Default
		}
	}
	return ""
}

// Int is an IntOption.
func (o *Options) Int(name string) int64 {
	n, _ := strconv.ParseInt(o.Get(name), 10, 64)
	return n
}

// Bool is a BoolOption.
func (o *Options) Bool(name string) bool { return strings.EqualFold(o.Get(name), "true") }

// Duration is a DurationOption in microseconds.
func (o *Options) Duration(name string) int64 {
	d, _ := types.ParseDuration(o.Get(name))
	return d
}
