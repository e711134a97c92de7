package registry

import (
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
)

// connection are the options that reach a registry.
var connection = []connectors.Option{
	{Name: "registry.url", Type: connectors.ListOption, Doc: "addresses of the schema registry, http:// or https://, the next one is asked when one is away"},
	{Name: "registry.user", Type: connectors.TextOption, Doc: "user of the schema registry"},
	{Name: "registry.password", Type: connectors.SecretOption, Doc: "password of that user"},
	{Name: "registry.token", Type: connectors.SecretOption, Doc: "bearer token for the schema registry, instead of user and password"},
	{Name: "registry.tls.ca", Type: connectors.PathOption, Doc: "PEM file of the authorities that signed the registry's certificate; default: the system's"},
	{Name: "registry.tls.cert", Type: connectors.PathOption, Doc: "PEM file of the client certificate for the registry"},
	{Name: "registry.tls.key", Type: connectors.PathOption, Doc: "PEM file of the client certificate's key"},
	{Name: "registry.tls.server_name", Type: connectors.TextOption, Doc: "name expected in the registry's certificate; default: the host"},
	{Name: "registry.tls.insecure", Type: connectors.BoolOption, Default: "false", Doc: "do not verify the registry's certificate (never in production)"},
	{Name: "registry.timeout", Type: connectors.DurationOption, Default: "5s", Doc: "how long to wait for an answer of the registry"},
	{Name: "registry.auto_register", Type: connectors.BoolOption, Default: "true", Doc: "register the schema of what is written; false: it must be registered already"},
	{Name: "registry.subject_strategy", Type: connectors.TextOption, Default: "topic", Doc: "names of subjects: topic (<topic>-value), record (<record>) or topic_record (<topic>-<record>)"},
}

// schemas are the options that say which schema is meant; with the prefix key_ those of the key.
var schemas = []connectors.Option{
	{Name: "schema.file", Type: connectors.PathOption, Doc: "file with the schema (.avsc, .proto); the values are then its plain bytes, without the header of a registry"},
	{Name: "schema.name", Type: connectors.TextOption, Doc: "full name of the record or message: which one of several to read, and what to call the one that is written"},
	{Name: "schema.subject", Type: connectors.TextOption, Doc: "subject in the registry; default: as registry.subject_strategy says"},
	{Name: "schema.version", Type: connectors.TextOption, Doc: "version of the subject: 'latest' or a number. Reading, where columns and defaults come from (default latest); writing, the schema to write with (default: one made of the columns)"},
}

// Options are the options of formats whose values and keys go by a schema.
func Options() []connectors.Option {
	return slices.Concat(schemas, keyed(schemas), connection)
}

// Framed are the options of a format that only goes with a registry, not with a file.
func Framed() []connectors.Option {
	return slices.DeleteFunc(Options(), func(o connectors.Option) bool {
		return o.Name == "schema.file" || o.Name == "key_schema.file"
	})
}

// Defaults are the options that may be given once for the whole program.
func Defaults() []connectors.Option { return slices.Clone(connection) }

func keyed(options []connectors.Option) []connectors.Option {
	out := make([]connectors.Option, len(options))
	for i, o := range options {
		o.Name, o.Doc = "key_"+o.Name, "as "+o.Name+", of the Kafka key"
		out[i] = o
	}
	return out
}
