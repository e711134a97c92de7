package parquet

import (
	"fmt"
	"reflect"

	"github.com/parquet-go/parquet-go"

	"github.com/streamsql-go/streamsql/sql/types"
)

// group is a group with its fields in the order of their declaration: parquet.Group sorts them by name.
type group struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements parquet.Node.
func (g *group) Fields() []parquet.Field { return g.fields }

type field struct {
	parquet.Node
	name string
}

// Name implements parquet.Field.
func (f *field) Name() string { return f.name }

// Value implements parquet.Field. Rows are written as values of columns and not as Go structures, so nobody asks.
func (f *field) Value(reflect.Value) reflect.Value { return reflect.Value{} }

func (g *group) add(name string, n parquet.Node) {
	g.Group[name] = n
	g.fields = append(g.fields, &field{n, name})
}

// newSchema is the schema of files that hold these columns.
func newSchema(name string, cols []types.Column) (*parquet.Schema, error) {
	g := &group{Group: parquet.Group{}}
	for _, c := range cols {
		n, err := node(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		g.add(c.Name, n)
	}
	return parquet.NewSchema(name, g), nil
}

// node is an optional value of a type.
func node(t types.Type) (parquet.Node, error) {
	n, err := required(t)
	if err != nil {
		return nil, err
	}
	return parquet.Optional(n), nil
}

func required(t types.Type) (parquet.Node, error) {
	switch t.Kind {
	case types.Boolean:
		return parquet.Leaf(parquet.BooleanType), nil
	case types.Int:
		return parquet.Int(width(t)), nil
	case types.Uint:
		return parquet.Uint(width(t)), nil
	case types.Double:
		if t.Bits == 32 {
			return parquet.Leaf(parquet.FloatType), nil
		}
		return parquet.Leaf(parquet.DoubleType), nil
	case types.Decimal:
		return parquet.Decimal(int(t.Scale), int(t.Precision), decimalType(t)), nil
	case types.Varchar:
		return parquet.String(), nil
	case types.Varbinary:
		return parquet.Leaf(parquet.ByteArrayType), nil
	case types.JSON:
		return parquet.JSON(), nil
	case types.Date:
		return parquet.Date(), nil
	case types.Time:
		return parquet.TimeAdjusted(parquet.Microsecond, false), nil
	case types.Timestamp:
		return parquet.Timestamp(timestampUnit(t)), nil
	case types.Array:
		of, err := node(*t.Elem)
		return parquet.List(of), err
	case types.Map:
		of, err := node(*t.Elem)
		return parquet.Map(parquet.String(), of), err
	case types.Struct:
		g := &group{Group: parquet.Group{}}
		for _, f := range t.Fields {
			n, err := node(f.Type)
			if err != nil {
				return nil, err
			}
			g.add(f.Name, n)
		}
		return g, nil
	}
	return nil, fmt.Errorf("%s has no place in a Parquet file: CAST it", t)
}

func width(t types.Type) int {
	if t.Bits == 0 {
		return 64
	}
	return int(t.Bits)
}

// timestampUnit is milliseconds where they hold all digits.
func timestampUnit(t types.Type) parquet.TimeUnit {
	if t.Precision <= 3 {
		return parquet.Millisecond
	}
	return parquet.Microsecond
}

// decimalType is the narrowest physical type for the digits of a DECIMAL (Parquet format, LogicalTypes.md).
func decimalType(t types.Type) parquet.Type {
	switch {
	case t.Precision <= 9:
		return parquet.Int32Type
	case t.Precision <= 18:
		return parquet.Int64Type
	}
	return parquet.FixedLenByteArrayType(decimalBytes(int(t.Precision)))
}

// decimalBytes is how many bytes hold all numbers of so many digits in two's complement.
func decimalBytes(digits int) int {
	limit := types.Pow10(digits)
	one := types.FromInt64(1)
	most, _ := limit.Sub(one)
	return len(most.AppendBigEndian(nil))
}
