package catalog

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
	"github.com/streamsql-go/streamsql/sql/types"
)

// TypeOf is the type a declaration means. Numbers in brackets follow MySQL: DECIMAL is DECIMAL(10,0), TIMESTAMP without
// a precision keeps the milliseconds of Kafka (TIMESTAMP(3)); display widths of integers are ignored.
func TypeOf(n ast.TypeName) (types.Type, error) {
	switch n.Name {
	case "BOOLEAN":
		return types.TBoolean, nil
	case "TINYINT", "SMALLINT", "INT", "BIGINT", "MEDIUMINT":
		t := types.Type{Kind: types.Int, Bits: map[string]uint8{"TINYINT": 8, "SMALLINT": 16, "BIGINT": 64}[n.Name]}
		if t.Bits == 0 {
			t.Bits = 32
		}
		if n.Unsigned {
			t.Kind = types.Uint
		}
		return t, nil
	case "FLOAT":
		return types.Type{Kind: types.Double, Bits: 32}, nil
	case "DOUBLE":
		return types.TDouble, nil
	case "DECIMAL":
		return decimal(n)
	case "VARCHAR", "VARBINARY":
		t := types.TVarchar
		if n.Name == "VARBINARY" {
			t = types.TVarbinary
		}
		if len(n.Args) > 0 {
			t.Length = n.Args[0]
		}
		return t, nil
	case "DATE":
		return types.TDate, nil
	case "TIME", "TIMESTAMP":
		return temporal(n)
	case "JSON":
		return types.TJSON, nil
	case "ARRAY", "MAP", "STRUCT":
		return nested(n)
	}
	return types.Type{}, ast.Errorf(n.Span, "unknown type %s", n.Name).WithHint("%s", spell.Hint(n.Name, "types", typeNames))
}

var typeNames = []string{"BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "VARBINARY",
	"DATE", "TIME", "TIMESTAMP", "JSON", "ARRAY", "MAP", "STRUCT"}

func decimal(n ast.TypeName) (types.Type, error) {
	p, s := 10, 0
	if len(n.Args) > 0 {
		p = n.Args[0]
	}
	if len(n.Args) > 1 {
		s = n.Args[1]
	}
	switch {
	case p > types.MaxDecimalDigits:
		return types.Type{}, ast.Errorf(n.Span, "DECIMAL(%d,%d) has more than %d digits", p, s, types.MaxDecimalDigits).
			WithHint("decimals are kept in 128 bits, which hold %d digits in full: declare at most DECIMAL(%d,…), or VARCHAR to pass the text through",
				types.MaxDecimalDigits, types.MaxDecimalDigits)
	case p < 1 || s < 0 || s > p || s > 30:
		return types.Type{}, ast.Errorf(n.Span, "DECIMAL(%d,%d) is not possible", p, s).
			WithHint("DECIMAL(p,s) needs 1 <= p <= %d and 0 <= s <= min(p, 30)", types.MaxDecimalDigits)
	}
	return types.TDecimal(p, s), nil
}

func temporal(n ast.TypeName) (types.Type, error) {
	t := types.Type{Kind: types.Time}
	if n.Name == "TIMESTAMP" {
		t = types.TTimestamp
	}
	if len(n.Args) > 0 {
		if n.Args[0] < 0 || n.Args[0] > 6 {
			return types.Type{}, ast.Errorf(n.Span, "%s(%d) is not possible: the precision is 0 to 6 digits", n.Name, n.Args[0])
		}
		t.Precision = uint8(n.Args[0])
	}
	return t, nil
}

func nested(n ast.TypeName) (types.Type, error) {
	if n.Name == "STRUCT" {
		t := types.Type{Kind: types.Struct}
		for _, f := range n.Fields {
			ft, err := TypeOf(f.Type)
			if err != nil {
				return types.Type{}, err
			}
			for _, have := range t.Fields {
				if strings.EqualFold(have.Name, f.Name.Name) {
					return types.Type{}, ast.Errorf(f.Name.Span, "field %s is declared twice", f.Name.Name)
				}
			}
			t.Fields = append(t.Fields, types.Field{Name: f.Name.Name, Type: ft})
		}
		return t, nil
	}
	if n.Elem == nil {
		return types.Type{}, ast.Errorf(n.Span, "%s needs the type of its elements", n.Name).WithHint("ARRAY<VARCHAR>, MAP<VARCHAR, INT>")
	}
	elem, err := TypeOf(*n.Elem)
	if err != nil {
		return types.Type{}, err
	}
	kind := types.Array
	if n.Name == "MAP" {
		kind = types.Map
	}
	return types.Type{Kind: kind, Elem: &elem}, nil
}
