package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// Use is how a relation uses formats.
type Use struct {
	Name      string // of the relation, for messages
	Format    string
	KeyFormat string
	Value     Spec
	Key       []Column // those in the Kafka key; nil: the key is not used
	Written   bool     // by a query; else it is read
}

// Misuse is a mistake in a declaration, with the option that is wrong.
type Misuse struct {
	Option string // "format", "key_format", or an option of a format
	Err    error
	Hint   string
}

// Error is Err's.
func (m *Misuse) Error() string { return m.Err.Error() }

// Unwrap is Err.
func (m *Misuse) Unwrap() error { return m.Err }

// Check makes what reads or writes the records, to find out whether the formats hold the columns and take the options. An
// error is a *Misuse.
func (u Use) Check() error {
	for _, name := range sorted(u.Value.Options) {
		if err := u.option(name); err != nil {
			return err
		}
	}
	var err error
	if u.Written {
		_, err = NewEncoder(u.Format, u.Value, nil)
	} else {
		_, err = NewDecoder(u.Format, u.Value)
	}
	if err != nil {
		return &Misuse{Option: "format", Err: err}
	}
	if len(u.Key) == 0 {
		return nil
	}
	keys := u.Value
	keys.Columns = u.Key
	if _, err := NewKeyCodec(u.KeyFormat, keys); err != nil {
		return &Misuse{Option: "key_format", Err: err}
	}
	return nil
}

func sorted(options map[string]string) []string {
	names := make([]string, 0, len(options))
	for name := range options {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// option checks that an option belongs to one of the two formats, and its value.
func (u Use) option(name string) error {
	var owners, known []string
	for _, f := range All() {
		if !slices.ContainsFunc(f.Options, func(o connectors.Option) bool { return o.Name == name }) {
			for _, o := range f.Options {
				known = append(known, o.Name)
			}
			continue
		}
		owners = append(owners, f.Name)
		if u.takes(f.Name, name) {
			if _, err := f.CheckOptions(map[string]string{name: u.Value.Options[name]}); err != nil {
				return &Misuse{Option: name, Err: err}
			}
			return nil
		}
	}
	if len(owners) == 0 {
		return &Misuse{Option: name, Err: fmt.Errorf("unknown option %s", name), Hint: spell.Hint(name, "options of formats", known)}
	}
	where, has := "format", u.Format
	if strings.HasPrefix(name, keyPrefix) {
		where, has = "key_format", u.KeyFormat
	}
	return &Misuse{Option: name, Err: fmt.Errorf("option %s belongs to %s '%s', %s has '%s'", name, where, strings.Join(owners, "' or '"), u.Name, has),
		Hint: fmt.Sprintf("leave the option out, or add %s = '%s'", where, owners[0])}
}

// keyPrefix begins the names of options that are of the key alone; those of the value alone have the same name without it.
const keyPrefix = "key_"

// takes says whether an option has an effect where a format is used.
func (u Use) takes(f, option string) bool {
	twin := func(o connectors.Option) bool { return o.Name == keyPrefix+option }
	switch has, err := Lookup(f); {
	case err != nil:
		return false
	case strings.HasPrefix(option, keyPrefix):
		return f == u.KeyFormat
	case slices.ContainsFunc(has.Options, twin):
		return f == u.Format
	}
	return f == u.Format || f == u.KeyFormat
}
