package parser

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/spell"
)

// typeNames folds the spellings of a type to its canonical name.
var typeNames = map[string]string{
	"BOOLEAN": "BOOLEAN", "BOOL": "BOOLEAN",
	"TINYINT": "TINYINT", "SMALLINT": "SMALLINT", "INT": "INT", "INTEGER": "INT", "BIGINT": "BIGINT",
	"SIGNED": "BIGINT", "UNSIGNED": "BIGINT",
	"FLOAT": "FLOAT", "DOUBLE": "DOUBLE", "REAL": "DOUBLE",
	"DECIMAL": "DECIMAL", "NUMERIC": "DECIMAL", "DEC": "DECIMAL",
	"VARCHAR": "VARCHAR", "CHAR": "VARCHAR", "STRING": "VARCHAR", "TEXT": "VARCHAR", "TINYTEXT": "VARCHAR",
	"MEDIUMTEXT": "VARCHAR", "LONGTEXT": "VARCHAR",
	"VARBINARY": "VARBINARY", "BINARY": "VARBINARY", "BYTES": "VARBINARY", "BLOB": "VARBINARY", "TINYBLOB": "VARBINARY",
	"MEDIUMBLOB": "VARBINARY", "LONGBLOB": "VARBINARY",
	"DATE": "DATE", "TIME": "TIME", "TIMESTAMP": "TIMESTAMP", "DATETIME": "TIMESTAMP",
	"JSON": "JSON", "ARRAY": "ARRAY", "MAP": "MAP", "STRUCT": "STRUCT", "ROW": "STRUCT",
}

// typeArgs is the most numbers a type takes in brackets; a type that is not here takes none.
var typeArgs = map[string]int{
	"TINYINT": 1, "SMALLINT": 1, "INT": 1, "BIGINT": 1, "FLOAT": 2, "DOUBLE": 2, "DECIMAL": 2, "VARCHAR": 1, "VARBINARY": 1,
	"TIME": 1, "TIMESTAMP": 1,
}

// typeName reads a type.
func (p *parser) typeName() ast.TypeName {
	t := p.peek()
	name, ok := typeNames[strings.ToUpper(t.text)]
	if t.kind != tokWord || !ok {
		p.unknownType(t)
		return ast.TypeName{}
	}
	p.pos++
	typ := ast.TypeName{Name: name, Unsigned: t.is("UNSIGNED")}
	switch name {
	case "ARRAY":
		p.expect("<")
		elem := p.typeName()
		typ.Elem = &elem
		p.expect(">")
	case "MAP":
		typ.Elem = p.mapTypes()
	case "STRUCT":
		typ.Fields = p.structFields()
	default:
		p.typeArguments(&typ, t)
	}
	typ.Span = p.since(t.start)
	return typ
}

func (p *parser) unknownType(t token) {
	if !t.name() {
		p.unexpected("a type")
		return
	}
	known := slices.Sorted(maps.Keys(typeNames))
	hint := "there are BOOLEAN, TINYINT … BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), VARCHAR, VARBINARY, DATE, TIME, TIMESTAMP, JSON, ARRAY<t>, MAP<VARCHAR,t>, STRUCT<name t, …>"
	if near := spell.Closest(t.text, known); near != "" {
		hint = "did you mean " + near + "?"
	} else if t.in("MEDIUMINT", "YEAR", "BIT", "ENUM", "SET") {
		hint = "use INT or VARCHAR"
	}
	p.fail(t.span(), "unknown type %q", t.text).Hint = hint
}

// typeArguments reads (p, s) and the words after it. The display width of an integer means nothing and is dropped.
func (p *parser) typeArguments(typ *ast.TypeName, t token) {
	if t.is("DOUBLE") {
		p.accept("PRECISION")
	}
	if typ.Name == "BIGINT" && t.in("SIGNED", "UNSIGNED") {
		if !p.accept("INTEGER") {
			p.accept("INT")
		}
		return
	}
	integer := typ.Name == "BIGINT" || typ.Name == "INT" || typ.Name == "SMALLINT" || typ.Name == "TINYINT"
	if open := p.peek(); typeArgs[typ.Name] > 0 && p.accept("(") {
		for {
			n := p.count("a number")
			if n > 1<<31-1 {
				p.fail(p.toks[p.pos-1].span(), "%s is too large", strconv.FormatInt(n, 10))
			}
			typ.Args = append(typ.Args, int(n))
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		if len(typ.Args) > typeArgs[typ.Name] {
			p.fail(p.since(open.start), "%s takes at most %d numbers", typ.Name, typeArgs[typ.Name])
		}
		if integer {
			typ.Args = nil
		}
	}
	if integer && !p.accept("SIGNED") {
		typ.Unsigned = p.accept("UNSIGNED")
	}
	if t := p.peek(); t.in("CHARACTER", "CHARSET", "COLLATE", "ZEROFILL") {
		p.unsupported(t.span(), strings.ToUpper(t.text)+" in a type", "leave it out: strings are UTF-8 and compare by their bytes")
	}
}

// mapTypes reads <VARCHAR, t>.
func (p *parser) mapTypes() *ast.TypeName {
	p.expect("<")
	key := p.typeName()
	if p.err == nil && key.Name != "VARCHAR" {
		p.fail(key.Span, "the key of a MAP is a VARCHAR")
	}
	p.expect(",")
	value := p.typeName()
	p.expect(">")
	return &value
}

// structFields reads <name t, …>.
func (p *parser) structFields() []ast.FieldDef {
	var fields []ast.FieldDef
	p.expect("<")
	for {
		name := p.ident("a field name")
		p.accept(":")
		fields = append(fields, ast.FieldDef{Name: name, Type: p.typeName()})
		if !p.accept(",") {
			break
		}
	}
	p.expect(">")
	return fields
}
