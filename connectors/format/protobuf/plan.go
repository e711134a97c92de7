package protobuf

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/registry"
	"github.com/streamsql-go/streamsql/sql/types"
)

// step is what to do with a message: columns that take fields of it, and messages in it of which fields are wanted.
type step struct {
	m      *message
	takes  []take
	inside []inner
	all    []int // the columns filled here and inside: NULL where the message is not there
}

type inner struct {
	field int
	step  *step
}

// take is a column that takes a field.
type take struct {
	field  int // -1: there is none, so the column is NULL
	column int
	how    how
	target *registry.Target
	err    error // of a field that does not fit: any value makes the record bad
}

// how is the way of a field into a column.
type how uint8

const (
	impossible how = iota
	scalar
	asText     // what stands for the value in JSON, as text
	asDocument // the value as a JSON document
	inText     // the JSON document that a string holds
	fitted     // a document that the column's type has in another form
)

// planFor plans how messages of a type fill the columns.
func planFor(m *message, cols []registry.Target) (*step, error) {
	root := &step{m: m}
	for i := range cols {
		if err := root.column(i, &cols[i], cols[i].FieldPath()); err != nil {
			return nil, err
		}
	}
	return root, nil
}

func (s *step) column(i int, t *registry.Target, path []string) error {
	s.all = append(s.all, i)
	at := s.m.find(path[0])
	switch {
	case at == -2:
		return fmt.Errorf("several fields of %s match column %s but for upper and lower case, and none exactly", s.m.desc.FullName(), path[0])
	case at < 0:
		s.takes = append(s.takes, take{field: -1, column: i, target: t})
		return nil
	}
	f := &s.m.fields[at]
	if len(path) == 1 {
		h, err := choose(f, t)
		s.takes = append(s.takes, take{at, i, h, t, err})
		return nil
	}
	if f.message == nil || f.list || f.entries || f.message.special != ordinary {
		parent := strings.TrimSuffix(strings.Join(t.FieldPath(), "."), "."+strings.Join(path[1:], "."))
		s.takes = append(s.takes, take{at, i, impossible, t, t.Cell.Bad(format.WrongType, "it is wanted from inside %q, which is %s", parent, f)})
		return nil
	}
	for k := range s.inside {
		if s.inside[k].field == at {
			return s.inside[k].step.column(i, t, path[1:])
		}
	}
	in := &step{m: f.message}
	s.inside = append(s.inside, inner{at, in})
	return in.column(i, t, path[1:])
}

// choose is the way of a field into a column.
func choose(f *field, t *registry.Target) (how, error) {
	h := chooseDocument(f, t.Type)
	if h == impossible && !t.Type.Nested() && !f.list && !f.entries {
		h = chooseScalar(f, t.Type)
	}
	if h == impossible {
		return h, t.Cell.Bad(format.WrongType, "the schema has %s here, which is not a %s", f, t.Type)
	}
	return h, nil
}

func chooseDocument(f *field, t types.Type) how {
	many := f.list || f.entries
	object := f.entries || !f.list && f.message != nil && (f.message.special == ordinary || f.message.special == anyStruct)
	array := f.list || !f.entries && f.message != nil && f.message.special == anyList
	any := !many && f.message != nil && f.message.special == anyValue
	switch {
	case t.Nested() && !many && f.kind == protoreflect.StringKind:
		return inText
	case t.Kind == types.JSON, t.Kind == types.Varchar && (object || array || any):
		return asDocument
	case t.Kind == types.Array && (array || any), (t.Kind == types.Map || t.Kind == types.Struct) && (object || any):
		if own, err := f.sqlType(nil); err == nil && own.Equal(t) {
			return asDocument
		}
		return fitted
	}
	return impossible
}

func chooseScalar(f *field, t types.Type) how {
	if f.message != nil {
		switch f.message.special {
		case wrapper:
			return chooseScalar(&f.message.fields[0], t)
		case timestamp, calendarDate:
			return onlyFor(t, types.Timestamp, types.Date, types.Varchar)
		case timeOfDay:
			return onlyFor(t, types.Time, types.Varchar)
		case duration:
			return onlyFor(t, types.Varchar)
		case decimal:
			return onlyFor(t, types.Decimal, types.Int, types.Uint, types.Double, types.Varchar)
		}
		return impossible
	}
	switch f.kind {
	case protoreflect.BoolKind:
		return onlyFor(t, types.Boolean, types.Varchar)
	case protoreflect.BytesKind:
		return onlyFor(t, types.Varbinary, types.Varchar)
	case protoreflect.StringKind:
		return scalar
	case protoreflect.EnumKind:
		return onlyFor(t, types.Varchar, types.Varbinary, types.Int, types.Uint)
	}
	if t.Kind == types.Varbinary {
		return impossible
	}
	return scalar
}

func onlyFor(t types.Type, kinds ...types.Kind) how {
	for _, k := range kinds {
		if t.Kind == k {
			return scalar
		}
	}
	return impossible
}
