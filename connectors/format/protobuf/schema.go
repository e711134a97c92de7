package protobuf

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/streamsql-go/streamsql/connectors/format/registry"
)

// include are files that registries know without having them registered.
//
//go:embed include
var include embed.FS

// rootFile is what a schema without a name is called while it is read.
const rootFile = "schema.proto"

// file is a schema file and what was made of its messages.
type file struct {
	descriptor protoreflect.FileDescriptor
	messages   map[protoreflect.FullName]*message
}

// parse reads a schema. References are the files that it imports.
func parse(text string, references []registry.Reference) (*file, error) {
	texts := map[string]string{rootFile: text}
	for _, r := range references {
		texts[r.Name] = r.Text
	}
	return compile(rootFile, func(name string) (protocompile.SearchResult, error) {
		text, ok := texts[name]
		if !ok {
			return included(name)
		}
		if d := serialized(name, text); d != nil {
			return protocompile.SearchResult{Proto: d}, nil
		}
		return protocompile.SearchResult{Source: strings.NewReader(text)}, nil
	})
}

// serialized is a schema that is no text but a file descriptor in base64, which is how some clients register theirs and some
// registries hand them out; nil: it is text. It goes by the name that it is asked for under.
func serialized(name, text string) *descriptorpb.FileDescriptorProto {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil
	}
	d := &descriptorpb.FileDescriptorProto{}
	if proto.Unmarshal(b, d) != nil {
		return nil
	}
	d.Name = proto.String(name)
	for _, m := range d.MessageType {
		nameJSON(m)
	}
	return d
}

// nameJSON gives the fields of a message the JSON names that are missing: not all clients set them, and two without one are in
// each other's way. What they are does not matter here.
func nameJSON(m *descriptorpb.DescriptorProto) {
	for _, f := range m.Field {
		if f.GetJsonName() == "" {
			f.JsonName = proto.String(f.GetName())
		}
	}
	for _, in := range m.NestedType {
		nameJSON(in)
	}
}

// parseFile reads a schema from a file; imports are looked for beside it, and further up as far as the import's own folders go.
func parseFile(name string) (*file, error) {
	f, err := compile(filepath.Base(name), func(wanted string) (protocompile.SearchResult, error) {
		dir := filepath.Dir(name)
		for range strings.Count(wanted, "/") + 1 {
			if text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(wanted))); err == nil {
				return protocompile.SearchResult{Source: bytes.NewReader(text)}, nil
			}
			dir = filepath.Join(dir, "..")
		}
		return included(wanted)
	})
	if err != nil {
		return nil, fmt.Errorf("schema.file %s: %w", name, err)
	}
	return f, nil
}

func included(name string) (protocompile.SearchResult, error) {
	b, err := include.ReadFile(path.Join("include", name))
	return protocompile.SearchResult{Source: bytes.NewReader(b)}, err
}

func compile(root string, find protocompile.ResolverFunc) (*file, error) {
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(find), MaxParallelism: 1}
	files, err := c.Compile(context.Background(), root)
	if err != nil {
		return nil, err
	}
	return &file{descriptor: files[0], messages: map[protoreflect.FullName]*message{}}, nil
}

// usable is parse of a registered schema.
func usable(s registry.Schema) (*file, error) {
	if err := s.Is(registry.Protobuf); err != nil {
		return nil, err
	}
	return parse(s.Text, s.References)
}

// named is the message of a full name, or of the only part of one; "": the first of the file.
func (f *file) named(name string) (*message, error) {
	all := f.descriptor.Messages()
	if name == "" {
		if all.Len() == 0 {
			return nil, fmt.Errorf("the schema has no message")
		}
		return f.message(all.Get(0)), nil
	}
	var found protoreflect.MessageDescriptor
	var known []string
	var visit func(ms protoreflect.MessageDescriptors)
	visit = func(ms protoreflect.MessageDescriptors) {
		for i := range ms.Len() {
			m := ms.Get(i)
			if m.IsMapEntry() {
				continue
			}
			known = append(known, string(m.FullName()))
			if string(m.FullName()) == name || found == nil && string(m.Name()) == name {
				found = m
			}
			visit(m.Messages())
		}
	}
	visit(all)
	if found == nil {
		return nil, fmt.Errorf("the schema has no message %s; there are %s", name, strings.Join(known, ", "))
	}
	return f.message(found), nil
}

// at is the message of an index: the place in the file, then the places inside that.
func (f *file) at(index []int) (*message, error) {
	ms := f.descriptor.Messages()
	for k, i := range index {
		if i < 0 || i >= ms.Len() {
			return nil, fmt.Errorf("the schema has no message at %v", index)
		}
		if k == len(index)-1 {
			return f.message(ms.Get(i)), nil
		}
		ms = ms.Get(i).Messages()
	}
	return nil, fmt.Errorf("the schema has no message at %v", index)
}

// indexOf is the index of a message.
func indexOf(m protoreflect.MessageDescriptor) []int {
	if outer, ok := m.Parent().(protoreflect.MessageDescriptor); ok {
		return append(indexOf(outer), m.Index())
	}
	return []int{m.Index()}
}
