package registry

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
)

// Place says where the schema of a topic's values, or of its keys, is. It is checked and touches nothing.
type Place struct {
	File    string // "": in the registry
	Name    string // of the record or message; "": not said
	Version int    // of the subject; Latest, or Derived: not said
	// AutoRegister: what is written is registered where it is not yet.
	AutoRegister bool

	topic, suffix, subject, strategy string
	prefix                           string // of the schema's options, for messages
	settings                         settings
}

// Versions that are no numbers.
const (
	Derived = 0
	Latest  = -1
)

// ValuePlace is where the schema of a topic's values is.
func ValuePlace(s format.Spec) (Place, error) { return place(s, "schema.", "-value") }

// KeyPlace is where the schema of a topic's keys is.
func KeyPlace(s format.Spec) (Place, error) { return place(s, "key_schema.", "-key") }

func place(s format.Spec, prefix, suffix string) (Place, error) {
	given := map[string]string{}
	for name, value := range s.Options {
		if strings.HasPrefix(name, "registry.") || strings.HasPrefix(name, "schema.") || strings.HasPrefix(name, "key_schema.") {
			given[name] = value
		}
	}
	o, err := connectors.CheckOptions(Options(), nil, given)
	if err != nil {
		return Place{}, err
	}
	p := Place{
		File: o.Get(prefix + "file"), Name: o.Get(prefix + "name"), subject: o.Get(prefix + "subject"),
		topic: s.Topic, suffix: suffix, prefix: prefix, strategy: strings.ToLower(o.Get("registry.subject_strategy")),
		AutoRegister: o.Bool("registry.auto_register"),
	}
	if p.settings, err = newSettings(o); err != nil {
		return Place{}, err
	}
	switch v := strings.ToLower(o.Get(prefix + "version")); v {
	case "":
	case "latest":
		p.Version = Latest
	default:
		if p.Version, err = strconv.Atoi(v); err != nil || p.Version < 1 {
			return Place{}, fmt.Errorf("option '%sversion' must be 'latest' or a number from 1, not '%s'", prefix, v)
		}
	}
	switch p.strategy {
	case "topic", "record", "topic_record":
	default:
		return Place{}, fmt.Errorf("option 'registry.subject_strategy' must be topic, record or topic_record, not '%s'", p.strategy)
	}
	if p.File != "" && (p.subject != "" || p.Version != Derived) {
		return Place{}, fmt.Errorf("%sfile is given, and so is a subject or version of a registry: leave one of them out", prefix)
	}
	return p, nil
}

// nowhere is the error of a format with neither a file nor a registry.
func (p Place) nowhere() error {
	if p.prefix == "key_schema." {
		return errors.New("the schema of the key is nowhere: name a registry, registry.url = 'http://…' (for all relations: -X registry.url=…), or a file, key_schema.file = '…'")
	}
	return errors.New("the schema of the values is nowhere: name a registry, registry.url = 'http://…' (for all relations: -X registry.url=…), or a file, schema.file = '…'")
}

// Subject is the subject of the schema whose record or message has a full name.
func (p Place) Subject(record string) string {
	switch {
	case p.subject != "":
		return p.subject
	case p.strategy == "record":
		return record
	case p.strategy == "topic_record":
		return p.topic + "-" + record
	}
	return p.topic + p.suffix
}

// named says whether the subject is known without a schema at hand.
func (p Place) named() bool { return p.subject != "" || p.strategy == "topic" || p.Name != "" }

// Open is the client of the place's registry. It touches nothing yet.
func (p Place) Open() (*Client, error) {
	if len(p.settings.urls) == 0 {
		return nil, p.nowhere()
	}
	return open(p.settings)
}

// Current is the registered schema that readers go by: the version that is named, else the latest. ErrNotFound: there is none.
func (p Place) Current(ctx context.Context) (Schema, error) {
	c, err := p.Open()
	if err != nil {
		return Schema{}, err
	}
	if !p.named() {
		return Schema{}, fmt.Errorf("registry.subject_strategy = '%s' names subjects by the record: name it, %sname = '…', or the subject, %ssubject = '…'", p.strategy, p.prefix, p.prefix)
	}
	version := p.Version
	if version == Derived {
		version = Latest
	}
	return c.Version(ctx, p.Subject(p.Name), version)
}

// Write is the id of the schema that is written: registered, or looked up where AutoRegister is off.
func (p Place) Write(ctx context.Context, s Schema, record string) (int, error) {
	c, err := p.Open()
	if err != nil {
		return 0, err
	}
	subject := p.Subject(record)
	if p.AutoRegister {
		return c.Register(ctx, subject, s)
	}
	id, err := c.Find(ctx, subject, s)
	if errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("subject %s does not hold the schema that would be written, and registry.auto_register is false: register it, or write with one that is there, %sversion = 'latest'; it would be\n%s", subject, p.prefix, s.Text)
	}
	return id, err
}

// recordName is what to call the record or message of a schema that is made, where nobody said: the topic, with _ for what
// names do not hold, and _key for the key's.
func (p Place) recordName() string {
	name := []byte(p.topic)
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			name[i] = '_'
		}
	}
	if p.suffix == "-key" || len(name) == 0 {
		name = append(name, "_key"...)
	}
	return string(name)
}
